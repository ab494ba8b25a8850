import { randomUUID } from 'node:crypto';

/** Parses JSON (RFC 8259), with or without a byte-order mark. Returns undefined for any other text. */
export function parseJson(text: string, revive?: (key: string, value: unknown) => unknown): unknown {
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text, revive);
  } catch {
    return undefined;
  }
}

/** A mark, a space, a whole string, a number that may lack its end, or a word of JSON. */
const jsonToken = /[{}[\],:]|\s+|"[^"\\]*(?:\\[\s\S][^"\\]*)*"|-?\d+(?:\.\d*)?(?:[eE][+-]?\d*)?|true|false|null/y;
/** The beginning of a string, a number or a word. */
const jsonTokenStart = /^(?:"[^"\\]*(?:\\[\s\S][^"\\]*)*\\?|-|t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?)$/;

/** Whether a text is the beginning of a JSON object or array, and only its end is missing. Another format is none. */
export function isCutOffJson(text: string): boolean {
  if (!/^\uFEFF?\s*[[{]/.test(text)) return false;
  let depth = 0;
  jsonToken.lastIndex = text.search(/[[{]/);
  for (let at = jsonToken.lastIndex; at < text.length; at = jsonToken.lastIndex) {
    const [token] = jsonToken.exec(text) ?? [];
    if (token === undefined) return jsonTokenStart.test(text.slice(at));
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    if (depth === 0) return false;
  }
  return true;
}

/** A number that JavaScript would write in another way, such as `9007199254740993`, `1.0` or `1e20`, as it stands in JSON. */
export class NumberText {
  constructor(readonly text: string) {}

  toString(): string {
    return this.text;
  }

  /** For `JSON.stringify`, which cannot keep the digits: see {@link stringifyExactly}. */
  toJSON(): number {
    return Number(this.text);
  }
}

/** Marks the text of a number while JavaScript has it as a string. No deployment can know it. */
const numberMark = `${randomUUID()} `;

/** Numbers, and what looks like one inside a string. A pattern that begins with what precedes a number is twice as fast. */
const numberLike = /(?:^|[:,[\s])(-?\d[\d.eE+-]*)(?=[\s,\]}]|$)/g;
const stringsAndNumbers = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/** Whether JavaScript reads a number and writes it again with other characters. */
const changesDigits = (number: string): boolean => String(Number(number)) !== number;

/** Parses JSON like {@link parseJson}, but keeps the digits of each number: one that would change is a `NumberText`. */
export function parseJsonExactly(text: string): unknown {
  const value = parseJson(text);
  if (value === undefined || !hasMatch(text, numberLike, changesDigits)) return value;
  const marked = text.replaceAll(stringsAndNumbers, (token) =>
    token.startsWith('"') || !changesDigits(token) ? token : `"${numberMark}${token}"`,
  );
  return restoreNumbers(parseJson(marked));
}

function hasMatch(text: string, pattern: RegExp, isMeant: (match: string) => boolean): boolean {
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text))
    if (isMeant(match[1] as string)) return true;
  return false;
}

/** Replaces marked strings, without recursion: a body can be nested deeper than the call stack allows. */
function restoreNumbers(value: unknown): unknown {
  const root = { value };
  const open: object[] = [root];
  for (let parent = open.pop(); parent !== undefined; parent = open.pop())
    for (const [key, member] of Object.entries(parent)) {
      if (typeof member === 'object' && member !== null) open.push(member);
      if (typeof member !== 'string' || !member.startsWith(numberMark)) continue;
      const number = new NumberText(member.slice(numberMark.length));
      // An assignment to a member named `__proto__` would replace the prototype.
      Object.defineProperty(parent, key, { value: number, enumerable: true, configurable: true, writable: true });
    }
  return root.value;
}

/** Reads a text that is a number in JSON (RFC 8259, section 6), with its digits; undefined for any other text. */
export function readNumber(text: string): number | NumberText | undefined {
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) return undefined;
  return changesDigits(text) ? new NumberText(text) : Number(text);
}

/** Renders JSON like `JSON.stringify`, and each `NumberText` with its digits. @param replace as in `JSON.stringify` */
export function stringifyExactly(
  value: unknown,
  replace: (key: string, value: unknown) => unknown = (_, member) => member,
  indent?: number,
): string | undefined {
  // JSON.stringify calls toJSON first, so the number itself is read from the object around it.
  function mark(this: Readonly<Record<string, unknown>>, key: string, member: unknown): unknown {
    const original = this[key];
    return original instanceof NumberText ? `${numberMark}${original.text}` : replace(key, member);
  }
  const text: string | undefined = JSON.stringify(value, mark, indent);
  return text?.replaceAll(new RegExp(`"${numberMark}([^"]*)"`, 'g'), '$1');
}

/** RFC 6901. */
export function parseJsonPointer(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NumberText);
}

/** Whether a value of JSON is an array or an object. */
export function isJsonContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof NumberText);
}

export function getMember(value: unknown, name: string): unknown {
  return isJsonObject(value) ? value[name] : undefined;
}

/** Whether all texts of a value have whole characters. No UTF-8 text can have half of a surrogate pair (RFC 8259, section 8.2). */
export function hasWellFormedTexts(value: unknown): boolean {
  if (typeof value === 'string') return !/\p{Surrogate}/u.test(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).flat().every(hasWellFormedTexts);
}
