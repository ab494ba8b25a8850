import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { json, text as readText } from 'node:stream/consumers';
import { expect, test } from '@playwright/test';
import { readTargetFile, readWorldAvailability } from '../../src/config/target-file.js';
import type { World } from '../../src/contract/world.js';
import { expandWorld, loadWorld } from '../../src/contract/world-file.js';
import { loadSuite, packageCasesFolder } from '../../src/suite/suite.js';
import { packageRoot } from '../../src/support/package-root.js';
import { UnusableInput } from '../../src/support/problem.js';
import { parseYaml } from '../../src/support/yaml-file.js';
import { checkEachRow } from '../support/check-each-row.js';
import { commandLine, makeTestFolder } from '../support/cli.js';
import { certifyOver, channelTo, createReference } from '../support/in-process.js';
import { listenOnLoopback } from '../support/listen-on-loopback.js';
import { parseMarked } from '../support/marked.js';
import { skipOnWindows } from '../support/skip-on-windows.js';

const enoughTiers = '{ name: "t-{n}", repeat: 156, campaign: spring }';

/** Renders a valid world file, with some keys replaced. */
function renderWorld(replaced: Readonly<Record<string, string>>): string {
  const valid: Readonly<Record<string, string>> = {
    customers: '[ann, ben]',
    products: '[mug]',
    skus: '{ mug-white: mug }',
    categories: '[kitchen]',
    campaigns: '{ spring: [kitchen], autumn: [] }',
    newest: '2024-01-20T12:00:00.000Z',
    hours_apart: '7',
    tiers: `[${enoughTiers}]`,
  };
  return Object.entries({ ...valid, ...replaced })
    .map(([key, value]) => `${key}: ${value}`)
    .join('\n');
}

const withTier = (tier: string) => ({ tiers: `[${enoughTiers}, { name: x, ${tier} }]` });
/** A text and a variant, both used, and the metadata of a tier. */
const withMetadata = (
  metadata: string,
  texts = '{ note: Crème brûlée }',
  variants = '{ plain: { è: e, û: u, é: e } }',
) => ({
  texts,
  variants,
  tiers: `[${enoughTiers}, { name: used, campaign: spring, metadata: { a: <text note plain> } },
    { name: x, campaign: spring, metadata: ${metadata} }]`,
});

