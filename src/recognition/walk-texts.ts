import { parseJson } from '../support/json.js';

/** A place in an array or in an object, and in all that surround it. */
export interface Position {
  readonly members: readonly unknown[];
  readonly names: readonly string[] | undefined;
  /** Whether it is an array, or an object whose keys are indices: some languages write a list with gaps so. */
  readonly isList: boolean;
  next: number;
  readonly parent: Position | undefined;
  /** The path of the array or object itself. */
  readonly path: string;
  /** The path of every member of a list, once it is known. */
  itemPath?: string;
}

/** @param position undefined if the text is the whole body. Valid during the visit only. */
type TextVisitor = (text: string, position: Position | undefined, isKey: boolean) => void;

/** Does not call itself: a body can be nested deeper than the call stack allows. Not a generator: that takes longer. */
export function walkTexts(body: unknown, getPath: (position: Position) => string, visit: TextVisitor): void {
  let position: Position | undefined;
  let value = body;
  for (;;) {
    const opened = typeof value === 'string' ? parseNestedJson(value) : value;
    if (typeof opened === 'object' && opened !== null)
      position = openContainer(opened, position, position === undefined ? '' : getPath(position));
    else if (typeof value === 'string' || typeof value === 'number') visit(String(value), position, false);
    while (position !== undefined && ++position.next >= position.members.length) position = position.parent;
    if (position === undefined) return;
    const key = position.names?.[position.next];
    if (key !== undefined) visit(key, position, true);
    value = position.members[position.next];
  }
}

function openContainer(value: object, parent: Position | undefined, path: string): Position {
  if (Array.isArray(value)) return { members: value, names: undefined, isList: true, next: -1, parent, path };
  const names = Object.keys(value);
  return { members: Object.values(value), names, isList: areIndices(names), next: -1, parent, path };
}

/** Whether all keys of an object are indices. JavaScript lists such keys before all others. */
function areIndices(keys: readonly string[]): boolean {
  return /^(0|[1-9]\d{0,8})$/.test(keys.at(-1) ?? '');
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

/** Returns undefined for a string without JSON, at once for one like `[gold]`: an error of the parser takes long. */
function parseNestedJson(text: string): unknown {
  return /^\s*(?:\{\s*["}]|\[\s*["{[\]\dtfn-])/.test(text) ? parseJson(text) : undefined;
}
