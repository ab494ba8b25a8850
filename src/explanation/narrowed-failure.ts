/**
 * The sentences of narrowing. In: requests that were sent, and the symptom. Out: what was seen, in words. Pure.
 */

import { createObligationExplainer } from '../contract/describe-request.js';
import type { Tier } from '../contract/world.js';
import type { Exchange, HttpRequest } from '../http/exchange.js';
import { shorten } from '../support/untrusted-text.js';
import type { PlainRequestHead } from './request-components.js';
import type { Symptom } from './symptom.js';
import type { SymptomInquiry } from './symptom-inquiry.js';
import type { ResultCountsByTier } from './wrong-tier-traits.js';

/** What was found out about a failure. */
export interface NarrowedFailure {
  readonly sentence: string;
  /** Failures whose narrowing has the same shape are one: the same kind of part makes the difference. */
  readonly shape: string;
  /** The letters that are taken for others. Other failures whose texts differ in the same letters are explained, too. */
  readonly letters?: string;
  /** Whether signs of ASCII in the value of a filter by metadata decide. */
  readonly isOfSigns?: boolean;
  /** The stored texts that are wrong. Failures that have one of them in common are one. */
  readonly lostTexts?: readonly string[];
  /** The wrong exchange that is easiest to read; before it the one without which it is right, if it needs one. */
  readonly wrong: readonly Exchange[];
  /** The nearest right exchange. Undefined if none was found: then the failure is not explained. */
  readonly right: Exchange | undefined;
}

/** The shape of what two requests, one after the other, show again. */
export const reproducedStateShape = 'state';
/** The shape of what requests at the same time show again. */
export const reproducedOverlapShape = 'overlap-again';

/** The shape of a request whose results change, and of which nothing more is known. */
export const unstableShape = 'unstable';
/** The shape of a request that stays wrong, although no part of it decides. */
export const keptResultShape = 'kept-result';

/** What is at hand apart from the symptom. */
export interface NarrowingContext {
  /** The largest number of promotions in a response of the run. */
  readonly maxReturned: number;
  readonly plain: PlainRequestHead;
  /** What all responses of the run show of each promotion tier. */
  readonly counts: ResultCountsByTier;
  /** Whether equal requests of the run had different results. */
  readonly isUnstable: boolean;
  /** Whether they were right each time that they were sent alone, and some were wrong while others were being answered. */
  readonly isWrongAmongOthersOnly: boolean;
  /** Whether something was seen to decide that is no part of a request: then a contrast may be due to that. */
  readonly isDoubtful: boolean;
  /** Whether a response of the run is right where the symptom could have been. */
  readonly isSometimesRight: (symptom: Symptom) => boolean;
  /** All exchanges of the run, in the order of sending. */
  readonly sent: readonly Exchange[];
}

/** Whether a text has nothing but signs of ASCII: no letters and no digits. */
export function isOfAsciiSigns(text: string): boolean {
  return /^[\0-\x7f]+$/.test(text) && !/[A-Za-z0-9]/.test(text);
}

/** Longer descriptions of a request say nothing at a glance. */
export const maxDescription = 160;

/** A longer name hides the rest of a sentence. */
const maxName = 40;

export function quoteTierName({ name }: Tier): string {
  return `'${shorten(name, maxName)}'`;
}

/** Says what is wrong with a response, as the end of a sentence. */
export function describeSymptom({ symptom, target: { world } }: SymptomInquiry, request: HttpRequest): string {
  if (symptom.kind === 'refused') return `the answer is ${symptom.status}`;
  const { tier } = symptom;
  const why = createObligationExplainer(request, world)(tier);
  if (symptom.kind === 'extra') return `${quoteTierName(tier)} is returned, although it ${why}`;
  return `${quoteTierName(tier)} is not returned${why === '' ? '' : `, although it ${why}`}`;
}

export function describeRightResult({ symptom }: SymptomInquiry): string {
  if (symptom.kind === 'refused') return 'the request is accepted';
  return symptom.kind === 'missing'
    ? `${quoteTierName(symptom.tier)} is returned`
    : `${quoteTierName(symptom.tier)} is not returned`;
}

/** Two requests that were sent, and what each of them has, as the beginning of a sentence. */
interface SeenContrast {
  readonly wrongly: HttpRequest;
  readonly rightly: HttpRequest;
  readonly wronglyWhen: string;
  readonly rightlyWhen: string;
  /** See {@link NarrowedFailure}. */
  readonly shape: string;
}

export function createNarrowedContrast(inquiry: SymptomInquiry, seen: SeenContrast): NarrowedFailure {
  const { wrongly, rightly, wronglyWhen, rightlyWhen, shape } = seen;
  const sentence = `${wronglyWhen}, ${describeSymptom(inquiry, wrongly)}. ${rightlyWhen}, ${describeRightResult(inquiry)}.`;
  return { shape, sentence, ...findShownExchanges(inquiry, wrongly, rightly) };
}

/** Finds the exchanges of a contrast among those that were sent. @param ofRight the inquiry that sent the right request */
export function findShownExchanges(
  inquiry: SymptomInquiry,
  wrongly: HttpRequest,
  rightly: HttpRequest | undefined,
  ofRight = inquiry,
): Pick<NarrowedFailure, 'wrong' | 'right'> {
  const wrong = inquiry.getExchange(wrongly);
  return { wrong: wrong === undefined ? [] : [wrong], right: rightly && ofRight.getExchange(rightly) };
}
