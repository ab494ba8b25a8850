import { expect, test } from '@playwright/test';
import { UnusableInput } from '../../src/support/problem.js';
import { parseYaml } from '../../src/support/yaml-file.js';
import { type NamedWorld, windowSize } from '../../src/world/named-world.js';
import { expandWorld, loadWorld } from '../../src/world/world-file.js';
import { createNamedExport } from '../../src/world/world-formats.js';
import { checkEachRow } from './support/check-each-row.js';
import { parseMarked } from './support/marked.js';

/** A world file; what is stated stands in place of what a good one says. */
function worldWith(stated: Readonly<Record<string, string>>): string {
  const good: Readonly<Record<string, string>> = {
    customers: '[ann, ben]',
    products: '[mug]',
    skus: '{ mug-white: mug }',
    categories: '[kitchen]',
    campaigns: '{ spring: [kitchen], autumn: [] }',
    newest: '2024-01-20T12:00:00.000Z',
    hours_apart: '7',
    tiers: '[{ name: "t-{n}", repeat: 156, campaign: spring }]',
  };
  return Object.entries({ ...good, ...stated })
    .map(([key, value]) => `${key}: ${value}`)
    .join('\n');
}

const expand = (stated: Readonly<Record<string, string>>): NamedWorld =>
  expandWorld(parseYaml(worldWith(stated), 'world.yaml'));

test.describe('expands', () => {
  test('repeated tiers: each has its number, campaigns are gone through in turn, all else is shared', () => {
    const named = expand({
      tiers: `
  - { name: first, campaign: autumn, metadata: { a: "1", b: 2, c: true }, rules: [{ customer: [ben, ann] }] }
  - { name: "x-{n}-y", repeat: 3, campaign: [spring, autumn], rules: [{ product: mug, at_least: 2 }] }
  - { name: "t-{n}", repeat: 152, campaign: spring }`,
    });
    const campaignOf = new Map(named.campaigns.map(({ id, name }) => [id, name]));
    expect(named.tiers.slice(0, 5).map(({ name, campaign_id }) => `${name} ${campaignOf.get(campaign_id)}`)).toEqual([
      'first autumn',
      'x-1-y spring',
      'x-2-y autumn',
      'x-3-y spring',
      't-1 spring',
    ]);
    expect(named.tiers).toHaveLength(156);
    expect(named.tiers[0]?.metadata).toEqual({ a: '1', b: 2, c: true });
    expect(named.tiers[0]?.rules).toEqual([
      { kind: 'customer', any_of: [named.ids.customer.get('ben'), named.ids.customer.get('ann')] },
    ]);
    for (const n of [1, 2, 3]) {
      expect(named.tiers[n]?.rules).toEqual([{ kind: 'product', id: named.ids.product.get('mug'), at_least: 2 }]);
      expect(named.tiers[n]?.metadata).toEqual({});
    }
  });

  test('every kind of rule', () => {
    const named = expand({
      tiers: `
  - name: all
    campaign: spring
    rules:
      - { customer: [ann] }
      - { product: mug, at_least: 1 }
      - { sku: mug-white, at_least: 3 }
      - { order_metadata: payment_mean, includes: credit-card }
      - { metadata: store_name, is: Broadway }
  - { name: "t-{n}", repeat: 156, campaign: spring }`,
    });
    expect(named.tiers[0]?.rules).toEqual([
      { kind: 'customer', any_of: [named.ids.customer.get('ann')] },
      { kind: 'product', id: named.ids.product.get('mug'), at_least: 1 },
      { kind: 'sku', id: named.ids.sku.get('mug-white'), at_least: 3 },
      { kind: 'order_metadata', key: 'payment_mean', includes: 'credit-card' },
      { kind: 'metadata', key: 'store_name', is: 'Broadway' },
    ]);
  });

  test('creation times: from the newest on, as many hours apart as the file says', () => {
    const { tiers } = expand({});
    expect(tiers.slice(0, 3).map(({ created_at }) => created_at)).toEqual([
      '2024-01-20T12:00:00.000Z',
      '2024-01-20T05:00:00.000Z',
      '2024-01-19T22:00:00.000Z',
    ]);
  });
});

