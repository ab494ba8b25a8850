import type { EntityKind, Tier, TierRule } from '../contract/world.js';

/** What a data file must have so that something stands for a thing of the test data, by kind and name: the roles of `stand-ins.ts`. */
const roles: Readonly<Partial<Record<EntityKind, Readonly<Record<string, string>>>>> = {
  customer: {
    ann: 'two customers of whom each has a promotion that the other one does not have',
    ben: 'two customers of whom each has a promotion that the other one does not have',
    ordinary: 'a customer whom no promotion names',
  },
  product: {
    mug: 'a product that a promotion asks for',
    shirt: 'a product with a SKU that a promotion asks for',
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
    archive: 'a campaign whose promotions are all older than the newest 150',
  },
};

/** For things without a role of their own. */
const otherRoles: Readonly<Record<Exclude<EntityKind, 'tier'>, string>> = {
  customer: 'enough customers',
  product: 'enough products',
  sku: 'enough SKUs',
  campaign: 'enough campaigns',
  category: 'enough categories',
};

/** Says what a data file lacks if nothing in it stands for a thing of the test data. */
export function describeRole(kind: Exclude<EntityKind, 'tier'>, name: string): string {
  return roles[kind]?.[name] ?? otherRoles[kind];
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

/**
 * Says which promotion tier a data file lacks if nothing in it stands for a tier of the test data.
 *
 * @param filteredOn the keys of metadata that filters of the question name
 */
export function describeTierRole({ rules, metadata }: Tier, filteredOn: readonly string[]): string {
  const entries = [...new Set(filteredOn)].flatMap((key) => {
    return Object.hasOwn(metadata, key) ? [`the metadata '${key}' is '${metadata[key]}'`] : [];
  });
  const conditions = rules.map(describeRule).join(' and ');
  const who = conditions === '' ? 'a promotion for everybody' : `a promotion that ${conditions}, and nothing else`;
  return entries.length === 0 ? who : `${who}, of which ${entries.join(' and ')}`;
}

function describeRule(rule: TierRule): string {
  switch (rule.kind) {
    case 'customer':
      return rule.any_of.length === 1 ? 'is for one customer' : 'is for certain customers';
    case 'product':
      return `asks for ${describeUnits(rule.at_least)} of a product`;
    case 'sku':
      return `asks for ${describeUnits(rule.at_least)} of a SKU`;
    case 'metadata':
      return `asks for the metadata '${rule.key}' = '${rule.is}'`;
    case 'order_metadata':
      return `asks for the order metadata '${rule.key}' with '${rule.includes}'`;
    case 'other':
      return rule.description;
  }
}

function describeUnits(count: number): string {
  return count === 1 ? 'one unit' : `${count} units`;
}
