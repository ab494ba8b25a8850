/**
 * Data of shops that nobody made by hand: in go a size and a seed, out comes a data file's content. Shops of different seeds
 * differ in their ids, texts, rules and times, and in how much they have of each kind.
 */

import type { Campaign, Tier, TierRule, World } from '../../src/contract/world.js';
import { createRandom, type Random } from './random.js';

/** The sizes that are measured, in promotion tiers: two are smaller than the window, one fills it, two are larger. */
export const shopSizes = [20, 60, 150, 300, 800] as const;

/** How a shop makes ids. Each style is that of a real system. */
const idStyles: readonly ((kind: string, n: number, random: Random) => string)[] = [
  (kind, n) => `${kind}_${String(n + 1).padStart(4, '0')}`,
  (kind, n) => `${kind.slice(0, 4)}_${((n + 17) * 2_654_435_761).toString(36)}x${n}`,
  (_, n) => String(1_000 + n),
  (kind, n) => `${kind.toUpperCase()}/${n}`,
  (_, n) => `9007199254${String(740_993 + n)}`,
  (kind, n, random) => `${random.pick(['spring', 'red', 'Größe', 'north east', 'a+b', '50%'])}-${kind}-${n}`,
  (_, n, random) => `${random.below(0xffffffff).toString(16).padStart(8, '0')}-${String(n).padStart(4, '0')}-4a7c`,
];

/** How the id of a tier differs from another one: what names one of them in a response must be read without doubt. */
const tierNeighbours: readonly ((id: string) => string)[] = [(id) => `${id}-2`, (id) => `x${id}`];

/** How any other id differs from one that the shop has already. */
const neighbours: readonly ((id: string) => string)[] = [
  (id) => `${id}-2`,
  (id) => `${id}s`,
  (id) => id.slice(0, -1),
  (id) => `x${id}`,
  (id) => (id === id.toUpperCase() ? id.toLowerCase() : id.toUpperCase()),
  (id) => `${id} `,
  (id) => `0${id}`,
];

const texts = {
  plain: 'gold,silver,web,store,north,south,true,false,Broadway,summer sale,winter,members only,new,VIP'.split(','),
  numbers: '0¦1¦10¦010¦10.0¦1e1¦+10¦00¦-1¦9007199254740993¦1,000'.split('¦'),
  signs:
    'a.b¦a-b¦a_b¦a b¦50% off¦50%25 off¦a+b¦a&b¦a&amp;b¦a=b¦a#b¦"quoted"¦it\'s¦<b>¦a,b¦a;b¦a/b¦a\\b¦{x}¦$1¦a:b¦(x)¦*'.split(
      '¦',
    ),
  letters: 'Größe¦Grösse¦GRÖSSE¦café¦cafe¦cafe\u0301¦特価¦🎁¦İstanbul¦straße¦strasse¦½'.split('¦'),
  spaces: ' x¦x ¦x¦two  spaces¦two spaces¦tab\tbed¦line\nbreak'.split('¦'),
  words: 'null¦constructor¦__proto__¦undefined¦NaN¦yes¦no¦TRUE¦length¦id¦name'.split('¦'),
} as const;

const keys = {
  plain: ['store', 'level', 'channel', 'region', 'has_budget'],
  signs: ['shop.note', 'gift-code', 'tax rate', 'a:b', 'a', 'x&y', '50%'],
  letters: ['größe', '価格', 'id', 'constructor', '1'],
} as const;

/** Quantities that promotions ask for: small ones, those with more digits, and those above 15, 16 and 17 bits. */
const thresholds = {
  small: [1, 1, 1, 2, 3, 5],
  medium: [2, 9, 10, 12, 20, 100, 150],
  large: [1_000, 9_999, 10_000, 32_768, 40_000, 65_536, 100_000],
} as const;

/** What a shop has of everything. */
interface Plan {
  readonly texts: readonly string[];
  readonly keys: readonly string[];
  readonly thresholds: readonly number[];
  readonly ruleKinds: readonly TierRule['kind'][];
  readonly maxRules: number;
  /** The share of ids that are neighbours of others. */
  readonly neighbours: number;
  /** The share of names that two tiers have. */
  readonly sharedNames: number;
  /** The longest time between two tiers, in milliseconds. */
  readonly gap: number;
}

