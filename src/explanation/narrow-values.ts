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
  let shrunk: TextContrast = { wrong: text, right: undefined };
  for (let size = Math.ceil([...text].length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    shrunk = yield* leaveOutLetters(inquiry, shrunk, size, build, enough);
  }
  if ([...shrunk.wrong].length > 1 || shrunk.wrong === plainLetter) return shrunk;
  const answer = yield* askText(inquiry, plainLetter, build);
  return answer === 'right' ? { ...shrunk, right: plainLetter } : shrunk;
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
