/**
 * Sends a request several times, one after the other, to find out whether its result changes by itself. In: a request that was wrong
 * in the run. Out: how often it is wrong, and without which of its parts it never is. Pure (see `symptom-inquiry.ts`).
 */

import { describeRequest } from '../contract/describe-request.js';
import type { HttpRequest } from '../http/exchange.js';
import { shorten } from '../support/untrusted-text.js';
import { partNames } from './differing-parts.js';
import type { EarlierParts } from './earlier-parts.js';
import type { FreshRequest, Mark } from './fresh-requests.js';
import {
  describeRightResult,
  describeSymptom,
  maxDescription,
  type NarrowedFailure,
  quoteTierName,
} from './narrowed-failure.js';
import type { DecomposedRequest, RequestComponent } from './request-components.js';
import { type Correctness, listSymptoms } from './symptom.js';
import type { RequestGenerator, SymptomInquiry } from './symptom-inquiry.js';

/** How often a request is sent, one after the other. */
const repetitions = 6;

/** The same request, so often that a result that changes is seen. */
function listRepetitions(request: HttpRequest): HttpRequest[] {
  return Array.from({ length: repetitions }, (_, n) => ({ ...request, again: n }));
}

/** Sends a request several times, one after the other, as no request was sent before. */
export function* narrowRepetition(
  inquiry: SymptomInquiry,
  { later, mark, alone }: FreshRequest,
  lent: EarlierParts | undefined,
): RequestGenerator<NarrowedFailure | undefined> {
  const sent = listRepetitions(mark(later, 'repeated'));
  const answers: Correctness[] = [];
  for (const request of sent) answers.push(yield* inquiry.ask(request));
  const firstWrong = answers.indexOf('wrong');
  if (firstWrong === -1 || !answers.includes('right')) return undefined;
  const isOnceRight = answers.every((answer, n) => answer === (n === 0 ? 'right' : 'wrong'));
  const decisive = isOnceRight ? undefined : yield* findDecisivePart(inquiry, later, mark);
  const shown = sent.slice(isOnceRight ? 0 : firstWrong, firstWrong + 1) as [HttpRequest, ...HttpRequest[]];
  const symptom = describeSymptom(inquiry, sent[firstWrong] ?? shown[0]);
  const sentence = isOnceRight
    ? `When a request is sent again, the answer is wrong: ${symptom}. The first time, ${describeRightResult(inquiry)}.`
    : `The same request, sent ${repetitions} times, one after the other: ${answers.join(', ')}. When it is wrong, ${symptom}.${describeTurns(sent, inquiry)}${decisive === undefined ? describeLender(lent, inquiry) : ` Without ${partNames[decisive.part]}, sent as often, it is right each time.`}`;
  const wrong = shown.flatMap((request) => inquiry.getExchange(request) ?? []);
  const right = isOnceRight ? alone : (decisive?.request ?? sent[answers.indexOf('right')]);
  const kindOfSeveral = decisive === undefined ? 'repeated' : 'repeated-with-part';
  const kind = isOnceRight ? 'earlier-request' : kindOfSeveral;
  return { kind, sentence, wrong, right: right && inquiry.getExchange(right) };
}

/** A part that a request may lack, and the request without it. */
interface DecisivePart {
  readonly part: RequestComponent['kind'];
  readonly request: HttpRequest;
}

/** Finds a part without which a request that is now right, now wrong is right each time. */
function* findDecisivePart(
  inquiry: SymptomInquiry,
  { components, compose }: DecomposedRequest,
  mark: Mark,
): RequestGenerator<DecisivePart | undefined> {
  for (const part of new Set(components.map(({ kind }) => kind))) {
    const rest = components.filter(({ kind }) => kind !== part);
    const without = mark({ components: rest, compose }, 'without a part');
    if (!inquiry.isWorthAsking(without)) continue;
    const sent = listRepetitions(without);
    const [request] = sent;
    if (request !== undefined && (yield* areAllRight(inquiry, sent))) return { part, request };
  }
  return undefined;
}

/** How many tiers of a wrong result are named. */
const maxNamed = 3;

/** Says which tiers are wrong each time, if they are others. */
function describeTurns(sent: readonly HttpRequest[], inquiry: SymptomInquiry): string {
  const turns = sent.flatMap((request) => {
    const exchange = inquiry.getExchange(request);
    const symptoms = exchange === undefined ? [] : listSymptoms(exchange, inquiry.target);
    const names = symptoms.flatMap((symptom) => (symptom.kind === 'refused' ? [] : [quoteTierName(symptom.tier)]));
    const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
    return names.length === 0 ? [] : [names.slice(0, maxNamed).join(', ') + more];
  });
  return new Set(turns).size < 2 ? '' : ` The wrong ones were each time: ${turns.join('; ')}.`;
}

/** Says for which other request a wrong result of the run is right. */
function describeLender(lent: EarlierParts | undefined, { target: { world } }: SymptomInquiry): string {
  if (lent === undefined) return '';
  const description = shorten(describeRequest(lent.earlier.request, world), maxDescription);
  return ` In the run, the result would have been right if this request had had ${lent.words}: ${description}.`;
}

/** Sends one request after another, until one is not right. */
export function* areAllRight(inquiry: SymptomInquiry, sent: readonly HttpRequest[]): RequestGenerator<boolean> {
  for (const request of sent) {
    if ((yield* inquiry.ask(request)) !== 'right') return false;
  }
  return true;
}
