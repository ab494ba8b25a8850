import { expect, test } from '@playwright/test';
import { parse } from 'yaml';
import { createDeployment } from '../../reference/deployment.js';
import type { Fault } from '../../reference/faults/fault.js';
import { faults, findFault } from '../../reference/faults/index.js';
import { readCaseFile } from '../../src/cases/case-file.js';
import { credentialPlaceholders } from '../../src/contract/operation.js';
import { explorationId } from '../../src/engine/case-result.js';
import { type Exploration, explore } from '../../src/engine/explore.js';
import { startRun } from '../../src/engine/run.js';
import { parseYaml } from '../../src/support/yaml-file.js';
import { certifyInProcess, channelTo, recognizer, suite } from './support/in-process.js';
import { createIndependentDeployment, type ShapeName, shapes } from './support/independent-deployment.js';

const { world } = suite;
const exploration = { requests: 600, seed: 7 };

async function exploring(answer: Parameters<typeof channelTo>[0], wanted: Exploration = exploration) {
  const channel = channelTo(answer);
  const { background } = await startRun(suite, channel, { recognizer, isWorldLoaded: true });
  return explore(suite, channel, background, wanted);
}

function faulty(fault: Fault) {
  const { change } = fault;
  return createDeployment({ world, credentials: credentialPlaceholders, change });
}

async function expectFound(faults: readonly Fault[]): Promise<void> {
  for (const fault of faults) {
    const { verdict, reason } = await exploring(faulty(fault), { requests: 1_500, seed: 7 });
    expect.soft(verdict, `${fault.id}: ${reason}`).toBe('fail');
  }
}

/** The last fault of each requirement. */
const oneOfEach = [...new Map(faults.map((fault) => [fault.breaks, fault])).values()];

test('Random requests find faults of several requirements', () => expectFound(oneOfEach.filter((_, n) => n % 3 === 0)));

test('Random requests find nearly all faults that the written cases find', { tag: '@long' }, async () => {
  const missed: string[] = [];
  for (const fault of faults) {
    const { verdict } = await exploring(faulty(fault), { requests: 1_500, seed: 7 });
    if (verdict !== 'fail') missed.push(fault.id);
  }
  // The draw is random: a fault that shows for few values only may need more requests.
  expect(missed.length / faults.length, missed.join(', ')).toBeLessThan(0.03);
});

/** Sends random requests to conforming deployments with different shapes. */
async function expectConforming(requests: number): Promise<void> {
  const { 'with-rejected': _ambiguous, 'huge-records': _slow, ...others } = shapes;
  for (const [n, shape] of (Object.keys(others) as ShapeName[]).entries()) {
    const deployment = createIndependentDeployment(world, {
      shape,
      empty: 404,
      repeated: 'each-item-alone',
      orderMetadataRules: 'ignored',
      filteredWindow: 'filter-first',
    });
    const { verdict, subject, reason } = await exploring(deployment, { requests, seed: n + 1 });
    expect.soft([verdict, subject], `${shape}: ${reason}`).toEqual(['pass', explorationId]);
  }
}

test('Random requests fail no conforming deployment', () => expectConforming(60));

test('Many random requests fail no conforming deployment', { tag: '@long' }, () => expectConforming(600));

test('A failure is shrunk to a small request and rendered as a valid case', async () => {
  const result = await exploring(
    createIndependentDeployment(world, { violation: 'ignores-metadata-filter-when-options-sent' }),
  );
  expect(result).toMatchObject({ verdict: 'fail', subject: 'filter.tier-metadata' });
  const text = result.asCase ?? '';
  const { cases, problems } = readCaseFile(parseYaml(text, 'found.yaml'), suite);
  expect(problems).toEqual([]);
  expect(cases.map(({ id }) => id)).toEqual(['found-by-exploring']);
  expect(parse(text).cases[0].requests.plain.body.order.items).toHaveLength(1);
  expect(result.reason).toContain('--explore 600 --seed 7');
});

test('A failure that needs several requests is rendered with all of them', async () => {
  for (const id of ['cached-without-the-customer', 'older-only-for-some-with-campaign-filter']) {
    const { asCase = '' } = await exploring(faulty(findFault(id)), { requests: 1_500, seed: 7 });
    const { cases, problems } = readCaseFile(parseYaml(asCase, 'found.yaml'), suite);
    expect(problems, asCase).toEqual([]);
    const sent = [...(cases[0]?.rows[0]?.requests.keys() ?? [])];
    expect(sent, id).toContain(id.startsWith('cached') ? 'twin' : 'discriminating');
    // The case does not include what the cache kept from earlier requests.
    if (id.startsWith('cached')) continue;
    const { results } = await certifyInProcess(faulty(findFault(id)), { suite: { ...suite, cases } });
    expect(results.map(({ verdict }) => verdict)).toEqual(['fail']);
  }
});

test('The same seed sends the same requests', async () => {
  const sent = await Promise.all(
    [1, 2].map(async () => {
      const requests: string[] = [];
      const answer = createIndependentDeployment(world);
      await exploring((request) => {
        requests.push(JSON.stringify(request));
        return answer(request);
      });
      return requests;
    }),
  );
  expect(sent[0]).toEqual(sent[1]);
  expect(sent[0]?.length).toBeGreaterThan(600);
});

test('A target without clear responses is inconclusive', async () => {
  const result = await exploring(() => ({ status: 503, headers: [], body: '' }));
  expect(result.verdict).toBe('inconclusive');
  // Ten requests, some twins, and the request with an empty result.
  expect(result.requestsSent).toBeLessThan(22);
});

test('A bug of the suite is an error, never a pass', async () => {
  let sent = 0;
  const result = await exploring((request) => {
    if (++sent > suite.calibration.length) throw new Error('no such thing');
    return createIndependentDeployment(world)(request);
  });
  expect(result).toMatchObject({ verdict: 'error', reason: expect.stringContaining('please report it') });
});
