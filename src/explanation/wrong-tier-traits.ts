/**
 * Says what promotion tiers have in common that are wrong again and again, where no single request can tell. In: for each tier,
 * how often it was wrong and right. Out: traits that all wrong tiers have, and no right one. Pure, sends nothing.
 */

import { createOracle } from '../contract/oracle.js';
import { listAvailableTiers, type TargetWorld, type Tier, windowSize } from '../contract/world.js';
import type { HttpRequest } from '../http/exchange.js';
import type { ReturnedTiers } from '../recognition/returned-tiers.js';

/** What the responses of a run show of one tier. */
interface TierCount {
  readonly tier: Tier;
  /** From 1, the newest. */
  readonly rank: number;
  /** How often it was required, and not returned; and how often it was. */
  missing: number;
  returned: number;
  /** How often it was forbidden, and returned; and how often it was not. */
  extra: number;
  excluded: number;
}

export type ResultCountsByTier = readonly TierCount[];

/** A successful response, and the tiers that it returned. */
export interface RequestWithReturnedTiers {
  readonly request: HttpRequest;
  readonly result: ReturnedTiers;
}

/** Counts what all responses of a run show of each tier. */
export function countResultsByTier(
  responses: readonly RequestWithReturnedTiers[],
  world: TargetWorld,
): ResultCountsByTier {
  const records = listAvailableTiers(world).map(
    (tier): TierCount => ({
      tier,
      rank: world.tiers.indexOf(tier) + 1,
      missing: 0,
      returned: 0,
      extra: 0,
      excluded: 0,
    }),
  );
  for (const response of responses) countResponse(response, records, world);
  return records;
}

function countResponse(
  { request, result }: RequestWithReturnedTiers,
  records: ResultCountsByTier,
  world: TargetWorld,
): void {
  const oracle = createOracle(request, world);
  const ids = new Set(result.returned);
  for (const record of records.filter(({ tier }) => !result.unclear.has(tier.id))) {
    const stated = oracle.returned(record.tier);
    const isReturned = ids.has(record.tier.id);
    if (stated === 'required') record[isReturned ? 'returned' : 'missing'] += 1;
    if (stated === 'forbidden') record[isReturned ? 'extra' : 'excluded'] += 1;
  }
}

/** Fewer tiers share something by chance. */
const minWrong = 2;
/** A range of ranks says something if so many tiers are in it: neighbours may have the same rules by chance. */
const minInRange = 8;

/** @returns a sentence; undefined if the wrong tiers have nothing in common that the right ones lack */
export function describeTraitsOfWrongTiers(
  records: ResultCountsByTier,
  kind: 'missing' | 'extra',
  world: TargetWorld,
): string | undefined {
  const wrong = records.filter((record) =>
    kind === 'missing' ? record.missing > 0 && record.returned === 0 : record.extra > 0 && record.excluded === 0,
  );
  const right = records.filter((record) =>
    kind === 'missing' ? record.missing === 0 && record.returned > 0 : record.extra === 0 && record.excluded > 0,
  );
  if (wrong.length < minWrong || right.length === 0) return undefined;
  const shared = createTraits(world).filter(
    ([, has]) => wrong.every(({ tier }) => has(tier)) && !right.some(({ tier }) => has(tier)),
  );
  const words = [...describeRange(wrong, right), ...shared.map(([text]) => text)];
  if (words.length === 0) return undefined;
  const never =
    kind === 'missing' ? 'never returned although they must be' : 'always returned although they must not be';
  return `${wrong.length} promotion tiers are ${never}. All of them, and none of the others, have: ${words.join('; ')}.`;
}

function describeRange(wrong: ResultCountsByTier, right: ResultCountsByTier): string[] {
  if (wrong.length < minInRange) return [];
  const ranks = wrong.map(({ rank }) => rank);
  const [first, last] = [Math.min(...ranks), Math.max(...ranks)];
  const isApart = right.every(({ rank }) => rank < first || rank > last);
  // The window explains itself where only older tiers are concerned.
  return isApart ? [`a rank from ${first} to ${last}${first > windowSize ? ', outside of the newest 150' : ''}`] : [];
}

/** What a tier may have. The words continue "tiers with …". */
type Trait = readonly [words: string, has: (tier: Tier) => boolean];

function createTraits({ campaigns, tiers }: TargetWorld): Trait[] {
  const categories = new Map(campaigns.map(({ id, category_ids }) => [id, category_ids.length]));
  const names = new Map<string, number>();
  for (const { name } of tiers) names.set(name, (names.get(name) ?? 0) + 1);
  const kinds = ['customer', 'product', 'sku', 'order_metadata', 'metadata'] as const;
  const countRules = ({ rules }: Tier, kind: string) => rules.filter((rule) => rule.kind === kind).length;
  return [
    ['no metadata', ({ metadata }) => Object.keys(metadata).length === 0],
    ['no rules', ({ rules }) => rules.length === 0],
    ['several rules', ({ rules }) => rules.length > 1],
    ...kinds.map((kind): Trait => [`a rule of the kind ${kind}`, (tier) => countRules(tier, kind) > 0]),
    ...kinds.map((kind): Trait => [`several rules of the kind ${kind}`, (tier) => countRules(tier, kind) > 1]),
    ['a campaign without a category', ({ campaign_id }) => categories.get(campaign_id) === 0],
    ['a campaign with several categories', ({ campaign_id }) => (categories.get(campaign_id) ?? 0) > 1],
    ['a name that another promotion tier has, too', ({ name }) => (names.get(name) ?? 0) > 1],
    ...campaigns.map(
      ({ id, name }): Trait => [`the campaign ${JSON.stringify(name)}`, ({ campaign_id }) => campaign_id === id],
    ),
  ];
}
