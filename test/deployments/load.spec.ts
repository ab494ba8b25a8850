/** Test data that is loaded otherwise than the world says: it is named first, and fails no deployment that conforms. */

import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { RunVerdict } from '../../src/certificate/run-verdict.js';
import { pickWorldLists, type TargetWorld, type Tier, type TierRule, type World } from '../../src/contract/world.js';
import { bindWorld, type WorldAvailability } from '../../src/contract/world-file.js';
import type { HttpRequest } from '../../src/http/exchange.js';
import { renderExaminationFindings } from '../../src/outputs/terminal/findings.js';
import { renderRunReport } from '../../src/outputs/terminal/run-report.js';
import type { TestDataVersion } from '../../src/own-data/data-suite.js';
import { describeSuiteChangeSinceRecord } from '../../src/record/drift.js';
import { createRecord } from '../../src/record/target-record.js';
import { type ExaminedArea, examineTarget } from '../../src/run/examine-target.js';
import { loadSuite, packageCasesFolder, type Suite } from '../../src/suite/suite.js';
import { renderReason } from '../../src/support/reason.js';
import { getFirstLine } from '../../src/support/untrusted-text.js';
import {
  credentialVariables,
  loadCertificate,
  makeTestFolder,
  runConformance,
  runConformanceInProcess,
} from '../support/cli.js';
import {
  type Answer,
  certifyInProcess,
  channelTo,
  type InProcessRun,
  requirementSuite,
  suite,
} from '../support/in-process.js';
import { createIndependentDeployment, listen, type Shape, type Traits } from '../support/independent-deployment.js';
import { listReasonCodes, reasonOf } from '../support/reasons.js';

const { world } = suite;

const changeTiers = (change: (tier: Tier) => Partial<Tier>): World => ({
  ...pickWorldLists(world),
  tiers: world.tiers.map((tier) => ({ ...tier, ...change(tier) })),
});
const keepTiers = (isKept: (tier: Tier, n: number) => boolean): World => ({
  ...pickWorldLists(world),
  tiers: world.tiers.filter(isKept),
});
const loseRules = (isLost: (rule: TierRule) => boolean) =>
  changeTiers(({ rules }) => ({ rules: rules.filter((rule) => !isLost(rule)) }));
const reverse = (of: World): World => ({
  ...pickWorldLists(of as TargetWorld),
  tiers: of.tiers.map((tier, n) => ({ ...tier, created_at: of.tiers.at(-1 - n)?.created_at ?? '' })),
});

/** From responses that show everything of a promotion to those that show its id alone. */
const shapes: Readonly<Record<string, Shape>> = {
  'with everything': (tiers) => ({
    promotions: tiers.map(({ id, name, metadata, created_at }) => ({ id, name, metadata, createdAt: created_at })),
  }),
  'with times as numbers, and metadata as a list': (tiers) =>
    tiers.map(({ id, metadata, created_at }) => ({
      tier: { key: id, meta: Object.entries(metadata).map(([name, value]) => ({ name, value })) },
      at: Date.parse(created_at),
    })),
  'with ids alone': (tiers) => ({ data: tiers.map(({ id }) => id) }),
};
type ShapeName = keyof typeof shapes;

interface WrongLoad {
  readonly loaded: World;
  /** Matches the reason that is given. */
  readonly reason: unknown;
  /** The shapes that show that it is the load. With others, it may be a mistake of the deployment. */
  readonly proving: readonly ShapeName[];
}

const all = Object.keys(shapes);
const showing = all.slice(0, 2);
const total = world.tiers.length;
const half = Math.ceil(total / 2);
const lacking = (name: string) =>
  reasonOf('load-lacks-some', {
    names: expect.arrayContaining([expect.stringMatching(`^'${name}' \\(rank \\d+\\)$`)]),
    total,
  });