/** Creates the data of a shop. @param tiers how many promotion tiers it has */
export function createShop(tiers: number, seed: number): World {
  const random = createRandom(seed * 1_009 + tiers);
  const plan = createPlan(random);
  const create = (kind: string, count: number) => createIds(kind, count, plan, random).map((id) => ({ id }));
  const scale = Math.sqrt(tiers / 20);
  const customers = create('customer', Math.round((6 + random.below(20)) * scale));
  const products = create('product', Math.round((3 + random.below(10)) * scale));
  const skus = random.chance(0.15) ? [] : create('sku', Math.round((2 + random.below(10)) * scale));
  const categories = create('category', 1 + random.below(6)).map(({ id }) => ({ id, name: `Category ${id}` }));
  const campaigns = create('campaign', 2 + Math.round(random.below(8) * scale)).map(({ id }) => {
    const own = random.chance(0.3) ? [] : random.sample(categories, 1 + random.below(2));
    return { id, name: `Campaign ${id}`, category_ids: own.map((category) => category.id) };
  });
  const withProducts = skus.map(({ id }) => ({ id, product_id: random.pick(products).id }));
  const world = { customers, products, skus: withProducts, categories, campaigns };
  return { ...world, tiers: createTiers(create('promo', tiers), world, plan, random) };
}

function createPlan(random: Random): Plan {
  const long = createLongTexts(random);
  const pools = [texts.plain, ...random.sample([...Object.values(texts), long], 3)];
  const kinds: TierRule['kind'][] = ['customer', 'product', 'sku', 'metadata'];
  return {
    texts: random.sample([...new Set(pools.flat())], 40),
    keys: [
      ...keys.plain.slice(0, 2 + random.below(3)),
      ...random.sample([...keys.signs, ...keys.letters], random.below(5)),
    ],
    thresholds: [
      ...thresholds.small,
      ...(random.chance(0.7) ? thresholds.medium : []),
      ...(random.chance(0.4) ? thresholds.large : []),
    ],
    ruleKinds: [
      ...kinds.flatMap((kind) => Array.from({ length: 1 + random.below(3) }, () => kind)),
      ...(random.chance(0.6) ? (['order_metadata'] as const) : []),
      ...(random.chance(0.2) ? (['other'] as const) : []),
    ],
    maxRules: 2 + random.below(3),
    neighbours: random.pick([0, 0.1, 0.3]),
    sharedNames: random.pick([0, 0.1]),
    gap: random.pick([900, 60_000, 86_400_000]),
  };
}

/** Creates texts that are alike for 60 to 400 characters. */
function createLongTexts(random: Random): string[] {
  return [70, 130, 200, 260, 300, 400].flatMap((length) => {
    const text = random.pick(['terms apply ', 'Größe ', 'abcdefghij']).repeat(length).slice(0, length);
    return [`${text}a`, `${text}b`];
  });
}

function createIds(kind: string, count: number, plan: Plan, random: Random): string[] {
  const style = random.pick(idStyles);
  const ids = new Set<string>();
  for (let n = 0; ids.size < count; n += 1) {
    const known = [...ids];
    const isNeighbour = known.length > 0 && random.chance(plan.neighbours);
    const changes = kind === 'promo' ? tierNeighbours : neighbours;
    const id = isNeighbour ? random.pick(changes)(random.pick(known)) : style(kind, n, random);
    if (id !== '') ids.add(id);
  }
  return random.sample([...ids], ids.size);
}

function createTiers(
  ids: readonly { readonly id: string }[],
  world: Omit<World, 'tiers'>,
  plan: Plan,
  random: Random,
): Tier[] {
  let time = Date.parse('2026-05-01T12:00:00.000Z');
  return ids.map(({ id }, n) => {
    time -= 1 + random.below(plan.gap);
    const rules = Array.from({ length: random.below(plan.maxRules + 1) }, () => createRule(world, plan, random));
    const metadata = plan.keys.filter(() => random.chance(0.4)).map((key) => [key, random.pick(plan.texts)] as const);
    return {
      id,
      campaign_id: pickSkewed<Campaign>(world.campaigns, random).id,
      name: random.chance(plan.sharedNames) ? 'Welcome' : `Promotion ${n + 1}`,
      created_at: new Date(time).toISOString(),
      metadata: Object.fromEntries(metadata),
      rules,
    };
  });
}

/** Picks early items more often: a shop has large campaigns and small ones. */
function pickSkewed<T>(items: readonly T[], random: Random): T {
  return items[Math.floor(random.next() ** 2 * items.length)] as T;
}

function createRule({ customers, products, skus }: Omit<World, 'tiers'>, plan: Plan, random: Random): TierRule {
  const kind = random.pick(plan.ruleKinds);
  if (kind === 'customer') {
    const count = random.chance(0.5) ? 1 : 2 + random.below(8);
    return { kind, any_of: random.sample(customers, count).map(({ id }) => id) };
  }
  if (kind === 'sku' && skus.length > 0)
    return { kind, id: random.pick(skus).id, at_least: random.pick(plan.thresholds) };
  if (kind === 'metadata') return { kind, key: random.pick(plan.keys), is: random.pick(plan.texts) };
  if (kind === 'order_metadata') return { kind, key: 'payment_mean', includes: random.pick(plan.texts) };
  if (kind === 'other') return { kind, description: 'The weather is fine.' };
  return { kind: 'product', id: random.pick(products).id, at_least: random.pick(plan.thresholds) };
}
