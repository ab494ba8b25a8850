import type { EntityKind, ItemRule, Tier, TierRule } from '../contract/world.js';
import type { TestDataStandIns } from './stand-ins.js';
import type { RequestSubject } from './tier-roles.js';

/** What a data file must have so that something stands for a thing of the test data, by kind and name: the roles of `stand-ins.ts`. */
const roles: Readonly<Partial<Record<EntityKind, Readonly<Record<string, string>>>>> = {
  customer: {
    ann: 'two customers of whom each has a promotion that the other one does not have',
    ben: 'two customers of whom each has a promotion that the other one does not have',
    bulk: 'three customers',
    ordinary: 'a customer whom no promotion names',
  },
  product: {
    mug: 'a product that a promotion asks for',
    shirt: 'a product with a SKU that a promotion asks for',
    plate: 'four products',
    chair: 'four products',
  },
  sku: {
    'shirt-blue': 'a SKU that a promotion asks for',
    'mug-white': 'a SKU of a product that a promotion asks for',
  },
  campaign: {
    spring: 'two campaigns with promotions for everybody',
    summer: 'two campaigns with promotions for everybody',
    autumn: 'a campaign whose promotions are all for certain customers',
    winter: 'a campaign without promotions',
  },
};

/** Says what a data file lacks if nothing in it stands for a thing of the test data. */
export function describeRole(kind: Exclude<EntityKind, 'tier'>, name: string): string {
  return roles[kind]?.[name] ?? `${thingNames[kind]} that only the data of the suite has`;
}

const thingNames = {
  customer: 'a customer',
  product: 'a product',
  sku: 'a SKU',
  category: 'a category',
  campaign: 'a campaign',
  tier: 'a promotion',
} as const satisfies Record<EntityKind, string>;

/** Says what a data file lacks for a question that searches responses for an id: those of a data file may be ordinary words. */
export function describeSearchedId(kind: EntityKind): string {
  return `${thingNames[kind]} whose id no response contains by chance`;
}

/** What a question needs of promotions, in the ids of a data file. */
export interface TierRoleWords {
  readonly subject: RequestSubject;
  readonly standIns: TestDataStandIns;
}

/**
 * Says which promotion tiers a data file lacks if it has too few that stand for tiers of the test data.
 *
 * @param tier one of them @param needed how many the question needs @param found how many there are
 */
export function describeTierRole(tier: Tier, needed: number, found: number, words: TierRoleWords): string {
  const { rules, metadata, campaign_id } = tier;
  const { subject, standIns } = words;
  const conditions = rules.map((rule) => describeRule(rule, words)).join(' and ');
  const who = conditions === '' ? 'for everybody' : `that ${conditions}, and nothing else`;
  const campaign = subject.kinds.has(campaign_id) ? standIns.things.get(campaign_id) : undefined;
  const entries = [...new Set(subject.filteredOn)].map((key) =>
    Object.hasOwn(metadata, key) ? `the metadata '${key}' = '${metadata[key]}'` : `no metadata '${key}'`,
  );
  const parts = [
    `${needed === 1 ? '' : `${needed} of these: `}a promotion ${who}`,
    campaign === undefined ? '' : `${conditions === '' ? '' : ','} in the campaign '${campaign}'`,
    entries.length === 0 ? '' : ` with ${entries.join(' and ')}`,
    found === 0 ? '' : ` (the data file has ${found})`,
  ];
  return parts.join('');
}

function describeRule(rule: TierRule, words: TierRoleWords): string {
  switch (rule.kind) {
    case 'customer':
      return describeCustomers(rule.any_of, words);
    case 'product':
    case 'sku':
      return describeItem(rule, words);
    case 'metadata':
      return `asks for the metadata '${rule.key}' = '${rule.is}'`;
    case 'order_metadata':
      return `asks for the order metadata '${rule.key}' with '${rule.includes}'`;
    case 'other':
      return rule.description;
  }
}

/** The other customers of a list decide nothing. */
function describeCustomers(ids: readonly string[], { subject, standIns }: TierRoleWords): string {
  const named = [...subject.kinds].flatMap(([id, kind]) => (kind === 'customer' && ids.includes(id) ? [id] : []));
  const bound = named.map((id) => `'${standIns.things.get(id) ?? id}'`);
  return bound.length === 0 ? 'is for other customers' : `is for customer ${bound.join(' and ')}`;
}

function describeItem({ kind, id, at_least }: ItemRule, { subject, standIns }: TierRoleWords): string {
  const bound = subject.kinds.has(id) ? standIns.things.get(id) : undefined;
  const thing = bound === undefined ? `another ${kind === 'sku' ? 'SKU' : kind}` : `'${bound}'`;
  if (!subject.areUnits) return `asks for ${describeUnits(at_least)} of ${thing}`;
  return `asks for ${at_least === 1 ? '' : 'more than '}${describeUnits(standIns.unit)} of ${thing}`;
}

function describeUnits(count: number): string {
  return count === 1 ? 'one unit' : `${count} units`;
}
