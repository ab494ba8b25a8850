/**
 * Says what promotion tiers have in common that are wrong again and again, where no single request can tell. In: for each tier,
 * how often it was wrong and right. Out: traits that all wrong tiers have, and no right one. Pure, sends nothing.
 */

import { createOracle, type Oracle } from '../contract/oracle.js';
import { indexPositionsById, listAvailableTiers, type TargetWorld, type Tier, windowSize } from '../contract/world.js';
import type { HttpRequest } from '../http/exchange.js';
import type { ReturnedTiers } from '../recognition/returned-tiers.js';
import type { ComparableObservation } from './observation.js';
import { listLimitsReachedBefore } from './row-limits.js';

/** What the responses of a run show of one tier. */
interface TierCount {
  readonly tier: Tier;
  /** From 1, the newest. */
  readonly rank: number;
  /** How often it was required, and not returned; and how often it was. */
  missing: number;
  returned: number;
  /** How often its rules forbade it, and it was returned; and how often it was not. */
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
  const counts = createCounts(listAvailableTiers(world), world);
  for (const { request, result } of responses) {
    const oracle = createOracle(request, world);
    const ids = new Set(result.returned);
    for (const count of counts)
      if (!result.unclear.has(count.tier.id)) addResult(count, oracle, ids.has(count.tier.id));
  }
  return counts;
}

/** Counts what observed responses show of each tier. @param tiers in the order of the observations */
export function countObservedResults(
  compared: readonly ComparableObservation[],
  tiers: readonly Tier[],
  world: TargetWorld,
): ResultCountsByTier {
  const counts = createCounts(tiers, world);
  for (const { request, returned } of compared) {
    const oracle = createOracle(request, world);
    for (const [n, count] of counts.entries()) addResult(count, oracle, returned[n] === true);
  }
  return counts;
}

function createCounts(tiers: readonly Tier[], world: TargetWorld): TierCount[] {
  const positions = indexPositionsById(world.tiers);
  return tiers.map((tier) => ({
    tier,
    rank: (positions.get(tier.id) ?? -1) + 1,
    missing: 0,
    returned: 0,
    extra: 0,
    excluded: 0,
  }));
}

function addResult(count: TierCount, oracle: Oracle, isReturned: boolean): void {
  const { tier } = count;
  const stated = oracle.returned(tier);
  if (stated === 'required') count[isReturned ? 'returned' : 'missing'] += 1;
  // What a filter or the window leaves out says nothing about the rules of a tier.
  const isLeftOutByRules = oracle.matching(tier) === 'required' && oracle.checked(tier) === 'required';
  if (stated === 'forbidden' && isLeftOutByRules) count[isReturned ? 'extra' : 'excluded'] += 1;
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
  const right = records.filter((record) => (kind === 'missing' ? record.returned > 0 : record.excluded > 0));
  if (wrong.length === 0 || right.length === 0) return describeTraitsOfSometimesWrong(records, kind, world);
  const shared = wrong.length < minWrong ? [] : listSharedTraits(wrong, right, world);
  const range = describeRange(wrong, right);
  const words = [...range, ...describeThresholds(wrong, right), ...shared];
  if (words.length === 0)
    return describeRangeOfKind(wrong, right, kind) ?? describeTraitsOfSometimesWrong(records, kind, world);
  const how = kind === 'missing' ? 'never returned' : 'always returned';
  const traits = words.join('; ');
  if (wrong.length === 1) {
    const why = kind === 'missing' ? 'it must be' : 'its rules exclude it';
    return `'${wrong[0]?.tier.name}' is ${how} although ${why}. It alone has ${traits}.`;
  }
  const why = kind === 'missing' ? 'they must be' : 'their rules exclude them';
  const first = Math.min(...wrong.map(({ rank }) => rank));
  const limits = range.length === 0 ? [] : listLimitsReachedBefore(first, world.tiers);
  const seen = `${wrong.length} promotion tiers are ${how} although ${why}. All of them, and none of the others, have: ${traits}.`;
  return [seen, ...limits].join(' ');
}

/** How many promotion tiers that are always right say that a trait decides. */
const minRight = 3;
/** How many responses say that a promotion tier is always right: the request that is wrong may be rare. */
const minAlwaysRight = 3;

