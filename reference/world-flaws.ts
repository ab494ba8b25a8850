import type { World } from '../src/world/world.js';
import { isObject, type Members } from './json.js';

/** What a world lists, what is referred to before what refers to it. */
export const worldLists = ['customers', 'products', 'skus', 'categories', 'campaigns', 'tiers'] as const;
export type WorldList = (typeof worldLists)[number];

/** What things refer to: members with the id, or the ids, of things that must be there. */
const references: Readonly<Partial<Record<WorldList, Readonly<Record<string, WorldList>>>>> = {
  skus: { product_id: 'products' },
  campaigns: { category_ids: 'categories' },
  tiers: { campaign_id: 'campaigns' },
};

/** The same for the rules of a tier, by their kind. */
const ruleReferences: Readonly<Record<string, Readonly<Record<string, WorldList>>>> = {
  customer: { any_of: 'customers' },
  product: { id: 'products' },
  sku: { id: 'skus' },
};

type Ids = Readonly<Record<WorldList, ReadonlySet<unknown>>>;

/** The ids of a world. */
export function collectIds(world: World): Ids {
  return Object.fromEntries(
    worldLists.map((list) => [list, new Set(world[list].map(({ id }) => id))]),
  ) as unknown as Ids;
}

/** What a thing refers to that is not there, as `product_id 'x'`. */
export function findUnknownReferences(list: WorldList, thing: Members, ids: Ids): string[] {
  const unknownIn = (owner: Members, members: Readonly<Record<string, WorldList>> = {}): string[] =>
    Object.entries(members).flatMap(([member, kind]) => {
      const unknown = [owner[member]].flat().filter((id) => !ids[kind].has(id));
      return unknown.map((id) => `${member} '${String(id)}'`);
    });
  const rules = Array.isArray(thing.rules) ? thing.rules.filter(isObject) : [];
  return [
    ...unknownIn(thing, references[list]),
    ...rules.flatMap((rule) => unknownIn(rule, ruleReferences[String(rule.kind)])),
  ];
}

/** What keeps a world from being whole: what occurs twice and should not, or is referred to and not there. */
export function findWorldFlaws(world: World): string[] {
  const ids = collectIds(world);
  const things = worldLists.flatMap((list) => world[list].map((thing) => ({ list, thing })));
  return [
    ...repeated(things.map(({ thing }) => thing.id)).map((id) => `the id '${id}' occurs twice`),
    ...repeated(world.tiers.map((tier) => tier.created_at)).map((time) => `two tiers were created at ${time}`),
    ...things.flatMap(({ list, thing }) =>
      findUnknownReferences(list, { ...thing }, ids).map((unknown) => `'${thing.id}' refers to nothing: ${unknown}`),
    ),
  ];
}

function repeated(texts: readonly string[]): string[] {
  const seen = new Set<string>();
  const again = texts.filter((text) => seen.has(text) || !seen.add(text));
  return [...new Set(again)];
}
