import { parseJson } from '../support/json.js';

/** A place in an array or in an object, and in all that surround it. */
export interface Position {
  readonly value: object;
  /** Those of the members of an object. */
  readonly names: readonly string[] | undefined;
  readonly size: number;
  /** Whether it is an array, or an object whose keys are indices: some languages write a list with gaps so. */
  readonly isList: boolean;
  next: number;
  readonly parent: Position | undefined;
  /** The path of the array or object itself, and that of every member of a list, once they are known. */
  path: string | undefined;
  itemPath: string | undefined;
}

/** @param position undefined if the text is the whole body. Valid during the visit only. */
type TextVisitor = (text: string, position: Position | undefined, isKey: boolean) => void;

/** The longest number in JSON that JavaScript writes, in characters. */
const maxNumber = 25;

/**
 * Does not call itself: a body can be nested deeper than the call stack allows. Not a generator: that takes longer.
 *
 * @param minLength of the texts that are visited
 */
export function walkTexts(body: unknown, visit: TextVisitor, minLength = 0): void {
  const areNumbersRead = minLength <= maxNumber;
  /** Visits a text, or returns the array or the object that is to be opened. */
  const visitValue = (value: unknown, position: Position | undefined): object | undefined => {
    if (typeof value === 'object') return value ?? undefined;
    if (typeof value === 'string') {
      if (value.length < minLength) return undefined;
      const nested = parseNestedJson(value);
      if (typeof nested === 'object' && nested !== null) return nested;
      visit(value, position, false);
    } else if (areNumbersRead && typeof value === 'number') visit(String(value), position, false);
    return undefined;
  };
  const first = visitValue(body, undefined);
  let position = first && openContainer(first, undefined);
  while (position !== undefined) {
    const { names, size } = position;
    let opened: object | undefined;
    while (opened === undefined && ++position.next < size) {
      const key = names?.[position.next];
      if (key !== undefined && key.length >= minLength) visit(key, position, true);
      opened = visitValue(getMember(position), position);
    }
    position = opened === undefined ? position.parent : openContainer(opened, position);
  }
}

function openContainer(value: object, parent: Position | undefined): Position {
  const names = Array.isArray(value) ? undefined : Object.keys(value);
  const { length: size } = names ?? (value as unknown[]);
  const isList = names === undefined || areIndices(names);
  const path = parent === undefined ? '' : undefined;
  return { value, names, size, isList, next: -1, parent, path, itemPath: undefined };
}

/** Returns the path of a position. Most arrays and objects have no id in them, and need none. @param renderKey of an object */
export function getPath(position: Position, renderKey: (position: Position) => string): string {
  const getMemberPath = (level: Position) => {
    if (!level.isList) return appendStep(level.path ?? '', renderKey(level));
    level.itemPath ??= appendStep(level.path ?? '', '*');
    return level.itemPath;
  };
  const unknown: Position[] = [];
  for (let level = position; level.path === undefined && level.parent !== undefined; level = level.parent)
    unknown.push(level);
  for (const level of unknown.reverse()) level.path = level.parent && getMemberPath(level.parent);
  return getMemberPath(position);
}

export function getMember({ value, names, next }: Position): unknown {
  return (value as Record<string | number, unknown>)[names === undefined ? next : (names[next] as string)];
}

/** Whether all keys of an object are indices. JavaScript lists such keys before all others. */
function areIndices(keys: readonly string[]): boolean {
  const last = keys[keys.length - 1] ?? '';
  // Letters come after digits: most keys need no pattern.
  return last < ':' && /^(0|[1-9]\d{0,8})$/.test(last);
}

export function getStep({ names, next }: Position): string {
  return names?.[next] ?? String(next);
}

/** Escapes a key as a step of a JSON Pointer (RFC 6901). */
export function escapePathStep(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Appends a step to a path. All paths that are too long are replaced by one pattern. */
export function appendStep(path: string, step: string): string {
  return path.length + step.length > maxPath || path === catchAllPath ? catchAllPath : `${path}/${step}`;
}

const maxPath = 16_000;

/** Stands for several places of a body, which may name different tiers. */
export const catchAllPath = '/**';

const [space, bracket, brace] = [' ', '[', '{'].map((character) => character.charCodeAt(0)) as [number, number, number];

/** Returns undefined for a string without JSON, at once for one like `[gold]`: an error of the parser takes long. */
function parseNestedJson(text: string): unknown {
  const first = text.charCodeAt(0);
  if (first > space && first < brace && first !== bracket) return undefined;
  return /^\s*(?:\{\s*["}]|\[\s*["{[\]\dtfn-])/.test(text) ? parseJson(text) : undefined;
}
