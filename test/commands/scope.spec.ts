/** A declared scope: which requirements a target may be without, what a run says of it, and what it never excuses. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { stringify } from 'yaml';
import { createDeployment } from '../../reference/deployment/deployment.js';
import { referenceCredentials } from '../../reference/deployment/reference-credentials.js';
import { serveReference } from '../../reference/deployment/server.js';
import { findFault } from '../../reference/faults/index.js';
import { certify, type Transport } from '../../src/api.js';
import type { Certificate } from '../../src/certificate/certificate.js';
import { compareCertificates } from '../../src/certificate/compare-certificates.js';
import { determineExitStatusOfCertificate, exitStatus } from '../../src/cli/exit-status.js';
import type { World } from '../../src/contract/world.js';
import { renderRunReport } from '../../src/outputs/terminal/run-report.js';
import { packageRoot } from '../../src/support/package-root.js';
import {
  credentialVariables,
  loadCertificate,
  makeProject,
  makeTestFolder,
  runConformance,
  runConformanceInProcess,
} from '../support/cli.js';
import { suite } from '../support/in-process.js';

const example = path.join(packageRoot, 'examples', 'small-shop');
const shop: World = JSON.parse(readFileSync(path.join(example, 'shop.json'), 'utf8'));
const { conforms, drift, incomplete, unusableInput } = exitStatus;
const window = 'limit.newest-150';
const folder = makeTestFolder();

interface Setting {
  /** What the export has. Default: what the deployment has. */
  readonly exported?: World;
  readonly without?: readonly string[];
  readonly faults?: readonly string[];
  readonly more?: object;
  readonly spoil?: (answer: Transport) => Transport;
}

let targets = 0;

/** Certifies a deployment on an export of its data, as a target file with a scope names it. */
async function certifyShop(world: World, setting: Setting = {}): Promise<{ certificate: Certificate; status: number }> {
  const { exported = world, without = [window], faults = [], more = {}, spoil = (answer) => answer } = setting;
  targets += 1;
  const [data, target] = [`shop-${targets}.json`, `shop-${targets}.yaml`].map((name) => path.join(folder, name));
  writeFileSync(data as string, JSON.stringify(exported));
  const scope = without.map((requirement) => ({ requirement, reason: 'The shop has none.' }));
  const document = { name: 'shop', data: path.basename(data as string), requests: 100, ...more, not_applicable: scope };
  writeFileSync(target as string, stringify(document));
  const answer = createDeployment({
    world,
    credentials: referenceCredentials,
    faults: faults.map((id) => findFault(id)),
  });
  const certificate = await certify(spoil(answer), {
    target,
    baseUrl: 'http://shop.test',
    credentials: referenceCredentials,
  });
  return { certificate, status: determineExitStatusOfCertificate(certificate) };
}

type RuleKind = World['tiers'][number]['rules'][number]['kind'];

function withoutTiersOfKind(kind: RuleKind): World {
  return { ...shop, tiers: shop.tiers.filter(({ rules }) => !rules.some((rule) => rule.kind === kind)) };
}

function withoutRulesOfKind(kind: RuleKind): World {
  const tiers = shop.tiers.map((tier) => ({ ...tier, rules: tier.rules.filter((rule) => rule.kind !== kind) }));
  return { ...shop, tiers };
}

/** Adds older tiers, which are like those that the shop has. */
function withTiers(count: number): World {
  const older = Array.from({ length: count - shop.tiers.length }, (_, n) => ({
    ...(shop.tiers[n % 30] as World['tiers'][number]),
    id: `older-${n + 1}`,
    name: `Older ${n + 1}`,
    created_at: new Date(Date.UTC(2024, 0, 1) - n * 86_400_000).toISOString(),
  }));
  return { ...shop, tiers: [...shop.tiers, ...older] };
}

const headline = 'CONFORMS within its scope (16 of 17 requirements)';

