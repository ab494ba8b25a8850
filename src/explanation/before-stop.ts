/**
 * Says what a deployment accepted before it stopped working: something that is used up, such as a pool of connections, has a number.
 * In: when it stopped, and the exchanges of a run. Out: a sentence. Pure.
 */

import { createOracle } from '../contract/oracle.js';
import type { TargetWorld } from '../contract/world.js';
import type { Exchange } from '../http/exchange.js';
import { isSuccessful } from '../http/response-status.js';
import { listRequestFeatures } from './refused-features.js';

/** How many kinds of requests are counted in a sentence. */
const maxKinds = 9;

/** @param since the number of the first request that was refused */
export function describeBeforeStop(since: number, exchanges: readonly Exchange[], world: TargetWorld): string[] {
  const accepted = exchanges.filter((exchange) => {
    const [number = since] = exchange.numbers ?? [];
    return number < since && 'response' in exchange && isSuccessful(exchange.response);
  });
  const counts = new Map<string, number>();
  for (const { request } of accepted)
    for (const words of listKinds(request, world)) counts.set(words, (counts.get(words) ?? 0) + 1);
  const rarest = [...counts].toSorted(([, left], [, right]) => left - right).slice(0, maxKinds);
  if (rarest.length === 0) return [];
  const counted = rarest.map(([words, count]) => `${count} ${words}`);
  return [`Accepted before: ${accepted.length} requests, of which ${counted.join(', ')}.`];
}

function listKinds(request: Exchange['request'], world: TargetWorld): string[] {
  const { returned } = createOracle(request, world);
  const isEmpty = !world.tiers.some((tier) => returned(tier) === 'required');
  return [
    ...listRequestFeatures(request).map((words) => `with ${words}`),
    ...(isEmpty ? ['with nothing that must be returned'] : []),
  ];
}
