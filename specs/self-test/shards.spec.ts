/** Runs that several machines share: dividing the cases, and merging the reports. */

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { referenceCredentials } from '../../reference/reference-credentials.js';
import { createPlan } from '../../src/engine/plan.js';
import { listSampleCases } from '../../src/engine/sample.js';
import { type ShardScope, selectShard } from '../../src/engine/shard.js';
import { createShardMetadata, readMergedRun } from '../../src/playwright/merged-run.js';
import { packageRoot } from '../../src/support/package-root.js';
import { readAvailability } from '../../src/targets/availability.js';
import { encodeRecordedInputs } from '../../src/targets/recorded-run.js';
import type { RunOptions } from '../../src/targets/run-options.js';
import { loadSettings } from '../../src/targets/settings.js';
import { checkEachRow } from './support/check-each-row.js';
import {
  credentialVariables,
  loadCertificate,
  makeTestFolder,
  runConformance,
  runConformanceInProcess,
} from './support/cli.js';
import { createReference, suite } from './support/in-process.js';
import { listen } from './support/independent-deployment.js';

const cwd = makeTestFolder();

const scope = { target: {}, excludesIntrusive: false };
const ids = suite.cases.map(({ id }) => id);

function sharesOf(total: number, divided: ShardScope = {}): ShardScope[] {
  return Array.from({ length: total }, (_, n) =>
    selectShard(suite, { ...scope, ...divided }, { current: n + 1, total }),
  );
}

/** How many requests a machine sends for its cases, and again at the end. */
function requestsFor({ only = [] }: ShardScope): number {
  const { cases, samples: again } = createPlan(
    { ...suite, cases: suite.cases.filter(({ id }) => only.includes(id)) },
    scope,
  );
  return cases.reduce((sum, { requests }) => sum + requests.length, again.requests);
}

for (const total of [2, 3, 8]) {
  test(`${total} shards divide the cases and send equally many requests`, () => {
    const shares = sharesOf(total);
    expect(shares.flatMap(({ only = [] }) => only).sort()).toEqual([...ids].sort());
    const requests = shares.map(requestsFor);
    expect(Math.max(...requests) - Math.min(...requests)).toBeLessThanOrEqual(2);
    // Cases that share requests are together as far as that goes.
    const together = requests.reduce((sum, each) => sum + each, 0);
    expect(together).toBeLessThanOrEqual(1.2 * requestsFor({ only: ids }));
  });
}

test('One shard repeats the samples, and one sends the random requests', () => {
  const exploration = { requests: 60, seed: 1 };
  const shares = sharesOf(3, { exploration });
  const again = listSampleCases(suite).map(({ id }) => id);
  expect(shares.filter(({ only = [] }) => again.some((id) => only.includes(id)))).toHaveLength(1);
  expect(shares.flatMap((share) => share.exploration ?? [])).toEqual([exploration]);
  const [explores] = shares.filter((share) => share.exploration !== undefined);
  expect(requestsFor(explores ?? {})).toBeLessThan(60);
});

test('Shards divide selected cases, and some may get none', () => {
  const only = ids.slice(0, 2);
  const shares = sharesOf(3, { only });
  expect(shares.flatMap((share) => share.only)).toHaveLength(2);
  expect(shares.filter((share) => share.only?.length === 0)).not.toHaveLength(0);
});

/** The metadata of the report of a shard. */
function createMetadata(shard: string, options: RunOptions = {}, of = suite) {
  const { availability } = readAvailability(options);
  const settings = loadSettings({ ...options, shard }, credentialVariables, suite);
  const recorded = encodeRecordedInputs(availability, settings);
  return JSON.parse(
    JSON.stringify(createShardMetadata({ suite: of, settings, recorded }, options, credentialVariables)),
  );
}

const reference = { reference: true };

test('Shards of one run are merged, and missing ones are named', () => {
  const metadata = {
    ...createMetadata('1/3', { ...reference, out: 'here' }),
    ...createMetadata('3/3', { ...reference, out: 'there' }),
  };
  const { inputs, gaps } = readMergedRun('reports', metadata, [], 'whole');
  expect(gaps).toEqual(['There is no report of shard 2/3.']);
  expect(inputs.settings).toEqual(loadSettings({ ...reference, out: 'whole' }, credentialVariables, suite));
  expect(readMergedRun('reports', { ...metadata, ...createMetadata('2/3', reference) }, ids).gaps).toEqual([]);
});

const createTwo = (one: RunOptions, other: RunOptions, of = suite) => ({
  ...createMetadata('1/2', one),
  ...createMetadata('2/2', other, of),
});
const otherSuite = { ...suite, digest: 'sha256:0' };
const otherNumber = { ...createMetadata('1/3', reference), ...createMetadata('2/2', reference) };
const differs = (name: string) => `the shards 1/2 and 2/2 are not of one run: their ${name} differs`;
const [one, two] = ['one', 'two'].map((name): RunOptions => ({ baseUrl: `http://127.0.0.1:1/${name}` }));
const strangers: readonly [what: string, metadata: object, message: string][] = [
  ['none of a shard', { actualWorkers: 1 }, 'has reports, but none of a shard'],
  ['of other numbers', otherNumber, 'the shards 1/3 and 2/2 are not of one run: their total differs'],
  ['of other settings', createTwo(reference, { ...reference, intrusive: false }), differs('excludesIntrusive')],
  ['of other cases', createTwo(reference, { ...reference, only: ['order.quantity'] }), differs('only')],
  ['of other targets', createTwo({ ...one }, { ...two }), differs('baseUrl')],
  ['of another suite', createTwo(reference, reference, otherSuite), differs('suite')],
  ['all of another suite', createMetadata('1/1', reference, otherSuite), 'were run with the suite'],
];

