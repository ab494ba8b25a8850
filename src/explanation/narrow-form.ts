/**
 * Finds out which spelling of a request, or which way of sending it, makes a difference, if the same content is right when it is
 * written plainly. In: a wrong request and its plain form. Out: one aspect of the form. Pure (see `symptom-inquiry.ts`).
 */

import { createNameLookup } from '../contract/describe-request.js';
import { spellFiltersLiterally } from '../contract/operation.js';
import { acceptHeaders, type HttpRequest } from '../http/exchange.js';
import { parseJson } from '../support/json.js';
import type { ComponentContrast } from './narrow-components.js';
import { narrowAddedHeaders, narrowHeaders } from './narrow-headers.js';
import { narrowMemberOrder } from './narrow-member-order.js';
import { createNarrowedContrast, type NarrowedFailure } from './narrowed-failure.js';
import {
  type DecomposedRequest,
  describeRequestComponent,
  haveSameContent,
  type RequestComponent,
} from './request-components.js';
import type { RequestGenerator, SymptomInquiry } from './symptom-inquiry.js';

/** An aspect of a form: the words for it, and the plain request with this aspect of the wrong one. */
interface FormAspect {
  readonly words: string;
  readonly build: (plainly: HttpRequest, wrongly: HttpRequest) => HttpRequest;
  /** Finds which detail of it decides. @param mixed what `build` created: it is wrong */
  readonly refine?: (
    inquiry: SymptomInquiry,
    mixed: HttpRequest,
    plainly: HttpRequest,
  ) => RequestGenerator<NarrowedFailure | undefined>;
}

/** How each way of sending is called. */
const waysOfSending: Readonly<Record<NonNullable<HttpRequest['sent']>, string>> = {
  chunked: 'Sent in chunks (Transfer-Encoding: chunked), without Content-Length',
  'in-pieces': 'Sent in pieces, with pauses between them',
  'on-a-fresh-connection': 'Sent on a connection of its own',
  'on-the-connection-before': 'Sent on the connection of the request before',
  'with-accept-headers': 'Sent with headers about the accepted formats',
};

const aspects: readonly FormAspect[] = [
  {
    words: 'With the members of the body in this order',
    build: (plainly, { body }) => ({ ...plainly, body: body === undefined ? undefined : rewriteJson(body) }),
    refine: (inquiry, wrongly, rightly) => narrowMemberOrder(inquiry, { wrongly, rightly }),
  },
  {
    words: 'With white space between the members of the body',
    build: (plainly, { body = '' }) => ({ ...plainly, body: writeUnescaped(body) }),
  },
  {
    words: 'With letters of the body written as escapes (\\u…)',
    build: (plainly, { body = '' }) => ({ ...plainly, body: removeWhiteSpace(body) }),
  },
  { words: 'With the body written as it is here', build: (plainly, { body }) => ({ ...plainly, body }) },
  { words: 'With the query spelled as it is here', build: (plainly, { path }) => ({ ...plainly, path }) },
  {
    words: 'With these headers',
    build: (plainly, { headers }) => ({ ...plainly, headers }),
    refine: narrowHeaders,
  },
];

function createSendingAspect(sent: NonNullable<HttpRequest['sent']>): FormAspect {
  return {
    words: waysOfSending[sent],
    build: (request) => ({ ...request, sent }),
    ...(sent === 'with-accept-headers' && {
      refine: (inquiry, _, plainly) => narrowAddedHeaders(inquiry, plainly, acceptHeaders),
    }),
  };
}

/** Members keep their order. */
function rewriteJson(body: string): string {
  const value = parseJson(body);
  return value === undefined ? body : JSON.stringify(value);
}

/** Writes letters that are escaped without need as they are: only white space is left of the spelling. */
function writeUnescaped(body: string): string {
  return body.replaceAll(/"(?:[^"\\]|\\.)*"/gs, (text) => rewriteJson(text));
}

/** Leaves out white space between members: only the spelling of texts is left. */
function removeWhiteSpace(body: string): string {
  return body.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/gs, (_, text: string | undefined) => text ?? '');
}

export function* narrowForm(
  inquiry: SymptomInquiry,
  wrongly: HttpRequest,
  plainly: HttpRequest,
): RequestGenerator<NarrowedFailure | undefined> {
  if (!haveSameContent(wrongly, plainly)) return undefined;
  const { sent } = wrongly;
  const ofSending = sent === undefined ? [] : [createSendingAspect(sent)];
  for (const { words, build, refine } of [...ofSending, ...aspects]) {
    const mixed = build(plainly, wrongly);
    if (JSON.stringify(mixed) === JSON.stringify(plainly) || (yield* inquiry.ask(mixed)) !== 'wrong') continue;
    const refined = refine && (yield* refine(inquiry, mixed, plainly));
    if (refined !== undefined) return refined;
    return createNarrowedContrast(inquiry, {
      wrongly: mixed,
      rightly: plainly,
      wronglyWhen: words,
      rightlyWhen: 'With the same content, written and sent plainly',
      part: `form: ${words}`,
    });
  }
  return undefined;
}