test.describe('refuses, at the line and column, with the hint', () => {
  const everybody = (from: number, to: number) =>
    `{ name: "all-${from}-{n}", repeat: ${to - from + 1}, campaign: spring }`;
  const annOnly = '{ name: for-ann, campaign: spring, rules: [{ customer: [ann] }] }';
  const refused: readonly (readonly [what: string, stated: Record<string, string>, problem: string])[] = [
    [
      'rank 150 with rules',
      { tiers: `▸[${everybody(1, 149)}, ${annOnly}, ${everybody(151, 160)}]` },
      "tier 150, 'for-ann', has rules → It must be valid for everybody: move or add tiers.",
    ],
    [
      'rank 151 with rules',
      { tiers: `▸[${everybody(1, 150)}, ${annOnly}, ${everybody(152, 160)}]` },
      "tier 151, 'for-ann', has rules → It must be valid for everybody: move or add tiers.",
    ],
    ['too few tiers', { tiers: `▸[${everybody(1, 155)}]` }, 'there are 155 tiers → At least 156 are needed.'],
    [
      'an unknown campaign',
      { tiers: `[${everybody(1, 156)}, { name: x, campaign: ▸sprng }]` },
      "there is no campaign 'sprng' → Did you mean 'spring'?",
    ],
    [
      'an unknown campaign among several',
      { tiers: `[${everybody(1, 156)}, { name: "x-{n}", repeat: 2, campaign: [spring, ▸sprng] }]` },
      "there is no campaign 'sprng' → Did you mean 'spring'?",
    ],
    [
      'an unknown customer in a rule',
      { tiers: `[${everybody(1, 156)}, { name: x, campaign: spring, rules: [{ customer: [ann, ▸bn] }] }]` },
      "there is no customer 'bn' → Did you mean 'ben'?",
    ],
    [
      'an unknown product in a rule',
      { tiers: `[${everybody(1, 156)}, { name: x, campaign: spring, rules: [{ product: ▸mog, at_least: 1 }] }]` },
      "there is no product 'mog' → Did you mean 'mug'?",
    ],
    [
      'an unknown SKU in a rule',
      { tiers: `[${everybody(1, 156)}, { name: x, campaign: spring, rules: [{ sku: ▸plate, at_least: 1 }] }]` },
      "there is no sku 'plate' → Known: mug-white.",
    ],
    ['an unknown product of a SKU', { skus: '{ mug-white: ▸mog }' }, "there is no product 'mog' → Did you mean 'mug'?"],
    [
      'an unknown category of a campaign',
      { campaigns: '{ spring: [kitchen, ▸kitchn], autumn: [] }' },
      "there is no category 'kitchn' → Did you mean 'kitchen'?",
    ],
    [
      'two tiers of one name',
      { tiers: `[${everybody(1, 156)}, { name: x, campaign: spring }, { name: ▸x, campaign: autumn }]` },
      "there are two tiers 'x' → Rename one of them. The name of a repeated tier must contain {n}.",
    ],
    [
      'a tier of the name of a repeated one',
      { tiers: `[${everybody(1, 156)}, { name: ▸all-1-7, campaign: spring }]` },
      "there are two tiers 'all-1-7' → Rename one of them. The name of a repeated tier must contain {n}.",
    ],
    [
      'two customers of one name',
      { customers: '[ann, ben, ▸ann]' },
      "entry 3 of 'customers' is the same as entry 1 → Remove one of them.",
    ],
    [
      'an unknown key of a tier',
      { tiers: `[{ name: x, campaign: spring, ▸rule: [] }, ${everybody(1, 156)}]` },
      "unknown key 'rule' → Did you mean 'rules'?",
    ],
    [
      'a rule of two kinds',
      {
        tiers: `[{ name: x, campaign: spring, rules: [▸{ customer: [ann], metadata: a, is: b }] }, ${everybody(1, 156)}]`,
      },
      "entry 1 of 'rules' has both 'customer' and 'metadata' → Remove one of them.",
    ],
    [
      'a rule without its threshold',
      { tiers: `[{ name: x, campaign: spring, rules: [▸{ product: mug }] }, ${everybody(1, 156)}]` },
      "entry 1 of 'rules' lacks the key 'at_least' → Add 'at_least:'.",
    ],
    [
      'a threshold of a customer',
      { tiers: `[{ name: x, campaign: spring, rules: [▸{ customer: [ann], at_least: 2 }] }, ${everybody(1, 156)}]` },
      "entry 1 of 'rules' lacks the key 'product' → Add 'product:'.",
    ],
    [
      'a date that does not exist',
      { newest: '▸2024-13-40T12:00:00.000Z' },
      '\'newest\' must match format "date-time" → When the newest tier was created: ISO 8601, UTC, as in 2024-01-20T12:00:00.000Z.',
    ],
    [
      'a name with capitals',
      { customers: '[ann, ▸Ben]' },
      "'Ben' does not match ^[a-z0-9]+(-[a-z0-9]+)*$ → Lower-case letters, digits and hyphens.",
    ],
  ];
  test(
    'each mistake',
    checkEachRow(refused, (_, stated, problem) => {
      const { text, places } = parseMarked(worldWith(stated));
      const expanding = () => expandWorld(parseYaml(text, 'world.yaml'));
      const [place] = places;
      const [message, hint] = problem.split(' → ');
      expect(expanding).toThrow(UnusableInput);
      expect(expanding).toThrow(
        new UnusableInput([
          {
            at: { file: 'world.yaml', line: place?.line ?? 0, column: place?.column ?? 0 },
            message: message ?? '',
            hint: hint ?? '',
          },
        ]).message,
      );
    }),
  );

  test('a repeated tier without {n}', () => {
    const load = () => expand({ tiers: `[${everybody(1, 156)}, { name: x, repeat: 2, campaign: spring }]` });
    expect(load).toThrow(
      "there are two tiers 'x'\n    Rename one of them. The name of a repeated tier must contain {n}.",
    );
  });

  test('everything at once', () => {
    expect(() => expand({ tiers: '[{ name: x, campaign: sprng, rules: [{ sku: y, at_least: 1 }] }]' })).toThrow(
      /no campaign 'sprng'.*no sku 'y'.*there are 1 tiers/s,
    );
  });
});