test('Reports that are not of one run are not merged', () => {
  checkEachRow(strangers, (_, metadata, message) =>
    expect(() => readMergedRun('reports', { ...metadata }, [])).toThrow(message),
  );
  const again = () => readMergedRun('reports', createMetadata('1/1', reference), [...ids, 'response-status']);
  expect(again).toThrow("case 'response-status' is in more than one report");
});

test('An invalid shard and a folder without reports are refused', async () => {
  for (const shard of ['0/3', '4/3', 'x']) {
    const { status, output } = await runConformanceInProcess(['certify', '--shard', shard], { cwd });
    expect([status, output]).toEqual([2, expect.stringContaining(`'${shard}' is not a shard`)]);
  }
  mkdirSync(path.join(cwd, 'empty'));
  writeFileSync(path.join(cwd, 'file'), '');
  for (const [folder, message] of [
    ['empty', 'has no report of a shard'],
    ['file', 'cannot be used: it is not a folder'],
  ] as const) {
    const { status, output } = await runConformanceInProcess(['merge', folder], { cwd });
    expect([status, output]).toEqual([2, expect.stringContaining(message)]);
  }
});

/** The commands of the sample workflow, and what they are with the values of its expressions. */
function commandsOfWorkflow() {
  const text = readFileSync(path.join(packageRoot, 'templates', 'workflows', 'shards.yml'), 'utf8');
  const commands = [...text.matchAll(/run: npx (?:--no )?conformance (.*)/g)].map(
    ([, command = '']) =>
      (values: Readonly<Record<string, string>>) =>
        command.replaceAll(/\$\{\{ (.*?) \}\}/g, (_, name: string) => values[name] ?? '').split(' '),
  );
  expect(commands).toHaveLength(2);
  return commands as [(typeof commands)[0], (typeof commands)[0]];
}

for (const fault of [undefined, 'window-of-149']) {
  test(`Three shards give the certificate of one machine, ${fault ?? 'without fault'}`, {
    tag: '@long',
  }, async () => {
    const faults = fault === undefined ? [] : [fault];
    const deployment = await listen(createReference({ credentials: referenceCredentials, faults }));
    const env = { BASE_URL: deployment.url, ...credentialVariables };
    const own = path.join(cwd, fault ?? 'none');
    mkdirSync(own);
    const run = (args: readonly string[]) => runConformance(args, { cwd: own, env });
    const alone = await run(['certify', '--out', 'alone']);
    const [certify, merge] = commandsOfWorkflow();
    const statuses: (number | null)[] = [];
    for (const shard of ['1', '2', '3']) {
      const { status, output } = await run(certify({ 'matrix.shard': shard, 'strategy.job-total': '3' }));
      // As artifacts are had: a folder each.
      cpSync(path.join(own, 'results', 'conformance', 'shards'), path.join(own, 'shards', shard), { recursive: true });
      rmSync(path.join(own, 'results'), { recursive: true });
      expect(output).toContain(`Shard ${shard}/3 is done. For the verdict of all shards: npx conformance merge`);
      statuses.push(status);
    }
    await deployment.close();
    if (fault === undefined) expect(statuses).toEqual([0, 0, 0]);
    else expect(statuses).toContain(1);
    // Neither address nor credentials.
    const merged = await runConformance(merge({}), { cwd: own });
    expect(merged.status).toBe(alone.status);
    expect(merged.status).toBe(fault === undefined ? 0 : 1);
    const [one, other] = ['alone', path.join('results', 'conformance')].map((folder) => {
      const { started_at, duration_ms, requests_sent, response_times, evidence, ...same } = loadCertificate(
        own,
        folder,
      );
      expect(evidence?.exchanges).toBeGreaterThan(100);
      expect(requests_sent).toBeGreaterThan(100);
      return same;
    });
    expect(other).toEqual(one);
    const verified = await runConformance(['verify', path.join('results', 'conformance', 'certificate.json')], {
      cwd: own,
    });
    expect(verified.output).toMatch(/^WHOLE /);
    // All that was sent by all of them is there to be judged again.
    const evidence = path.join('results', 'conformance', 'evidence.har');
    const replayed = await runConformance(['certify', '--replay', evidence], { cwd: own });
    expect(replayed.status).toBe(merged.status);
    // Without one of them nothing conforms.
    rmSync(path.join(own, 'shards', '2'), { recursive: true });
    const two = await runConformance(['merge', 'shards', '--out', 'gap'], { cwd: own });
    expect(two.output).toContain('There is no report of shard 2/3.');
    expect(loadCertificate(own, path.join('gap', 'partial')).verdict).not.toBe('conforms');
    if (fault === undefined) expect(two.status).toBe(4);
  });
}
