import type { Rule, World } from '../src/contract/world.js';

const lists = ['customers', 'products', 'skus', 'categories', 'campaigns', 'tiers'] as const satisfies (keyof World)[];

/** A reference from a thing of a world to another. */
interface Reference {
  readonly from: string;
  readonly member: string;
  readonly list: keyof World;
  readonly to: string;
}

/** Lists what is wrong with a world: ids and times that occur twice, and references to things that it does not have. */
export function findWorldFlaws(world: World): string[] {
  const idsOf = (list: keyof World) => world[list].map(({ id }) => id);
  const ids = Object.fromEntries(lists.map((list) => [list, new Set(idsOf(list))]));
  const unknown = listReferences(world).filter(({ list, to }) => !ids[list]?.has(to));
  return [
    ...findRepeated(lists.flatMap(idsOf)).map((id) => `the id '${id}' occurs twice`),
    ...findRepeated(world.tiers.map((tier) => tier.created_at)).map((time) => `two tiers were created at ${time}`),
    ...unknown.map(({ from, member, to }) => `'${from}' refers to nothing: ${member} '${to}'`),
  ];
}

function listReferences({ skus, campaigns, tiers }: World): Reference[] {
  return [
    ...skus.map(
      ({ id, product_id }) => ({ from: id, member: 'product_id', list: 'products', to: product_id }) as const,
    ),
    ...campaigns.flatMap(({ id, category_ids }) =>
      category_ids.map((to) => ({ from: id, member: 'category_ids', list: 'categories', to }) as const),
    ),
    ...tiers.flatMap(({ id, campaign_id, rules }) => [
      { from: id, member: 'campaign_id', list: 'campaigns', to: campaign_id } as const,
      ...rules.flatMap(listRuleReferences).map((reference) => ({ from: id, ...reference })),
    ]),
  ];
}

function listRuleReferences(rule: Rule): Omit<Reference, 'from'>[] {
  switch (rule.kind) {
    case 'customer':
      return rule.any_of.map((to) => ({ member: 'any_of', list: 'customers', to }));
    case 'product':
      return [{ member: 'id', list: 'products', to: rule.id }];
    case 'sku':
      return [{ member: 'id', list: 'skus', to: rule.id }];
    default:
      return [];
  }
}

function findRepeated(texts: readonly string[]): string[] {
  const seen = new Set<string>();
  const repeated = texts.filter((text) => seen.has(text) || !seen.add(text));
  return [...new Set(repeated)];
}
