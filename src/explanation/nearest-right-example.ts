/**
 * Finds, among the requests that were sent, one with a right result that is nearest to a wrong one: it asks for another promotion
 * tier with the same kinds of rules, or by a filter of the same kind. In: a wrong request and all exchanges. Pure, sends nothing.
 */

import { distance } from 'fastest-levenshtein';
import { describeRequest } from '../contract/describe-request.js';
import { createOracle } from '../contract/oracle.js';
import type { Tier } from '../contract/world.js';
import { parseRequest } from '../http/decoded-request.js';
import type { Exchange, HttpRequest } from '../http/exchange.js';
import { judgeSymptom, listSymptoms } from './symptom.js';
import type { SymptomInquiry } from './symptom-inquiry.js';

/** Comparing long texts takes long. */
const maxCompared = 2_000;
/** How many of the nearest requests are looked at. */
const maxLookedAt = 12;

export interface NearestRightExample {
  readonly sentence: string;
  readonly exchange: Exchange;
}

export function findNearestRightExample(
  { symptom, target }: SymptomInquiry,
  request: HttpRequest,
  sent: readonly Exchange[],
): NearestRightExample | undefined {
  if (symptom.kind !== 'missing') return undefined;
  const text = serialize(request);
  const alike = target.world.tiers.filter(
    (tier) => tier.id !== symptom.tier.id && describeKinds(tier) === describeKinds(symptom.tier),
  );
  const hasFilter = request.path.includes('?');
  const nearest = sent
    .filter(({ request: { path }, ...exchange }) => 'response' in exchange && path.includes('?') === hasFilter)
    .filter((exchange) => serialize(exchange.request) !== text)
    .map((exchange) => ({ exchange, distance: distance(text, serialize(exchange.request)) }))
    .toSorted((left, right) => left.distance - right.distance)
    .slice(0, maxLookedAt);
  for (const { exchange } of nearest) {
    const { returned } = createOracle(exchange.request, target.world);
    const tier = alike.find(
      (candidate) =>
        returned(candidate) === 'required' &&
        judgeSymptom({ kind: 'missing', tier: candidate }, exchange, target) === 'right',
    );
    // Where anything is wrong, the response is no example of a right one.
    if (tier === undefined || listSymptoms(exchange, target).length > 0) continue;
    const sentence = `For the request ${describeRequest(exchange.request, target.world)}, '${tier.name}' is returned.`;
    return { sentence, exchange };
  }
  return undefined;
}

function describeKinds({ rules }: Tier): string {
  return rules.map(({ kind }) => kind).join();
}

function serialize(request: HttpRequest): string {
  const { query, body } = parseRequest(request);
  return JSON.stringify([query, body]).slice(0, maxCompared);
}