const wrongLoads: Readonly<Record<string, WrongLoad>> = {
  'in reverse order': { loaded: reverse(world), reason: reasonOf('load-reversed'), proving: showing },
  'without metadata': {
    loaded: changeTiers(() => ({ metadata: {} })),
    reason: reasonOf('load-without-metadata'),
    proving: showing,
  },
  'in reverse order and without metadata': {
    loaded: reverse(changeTiers(() => ({ metadata: {} }))),
    reason: reasonOf('and', { reason: reasonOf('load-reversed'), next: reasonOf('load-without-metadata') }),
    proving: showing,
  },
  'in half, the newest': {
    loaded: keepTiers((_, n) => n < half),
    reason: reasonOf('load-lacks-oldest', { first: half + 1, total }),
    proving: [],
  },
  'in half, the oldest': {
    loaded: keepTiers((_, n) => n >= half),
    reason: reasonOf('load-lacks-newest', { last: half, total }),
    proving: [],
  },
  'in half, every second': { loaded: keepTiers((_, n) => n % 2 === 0), reason: lacking('for-ann'), proving: all },
  // The window of 150 is full: a mistake in its order may leave out any tier.
  'in part, two of three': { loaded: keepTiers((_, n) => n % 3 > 0), reason: lacking('greeting'), proving: [] },
  'without rules': {
    loaded: loseRules(() => true),
    reason: reasonOf('load-without-any-rules', { size: 150 }),
    proving: [],
  },
  ...Object.fromEntries(
    ['customer', 'product', 'sku', 'metadata'].map((kind): [string, WrongLoad] => [
      `without rules of the kind ${kind}`,
      {
        loaded: loseRules((rule) => rule.kind === kind),
        reason: reasonOf('load-without-rules', { kind }),
        proving: [],
      },
    ]),
  ),
};

async function certify(answer: Answer, stated: Suite = requirementSuite, isWorldLoaded?: true): Promise<InProcessRun> {
  return await certifyInProcess(answer, { suite: stated, ...(isWorldLoaded && { isWorldLoaded }) });
}

/** Expects that the load is named first, wherever something is said of the run. */
function expectLoad({ certificate, results, examination }: InProcessRun, reason: unknown, verdict: RunVerdict): void {
  expect(examination.load?.reason).toEqual(reason);
  expect(certificate.load?.sentence).toBe(renderReason(examination.load?.reason));
  expect(certificate.load?.sentence).not.toContain('{{');
  expect(getFirstLine(renderRunReport(certificate).trimStart())).toBe(certificate.load?.sentence);
  expect(certificate.verdict, certificate.load?.sentence).toBe(verdict);
  expect(certificate.load?.is_certain).toBe(verdict === 'incomplete');
  if (verdict === 'incomplete') expect(certificate.incomplete_because?.[0]).toBe(certificate.load?.sentence);
  for (const { id, reason: explained } of results.filter((result) => result.verdict === 'fail'))
    expect.soft(listReasonCodes(explained), id).toContain('load-explains');
}

for (const [n, [title, { loaded, reason, proving }]] of Object.entries(wrongLoads).entries())
  for (const [m, [name, shape]] of Object.entries(shapes).entries()) {
    const verdict = proving.includes(name) ? 'incomplete' : 'does-not-conform';
    const tag = m === n % all.length ? [] : '@long';
    test(`The test data is loaded ${title}, responses ${name}: ${verdict}`, { tag }, async () => {
      expectLoad(await certify(createIndependentDeployment(loaded, { shape })), reason, verdict);
    });
  }