test('A shop of 38 tiers conforms within its scope, and each output says so', async () => {
  test.setTimeout(120_000);
  const cwd = makeProject();
  const { url, close } = await serveReference({ world: shop, credentials: referenceCredentials });
  writeFileSync(path.join(cwd, 'shop.json'), JSON.stringify(shop));
  const stated = readFileSync(path.join(example, 'target.yaml'), 'utf8');
  const undeclared = stated.slice(0, stated.indexOf('\nnot_applicable'));
  const file = path.join(cwd, 'target.yaml');
  writeFileSync(file, undeclared.replace(/base_url: .*/, `base_url: ${url}`));
  const options = { cwd, env: credentialVariables };
  const run = (command: string) => runConformance([command, '--target', 'target.yaml'], options);
  try {
    const first = await run('certify');
    expect(first.status, first.output).toBe(incomplete);
    const lines = `not_applicable:\n  - { requirement: ${window}, reason: "" }\n`;
    expect(first.output).toContain(`add these lines to target.yaml`);
    expect(first.output).toContain(lines);
    const recorded = await run('record');
    expect(recorded.output).toContain('target.yaml: 1 requirement added. Fill in each reason.');
    const written = readFileSync(file, 'utf8');
    expect(written).toBe(`${undeclared.replace(/base_url: .*/, `base_url: ${url}`).trimEnd()}\n\n${lines}`);
    const refused = await run('certify');
    expect(refused.status).toBe(unusableInput);
    expect(refused.output).toMatch(/target\.yaml:\d+:\d+: 'reason'/);
    writeFileSync(file, written.replace('reason: ""', 'reason: The shop never had more.'));
    writeFileSync(path.join(cwd, 'shop.json'), JSON.stringify(withoutRulesOfKind('order_metadata')));
    const broken = await run('record');
    expect(broken.status, broken.output).toBe(incomplete);
    expect(broken.output).toContain(
      'record.yaml was not changed: the data file lacks what it had, order_metadata rules. Export again. If',
    );
    writeFileSync(path.join(cwd, 'shop.json'), JSON.stringify(shop));
    const declared = await run('certify');
    expect(declared.status, declared.output).toBe(conforms);
    expect(declared.output).toContain(headline);
    expect(declared.output).toContain('Out of scope: The shop never had more.');
  } finally {
    await close();
  }
  const certificate = loadCertificate(cwd, 'results/small-shop');
  expect(certificate.scope).toMatchObject({
    requirements: 16,
    of: 17,
    not_applicable: [{ requirement: window, reason: 'The shop never had more.', state: 'out-of-scope' }],
  });
  expect(certificate.scope).not.toHaveProperty('undeclared');
  const read = (name: string) => readFileSync(path.join(cwd, 'results/small-shop', name), 'utf8');
  expect(read('summary.md')).toContain(headline);
  expect(read('certificate.html')).toContain('Conforms within its scope (16 of 17 requirements)');
  expect(read('certificate.html')).toMatch(/<dt>Out of scope<\/dt><dd><div><a href="#limit.newest-150">/);
  const check = (...args: readonly string[]) => runConformanceInProcess(args, options);
  expect((await check('verify', 'results/small-shop')).output).toContain(
    'certificate.json: conforms within its scope (16 of 17 requirements)',
  );
  expect((await check('compare', 'results/small-shop', 'results/small-shop')).output).toContain(
    `is without ${window}: its target file says so.`,
  );
});

test('The example conforms as it is written', async () => {
  const certificate = await certify(createDeployment({ world: shop, credentials: referenceCredentials }), {
    target: path.join(example, 'target.yaml'),
    credentials: referenceCredentials,
  });
  expect(determineExitStatusOfCertificate(certificate)).toBe(conforms);
  expect(renderRunReport(certificate)).toContain(headline);
});

/** The requirements that a shop without a kind of rule cannot show. */
const shownByRules: readonly (readonly [kind: RuleKind, requirements: readonly string[]])[] = [
  ['customer', ['customer.by-id']],
  ['product', ['order.product-item', 'order.repeated-product']],
  ['sku', ['order.sku-item']],
  ['metadata', ['metadata.promotion-rules']],
];

for (const [kind, lacking] of shownByRules)
  test(`Without ${kind} rules the run is incomplete, until more is declared`, async () => {
    for (const [world, exported] of [
      [shop, withoutTiersOfKind(kind)],
      [withoutRulesOfKind(kind), withoutRulesOfKind(kind)],
    ] as const) {
      const { certificate, status } = await certifyShop(world, { exported });
      expect(status, renderRunReport(certificate)).toBe(incomplete);
      expect(certificate.scope?.undeclared).toEqual(lacking);
      const report = renderRunReport(certificate);
      for (const id of lacking) expect(report).toContain(`  - { requirement: ${id}, reason: "" }`);
      // The key is there already.
      expect(report).not.toMatch(/^not_applicable:$/m);
    }
    const world = withoutRulesOfKind(kind);
    const { certificate, status } = await certifyShop(world, { without: [window, ...lacking] });
    expect(status).toBe(conforms);
    const left = 16 - lacking.length;
    expect(renderRunReport(certificate)).toContain(`CONFORMS within its scope (${left} of 17 requirements)`);
  });

