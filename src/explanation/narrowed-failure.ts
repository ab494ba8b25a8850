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

/** What narrowing finds out. `rank-findings.ts` says which of several comes first. */
export type FindingKind =
  /** A part of the request makes the difference. */
  | 'contrast'
  /** The customer does. */
  | 'customer'
  /** A filter by tier metadata does. */
  | 'tier-metadata'
  /** Some texts of tier metadata are found, and others are not. */
  | 'stored-texts'
  /** Some letters of a text make the difference. */
  | 'letters'
  /** Two texts are taken for equal. */
  | 'text-pair'
  /** Some texts of rules hold, and others do not. The long ones are those in which nobody sees what decides. */
  | 'rule-texts'
  | 'long-rule-texts'
  /** Requests at the same time show wrong results again. */
  | 'reproduced-race'
  /** Results of the run are wrong only while other requests are being answered; with parts, they are right for another request. */
  | 'race-of-run'
  | 'race-of-run-with-parts'
  /** Two requests, one after the other, show a wrong result again. */
  | 'earlier-request'
  /** The result of the run is right for parts of an earlier request; of few promotions, this may be a coincidence. */
  | 'earlier-parts'
  | 'perhaps-earlier-parts'
  /** The same, if the whole answer is that to the earlier request. */
  | 'perhaps-earlier-answer'
  /** A request stays wrong, although no part of it decides. */
  | 'kept-result'
  /** A request is now right, now wrong, without others; with a part, it is always right without this part. */
  | 'repeated'
  | 'repeated-with-part'
  /** Equal requests of the run have different results, also alone. */
  | 'changing'
  /** The results of a request change, and nothing more is known. */
  | 'unstable'
  /** No request that was sent is right. */
  | 'smallest';

/** What was found out about a failure. */
export interface NarrowedFailure {
  readonly sentence: string;
  readonly kind: FindingKind;
  /** What makes the difference, in a word. Failures of one kind with the same part are one. */
  readonly part?: string;
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
  /** See {@link NarrowedFailure}. Default: a contrast. */
  readonly kind?: FindingKind;
  readonly part?: string;
}

export function createNarrowedContrast(inquiry: SymptomInquiry, seen: SeenContrast): NarrowedFailure {
  const { wrongly, rightly, wronglyWhen, rightlyWhen, kind = 'contrast', part } = seen;
  const sentence = `${wronglyWhen}, ${describeSymptom(inquiry, wrongly)}. ${rightlyWhen}, ${describeRightResult(inquiry)}.`;
  return { kind, ...(part !== undefined && { part }), sentence, ...findShownExchanges(inquiry, wrongly, rightly) };
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