test.describe('Test data that is there in part', () => {
  const customers = world.customers.slice(1);
  const rows: readonly (readonly [
    title: string,
    loaded: World,
    traits: Traits,
    reason: unknown,
    verdict: RunVerdict,
  ])[] = [
    [
      'one customer is missing',
      { ...world, customers },
      { unknownCustomer: 'rejected' },
      reasonOf('load-refused', { ids: [world.customers[0]?.id], answer: expect.stringMatching(/^404/) }),
      'does-not-conform',
    ],
    [
      'customers are those of another load',
      changeTiers(({ rules }) => ({
        rules: rules.map((rule) => (rule.kind === 'customer' ? { ...rule, any_of: ['cust_of-before'] } : rule)),
      })),
      {},
      reasonOf('load-without-things', { kinds: ['customer'] }),
      'does-not-conform',
    ],
    [
      'products and SKUs are those of another load',
      changeTiers(({ rules }) => ({ rules: rules.map((rule) => ('id' in rule ? { ...rule, id: 'other' } : rule)) })),
      {},
      reasonOf('load-without-things', { kinds: ['product', 'sku'] }),
      'does-not-conform',
    ],
  ];
  for (const [title, loaded, traits, reason, verdict] of rows)
    test(title, async () => {
      const run = await certify(createIndependentDeployment(loaded, traits));
      expectLoad(run, reason, verdict);
    });
});

test.describe('What shows the order of creation, where responses name ids alone', () => {
  const at = (line: number) => ({ file: 'ids.yaml', line, column: 1 });
  const bind = (idOf: (n: number) => string, lineOf: (n: number) => number): WorldAvailability['bindings'] => {
    const entries = [...world.ids.customer, ...world.ids.product, ...world.ids.sku, ...world.ids.campaign];
    const others = [...entries, ...world.ids.category].map(([, id]) => [id, { id, at: at(1) }]);
    return Object.fromEntries([
      ...others,
      ...[...world.ids.tier].map(([, id], n) => [id, { id: idOf(n), at: at(lineOf(n)) }]),
    ]);
  };
  const random = (n: number) => `tier-${(n * 7919) % 10_007}-x`;
  const last = world.tiers.length;
  const rows: readonly (readonly [
    title: string,
    WorldAvailability['bindings'],
    reversed: RunVerdict,
    shown: boolean,
  ])[] = [
    [
      'ids that grow with time, against the test data',
      bind(
        (n) => String(2_000 + n),
        () => 2,
      ),
      'incomplete',
      true,
    ],
    [
      'ids that grow as they should',
      bind(
        (n) => String(2_000 - n),
        () => 2,
      ),
      'does-not-conform',
      false,
    ],
    [
      'texts that grow',
      bind(
        (n) => `01HX${String(n).padStart(6, '0')}ZQ`,
        () => 2,
      ),
      'incomplete',
      true,
    ],
    ['a file that lists the newest first', bind(random, (n) => n + 2), 'incomplete', true],
    ['a file that lists the oldest first', bind(random, (n) => last - n + 2), 'does-not-conform', false],
    ['nothing', bind(random, () => 2), 'does-not-conform', true],
  ];
  /** A row that finds the order, one that finds none, and one without an order. */
  const often = ['texts that grow', 'a file that lists the oldest first', 'nothing'];
  for (const [title, bindings, verdict, isSaid] of rows)
    test(title, { tag: often.includes(title) ? [] : '@long' }, async () => {
      const bound = loadSuite(packageCasesFolder, { bindings: bindings ?? {} });
      const stated = { ...bound, cases: bound.cases.filter(({ kind }) => kind === 'requirement') };
      const deployed = bindWorld(world, { bindings: bindings ?? {} });
      const shape = shapes['with ids alone'] as Shape;
      const run = await certify(createIndependentDeployment(reverse(deployed), { shape }), stated);
      expect(run.certificate.verdict).toBe(verdict);
      if (isSaid) expectLoad(run, reasonOf('load-reversed'), verdict);
      else expect(run.certificate.load).toBeUndefined();
      const { certificate: right } = await certify(createIndependentDeployment(deployed, { shape }), stated);
      expect([right.verdict, right.load]).toEqual(['conforms', undefined]);
    });
});

