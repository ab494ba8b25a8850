/**
 * Narrows the values of a small wrong request: a quantity between two neighbours, a text to the letters that decide, a size to
 * the byte. In: parts of a request, one of which is to be changed. Out: a wrong and a right value. Pure (see `symptom-inquiry.ts`).
 */

import type { HttpRequest } from '../http/exchange.js';
import type { Correctness } from './symptom.js';
import type { RequestGenerator, SymptomInquiry } from './symptom-inquiry.js';

/** Two values that differ in as little as was found: the requests with them are wrong and right. */
export interface ValueContrast<Value> {
  readonly wrong: Value;
  readonly right: Value;
}

/**
 * Finds two neighbours among whole numbers, one wrong and one right.
 *
 * @param build creates the request with a number
 */
export function* bisect(
  inquiry: SymptomInquiry,
  { wrong, right }: ValueContrast<number>,
  build: (value: number) => HttpRequest,
): RequestGenerator<ValueContrast<number>> {
  if (Math.abs(wrong - right) <= 1) return { wrong, right };
  const middle = Math.trunc((wrong + right) / 2);
  const answer = yield* inquiry.ask(build(middle));
  if (answer === 'unclear') return { wrong, right };
  return yield* bisect(inquiry, answer === 'wrong' ? { wrong: middle, right } : { wrong, right: middle }, build);
}

/** No text takes more requests than these. */
const maxTextRequests = 24;
/** Stands for a letter that means nothing. */
export const plainLetter = 'x';

/** @returns undefined if no request can have the text */
type BuildWithText = (text: string) => HttpRequest | undefined;

/** A text that is wrong, and the last right one that was seen on the way to it. */
export interface TextContrast {
  readonly wrong: string;
  readonly right: string | undefined;
}

/**
 * Leaves out letters of a text as long as the request stays wrong.
 *
 * @returns undefined for the right text if none was seen
 */
export function* shrinkText(
  inquiry: SymptomInquiry,
  text: string,
  build: BuildWithText,
): RequestGenerator<TextContrast> {
  const enough = inquiry.allowance.left - maxTextRequests;
  let shrunk = yield* keepOneKind(inquiry, text, build);
  for (let size = Math.ceil([...shrunk.wrong].length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    shrunk = yield* leaveOutLetters(inquiry, shrunk, size, build, enough);
  }
  if ([...shrunk.wrong].length > 1 || shrunk.wrong === plainLetter) return shrunk;
  const answer = yield* askText(inquiry, plainLetter, build);
  return answer === 'right' ? { ...shrunk, right: plainLetter } : shrunk;
}

/** Kinds of letters that a text may have beside ordinary ones, the rarest first. */
const kindsOfLetters: readonly RegExp[] = [
  /[\u{10000}-\u{10ffff}]/gu,
  /[\p{M}\p{Cf}]/gu,
  /[^\0-\xff]/gu,
  /[^\0-\x7f]/gu,
  /[^A-Za-z0-9]/gu,
];
/** Shorter texts are shrunk as fast. */
const minLetters = 5;

/** Leaves out all letters but those of one kind, if the request stays wrong: a long text has few of them. */
function* keepOneKind(inquiry: SymptomInquiry, text: string, build: BuildWithText): RequestGenerator<TextContrast> {
  const shrunk: TextContrast = { wrong: text, right: undefined };
  const { length } = [...text];
  const tried = new Set<string>();
  for (const kind of length < minLetters ? [] : kindsOfLetters) {
    const letters = [...new Set(text.match(kind) ?? [])];
    const kept = letters.join('');
    if (kept === '' || letters.length === length || tried.has(kept)) continue;
    tried.add(kept);
    if ((yield* askText(inquiry, kept, build)) === 'wrong') return { ...shrunk, wrong: kept };
  }
  return shrunk;
}

/** @param size how many letters are left out at once @param enough what is left of the allowance at the end */
function* leaveOutLetters(
  inquiry: SymptomInquiry,
  { wrong, right }: TextContrast,
  size: number,
  build: BuildWithText,
  enough: number,
): RequestGenerator<TextContrast> {
  let letters = [...wrong];
  let lastRight = right;
  for (let start = 0; start < letters.length && letters.length > size && inquiry.allowance.left > enough; ) {
    const shorter = [...letters.slice(0, start), ...letters.slice(start + size)];
    const answer = yield* askText(inquiry, shorter.join(''), build);
    if (answer === 'right') lastRight = shorter.join('');
    if (answer === 'wrong') letters = shorter;
    else start += size;
  }
  return { wrong: letters.join(''), right: lastRight };
}

function* askText(inquiry: SymptomInquiry, text: string, build: BuildWithText): RequestGenerator<Correctness> {
  const request = build(text);
  return request === undefined ? 'unclear' : yield* inquiry.ask(request);
}
