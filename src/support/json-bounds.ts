/** Bounds of documents that somebody else may have written. */

import { parseJson } from './json.js';
import { createInputError } from './problem.js';

/** Documents of the suite have a tenth of it. Some thousand levels end functions that call themselves. */
export const maxJsonLevels = 200;

/** A value needs some twenty times the memory of its text, and again as much if it is reported as wrong. */
const maxValues = 3_000_000;

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const openers: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const closers: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/** Says which bound a JSON text exceeds, before it is parsed; undefined if none. The text need not be valid. */
export function findExceededJsonBound(text: string): string | undefined {
  let levels = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = findEndOfText(text, at);
    else if (openers.has(code)) levels += 1;
    else if (closers.has(code)) levels -= 1;
    if (code === comma || openers.has(code)) values += 1;
    if (levels > maxJsonLevels) return tooDeepMessage;
    if (values > maxValues) return `it has more than ${maxValues} values`;
  }
  return undefined;
}

export const tooDeepMessage = `it has more than ${maxJsonLevels} levels`;

/** Finds the quotation mark that ends a text. @param start that of the one that begins it */
function findEndOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) return at;
    if (code === backslash) at += 1;
  }
  return text.length;
}

/** Whether a value has more objects and lists around it than a limit. Does not call itself, so that any depth can be told. */
export function isDeeperThan(document: unknown, limit: number): boolean {
  let level: unknown[] = [document];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limit) return true;
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
  return false;
}

/** Parses JSON that a program wrote, if it keeps the bounds. @throws UnusableInput that says which one it exceeds */
export function parseBoundedJson(text: string, file: string, hint: string): unknown {
  const exceeded = findExceededJsonBound(text);
  if (exceeded !== undefined) throw createInputError(file, `cannot be read: ${exceeded}`, hint);
  return parseJson(text);
}