/** Writes letters beyond ASCII as escapes: the content is the same. */
export function* narrowLettersBeyondAscii(
  inquiry: SymptomInquiry,
  wrongly: HttpRequest,
): RequestGenerator<NarrowedFailure | undefined> {
  const { body = '' } = wrongly;
  const escaped = body.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const rightly = { ...wrongly, body: escaped };
  if (escaped === body || (yield* inquiry.ask(rightly)) !== 'right') return undefined;
  const shifted = { ...wrongly, body: ` ${body}` };
  if ((yield* inquiry.ask(shifted)) === 'right') return describeLetterPlace(inquiry, wrongly, shifted);
  return createNarrowedContrast(inquiry, {
    wrongly,
    rightly,
    wronglyWhen: 'With letters beyond ASCII in the body as they are',
    rightlyWhen: 'With the same letters as escapes (\\u…)',
    part: 'form',
  });
}

/** Sizes of the blocks in which a body may be read, in bytes, the largest first. */
const blockSizes = [8192, 4096, 2048, 1024, 512, 256] as const;

/** Says at which byte the letter stands that decides: it is right if all letters stand one byte later. */
function describeLetterPlace(inquiry: SymptomInquiry, wrongly: HttpRequest, shifted: HttpRequest): NarrowedFailure {
  const narrowed = createNarrowedContrast(inquiry, {
    wrongly,
    rightly: shifted,
    wronglyWhen: 'With the body as it is, with letters beyond ASCII',
    rightlyWhen: 'With one more blank before the body',
    part: 'form',
  });
  const letters = listLongLetters(wrongly.body ?? '');
  const largest = blockSizes.find((wanted) => letters.some((letter) => isAcross(letter, wanted)));
  const letter = letters.find((found) => largest !== undefined && isAcross(found, largest));
  const sizes = blockSizes.filter((size) => letter !== undefined && isAcross(letter, size));
  const place =
    letter === undefined
      ? ''
      : ` In the wrong one, the letter ${JSON.stringify(letter.text)} takes the bytes ${letter.start} to ${letter.end - 1} of the body, across a multiple of ${sizes.join(', ')}.`;
  return { ...narrowed, sentence: `${narrowed.sentence}${place}` };
}

/** A letter of several bytes: its first byte, from 0, and the byte after it. */
interface LongLetter {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

function listLongLetters(body: string): LongLetter[] {
  const letters: LongLetter[] = [];
  let at = 0;
  for (const text of body) {
    const end = at + Buffer.byteLength(text);
    if (end - at > 1) letters.push({ text, start: at, end });
    at = end;
  }
  return letters;
}

function isAcross({ start, end }: LongLetter, size: number): boolean {
  return Math.floor(start / size) !== Math.floor((end - 1) / size);
}

/** Writes the brackets in the names of filters as they are, in place of percent escapes: both spellings are documented. */
export function* narrowBrackets(
  inquiry: SymptomInquiry,
  wrongly: HttpRequest,
): RequestGenerator<NarrowedFailure | undefined> {
  const rightly = spellFiltersLiterally(wrongly);
  if (rightly.path === wrongly.path || (yield* inquiry.ask(rightly)) !== 'right') return undefined;
  return createNarrowedContrast(inquiry, {
    wrongly,
    rightly,
    wronglyWhen: 'With the brackets in the name of the filter percent-encoded (%5B)',
    rightlyWhen: 'With the brackets as they are',
    part: 'form',
  });
}

/** The parts whose order means nothing. */
const unorderedParts = ['parameter', 'metadata', 'order-metadata'] as const;

/** Of more parts, a body of another order may be right for other reasons. */
const maxInRow = 3;

/** Writes the parameters of the query, or the entries of metadata, in reverse order: it means nothing. */
export function* narrowOrderOfParts(
  inquiry: SymptomInquiry,
  { compose }: DecomposedRequest,
  { wrong }: ComponentContrast,
): RequestGenerator<NarrowedFailure | undefined> {
  const nameOf = createNameLookup(inquiry.target.world);
  const list = (components: readonly RequestComponent[]) =>
    components.map((component) => describeRequestComponent(component, nameOf)).join(' before ');
  for (const kind of unorderedParts) {
    const parts = wrong.filter((component) => component.kind === kind);
    const others = wrong.filter((component) => component.kind !== kind);
    const rightly = compose([...parts.toReversed(), ...others]);
    if (parts.length < 2 || parts.length > maxInRow || (yield* inquiry.ask(rightly)) !== 'right') continue;
    return createNarrowedContrast(inquiry, {
      wrongly: compose(wrong),
      rightly,
      wronglyWhen: `With ${list(parts)}`,
      rightlyWhen: `With ${list(parts.toReversed())}`,
      part: `${kind}-order`,
    });
  }
  return undefined;
}