test.describe('A world file is refused', () => {
  const withRule = (rule: string) => withTier(`campaign: spring, rules: [${rule}]`);
  const withTexts = (texts: string, used = 'note') => withMetadata(`{ b: <text ${used}> }`, texts);
  const twoTiers = (name: string) =>
    `there are two tiers '${name}' → Rename one of them. The name of a repeated tier must contain {n}, or a name of a list.`;
  const withDistinctValues = (metadata: string) =>
    withTier(`campaign: spring, distinct_values: true, metadata: ${metadata}`);
  const distinct = "With 'distinct_values', each key has a value of its own: change one, or remove one entry.";
  const long = 'a text of more than twenty-four letters';
  const writtenTwice = (line: number) =>
    `the text '${long}' is written twice, first in line ${line} → Give it a name under 'texts', and write <text name> at both places.`;
  const hidden = (character: string, escaped: string) =>
    `the character ${character} is invisible or looks like another → Write ${escaped}, in a text in double quotation marks.`;
  const oneKind = "entry 1 of 'rules' has more than one of the keys 'customer' and 'product' and 'sku'";
  const refused: readonly (readonly [what: string, replaced: Record<string, string>, problem: string])[] = [
    ['campaign', withTier('campaign: ▸sprng'), "there is no campaign 'sprng' → Did you mean 'spring'?"],
    ['customer', withRule('{ customer: [ann, ▸bn] }'), "there is no customer 'bn' → Did you mean 'ben'?"],
    ['SKU', withRule('{ sku: ▸plate }'), "there is no sku 'plate' → Known: mug-white."],
    ['product of a SKU', { skus: '{ mug-white: ▸mog }' }, "there is no product 'mog' → Did you mean 'mug'?"],
    ['name', { tiers: `[${enoughTiers}, { name: ▸t-7, campaign: spring }]` }, twoTiers('t-7')],
    ['no {n}', { tiers: `[${enoughTiers}, { name: ▸x, repeat: 2, campaign: spring }]` }, twoTiers('x')],
    ['schema', withTier('campaign: spring, ▸rule: []'), "unknown key 'rule' → Did you mean 'rules'?"],
    [
      'id of another tier',
      { tiers: `[${enoughTiers}, { name: ▸x, id_of: t-7, campaign: spring }]` },
      "the tiers 't-7' and 'x' have the id of 't-7' → Change 'id_of' of one of them.",
    ],

    ['text', withMetadata('{ b: ▸<text nte> }'), "there is no text 'nte' above → Did you mean 'note'?"],
    ['variant', withMetadata('{ b: ▸<text note plane> }'), "there is no variant 'plane' → Did you mean 'plain'?"],
    [
      'variant in a key',
      withMetadata('{ ▸<text note plan>: b }'),
      "there is no variant 'plan' → Did you mean 'plain'?",
    ],
    [
      'variant in a rule',
      withRule('{ metadata: { a: ▸<text note> } }'),
      "there is no text 'note' above → There is none.",
    ],
    [
      'variant that changes nothing',
      withMetadata('{ b: ▸<text note cut-at-99> }'),
      "the variant 'cut-at-99' does not change the text 'note' → Write <text note>, or another variant.",
    ],
    [
      'reference inside a text',
      withMetadata('{ b: ▸a <text note> }'),
      "'a <text note>' has other characters beside a reference → Put the parts in a list under 'texts', and refer to that text.",
    ],
    [
      'later text',
      withTexts('{ note: Crème brûlée, b: [a, ▸<text c>], c: d }', 'b'),
      "there is no text 'c' above → Known: note.",
    ],
    [
      'equal texts',
      withTexts('{ note: Crème brûlée, ▸b: [Crème, " brûlée"] }', 'b'),
      "the text 'b' is equal to the text 'note' → Remove it, and write <text note>.",
    ],
    [
      'part that a text lacks',
      withTexts('{ note: Crème brûlée, b: { of: note, replace: { ▸ê: e } } }', 'b'),
      "the text 'note' does not contain 'ê' → State a part of the text.",
    ],
    ['unused text', withTexts('{ note: Crème brûlée, ▸b: c }'), "nothing uses the text 'b' → Remove it."],
    [
      'unused variant',
      withMetadata('{}', undefined, '{ plain: { è: e }, ▸other: { é: e } }'),
      "nothing uses the variant 'other' → Remove it.",
    ],
    ['repeated text', withMetadata(`{ b: ${long}, c: ▸${long} }`), writtenTwice(9)],
    ['repeated key', withMetadata(`[{ ${long}: b }, { c: ▸${long} }]`), writtenTwice(9)],
    [
      'repeated named text',
      withTexts(`{ note: Crème brûlée, b: ${long}, c: [<text b>, ▸${long}] }`, 'c'),
      writtenTwice(10),
    ],

    ['soft hyphen', withMetadata('{ b: "so▸\u00adft" }'), hidden('U+00AD', '\\u00ad')],
    ['combining accent', withMetadata('{ "e▸\u0301": b }'), hidden('U+0301', '\\u0301')],
    ['ligature', withMetadata('{ b: ▸\ufb01n }'), hidden('U+FB01', '\\ufb01')],
    ['wide letter', withMetadata('{ b: ▸\uff37 }'), hidden('U+FF37', '\\uff37')],
    ['no-break space', withMetadata('{ b: a▸\u00a0c }'), hidden('U+00A0', '\\u00a0')],
    ['Cyrillic letter', withMetadata('{ b: ▸\u0430 }'), hidden('U+0430', '\\u0430')],
    ['tag beyond 16 bits', withMetadata('{ b: 🎁▸\u{e0041} }'), hidden('U+E0041', '\\U000e0041')],
    ['tab', withMetadata('{ b: "a▸\tb" }'), hidden('U+0009', '\\u0009')],
    ['line separator in a comment', { newest: '2024-01-20T12:00:00.000Z # ▸\u2028' }, hidden('U+2028', '\\u2028')],

    [
      'lists of unequal length',
      withMetadata('[{ key: "{aa}", value: "{bb}", ▸each: { aa: [a, b, c], bb: [d, e] } }]'),
      "the lists of 'each' have 3, 2 values → Give each list as many values.",
    ],
    [
      'unused list',
      withMetadata('[{ key: "{aa}", value: "{b}", each: { aa: [a, b], ▸bb: [d, e] } }]'),
      "no text of the entry contains '{bb}' → Refer to it, or remove the list.",
    ],
    [
      'repeated key of a series',
      withMetadata('▸[{ a: b }, { key: "{aa}", value: c, each: { aa: [a, b] } }]'),
      "the metadata has the key 'a' twice → Remove one entry.",
    ],
    [
      'value of two keys',
      withDistinctValues('{ dashes: a--b, dash: ▸a--b }'),
      `the keys 'dashes' and 'dash' have the value 'a--b' → ${distinct}`,
    ],
    [
      'value of two keys, in a mapping and in a series',
      withDistinctValues('[{ a: x, one: "1" }, { key: "k{n}", value: ▸"{aa}", each: { aa: [y, x] } }]'),
      `the keys 'a' and 'k2' have the value 'x' → ${distinct}`,
    ],
    [
      'value of two keys, as a number and as a text',
      withDistinctValues('{ a: 1, b: ▸"1" }'),
      `the keys 'a' and 'b' have the value '1' → ${distinct}`,
    ],
    [
      'separator that a key lacks',
      withMetadata('[{ key: a=b, value: c, split_at: ▸"{aa}", each: { aa: ["=", ":"] } }]'),
      "the key does not contain ':' → The key is split at the separator: choose one that it contains.",
    ],
    [
      'unknown list in a name',
      {
        tiers: `[${enoughTiers}, { name: ▸"x-{cc}", each: { aa: [a, b] }, campaign: spring, metadata: { a: "{aa}" } }]`,
      },
      "'x-{cc}' is no name of a tier → A name consists of lower-case letters, digits and hyphens; {name} stands for the values of a list of 'each'.",
    ],
    ['two kinds', withRule('▸{ customer: [ann], product: mug }'), oneKind],
    [
      'least quantity of a customer',
      withRule('▸{ customer: [ann], at_least: 3 }'),
      "entry 1 of 'rules' has none of the keys 'product' and 'sku'",
    ],
  ];
  test('with location and hint', () =>
    checkEachRow(refused, (_, replaced, problem) => {
      const { text, places } = parseMarked(renderWorld(replaced));
      const [{ line, column } = { line: 0, column: 0 }] = places;
      const [message = '', hint = ''] = problem.split(' → ');
      const expected = new UnusableInput([{ at: { file: 'world.yaml', line, column }, message, hint }]);
      expect(() => expandWorld(parseYaml(text, 'world.yaml'))).toThrow(expected.message);
    }));
});

