import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
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

test.describe('A world file is refused', () => {
  const withTier = (tier: string) => ({ tiers: `[${enoughTiers}, { name: x, ${tier} }]` });
  const withRule = (rule: string) => withTier(`campaign: spring, rules: [${rule}]`);
  const twoTiers = (name: string) =>
    `there are two tiers '${name}' → Rename one of them. The name of a repeated tier must contain {n}.`;
  const refused: readonly (readonly [what: string, replaced: Record<string, string>, problem: string])[] = [
    ['campaign', withTier('campaign: ▸sprng'), "there is no campaign 'sprng' → Did you mean 'spring'?"],
    ['customer', withRule('{ kind: customer, any_of: [ann, ▸bn] }'), "there is no customer 'bn' → Did you mean 'ben'?"],
    ['SKU', withRule('{ kind: sku, id: ▸plate, at_least: 1 }'), "there is no sku 'plate' → Known: mug-white."],
    ['product of a SKU', { skus: '{ mug-white: ▸mog }' }, "there is no product 'mog' → Did you mean 'mug'?"],
    ['name', { tiers: `[${enoughTiers}, { name: ▸t-7, campaign: spring }]` }, twoTiers('t-7')],
    ['no {n}', { tiers: `[${enoughTiers}, { name: ▸x, repeat: 2, campaign: spring }]` }, twoTiers('x')],
    ['schema', withTier('campaign: spring, ▸rule: []'), "unknown key 'rule' → Did you mean 'rules'?"],
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

test('The world of the suite has unique ids with prefixes, none a part of another', () => {
  const all = Object.values(loadWorld().ids).flatMap((ofKind) => [...ofKind.values()]);
  expect(all.length).toBeGreaterThan(200);
  expect(all.filter((id, n) => all.some((longer, m) => m !== n && longer.includes(id)))).toEqual([]);
  for (const id of all) expect(id).toMatch(/^(cust|prod|sku|cat|camp|promo)_[0-9a-f]{24}$/);
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
