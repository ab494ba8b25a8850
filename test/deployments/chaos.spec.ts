/**
 * Generated deployments: shapes, statuses, orders and answers to open questions are drawn, enough of them for each pair of
 * choices, or the deployment is behind an unreliable proxy. A conforming deployment must not fail, and a fault must be found.
 */

import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import type { Behaviours } from '../../reference/deployment/behaviours.js';
import type { Requirement } from '../../reference/faults/fault.js';
import { findFilterRequest } from '../../src/run/filter-spelling.js';
import { selectFromSuite } from '../../src/suite/case-selection.js';
import { faultsWithStories, findAnyFault } from '../../tools/proof/list-faults.js';
import { createChaoticChannel, createRandom } from '../support/chaos.js';
import { certifyRow, checkDeployment } from '../support/check-deployment.js';
import { describeDrawnDeployment, drawnBehaviours, drawnLook } from '../support/drawn-deployments.js';
import { certifyOver, proxyLikeFaults, renderUnpassed, suite } from '../support/in-process.js';
import { createIndependentDeployment } from '../support/independent-deployment.js';

/** Fixed, so that a run can be repeated; PROPERTY_SEED draws others. */
const seed = Number(process.env.PROPERTY_SEED ?? 20_240_120);

test.describe.configure({ mode: 'parallel' });

// Checks --------------------------------------------------------------------------------------------------------------

async function expectReferenceConforms(look: string, behaviours: Behaviours): Promise<void> {
  const drawn = describeDrawnDeployment(look, behaviours);
  await checkDeployment({ title: '', ...drawn, verdict: 'conforms', faults: [] });
}

const listCasesOf = (requirement: Requirement) =>
  suite.cases.flatMap((testCase) =>
    testCase.kind === 'requirement' && testCase.verifies === requirement ? testCase.id : [],
  );

/** Combines each fault with as many looks and behaviours as the total allows. The remainder goes to the first faults. */
async function expectFaultsFound(total: number, some = faultsWithStories): Promise<void> {
  const hidden: string[] = [];
  for (const [n, { id, breaks, hiddenBy = [] }] of some.entries()) {
    const finders = listCasesOf(breaks);
    const isShown = ([question, answer]: readonly [string, string]) =>
      !hiddenBy.includes(question) &&
      // What has no effect whatever it says loses nothing, either.
      !(answer === 'no-effect' && ['expand-not-an-array', 'audience-rules-only-values'].includes(question));
    const property = fc.asyncProperty(drawnLook, drawnBehaviours, async (look, drawn) => {
      const behaviours: Behaviours = Object.fromEntries(Object.entries(drawn).filter(isShown));
      // Where an empty result looks like its refusal, it looks like a result that is empty.
      fc.pre(breaks !== 'query.audience-rules-only' || !/rejected|server-error/.test(behaviours['empty-result'] ?? ''));
      // What answers the same request otherwise the second time may be refuted once only, which is unstable.
      fc.pre(behaviours.repeatability !== 'different-promotions');
      const { certificate: found } = await certifyRow(describeDrawnDeployment(look, behaviours, [id]), finders);
      const verdict = proxyLikeFaults.includes(id) ? 'incomplete' : 'does-not-conform';
      expect(found.verdict, `${id}, ${look}, ${JSON.stringify(behaviours)}`).toBe(verdict);
    });
    const numRuns = Math.floor((total + some.length - 1 - n) / some.length);
    const details = await fc.check(property, { seed: seed + n, numRuns, endOnFailure: true });
    // A draw of which every combination is skipped fails without an error.
    if (details.failed)
      hidden.push(`${id}: ${String(details.errorInstance ?? `${details.numSkips} draws were skipped`)}`);
  }
  expect(hidden).toEqual([]);
}

// Tests ---------------------------------------------------------------------------------------------------------------

for (const numRuns of [5, 500])
  test(`${numRuns} variants of the reference deployment conform`, { tag: numRuns > 5 ? '@long' : [] }, () =>
    fc.assert(fc.asyncProperty(drawnLook, drawnBehaviours, expectReferenceConforms), { seed, numRuns }),
  );

test('Every tenth fault is found in some look with some answers', () => {
  const some = faultsWithStories.filter((_, n) => n % 10 === 0);
  return expectFaultsFound(some.length, some);
});

test('Every fault is found in 500 looks with answers', { tag: '@long' }, () => expectFaultsFound(500));

test('Which spelling of filters a deployment reads is found, whichever cases are selected and although it keeps a filter', async () => {
  const rows = [
    ['audience-rules-only-crashes', 'server-error'],
    ['campaign-filter-left-over', 'ignored'],
  ] as const;
  for (const [id, answer] of rows) {
    const { breaks } = findAnyFault(id);
    const finders = listCasesOf(breaks);
    const deployed = describeDrawnDeployment('wrapped', { 'filter-percent-encoded': answer }, [id]);
    const { certificate } = await certifyRow(deployed, finders);
    expect(certificate.verdict, id).toBe('does-not-conform');
  }
  const aboutFilters = suite.cases.filter(({ id, kind }) => kind === 'requirement' && id.includes('filter'));
  expect(aboutFilters.length).toBeGreaterThan(5);
  for (const { id } of aboutFilters)
    expect(findFilterRequest(selectFromSuite(suite, { only: [id] })), id).toBeDefined();
});

/** A proxy garbles, resets and confuses responses, or answers 520 itself. Each draw has its own seed. */
test.describe('Behind an unreliable proxy', () => {
  const share = 0.05;

  for (const draws of [2, 200])
    test(`A conforming deployment never fails, ${draws} times`, { tag: draws > 2 ? '@long' : [] }, async () => {
      const failing: string[] = [];
      let unstable = 0;
      for (let draw = 1; draw <= draws; draw += 1) {
        const answer = createIndependentDeployment(suite.world);
        const { certificate } = await certifyOver(createChaoticChannel(answer, createRandom(draw), share), suite);
        unstable += certificate.unstable.length;
        if (certificate.verdict === 'does-not-conform') failing.push(`${draw}: ${renderUnpassed(certificate)}`);
      }
      expect(failing).toEqual([]);
      // Without confirmation, these would have failed.
      expect(unstable).toBeGreaterThanOrEqual(draws / 2);
    });
});