test.describe('A world file is expanded', () => {
  const expand = (replaced: Record<string, string>) =>
    expandWorld(parseYaml(renderWorld(replaced), 'world.yaml')).tiers.at(-1);
  const rows: readonly (readonly [what: string, metadata: string, entries: readonly (readonly [string, unknown])[]])[] =
    [
      ['a text', '{ b: <text note> }', [['b', 'Crème brûlée']]],
      ['a variant, in a key', '{ <text note plain>: b }', [['Creme brulee', 'b']]],
      ['a beginning', '{ b: <text note cut-at-3> }', [['b', 'Crè']]],
      [
        'escapes and letters of four bytes',
        '{ b: "so\\u00adft", 🎁: 特価 }',
        [
          ['b', 'so\u00adft'],
          ['🎁', '特価'],
        ],
      ],
      [
        'other angle brackets',
        '{ b: <note>, <b>text</b>: c }',
        [
          ['b', '<note>'],
          ['<b>text</b>', 'c'],
        ],
      ],
      [
        'values that are no texts',
        '{ b: true, c: 1 }',
        [
          ['b', true],
          ['c', 1],
        ],
      ],
      [
        'a short text twice',
        '{ b: a text, c: a text }',
        [
          ['b', 'a text'],
          ['c', 'a text'],
        ],
      ],
      [
        'a long text that an alias repeats',
        '[&b { b: a text of more than twenty-four letters }, { c: d }]',
        [
          ['b', 'a text of more than twenty-four letters'],
          ['c', 'd'],
        ],
      ],
      ['a member that is named each', '{ each: b }', [['each', 'b']]],
      [
        'a series between others, in order',
        '[{ z: 1 }, { key: "{aa}-{n}", value: "{other} {bb}", each: { aa: [a, b], bb: [true, 7] } }, { c: 2 }]',
        [
          ['z', 1],
          ['a-1', '{other} true'],
          ['b-2', '{other} 7'],
          ['c', 2],
        ],
      ],
      [
        'variants in a series',
        '[{ key: "<text note {aa}>", value: b, each: { aa: [plain, cut-at-1] } }]',
        [
          ['Creme brulee', 'b'],
          ['C', 'b'],
        ],
      ],
      [
        'entries that are split at the last separator of the key',
        '[{ key: a=b=c, value: d=e, split_at: "{aa}", each: { aa: ["=", c] } }]',
        [
          ['a=b', 'c=d=e'],
          ['a=b=', 'cd=e'],
        ],
      ],
      ['a key that objects inherit', '{ __proto__: a }', [['__proto__', 'a']]],
    ];
  test('with texts, variants and series', () =>
    checkEachRow(rows, (_, metadata, entries) =>
      expect(Object.entries(expand(withMetadata(metadata))?.metadata ?? {})).toEqual(entries),
    ));

  test('with the rules of each kind, in order', () => {
    const rules =
      '{ customer: [ann, ben] }, { product: mug }, { sku: mug-white, at_least: 3 }, { order_metadata: { a: b } }, { metadata: { c: d, e: <text note plain> } }';
    const world = expandWorld(
      parseYaml(
        renderWorld({
          ...withMetadata('{}'),
          tiers: `[${enoughTiers}, { name: x, campaign: spring, rules: [${rules}] }]`,
        }),
        'world.yaml',
      ),
    );
    const { customer, product, sku } = world.ids;
    expect(world.tiers.at(-1)?.rules).toEqual([
      { kind: 'customer', any_of: [customer.get('ann'), customer.get('ben')] },
      { kind: 'product', id: product.get('mug'), at_least: 1 },
      { kind: 'sku', id: sku.get('mug-white'), at_least: 3 },
      { kind: 'order_metadata', key: 'a', includes: 'b' },
      { kind: 'metadata', key: 'c', is: 'd' },
      { kind: 'metadata', key: 'e', is: 'Creme brulee' },
    ]);
  });

  test('with tiers that differ in the values of lists, and ids of earlier names', () => {
    const expandTiers = (tiers: string) =>
      expandWorld(parseYaml(renderWorld({ tiers: `[${enoughTiers}, ${tiers}]` }), 'world.yaml'));
    const rule = 'rules: [{ metadata: { "k-{n}": "{value}" } }]';
    const renamed = expandTiers(
      `{ name: "{name}-new", id_of: old-9, each: { name: [a, b, c], value: [x, y, z] }, campaign: [spring, autumn], ${rule} }`,
    );
    const { ids, tiers } = renamed;
    const earlier = expandTiers(
      '{ name: old-9, campaign: spring }, { name: old-10, campaign: spring }, { name: old-11, campaign: spring }',
    );
    expect(tiers.slice(-3).map(({ id }) => id)).toEqual(earlier.tiers.slice(-3).map(({ id }) => id));
    expect(tiers.slice(-3).map(({ name }) => name)).toEqual(['a-new', 'b-new', 'c-new']);
    expect(tiers.slice(-3).map(({ id }) => id)).toEqual(['a', 'b', 'c'].map((name) => ids.tier.get(`${name}-new`)));
    const { campaign } = ids;
    expect(tiers.slice(-3).map(({ campaign_id }) => campaign_id)).toEqual(
      ['spring', 'autumn', 'spring'].map((name) => campaign.get(name)),
    );
    expect(tiers.at(-1)?.rules).toEqual([{ kind: 'metadata', key: 'k-3', is: 'z' }]);
  });
});

