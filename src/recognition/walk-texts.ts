import { parseJson } from '../support/json.js';

/** A place in an array or in an object, and in all that surround it. */
export interface Position<State = unknown> {
  readonly members: readonly unknown[];
  /** The keys of an object. */
  readonly names: readonly string[] | undefined;
  /** Whether it is an array, or an object whose keys are indices: some languages write a list with gaps so. */
  readonly isList: boolean;
  /** The index of a member. */
  next: number;
  readonly parent: Position<State> | undefined;
  /** The number of steps to its members. */
  readonly depth: number;
  /** What is known of the path to the array or object itself. */
  readonly state: State;
}

/**
 * Visits a string, a number or a key of a body.
 *
 * @param position undefined if the text is the whole body. Valid during the visit
 */
export type TextVisitor<State> = (text: string, position: Position<State> | undefined, isKey: boolean) => void;

/**
 * Visits all texts of a parsed body, each key before what is under it. Does not call itself, because a body can be nested
 * deeper than the call stack allows. Not a generator: that takes longer.
 *
 * @param state that of the whole body
 * @param descend computes the state of the member at a position; undefined if nothing under it matters
 */
export function walkTexts<State>(
  body: unknown,
  state: State,
  descend: (position: Position<State>) => State | undefined,
  visit: TextVisitor<State>,
): void {
  let position: Position<State> | undefined;
  let value = body;
  for (;;) {
    const opened = typeof value === 'string' ? parseNestedJson(value) : value;
    if (typeof opened === 'object' && opened !== null) {
      const inner = position === undefined ? state : descend(position);
      if (inner !== undefined) position = openContainer(opened, position, inner);
    } else if (typeof value === 'string' || typeof value === 'number') visit(String(value), position, false);
    while (position !== undefined && ++position.next >= position.members.length) position = position.parent;
    if (position === undefined) return;
    const key = position.names?.[position.next];
    if (key !== undefined) visit(key, position, true);
    value = position.members[position.next];
  }
}

function openContainer<State>(value: object, parent: Position<State> | undefined, state: State): Position<State> {
  const depth = (parent?.depth ?? 0) + 1;
  if (Array.isArray(value)) return { members: value, names: undefined, isList: true, next: -1, parent, depth, state };
  const names = Object.keys(value);
  return { members: Object.values(value), names, isList: areIndices(names), next: -1, parent, depth, state };
}

/** Whether all keys of an object are indices. JavaScript lists such keys before all others. */
export function areIndices(keys: readonly string[]): boolean {
  return /^(0|[1-9]\d{0,8})$/.test(keys.at(-1) ?? '');
}

/**
 * Parses a string of a body that contains JSON: an array or an object. Returns undefined for any other string, at once for
 * one like `[gold]`, since an error of the parser takes long.
 */
function parseNestedJson(text: string): unknown {
  return /^\s*(?:\{\s*["}]|\[\s*["{[\]\dtfn-])/.test(text) ? parseJson(text) : undefined;
}
