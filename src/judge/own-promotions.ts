import { type AnsweredExchange, listSuccesses, type RowEvidence } from '../assertions/row-evidence.js';
import { createOracle } from '../contract/oracle.js';
import { findById, indexPositionsById, type Tier, windowSize } from '../contract/world.js';
import type { Exchange } from '../http/exchange.js';
import { listValuesUnderPaths } from '../recognition/list-values-under-paths.js';
import type { Recognizer } from '../recognition/recognizer.js';
import { readReturnedTiersOfBody } from '../recognition/returned-tiers.js';
import { cacheByObject, cacheByText } from '../support/caches.js';
import { renderShortList } from '../support/collections.js';
import { createReason, type Reason } from '../support/reason.js';
import { truncate } from '../support/untrusted-text.js';

/** They may take places of the newest 150 if all responses that lack promotions of the test data lack the oldest ones. */
export function findOwnPromotionsReason(
  exchanges: readonly Exchange[],
  evidence: Omit<RowEvidence, 'exchanges' | 'ofCase'>,
): Reason | undefined {
  const { world, calibration } = evidence;
  if (world.ownPromotions === 0) return undefined;
  const ranks = indexPositionsById(world.tiers);
  const readTiers = (body: string) =>
    readReturnedTiersOfBody(body, evidence).returned.flatMap((id) => findById(world.tiers, id) ?? []);
  const rankOf = ({ id }: Tier) => ranks.get(id) ?? -1;
  // Behind a filter, older promotions may be returned.
  const successes = listSuccesses([...calibration, ...exchanges]);
  const unfiltered = successes.filter(({ request }) => !request.path.includes('filters'));
  const last = Math.max(-1, ...unfiltered.flatMap(({ response }) => readTiers(response.body).map(rankOf)));
  let isAnyAbsent = false;
  for (const { request, response } of listSuccesses(exchanges)) {
    const oracle = createOracle(request, world);
    const returned = new Set(readTiers(response.body));
    const mayBeRequired = (tier: Tier) =>
      [oracle, ...oracle.alternatives].some((reading) => reading.returned(tier) === 'required');
    const isAbsent = (tier: Tier) => !returned.has(tier) && !world.unavailable.has(tier.id) && mayBeRequired(tier);
    const tiers = oracle.alternatives.length > 0 ? oracle.matched : world.tiers.slice(0, windowSize);
    const first = tiers.find(isAbsent);
    const isRefuted = first !== undefined && rankOf(first) <= last;
    if (isRefuted || [...returned].some((tier) => oracle.returned(tier) === 'forbidden')) return undefined;
    isAnyAbsent ||= first !== undefined;
  }
  if (!isAnyAbsent) return undefined;
  const unknown = new Set(unfiltered.flatMap((success) => listUnknownRecords(success, evidence)));
  if (unknown.size <= (world.ownPromotions ?? 0)) return undefined;
  const names = renderShortList([...unknown].sort().map((text) => truncate(text, 60)));
  if (world.isDataFile) return createReason('data-outdated', { names });
  return createReason('own-promotions', { names, count: unknown.size });
}

/** Lists what a response has in the place of tiers and the world does not know. */
function listUnknownRecords(
  { response }: AnsweredExchange,
  { reading, recognizer }: Omit<RowEvidence, 'exchanges' | 'ofCase'>,
) {
  if (reading.kind !== 'agreed' && reading.kind !== 'stated') return [];
  // Agreeing patterns name the same tiers.
  const patterns = reading.kind === 'stated' ? reading.patterns : reading.patterns.slice(0, 1);
  return getUnknownRecords(recognizer)(JSON.stringify([patterns, response.body]));
}

/** How much of bodies is kept. */
const maxCharacters = 8 * 1024 * 1024;

/** The first responses of a run are looked at for each case that fails. */
const getUnknownRecords = cacheByObject((recognizer: Recognizer) =>
  cacheByText((serialized): string[] => {
    const [patterns, body] = JSON.parse(serialized) as [string[], string];
    const { findIds, findAnywhere } = recognizer.ids.tiers;
    const records = listValuesUnderPaths(body, patterns, recognizer.ids, recognizer.filter);
    return records.filter((text) => findIds(text).ids.length === 0 && findAnywhere(text).length === 0);
  }, maxCharacters),
);
