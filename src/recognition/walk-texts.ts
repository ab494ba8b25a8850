import { NumberText, parseJsonExactly } from '../support/json.js';

/** A place in an array or in an object, and in all that surround it. */
export class BodyPosition {
  /** The number of the member, and its name if it is one of an object. */
  next = -1;
  name: string | undefined;
  /** The path of the array or object itself, once it is known. */
  path: Path | undefined;
  knownNames: readonly string[] | undefined;

  constructor(
    readonly value: object,
    readonly parent: BodyPosition | undefined,
  ) {}

  /** Those of all members of an object. */
  get names(): readonly string[] | undefined {
    if (!Array.isArray(this.value)) this.knownNames ??= Object.keys(this.value);
    return this.knownNames;
  }

  get size(): number {
    return (this.names ?? (this.value as unknown[])).length;
  }

  /** Whether it is an array, or an object whose keys are indices: some languages write a list with gaps so. */
  get isList(): boolean {
    // JavaScript lists such keys before all others. Letters come after digits: most keys need no pattern.
    if (this.name === undefined) return true;
    return this.name < ':' && /^(0|[1-9]\d{0,8})$/.test(this.names?.at(-1) ?? '');
  }

  get step(): string {
    return this.name ?? String(this.next);
  }

  get member(): unknown {
    return (this.value as Record<string | number, unknown>)[this.name ?? this.next];
  }
}

/** @param position undefined if the text is the whole body. Valid during the visit only. */
type TextVisitor = (text: string, position: BodyPosition | undefined, isKey: boolean) => void;

/** The longest number in JSON that JavaScript writes, in characters. */
const maxNumber = 25;

/** A body can be nested deeper than the call stack allows. */
const maxCalls = 200;

/**
 * Visits all strings, numbers and object keys of a parsed body, and those of JSON inside of strings, in the order of the body.
 * @param minLength of the texts that are visited, in characters
 */
export function walkTexts(body: unknown, visit: TextVisitor, minLength = 0): void {
  const walk = new TextWalk(visit, minLength);
  const first = walk.visitValue(body, undefined);
  let position = first && new BodyPosition(first, undefined);
  while (position !== undefined) position = walk.visitMembers(position, 0) ?? position.parent;
}

class TextWalk {
  private readonly areNumbersRead: boolean;

  constructor(
    private readonly visit: TextVisitor,
    private readonly minLength: number,
  ) {
    this.areNumbersRead = minLength <= maxNumber;
  }

  /** Visits a text, or returns the array or the object that is to be opened. */
  visitValue(value: unknown, position: BodyPosition | undefined): object | undefined {
    if (typeof value === 'string') return this.visitString(value, position);
    if (typeof value === 'object') {
      if (!(value instanceof NumberText)) return value ?? undefined;
      if (value.text.length >= this.minLength) this.visit(value.text, position, false);
    } else if (this.areNumbersRead && typeof value === 'number') this.visit(String(value), position, false);
    return undefined;
  }

  private visitString(text: string, position: BodyPosition | undefined): object | undefined {
    if (text.length < this.minLength) return undefined;
    const nested = parseNestedJson(text);
    if (typeof nested === 'object' && nested !== null) return nested;
    this.visit(text, position, false);
    return undefined;
  }

  /**
   * Visits the members that are left of an array or an object, and all that is inside of them. It calls itself, since anything
   * else takes longer. Returns undefined at the end, or the position where to go on if the call stack is full.
   */
  visitMembers(position: BodyPosition, calls: number): BodyPosition | undefined {
    if (calls === maxCalls) return position;
    // To list the keys of an object takes time, which only one that was left half-way needs.
    const isByIndex = Array.isArray(position.value) || position.next >= 0;
    return isByIndex ? this.visitByIndex(position, calls) : this.visitByName(position, calls);
  }

  private visitByIndex(position: BodyPosition, calls: number): BodyPosition | undefined {
    const { names, size } = position;
    while (++position.next < size) {
      const deeper = this.visitMember(position, names?.[position.next], calls);
      if (deeper !== undefined) return deeper;
    }
    return undefined;
  }

  private visitByName(position: BodyPosition, calls: number): BodyPosition | undefined {
    for (const name in position.value) {
      position.next += 1;
      const deeper = this.visitMember(position, name, calls);
      if (deeper !== undefined) return deeper;
    }
    return undefined;
  }

  private visitMember(position: BodyPosition, name: string | undefined, calls: number): BodyPosition | undefined {
    position.name = name;
    if (name !== undefined && name.length >= this.minLength) this.visit(name, position, true);
    const opened = this.visitValue(position.member, position);
    return opened && this.visitMembers(new BodyPosition(opened, position), calls + 1);
  }
}

/** Has the paths of members by their last step: records have the same. */
interface Path {
  readonly text: string;
  readonly members: Map<string, Path>;
}

/** Returns the path of a position. Most arrays and objects have no id in them, and need none. @param renderKey of an object */
export function getPathOfPosition(position: BodyPosition, renderKey: (position: BodyPosition) => string): string {
  const getMemberPath = (level: BodyPosition): Path => {
    level.path ??= { text: '', members: new Map() };
    const { text, members } = level.path;
    const step = level.isList ? '*' : renderKey(level);
    const path = members.get(step) ?? { text: appendPathStep(text, step), members: new Map() };
    members.set(step, path);
    return path;
  };
  const unknown: BodyPosition[] = [];
  for (let level = position; level.path === undefined && level.parent !== undefined; level = level.parent)
    unknown.push(level);
  for (const level of unknown.reverse()) level.path = getMemberPath(level.parent as BodyPosition);
  return getMemberPath(position).text;
}

/** Escapes a key as a step of a JSON Pointer (RFC 6901). */
export function escapePathStep(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Appends a step to a path. All paths that are too long are replaced by one pattern. */
export function appendPathStep(path: string, step: string): string {
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
  return /^\s*(?:\{\s*["}]|\[\s*["{[\]\dtfn-])/.test(text) ? parseJsonExactly(text) : undefined;
}