/** Finds what all promotion tiers have that are wrong in some responses, and none that is right in all. */
function describeTraitsOfSometimesWrong(
  records: ResultCountsByTier,
  kind: 'missing' | 'extra',
  world: TargetWorld,
): string | undefined {
  const countRight = (record: TierCount) => record[kind === 'missing' ? 'returned' : 'excluded'];
  const wrong = records.filter((record) => record[kind] > 0);
  const right = records.filter((record) => record[kind] === 0 && countRight(record) >= minAlwaysRight);
  if (wrong.length < minWrong || right.length < minRight) return undefined;
  const shared = listSharedTraits(wrong, right, world);
  if (shared.length === 0) return undefined;
  const how = kind === 'missing' ? 'are not returned in some responses' : 'are wrongly returned in some responses';
  return `${wrong.length} promotion tiers ${how}. All of them, and none of those that are right each time, have: ${shared.join('; ')}.`;
}

/** Lists what all wrong tiers have, and no right one, in words. */
function listSharedTraits(wrong: ResultCountsByTier, right: ResultCountsByTier, world: TargetWorld): string[] {
  const isShared = ([, has]: Trait) => wrong.every(({ tier }) => has(tier)) && !right.some(({ tier }) => has(tier));
  return createTraits(world)
    .filter(isShared)
    .map(([words]) => words);
}

const ruleKinds = ['customer', 'product', 'sku', 'order_metadata', 'metadata'] as const;
/** How many tiers with a kind of rule have to be wrong, and how many right, before their ranks say something. */
const minOfKind = 3;

/** Finds a kind of rule that all wrong tiers have: whether their ranks part them from the right ones with the same kind. */
function describeRangeOfKind(
  wrong: ResultCountsByTier,
  right: ResultCountsByTier,
  kind: 'missing' | 'extra',
): string | undefined {
  const [how, otherwise] = kind === 'missing' ? ['never', 'are'] : ['always', 'are not'];
  for (const ofRule of ruleKinds) {
    const hasKind = ({ tier }: TierCount) => tier.rules.some((rule) => rule.kind === ofRule);
    const rightOfKind = right.filter(hasKind);
    if (!wrong.every(hasKind) || wrong.length < minOfKind || rightOfKind.length < minOfKind) continue;
    const [first, last] = [wrong, rightOfKind].map((counts) => {
      const ranks = counts.map(({ rank }) => rank);
      return { from: Math.min(...ranks), to: Math.max(...ranks), count: counts.length };
    }) as [RankRange, RankRange];
    if (first.to >= last.from && last.to >= first.from) continue;
    const render = ({ count, from, to }: RankRange) => `the ${count} of rank ${from} to ${to}`;
    return `Of the promotion tiers with a rule of the kind ${ofRule}, ${render(first)} are ${how} returned, and ${render(last)} ${otherwise}.`;
  }
  return undefined;
}

interface RankRange {
  readonly count: number;
  readonly from: number;
  readonly to: number;
}

/** Whether all wrong tiers ask for more than any right one. */
function describeThresholds(wrong: ResultCountsByTier, right: ResultCountsByTier): string[] {
  const listMost = (counts: ResultCountsByTier) =>
    counts.flatMap(({ tier: { rules } }) => {
      const asked = rules.flatMap((rule) => ('id' in rule ? rule.at_least : []));
      return asked.length === 0 ? [] : [Math.max(...asked)];
    });
  const [ofWrong, ofRight] = [listMost(wrong), listMost(right)];
  const [least, most] = [Math.min(...ofWrong), Math.max(...ofRight)];
  const isTelling = ofWrong.length === wrong.length && ofRight.length > 0 && least > most;
  return isTelling ? [`a rule that asks for at least ${least} (the others ask for ${most} at most)`] : [];
}

function describeRange(wrong: ResultCountsByTier, right: ResultCountsByTier): string[] {
  if (wrong.length < minInRange) return [];
  const ranks = wrong.map(({ rank }) => rank);
  const [first, last] = [Math.min(...ranks), Math.max(...ranks)];
  const isApart = right.every(({ rank }) => rank < first || rank > last);
  // The window explains itself where only older tiers are concerned.
  return isApart ? [`a rank from ${first} to ${last}${first > windowSize ? ', outside of the newest 150' : ''}`] : [];
}

/** How many responses have to agree that a tier is missing where another one is returned, and as many that it is not. */
const minAgreeing = 2;

