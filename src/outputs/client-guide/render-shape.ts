import type { BodyShape } from '../../record/body-shape.js';
import { toOneLine } from '../../support/untrusted-text.js';

/** What fits on a screen: lines of an outline, members of an object, and characters of an object on one line. */
const [maxLines, maxMembers, maxLine] = [40, 14, 110];
/** Objects below this depth are not outlined, nor those below a smaller one if there are too many lines. */
const maxDepth = 6;

/** Renders the shape of JSON in lines, as TypeScript writes types: `?` marks what is not in each of them. */
export function renderShape(shape: BodyShape): string {
  for (let depth = maxDepth; depth > 1; depth -= 1) {
    const lines = renderType(shape, depth);
    if (lines.length <= maxLines) return lines.join('\n');
  }
  return renderType(shape, 1).join('\n');
}

/** The first line continues the line of the member, and the others are indented like it. @param depth of objects to outline */
function renderType(shape: BodyShape, depth: number): [first: string, ...others: string[]] {
  const types = [shape.type ?? []].flat();
  if (types.length === 0) return ['any'];
  const [first, ...others] = types.map((type) => renderOneType(type, shape, depth));
  return others.reduce<[string, ...string[]]>((left, right) => join(left, ' | ', right), first ?? ['any']);
}

function renderOneType(type: string, shape: BodyShape, depth: number): [string, ...string[]] {
  if (type === 'array') return shape.items === undefined ? ['[]'] : renderList(shape.items, depth);
  return type === 'object' ? renderObject(shape, depth) : [type === 'integer' ? 'number' : type];
}

function renderList(items: BodyShape, depth: number): [string, ...string[]] {
  const rendered = renderType(items, depth);
  const isUnion = [items.type ?? []].flat().length > 1;
  return isUnion ? join(['('], '', join(rendered, '', [')[]'])) : join(rendered, '', ['[]']);
}

function renderObject(
  { properties = {}, required = [], additionalProperties }: BodyShape,
  depth: number,
): [string, ...string[]] {
  const members = Object.entries(properties);
  const others = additionalProperties ? [renderMember('[id: string]', additionalProperties, depth)] : [];
  if (depth === 0 || members.length + others.length === 0) return ['object'];
  // What is in each of them comes first.
  const sorted = members.toSorted(
    ([left], [right]) => Number(required.includes(right)) - Number(required.includes(left)),
  );
  const shown = sorted.slice(0, maxMembers).map(([name, member]) => {
    const mark = required.includes(name) ? '' : '?';
    return renderMember(`${toOneLine(JSON.stringify(name))}${mark}`, member, depth);
  });
  const more = members.length > maxMembers ? [[`… ${members.length - maxMembers} more`]] : [];
  const entries = [...shown, ...others, ...more];
  const line = `{ ${entries.flat().join(', ')} }`;
  if (entries.every(({ length }) => length === 1) && line.length <= maxLine) return [line];
  return ['{', ...entries.flat().map((entry) => `  ${entry}`), '}'];
}

function renderMember(name: string, shape: BodyShape, depth: number): string[] {
  return join([`${name}: `], '', renderType(shape, depth - 1));
}

/** Joins the last line of a text and the first one of another. */
function join(
  left: readonly [string, ...string[]],
  separator: string,
  [first, ...others]: readonly [string, ...string[]],
): [string, ...string[]] {
  const lines: [string, ...string[]] = [...left];
  lines.push(`${lines.pop()}${separator}${first}`, ...others);
  return lines;
}