for (const [count, status] of [
  [150, conforms],
  [151, drift],
  [300, drift],
] as const)
  test(`With ${count} tiers, the run without the limit ends with ${status}`, async () => {
    const { certificate, status: ended } = await certifyShop(withTiers(count));
    expect(ended).toBe(status);
    const report = renderRunReport(certificate);
    if (status === conforms) return expect(report).toContain(headline);
    expect(certificate.scope).toMatchObject({ requirements: 17, not_applicable: [{ state: 'stale' }] });
    expect(report).toMatch(/^stale {2}\S+:\d+:\d+: limit\.newest-150 applies to this target\. Delete this entry\.$/m);
    expect(report).toMatch(/^CONFORMS, 1 requirement out of scope applies {2}/m);
  });

test('What fails is never excused, whether it is declared or not', async () => {
  for (const [without, faults] of [
    [['order.quantity'], ['quantity-ignored']],
    [[window], ['quantity-ignored']],
  ] as const) {
    const { certificate, status } = await certifyShop(shop, { without, faults });
    expect(certificate.verdict).toBe('does-not-conform');
    expect(status).toBe(exitStatus['does-not-conform']);
    expect(certificate.scope?.undeclared).toBeUndefined();
  }
});

test('What got no answer is never excused, and no line is proposed for it', async () => {
  const spoil =
    (answer: Transport): Transport =>
    (request, context) => {
      const isBusy = request.body?.includes('espresso-1kg') === true;
      return isBusy ? { status: 503, headers: [], body: '' } : answer(request, context);
    };
  const { certificate, status } = await certifyShop(shop, { spoil, more: { retry: { delays_seconds: [] } } });
  expect(status).toBe(incomplete);
  expect(certificate.scope).toMatchObject({ not_applicable: [{ state: 'out-of-scope' }] });
  expect(certificate.scope).not.toHaveProperty('undeclared');
});

test('Nothing conforms within an empty scope', async () => {
  const all = suite.contract.requirements.map(({ id }) => id);
  const world = { ...shop, tiers: [] };
  const { certificate, status } = await certifyShop(world, { without: all });
  expect(certificate.verdict).toBe('incomplete');
  expect(status).toBe(incomplete);
  expect((await certifyShop(world)).certificate.scope).not.toHaveProperty('undeclared');
});

test('An export that lacks what that of the record had is incomplete, whatever it declares', async () => {
  test.setTimeout(120_000);
  const record = path.join(folder, 'record.json');
  const holds = ['tiers', 'skus', 'customer rules', 'product rules', 'sku rules', 'metadata rules', 'other rules'];
  writeFileSync(
    record,
    JSON.stringify({
      target: 'shop',
      suite: { name: suite.name, version: suite.version, digest: suite.digest },
      data: { kind: 'data-file', digest: suite.digest, holds: [...holds, 'order_metadata rules'] },
      questions: {},
    }),
  );
  const more = { record: 'record.json' };
  expect((await certifyShop(shop, { more })).status).toBe(conforms);
  for (const kind of ['customer', 'product', 'sku', 'metadata', 'order_metadata', 'other'] as const) {
    const { certificate, status } = await certifyShop(shop, {
      exported: withoutRulesOfKind(kind),
      // Also where the requirement itself is declared.
      without: [window, ...(kind === 'sku' ? ['order.sku-item'] : [])],
      more,
    });
    expect([kind, status]).toEqual([kind, incomplete]);
    expect(renderRunReport(certificate)).toContain(
      `The data file has no ${kind} rules, while the one of the record had some`,
    );
    expect(certificate.summary.fail).toBeUndefined();
    expect(certificate.causes).toBeUndefined();
    expect(certificate.load?.is_certain).toBe(true);
    expect(certificate.scope).not.toHaveProperty('undeclared');
  }
});

const skuItem = 'order.sku-item';

