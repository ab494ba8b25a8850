import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { combinePairwise } from '../../src/cases/pairwise.js';
import { countPlannedRequests, createPlan } from '../../src/run/plan.js';
import { suite } from '../support/in-process.js';

/** Deployments limit requests. This is the only limit of the suite on its own requests. */
const maxRequests = 230;

test('A default run sends at most 230 requests', () => {
  const plan = createPlan(suite, { target: {}, excludesIntrusive: false });
  const costly = plan.cases
    .toSorted((one, other) => other.requests.length - one.requests.length)
    .slice(0, 10)
    .map(({ id, requests }) => `${requests.length} ${id}`);
  const hint =
    'Let cases share requests: start from the default request, or use the axes of varied-requests.yaml. All requests by case: npx conformance certify --dry-run.';
  const message = `Requests by case, most first (without those that an earlier case sends):\n${costly.join('\n')}\n${hint}`;
  expect(countPlannedRequests(plan), message).toBeLessThanOrEqual(maxRequests);
});

test.describe('Pairwise combination', () => {
  const axes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 5 });

  test('Any two places of two axes meet, and no row is repeated', () => {
    fc.assert(
      fc.property(axes, (sizes) => {
        const rows = combinePairwise(sizes);
        expect(new Set(rows.map(String)).size).toBe(rows.length);
        for (const [n, size] of sizes.entries()) {
          expect(new Set(rows.map((row) => row[n])).size).toBe(size);
          for (const [other, otherSize] of sizes.entries())
            if (n < other) expect(new Set(rows.map((row) => `${row[n]} ${row[other]}`)).size).toBe(size * otherSize);
        }
      }),
      { seed: 20_261_122, numRuns: 60 },
    );
  });

  test('Axes that end in the same axes end in the same rows', () => {
    fc.assert(
      fc.property(axes, fc.integer({ min: 1, max: 7 }), (sizes, first) => {
        const ends = combinePairwise(sizes).map(String);
        for (const [, ...end] of combinePairwise([first, ...sizes])) expect(ends).toContain(String(end));
      }),
      { seed: 20_261_122, numRuns: 60 },
    );
  });
});
