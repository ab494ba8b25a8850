/** Runs on a data file that is not what the deployment has: the report says so before it blames the deployment. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { Tier, TierRule, World } from '../../src/contract/world.js';
import { renderRunReport } from '../../src/outputs/terminal/run-report.js';
import { packageRoot } from '../../src/support/package-root.js';
import { type Answer, createTimedChannel } from '../../tools/proof/judge-deployment.js';
import { createReference } from '../support/in-process.js';
import { createIndependentDeployment } from '../support/independent-deployment.js';
import { mistakes } from '../support/mistaken-deployments.js';
import { createData, writeData } from '../support/own-data.js';
import { runWithEvidence } from '../support/run-with-evidence.js';

const readShop = (): World =>
  JSON.parse(readFileSync(path.join(packageRoot, 'examples', 'small-shop', 'shop.json'), 'utf8'));

const changeTiers = (world: World, change: (tiers: readonly Tier[]) => readonly Tier[]): World => ({
  ...world,
  tiers: change(world.tiers),
});
const withoutRules = (kind: TierRule['kind']) => (world: World) =>
  changeTiers(world, (tiers) =>
    tiers.map((tier) => ({ ...tier, rules: tier.rules.filter((rule) => rule.kind !== kind) })),
  );
const hasRule =
  (kind: TierRule['kind']) =>
  ({ rules }: Tier) =>
    rules.some((rule) => rule.kind === kind);

/** Adds copies of the tiers, newer than all, up to a number of tiers. */
const addNewer = (total: number) => (world: World) =>
  changeTiers(world, (tiers) => {
    const newest = Date.parse('2027-06-01T00:00:00Z');
    const newer = Array.from({ length: total - tiers.length }, (_, n): Tier => {
      const copied = tiers[n % tiers.length] as Tier;
      const createdAt = new Date(newest - n * 3_600_000).toISOString();
      return { ...copied, id: `newer-${n}`, name: `Newer ${n}`, created_at: createdAt };
    });
    return [...newer, ...tiers];
  });

let files = 0;
async function certify(file: World, answer: Answer) {
  files += 1;
  const run = await runWithEvidence(createTimedChannel(answer), {
    options: { data: writeData(file, `outdated-${files}`) },
  });
  return { ...run, report: renderRunReport(run.certificate) };
}

interface Row {
  readonly title: string;
  /** Makes what the file has, or what the deployment has, of the data of the shop. */
  readonly file?: (world: World) => World;
  readonly deployment?: (world: World) => World;
  /** What the report says of the file. */
  readonly says: readonly RegExp[];
}

const older = /The data file may be older than the data of the deployment, or not complete\./;
const unknown = /^Responses name promotions that the data file does not have: '/m;

const keep = (world: World) => world;

const rows: readonly Row[] = [
  {
    title: 'customer rules are not exported',
    file: withoutRules('customer'),
    says: [older, /Of its 38 promotions, 6 have results that differ from it/],
  },
  { title: 'SKU rules are not exported', file: withoutRules('sku'), says: [older, /one more rule of the kind sku/] },
  { title: 'product rules are not exported', file: withoutRules('product'), says: [older, /of the kind product/] },
  { title: 'metadata rules are not exported', file: withoutRules('metadata'), says: [older, /7 missing where/] },
  {
    title: 'customer rules were added to the file',
    deployment: withoutRules('customer'),
    says: [older, /6 returned where the file forbids them/, /one rule of the kind customer less/],
  },
  {
    title: 'the deployment has lost its newer promotions',
    file: addNewer(151),
    says: [older, /104 never returned \('Newer 0'/],
  },
  {
    title: 'the deployment has so many newer promotions that few of the file are among the newest 150',
    deployment: addNewer(170),
    says: [older, unknown],
  },
  { title: 'the deployment has newer promotions', deployment: addNewer(60), says: [unknown] },
  {
    title: 'promotions with SKU rules are not exported',
    file: (world) => changeTiers(world, (tiers) => tiers.filter((tier) => !hasRule('sku')(tier))),
    says: [unknown],
  },
];

for (const { title, file = keep, deployment = keep, says } of rows)
  test(`The report says first that the file may be wrong: ${title}`, async () => {
    const shop = readShop();
    const { certificate, report } = await certify(file(shop), createReference({ world: deployment(shop) }));
    for (const words of says) expect(report).toMatch(words);
    expect(certificate.load?.is_certain).toBe(false);
    // Nothing is claimed of the deployment that a wrong file explains as well.
    const claims = (certificate.causes ?? []).filter(
      ({ sentence }) => !sentence.startsWith('If the data file is right: '),
    );
    expect(claims.map(({ sentence }) => sentence)).toEqual([]);
    const [before = '', advice] = report.split('to accept this for now');
    if (advice !== undefined) expect(before).toMatch(/data file may be[\s\S]*If the data file is right, $/);
    expect(report).not.toContain('the deployment checks the newest 37');
  });

test('A data file that the deployment has is not doubted', async () => {
  const shop = readShop();
  const { certificate, report } = await certify(shop, createIndependentDeployment(shop));
  expect(certificate.load).toBe(undefined);
  expect(report).not.toMatch(older);
  expect(certificate.summary.pass).toBe(16);
});

/** Mistakes that no data file explains: the result depends on more than the promotion and what its rules can ask for. */
const ofDeployment = [
  'one rule is enough',
  'the campaign filter is ignored',
  'metadata filters are ignored',
  'only the first item counts',
  'the last of several items is lost',
  'a result has at most 20 promotions',
  'each campaign has one promotion in a result',
  'results are cached by customer and path',
];

for (const title of ofDeployment)
  test(`A file that is right is not doubted for a mistake of the deployment: ${title}`, async () => {
    const shop = readShop();
    const { certificate, report } = await certify(shop, (mistakes[title] as (world: World) => Answer)(shop));
    expect(certificate.verdict).toBe('does-not-conform');
    expect(certificate.load, report).toBe(undefined);
    expect(report).toMatch(/^To accept this for now/m);
  });

test('What the responses prove of the deployment is said under the condition that the file is right', async () => {
  const shop = readShop();
  const { certificate } = await certify(
    shop,
    (mistakes['customer rules are ignored'] as (world: World) => Answer)(shop),
  );
  expect(certificate.verdict).toBe('does-not-conform');
  expect(certificate.causes?.[0]?.sentence).toMatch(/^If the data file is right: Rules about customers are ignored/);
});

test('Single entries of another shop that are out of date are found among many that are not', async () => {
  const shop = createData('small');
  const isChanged = ({ rules }: Tier, n: number) => n % 4 === 0 && rules.length > 0;
  const changed = changeTiers(shop, (tiers) =>
    tiers.map((tier, n) => (isChanged(tier, n) ? { ...tier, rules: tier.rules.slice(1) } : tier)),
  );
  const { report } = await certify(changed, createReference({ world: shop }));
  expect(report).toMatch(older);
});
