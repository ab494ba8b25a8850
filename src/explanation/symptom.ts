/**
 * What is wrong with one response, as narrow as possible: a status, or one promotion tier that is missing or must not be there.
 * In: an exchange, and what the oracle says of its request. Out: the symptoms that it has. Pure.
 */

import { type AnsweredExchange, readReturnedTiersOfExchange } from '../assertions/row-evidence.js';
import { createOracle, type Oracle } from '../contract/oracle.js';
import { listAvailableTiers, type TargetWorld, type Tier } from '../contract/world.js';
import type { Exchange, HttpRequest } from '../http/exchange.js';
import { findResponseBreakage } from '../http/response-breakage.js';
import { explainTooLongRequest, explainTransientFailure, isSuccessful } from '../http/response-status.js';
import { locateReturnedTiers, type TargetContext } from '../judge/collect-row-evidence.js';

export type Symptom =
  | { readonly kind: 'refused'; readonly status: number }
  | { readonly kind: 'missing'; readonly tier: Tier }
  | { readonly kind: 'extra'; readonly tier: Tier };

type TierSymptom = Exclude<Symptom, { readonly kind: 'refused' }>;

type ReturnedTiersOfExchange = ReturnType<typeof readReturnedTiersForTarget>;

/** `unclear`: the response proves neither, or is wrong in another way. */
export type Correctness = 'wrong' | 'right' | 'unclear';

/** What the documentation says of a request whose members are all there. */
function consult(request: HttpRequest, world: TargetWorld): Oracle {
  const oracle = createOracle(request, world);
  return oracle.whenReturning ?? oracle;
}

/** Whether the documentation says of a request that the symptom would be wrong. */
export function wouldSymptomBeWrong(symptom: Symptom, request: HttpRequest, world: TargetWorld): boolean {
  const { accepted, returned } = consult(request, world);
  switch (symptom.kind) {
    case 'refused':
      return accepted;
    case 'missing':
      return returned(symptom.tier) === 'required';
    case 'extra':
      return returned(symptom.tier) === 'forbidden';
  }
}

/** @param request of which {@link wouldSymptomBeWrong} holds */
export function judgeSymptom(symptom: Symptom, exchange: Exchange, target: TargetContext): Correctness {
  if (!('response' in exchange) || isUnreadable(exchange)) return 'unclear';
  const { status } = exchange.response;
  if (!isSuccessful(exchange.response)) return answerRefusal(symptom, exchange, status);
  if (symptom.kind === 'refused') return 'right';
  const correctness = judgeReturnedTier(symptom, readReturnedTiersForTarget(exchange, target));
  if (target.known === undefined) return correctness;
  // What a known mistake does to the promotion is not what is asked about, and a sentence says what was seen.
  const seen = judgeReturnedTier(symptom, readReturnedTiersForTarget(exchange, { ...target, known: undefined }));
  return seen === correctness ? correctness : 'unclear';
}

function judgeReturnedTier({ kind, tier: { id } }: TierSymptom, result: ReturnedTiersOfExchange): Correctness {
  if (result.unclear.has(id)) return 'unclear';
  const isReturned = result.returned.includes(id);
  if (!isReturned && result.isNamedElsewhere(id)) return 'unclear';
  return isReturned === (kind === 'extra') ? 'wrong' : 'right';
}

/** Whether a response says nothing of the result: it may come from a gateway, or not arrive whole. */
function isUnreadable(exchange: AnsweredExchange): boolean {
  return explainTransientFailure(exchange) !== undefined || findResponseBreakage(exchange) !== undefined;
}

function answerRefusal(symptom: Symptom, exchange: AnsweredExchange, status: number): Correctness {
  // Sizes are open: a limit is no mistake.
  if (explainTooLongRequest(exchange) !== undefined) return 'unclear';
  return symptom.kind === 'refused' && symptom.status === status ? 'wrong' : 'unclear';
}

/** Reads which tiers a response returned. */
export function readReturnedTiersForTarget(exchange: AnsweredExchange, target: TargetContext) {
  const all = [...target.calibration, exchange];
  const reading = locateReturnedTiers(all, target);
  const corrections = target.known;
  return readReturnedTiersOfExchange(exchange, {
    ...target,
    corrections,
    exchanges: new Map(),
    ofCase: [exchange],
    reading,
  });
}

/** Lists what is wrong with a response. Only a documented request has symptoms. */
export function listSymptoms(exchange: Exchange, target: TargetContext): Symptom[] {
  if (!('response' in exchange) || isUnreadable(exchange)) return [];
  if (target.known?.isRefused(exchange)) return [];
  const { accepted, returned } = consult(exchange.request, target.world);
  const { status } = exchange.response;
  if (!isSuccessful(exchange.response))
    return accepted && explainTooLongRequest(exchange) === undefined ? [{ kind: 'refused', status }] : [];
  const result = readReturnedTiersForTarget(exchange, target);
  const ids = new Set(result.returned);
  return listAvailableTiers(target.world).flatMap((tier): Symptom[] => {
    const stated = returned(tier);
    if (result.unclear.has(tier.id)) return [];
    if (stated === 'required' && !ids.has(tier.id) && !result.isNamedElsewhere(tier.id))
      return [{ kind: 'missing', tier }];
    return stated === 'forbidden' && ids.has(tier.id) ? [{ kind: 'extra', tier }] : [];
  });
}

/** Equal for symptoms that are the same. */
export function getSymptomKey(symptom: Symptom): string {
  return symptom.kind === 'refused' ? `refused ${symptom.status}` : `${symptom.kind} ${symptom.tier.id}`;
}