test.describe('Mistakes of a deployment whose responses show that the test data is loaded', () => {
  const { 'with everything': shape, 'with ids alone': ids } = shapes as Readonly<Record<string, Shape>>;
  const oldest: World = { ...world, tiers: world.tiers.slice(-150) };
  const emptyResult: Answer = () => ({ status: 200, headers: [], body: '{"promotions":[]}' });
  const isFiltered = ({ path }: HttpRequest) => path.includes('metadata.');
  const right = createIndependentDeployment(world, { shape: shape as Shape });
  const rows: Readonly<Record<string, Answer>> = {
    'the oldest 150 are checked': createIndependentDeployment(oldest, { shape: shape as Shape }),
    'metadata filters find nothing': (request) => (isFiltered(request) ? emptyResult(request) : right(request)),
    'the newest 100 are checked, and filters show older ones': createIndependentDeployment(world, {
      shape: ids as Shape,
      mistakenWindow: 100,
      filteredWindow: 'filter-first',
    }),
    'customer rules are compared with the first customer': createIndependentDeployment(world, {
      mistakenRules: { customer: ({ any_of }, { customer }) => any_of[0] === (customer as { id?: string })?.id },
    }),
  };
  for (const [title, answer] of Object.entries(rows))
    test(title, async () => {
      const { verdict, load } = (await certify(answer)).certificate;
      expect([verdict, load]).toEqual(['does-not-conform', undefined]);
    });
});

for (const [n, title] of ['without metadata', 'in reverse order', 'in half, every second'].entries()) {
  const tag = n === 0 ? [] : '@long';
  test(`If the target file says that the world is loaded, no failure is excused: ${title}`, { tag }, async () => {
    const shape = shapes['with everything'] as Shape;
    const answer = createIndependentDeployment(wrongLoads[title]?.loaded as World, { shape });
    const { verdict, load } = (await certify(answer, requirementSuite, true)).certificate;
    expect([verdict, load]).toEqual(['does-not-conform', undefined]);
  });
}

test('A mistake that the load does not explain still fails', async () => {
  const { loaded, reason } = wrongLoads['without metadata'] as WrongLoad;
  const mistakenRules: Traits['mistakenRules'] = {
    metadata: ({ key }, { metadata }) => Object.hasOwn(metadata as object, key),
  };
  const shape = shapes['with everything'] as Shape;
  const run = await certify(createIndependentDeployment(loaded, { shape, mistakenRules }));
  expect(run.certificate.verdict).toBe('does-not-conform');
  expect(run.examination.load?.reason).toEqual(reason);
});