/** Certifies a deployment of the test data that lacks some SKUs. @param bound how many it has */
async function certifyWithoutSkus(bound: number, without: readonly string[], more: object = {}) {
  const { ids } = suite.world;
  const skus = [...ids.sku.values()];
  const all = Object.values(ids).flatMap((ofKind) => [...ofKind.values()]);
  const has = all.filter((id) => !skus.includes(id) || skus.indexOf(id) < bound);
  targets += 1;
  const bindings = `bindings-${targets}.yaml`;
  writeFileSync(path.join(folder, bindings), has.map((id) => `${id}: ${id}\n`).join(''));
  const target = path.join(folder, `world-${targets}.yaml`);
  const scope = without.map((requirement) => ({ requirement, reason: 'The mock has none.' }));
  writeFileSync(target, stringify({ name: 'mock', bindings, not_applicable: scope, ...more }));
  const answer = createDeployment({ world: suite.world, credentials: referenceCredentials });
  const options = { target, baseUrl: 'http://mock.test', credentials: referenceCredentials };
  const certificate = await certify(answer, options);
  return { certificate, status: determineExitStatusOfCertificate(certificate) };
}

test('A deployment of the test data without SKUs conforms within its scope', async () => {
  const undeclared = await certifyWithoutSkus(0, []);
  expect(undeclared.status).toBe(incomplete);
  expect(undeclared.certificate.scope?.undeclared).toEqual([skuItem]);
  const declared = await certifyWithoutSkus(0, [skuItem]);
  expect(declared.status, renderRunReport(declared.certificate)).toBe(conforms);
  expect(renderRunReport(declared.certificate)).toContain(headline);
  expect(declared.certificate.incomplete_because).toBeUndefined();
});

test('A deployment with some of the SKUs is not without them', async () => {
  for (const without of [[], [skuItem]]) {
    const { certificate, status } = await certifyWithoutSkus(3, without);
    expect(certificate.verdict).toBe('incomplete');
    expect(certificate.scope?.undeclared).toBeUndefined();
    expect(status).toBe(incomplete);
    for (const { state } of certificate.scope?.not_applicable ?? []) expect(state).toBe('not-judged');
    expect(renderRunReport(certificate)).toContain('With ids of these skus it would be complete');
  }
});

test('Own cases that need a SKU do not apply to a deployment without SKUs', async () => {
  const cases = path.join(folder, 'cases');
  mkdirSync(cases, { recursive: true });
  writeFileSync(
    path.join(cases, 'own.yaml'),
    stringify({
      cases: [
        {
          id: 'own-with-sku',
          verifies: skuItem,
          title: 'An item with a SKU counts as that SKU',
          request: { from: 'ann-with-a-mug', body: { order: { items: [{ sku_id: '<sku shirt-red>', quantity: 1 }] } } },
          expect: { request: { returned: { include: ['shirt-red-1'] } } },
        },
      ],
    }),
  );
  const { certificate, status } = await certifyWithoutSkus(0, [skuItem], { cases: 'cases' });
  expect(certificate.own_cases).toMatchObject({ verdict: 'conforms', cases: [{ verdict: 'not-applicable' }] });
  expect(status).toBe(conforms);
});

test('A comparison says which certificate is without a requirement', async () => {
  const small = await certifyShop(shop);
  const large = await certifyShop(withTiers(160), { without: [] });
  const { isDifferent, text } = compareCertificates([small.certificate, large.certificate], suite.contract);
  expect(isDifferent).toBe(true);
  expect(text).toContain(`is without ${window}: its target file says so.`);
  expect(text).toMatch(/out of scope: The shop has none\.\n.* pass/);
});

test('Unknown and repeated requirements, and entries without a reason, are refused where they are', async () => {
  const cwd = makeProject();
  const refuse = async (entries: string) => {
    writeFileSync(
      path.join(cwd, 'target.yaml'),
      `name: shop\nbase_url: http://127.0.0.1:9\nnot_applicable:\n${entries}`,
    );
    const options = { cwd, env: credentialVariables };
    const { status, output } = await runConformanceInProcess(['certify', '--target', 'target.yaml'], options);
    expect(status).toBe(unusableInput);
    return output;
  };
  expect(await refuse('  - { requirement: limit.newest-15, reason: Few. }\n')).toMatch(
    /target\.yaml:4:20: unknown requirement 'limit\.newest-15'\s+Did you mean 'limit\.newest-150'/,
  );
  const entry = `  - { requirement: ${window}, reason: Few. }\n`;
  expect(await refuse(entry + entry)).toMatch(/target\.yaml:5:20: 'limit\.newest-150' is listed twice/);
  expect(await refuse(`  - { requirement: ${window}, reason: "" }\n`)).toMatch(/target\.yaml:4:\d+: 'reason'/);
  expect(await refuse(`  - { requirement: ${window} }\n`)).toMatch(/target\.yaml:4:\d+: .*reason/);
});