test('No line of the world is longer than 140 characters', () => {
  const lines = readFileSync(path.join(packageCasesFolder, 'world.yaml'), 'utf8').split('\n');
  expect(lines.length).toBeGreaterThan(100);
  expect(lines.filter((line) => line.length > 140)).toEqual([]);
});

test('Each tier keeps its id, its rank and the time of its creation', () => {
  // Deployments have loaded these. What comes later is older than all of them.
  const loaded = readFileSync(path.join(packageRoot, 'test', 'support', 'tier-ranks.txt'), 'utf8')
    .trim()
    .split('\n');
  const { tiers } = loadWorld();
  expect(loaded.length).toBe(233);
  expect(loaded.map((_, n) => `${tiers[n]?.created_at} ${tiers[n]?.id}`)).toEqual(loaded);
});

test('Ids have prefixes; one customer, product and campaign has an id that is a part of another, and no tier', () => {
  const byKind = Object.entries(loadWorld().ids).map(([kind, ids]) => [kind, [...ids.values()]] as const);
  for (const [kind, ids] of byKind) {
    for (const id of ids) expect(id).toMatch(/^(cust|prod|sku|cat|camp|promo)_[0-9a-f]{24}([0-9a-f]{2})?$/);
    const parts = ids.filter((id, n) => ids.some((longer, m) => m !== n && longer.includes(id)));
    expect(parts.length, kind).toBe(['customer', 'product', 'campaign'].includes(kind) ? 1 : 0);
  }
});

