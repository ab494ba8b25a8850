import {
  type EntityKind,
  findProductIdOfSku,
  type TargetWorld,
  type Tier,
  type TierRule,
  type World,
  type WorldEntity,
  windowSize,
} from '../contract/world.js';
import { groupBy } from '../support/collections.js';

/** What stands for the test data of the suite in questions about other data. */
export interface TestDataStandIns {
  /** The ids of things of the data, by the ids of the things of the test data that they stand for. */
  readonly things: ReadonlyMap<string, string>;
  /** How many units of a product stand for one. */
  readonly unit: number;
}

/** Chooses what requests of questions name, by the rules of promotions. What lacks a stand-in is not in the result. */
export function chooseTestDataStandIns({ ids }: TargetWorld, data: World): TestDataStandIns {
  // With several rules, none of them decides alone.
  const newest = data.tiers.slice(0, windowSize);
  const rules = newest.flatMap((tier) => (tier.rules.length === 1 ? tier.rules : []));
  const unit = findUnit(rules);
  const roles: Partial<Record<EntityKind, Readonly<Record<string, string | undefined>>>> = {
    customer: chooseCustomers(data, rules),
    ...chooseItems(data, rules, unit),
    campaign: chooseCampaigns(data),
  };
  const things = Object.entries(roles).flatMap(([kind, chosen]) =>
    Object.entries(chosen).flatMap(([name, standIn]) => {
      const id = ids[kind as EntityKind].get(name);
      return id === undefined || standIn === undefined ? [] : [[id, standIn] as const];
    }),
  );
  return { unit, things: new Map(things) };
}

/** The smallest quantity that a promotion asks for: in the test data, that is one. */
function findUnit(rules: readonly TierRule[]): number {
  const thresholds = rules.flatMap((rule) => (rule.kind === 'product' ? rule.at_least : []));
  return thresholds.length === 0 ? 1 : Math.min(...thresholds);
}

/**
 * - `ann` and `ben` are each in a list of a promotion that lacks the other one.
 * - `bulk` is a further customer.
 * - `ordinary` is in no list.
 */
function chooseCustomers({ customers, tiers }: World, rules: readonly TierRule[]) {
  const lists = rules.flatMap((rule) => (rule.kind === 'customer' ? [rule.any_of] : []));
  const listed = [...findDistinctCustomers(lists), ...(lists[0] ?? []), ...customers.map(({ id }) => id)];
  const [ann, ben, bulk] = new Set(listed);
  const reserved = tiers.flatMap((tier) => tier.rules.flatMap((rule) => (rule.kind === 'customer' ? rule.any_of : [])));
  const reservedFor = new Set(reserved);
  return { ann, ben, bulk, ordinary: customers.find(({ id }) => !reservedFor.has(id))?.id };
}

/** Finds two customers each of whom is in a list without the other one. */
function findDistinctCustomers(lists: readonly (readonly string[])[]): string[] {
  const sets = lists.map((list) => new Set(list));
  for (const [n, list] of lists.entries())
    for (const [m, further] of lists.entries()) {
      const [first, second] = [list.find((id) => !sets[m]?.has(id)), further.find((id) => !sets[n]?.has(id))];
      if (first !== undefined && second !== undefined) return [first, second];
    }
  return [];
}

/**
 * - `mug` is the product that most promotions ask for in the smallest quantity, and `mug-white` a SKU of it.
 * - `shirt-blue` is a SKU of another product, `shirt`.
 * - `plate` and `chair` are the next products.
 */
function chooseItems({ products, skus }: World, rules: readonly TierRule[], unit: number) {
  const [mug, ...others] = rankByRules('product', products, rules, unit);
  const shirtBlue = rankByRules('sku', skus, rules, unit).find((id) => findProductIdOfSku(skus, id) !== mug);
  const shirt = findProductIdOfSku(skus, shirtBlue ?? '');
  const [plate, chair] = others.filter((id) => id !== shirt);
  const mugWhite = skus.find(({ product_id }) => product_id === mug)?.id;
  return { product: { mug, plate, chair, shirt }, sku: { 'shirt-blue': shirtBlue, 'mug-white': mugWhite } };
}

/** Ranks all things of a kind: first those for whose smallest quantity a promotion asks, by the number of promotions. */
function rankByRules(
  kind: 'product' | 'sku',
  all: readonly WorldEntity[],
  rules: readonly TierRule[],
  unit: number,
): string[] {
  const asked = rules.flatMap((rule) => (rule.kind === kind ? [rule] : []));
  const met = new Set(asked.flatMap(({ id, at_least }) => (at_least <= unit ? id : [])));
  const ranked = sortByCount(asked.map(({ id }) => id)).filter((id) => met.has(id));
  return [...new Set([...ranked, ...all.map(({ id }) => id)])];
}

/**
 * - `spring` and `summer` have most promotions for everybody.
 * - `autumn` has promotions for certain customers alone.
 * - `winter` has no promotion.
 */
function chooseCampaigns({ campaigns, tiers }: World) {
  const ofEverybody = tiers.slice(0, windowSize).filter(({ rules }) => rules.length === 0);
  const [spring, summer] = sortByCount(ofEverybody.map(({ campaign_id }) => campaign_id));
  const byCampaign = groupBy(tiers, ({ campaign_id }) => campaign_id);
  const autumn = [...byCampaign].find(([, found]) => found.every(isReserved))?.[0];
  return { spring, summer, autumn, winter: campaigns.find(({ id }) => !byCampaign.has(id))?.id };
}

function isReserved({ rules }: Tier): boolean {
  return rules.some(({ kind }) => kind === 'customer');
}

/** Lists distinct ids, the most frequent one first. */
function sortByCount(ids: readonly string[]): string[] {
  const groups = [...groupBy(ids, (id) => id).values()];
  return groups.toSorted((group, next) => next.length - group.length).map(([id]) => id);
}