test.describe('the world of the suite', () => {
  const named = loadWorld();
  const { ids } = named;
  const world = createNamedExport(named);
  const everyId = [
    ...world.customers,
    ...world.products,
    ...world.skus,
    ...world.categories,
    ...world.campaigns,
    ...world.tiers,
  ].map(({ id }) => id);

  test('has the fixed shape, and nothing beside it', () => {
    const keysOf = (list: readonly object[]) => [...new Set(list.map((entry) => Object.keys(entry).join(' ')))];
    expect(Object.keys(world)).toEqual(['customers', 'products', 'skus', 'categories', 'campaigns', 'tiers']);
    expect(keysOf(world.customers)).toEqual(['id name']);
    expect(keysOf(world.products)).toEqual(['id name']);
    expect(keysOf(world.skus)).toEqual(['id product_id name']);
    expect(keysOf(world.categories)).toEqual(['id name']);
    expect(keysOf(world.campaigns)).toEqual(['id name category_ids']);
    expect(keysOf(world.tiers)).toEqual(['id campaign_id name created_at metadata rules']);
    expect(keysOf(world.tiers.flatMap(({ rules }) => rules)).sort()).toEqual([
      'kind any_of',
      'kind id at_least',
      'kind key includes',
      'kind key is',
    ]);
    expect(JSON.parse(JSON.stringify(world))).toEqual(world);
  });

  test('refers only to what it has', () => {
    const known = new Set(everyId);
    const referred = [
      ...world.skus.map(({ product_id }) => product_id),
      ...world.campaigns.flatMap(({ category_ids }) => category_ids),
      ...world.tiers.flatMap(({ campaign_id, rules }) => [
        campaign_id,
        ...rules.flatMap((rule) => ('any_of' in rule ? rule.any_of : 'id' in rule ? [rule.id] : [])),
      ]),
    ];
    expect(referred.filter((id) => !known.has(id))).toEqual([]);
  });

  test('has unique ids, none a part of another, with the prefix of their kind', () => {
    expect(new Set(everyId).size).toBe(everyId.length);
    expect(everyId.filter((id) => everyId.some((other) => other !== id && other.includes(id)))).toEqual([]);
    for (const id of everyId) expect(id).toMatch(/^(cust|prod|sku|cat|camp|promo)_[0-9a-f]{24}$/);
  });

  test('keeps its ids from one version to the next: deployments are set up with them', () => {
    expect(ids.customer.get('ann')).toBe('cust_e7b4b15d5604471f5ad6d017');
    expect(ids.campaign.get('spring')).toBe('camp_d19671053c2bb9dfdf46387e');
    expect(ids.tier.get('greeting')).toBe('promo_8e676ee9fa28c9b0a33bbf1c');
  });

  test('has its tiers newest first, and no two of one time', () => {
    const times = world.tiers.map(({ created_at }) => created_at);
    expect(new Set(times).size).toBe(times.length);
    expect(times).toEqual([...times].sort().reverse());
    for (const time of times) expect(new Date(time).toISOString()).toBe(time);
  });

  test('shows the window: enough tiers beyond it, ranks 150 and 151 for everybody, few within for an ordinary customer, all for bulk', () => {
    expect(world.tiers.length).toBeGreaterThanOrEqual(windowSize + 6);
    expect(world.tiers[149]?.rules).toEqual([]);
    expect(world.tiers[150]?.rules).toEqual([]);
    const audience = (tier: (typeof world.tiers)[number], customer: string) =>
      tier.rules.every(
        (rule) => rule.kind !== 'customer' || rule.any_of.includes(ids.customer.get(customer) as string),
      );
    const within = world.tiers.slice(0, windowSize);
    const beyond = world.tiers.slice(windowSize);
    expect(within.filter((tier) => !audience(tier, 'ordinary')).length).toBeGreaterThan(90);
    expect(within.every((tier) => audience(tier, 'bulk'))).toBe(true);
    expect(beyond.some((tier) => audience(tier, 'bulk') && !audience(tier, 'ordinary'))).toBe(true);
    expect(
      world.tiers.some(({ rules }) =>
        rules.some((rule) => rule.kind === 'customer' && rule.any_of.includes(ids.customer.get('ordinary') as string)),
      ),
    ).toBe(false);
  });
});