/** Finds another tier that is returned exactly where this one is missing. @returns a sentence; undefined if there is none, or several */
export function describeCompanion(
  tier: Tier,
  responses: readonly RequestWithReturnedTiers[],
  world: TargetWorld,
): string | undefined {
  // What a filter leaves out is missing for another reason.
  const unfiltered = responses.filter(({ request }) => !request.path.includes('?'));
  const requiring = unfiltered.filter(({ request }) => createOracle(request, world).returned(tier) === 'required');
  const returns = ({ result }: RequestWithReturnedTiers, { id }: Tier) => result.returned.includes(id);
  const lacking = requiring.filter((response) => !returns(response, tier));
  const having = requiring.filter((response) => returns(response, tier));
  if (lacking.length < minAgreeing || having.length < minAgreeing) return undefined;
  const rankOf = (wanted: Tier) => `(rank ${world.tiers.indexOf(wanted) + 1})`;
  const others = listAvailableTiers(world).filter(({ id }) => id !== tier.id);
  const returnsOne = (response: RequestWithReturnedTiers, tiers: readonly Tier[]) =>
    tiers.some((other) => returns(response, other));
  const decide = (tiers: readonly Tier[]) =>
    lacking.every((response) => returnsOne(response, tiers)) && !having.some((response) => returnsOne(response, tiers));
  const seen = `in ${lacking.length} responses. In ${having.length} others, it is the other way round.`;
  if (decide(others.filter(({ name }) => name === tier.name)))
    return `'${tier.name}' ${rankOf(tier)} is missing where another promotion tier with the same name is returned: ${seen}`;
  const [companion, ...more] = others.filter((other) => decide([other]));
  if (companion === undefined || more.length > 0) return undefined;
  return `'${tier.name}' ${rankOf(tier)} is missing where '${companion.name}' ${rankOf(companion)} is returned: ${seen}`;
}

/** What a tier may have. The words continue "tiers with …". */
type Trait = readonly [words: string, has: (tier: Tier) => boolean];

export function createTraits({ campaigns, tiers }: TargetWorld): Trait[] {
  const categories = new Map(campaigns.map(({ id, category_ids }) => [id, category_ids.length]));
  const isRepeated = createRepetitionTests(tiers);
  const countRules = ({ rules }: Tier, kind: string) => rules.filter((rule) => rule.kind === kind).length;
  return [
    ['no metadata', ({ metadata }) => Object.keys(metadata).length === 0],
    ['no rules', ({ rules }) => rules.length === 0],
    ['several rules', ({ rules }) => rules.length > 1],
    ['a rule whose customers are not in ascending order of their ids', hasUnsortedCustomers],
    ...ruleKinds.map((kind): Trait => [`a rule of the kind ${kind}`, (tier) => countRules(tier, kind) > 0]),
    ...ruleKinds.map((kind): Trait => [`several rules of the kind ${kind}`, (tier) => countRules(tier, kind) > 1]),
    ['a campaign without a category', ({ campaign_id }) => categories.get(campaign_id) === 0],
    ['a campaign with several categories', ({ campaign_id }) => (categories.get(campaign_id) ?? 0) > 1],
    ...isRepeated,
    ...letterTraits,
    ...campaigns.map(
      ({ id, name }): Trait => [`the campaign ${JSON.stringify(name)}`, ({ campaign_id }) => campaign_id === id],
    ),
  ];
}

function hasUnsortedCustomers({ rules }: Tier): boolean {
  return rules.some(
    (rule) => rule.kind === 'customer' && rule.any_of.some((id, n) => n > 0 && id < (rule.any_of[n - 1] ?? '')),
  );
}

/** What a tier may have in common with a newer one, or with an older one. */
function createRepetitionTests(tiers: readonly Tier[]): Trait[] {
  const parts: readonly (readonly [words: string, read: (tier: Tier) => string])[] = [
    ['the name', ({ name }) => name],
    ['the metadata', ({ metadata }) => JSON.stringify(metadata)],
    ['the rules', ({ rules }) => JSON.stringify(rules)],
  ];
  return parts.flatMap(([words, read]): Trait[] => {
    const first = new Map(tiers.toReversed().map((tier) => [read(tier), tier]));
    const last = new Map(tiers.map((tier) => [read(tier), tier]));
    return [
      [`${words} of a newer promotion tier`, (tier) => first.get(read(tier)) !== tier],
      [`${words} of an older promotion tier`, (tier) => last.get(read(tier)) !== tier],
    ];
  });
}

/** What letters a tier may have. A text of it is its name, or a key or a value of its metadata. */
const letterTraits: readonly Trait[] = (
  [
    ['a letter beyond the basic plane of Unicode, such as an emoji', /[\u{10000}-\u{10ffff}]/u],
    ['a letter beyond ASCII', /[^\0-\x7f]/],
    ['a quotation mark', /["']/],
    ['a backslash', /\\/],
    ['a line break', /\n/],
    ['a text of more than 100 letters', /.{101}/su],
  ] as const
).flatMap(([words, pattern]): Trait[] => [
  [`${words} in the name`, ({ name }) => pattern.test(name)],
  [
    `${words} in the metadata`,
    ({ metadata }) => Object.entries(metadata).some((entry) => entry.some((text) => pattern.test(String(text)))),
  ],
]);