test.describe('The first line', () => {
  const cwd = makeTestFolder();
  const shape = shapes['with everything'] as Shape;
  const nothing = { ...world, customers: [], products: [], skus: [], campaigns: [], tiers: [] };
  const withoutTiers = keepTiers(() => false);
  const customerRefused = reasonOf('customer-refused', { answer: expect.stringMatching(/^404/) });
  const unnamed = reasonOf('ids-unnamed');
  type Row = readonly [title: string, answer: Answer, area: ExaminedArea, reason: unknown];
  const rows: readonly Row[] = [
    ...Object.entries(wrongLoads).map(
      ([title, { loaded, reason }]) => [title, createIndependentDeployment(loaded, { shape }), 'Load', reason] as const,
    ),
    ['nothing is loaded', createIndependentDeployment(nothing), 'Ids', unnamed],
    [
      'customers alone are loaded',
      createIndependentDeployment(withoutTiers, { unknownCustomer: 'rejected' }),
      'Ids',
      unnamed,
    ],
    [
      'nothing is loaded, and unknown customers are refused',
      createIndependentDeployment(nothing, { unknownCustomer: 'rejected' }),
      'Ids',
      customerRefused,
    ],
    [
      'nothing is loaded, unknown customers are refused, and so is no customer',
      createIndependentDeployment(nothing, { unknownCustomer: 'rejected', omitted: 'rejected' }),
      'Ids',
      unnamed,
    ],
    [
      'nothing is loaded, and both unknown customers and empty results are 404',
      createIndependentDeployment(nothing, { unknownCustomer: 'rejected', empty: 404 }),
      'Ids',
      unnamed,
    ],
  ];
  for (const [title, answer, area, reason] of rows)
    test(`of doctor: ${title}`, async () => {
      const { findings } = await examineTarget(suite, channelTo(answer), {});
      const found = findings.find((finding) => finding.area === area);
      expect(found).toEqual({ area, state: 'problem', reason });
      const { url, close } = await listen(answer);
      const { status, output } = await runConformanceInProcess(['doctor', '--base-url', url], {
        cwd,
        env: credentialVariables,
      });
      await close();
      expect(getFirstLine(output)).toBe(getFirstLine(renderExaminationFindings(found === undefined ? [] : [found])));
      expect(findings.flatMap((finding) => listReasonCodes(finding.reason))).not.toContain('body-refused');
      expect(status).toBe(1);
    });

  test('of certify and record, which writes none', async () => {
    const { url, close } = await listen(createIndependentDeployment(reverse(world), { shape }));
    const recorded = await runConformance(['record', '--base-url', url, '--quick', '--to', 'wrong.yaml'], {
      cwd,
      env: credentialVariables,
    });
    await close();
    expect(recorded.status).toBe(4);
    expect(recorded.output).toContain('wrong.yaml was not written: the test data is loaded wrongly. Correct the load');
    expect(existsSync(path.join(cwd, 'wrong.yaml'))).toBe(false);
    const [folder = ''] = readdirSync(path.join(cwd, 'results'));
    const live = loadCertificate(cwd, `results/${folder}`);
    expect(live.load?.sentence).toMatch(/^The promotion tiers look as though they were created in reverse order/);
    expect(getFirstLine(recorded.output.trimStart())).toBe(live.load?.sentence);
    const archive = path.join('results', folder, 'evidence.har');
    const replayed = await runConformanceInProcess(['certify', '--replay', archive, '--out', 'again'], { cwd });
    expect(replayed.status, replayed.output).toBe(4);
    const [, ...report] = replayed.output.trimStart().split('\n');
    expect(report.find((line) => line !== '')).toBe(live.load?.sentence);
    const again = loadCertificate(cwd, 'again');
    expect([again.load, again.summary]).toEqual([live.load, live.summary]);
  });
});

test('A run says that its record was made with other data', () => {
  const of = (kind: TestDataVersion['kind'], digest: string): Suite => ({ ...suite, basis: { kind, digest } });
  const recordOf = (stated: Suite) => createRecord(stated, { results: [], showExchange: () => undefined }, 'shop');
  const describe = (recorded: Suite, now: Suite) => describeSuiteChangeSinceRecord(recordOf(recorded), now).join();
  const [first, second] = [of('world', 'sha256:1'), of('world', 'sha256:2')];
  const [data, newer] = [of('data-file', 'sha256:3'), of('data-file', 'sha256:4')];
  for (const same of [first, data]) expect(describe(same, same)).toBe('');
  expect(describe(first, second)).toMatch(/made with the test data of the suite, and .* another version/);
  expect(describe(data, newer)).toMatch(/made with a data file, and .* another version/);
  expect(describe(first, data)).toMatch(/made with the test data of the suite, and this run has a data file/);
  expect(describe(data, first)).toMatch(/made with a data file, and this run has the test data of the suite/);
  for (const said of [describe(first, second), describe(data, first)])
    expect(said).toMatch(/Check the data\. .* npx conformance record\. .* delete the record, and write a new one/);
  const { data: _, ...older } = recordOf({ ...first, digest: 'sha256:5' });
  expect(describeSuiteChangeSinceRecord(older, first).join()).toContain('other cases');
});
