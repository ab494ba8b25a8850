import { expect, test } from '@playwright/test';
import { faults, findFault } from '../../reference/faults/index.js';
import { createChaoticChannel, createRandom } from './support/chaos.js';
import { certifyOver, createReference, suite } from './support/in-process.js';
import { createIndependentDeployment } from './support/independent-deployment.js';

// A proxy garbles, resets and swaps responses, or answers 520 itself. Each draw has its own seed, so that a failure can
// be reproduced.

const share = 0.05;
const { world } = suite;

async function expectNoFailure(draws: number): Promise<void> {
  const failing: unknown[] = [];
  let unstable = 0;
  for (let seed = 1; seed <= draws; seed += 1) {
    const channel = createChaoticChannel(createIndependentDeployment(world), createRandom(seed), share);
    const { certificate } = await certifyOver(channel, suite);
    unstable += certificate.unstable.length;
    const failed = certificate.requirements.flatMap(({ cases }) => cases.filter(({ verdict }) => verdict === 'fail'));
    if (certificate.verdict === 'does-not-conform') failing.push({ seed, failed });
  }
  expect(failing).toEqual([]);
  // Without confirmation, these would have failed.
  expect(unstable).toBeGreaterThanOrEqual(draws / 2);
}

async function expectNoFaultConforms(draws: number): Promise<void> {
  const conforming: unknown[] = [];
  const verdicts = new Set<string>();
  for (let seed = 1; seed <= draws; seed += 1) {
    const { id } = faults[(seed * 7) % faults.length] ?? findFault('');
    const channel = createChaoticChannel(
      createReference({ faults: [id] }),
      createRandom(seed),
      share / 10 ** (seed % 4),
    );
    const { certificate } = await certifyOver(channel, suite);
    verdicts.add(certificate.verdict);
    if (certificate.verdict === 'conforms') conforming.push({ seed, id });
  }
  expect(conforming).toEqual([]);
  expect(verdicts).toContain('does-not-conform');
}

test.describe('Through an unreliable proxy', () => {
  test('a conforming deployment never fails, 2 times', () => expectNoFailure(2));
  test('a conforming deployment never fails, 200 times', { tag: '@long' }, () => expectNoFailure(200));

  test('a fault never conforms, 2 times', () => expectNoFaultConforms(2));
  // Each takes many requests to confirm.
  test('a fault never conforms, 60 times', { tag: '@long' }, () => expectNoFaultConforms(60));
});