test('Ordinary columns hold the texts of the world: keys of 191 bytes, other texts of 255 bytes', () => {
  const { tiers, campaigns, categories } = loadWorld();
  const entries = tiers.flatMap(({ metadata, rules }) => [
    ...Object.entries(metadata),
    ...rules.flatMap((rule) => (rule.kind === 'metadata' ? [[rule.key, rule.is] as const] : [])),
  ]);
  const names = [...tiers, ...campaigns, ...categories].map(({ name }) => name);
  const isLonger = (bytes: number) => (text: unknown) => Buffer.byteLength(String(text)) > bytes;
  expect([entries.length, names.length].every((count) => count > 100)).toBe(true);
  expect(entries.map(([key]) => key).filter(isLonger(191))).toEqual([]);
  expect([...entries.map(([, value]) => value), ...names].filter(isLonger(255))).toEqual([]);
});

test('The loader to start from writes bindings with which its deployment conforms', async () => {
  skipOnWindows('the shell of this example');
  const stored: Record<string, object[]> = {};
  const shop = await listenOnLoopback(
    createServer(async (incoming, outgoing) => {
      const list = (incoming.url ?? '').slice(1);
      stored[list] ??= [];
      const things = stored[list];
      const id = `${list}-${things.length}`;
      // Newest first, as in a world.
      things.unshift({ ...((await json(incoming)) as object), id });
      outgoing.end(JSON.stringify({ id }));
    }),
  );
  const folder = makeTestFolder();
  const loader = path.join(packageRoot, 'examples', 'load-shop.mjs');
  const script = `"$NODE" '${commandLine}' world | "$NODE" '${loader}' > shop.ids.yaml`;
  const env = { PATH: process.env.PATH, NODE: process.execPath, SHOP_API: shop.url, SHOP_TOKEN: 'shop-token' };
  const child = spawn('sh', ['-c', script], { cwd: folder, env });
  expect([await readText(child.stderr), await new Promise((resolve) => child.on('close', resolve))]).toEqual(['', 0]);
  await shop.close();

  const target = path.join(folder, 'shop.yaml');
  writeFileSync(target, 'name: shop\nbindings: shop.ids.yaml\n');
  const bound = loadSuite(packageCasesFolder, readWorldAvailability(readTargetFile({ target })));
  const reference = createReference({ world: stored as unknown as World });
  const { certificate } = await certifyOver(channelTo(reference), bound);
  expect([certificate.verdict, certificate.questions.filter(({ outcome }) => outcome === null)]).toEqual([
    'conforms',
    [],
  ]);
});

test('A target whose availability has only undefined members gets the suite that the build stored', () => {
  const nothing = { bindings: undefined, ownPromotions: undefined, data: undefined };
  expect(loadSuite(packageCasesFolder, nothing)).toBe(loadSuite());
});
