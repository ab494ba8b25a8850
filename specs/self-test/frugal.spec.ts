import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { combinePairwise } from '../../src/cases/pairwise.js';
import type { TestCase } from '../../src/cases/test-case.js';
import { listRequests } from '../../src/engine/case-sender.js';
import { suite } from './support/in-process.js';

const distinct = (cases: readonly TestCase[]): Set<string> =>
  new Set(cases.flatMap((testCase) => listRequests(testCase).map((request) => JSON.stringify(request))));

const ofRequirements = distinct(suite.cases.filter(({ kind }) => kind === 'requirement'));
const ofQuestions = distinct(suite.cases.filter(({ kind }) => kind === 'question'));

test('all requirements are judged by at most 130 requests that differ', () => {
  expect(ofRequirements.size).toBeLessThanOrEqual(130);
});

test('the questions take at most 100 more', () => {
  expect([...ofQuestions].filter((request) => !ofRequirements.has(request)).length).toBeLessThanOrEqual(100);
});

test('with a filter no other body is sent than without, by the cases that ask the same of everybody', () => {
  const requestsOfCase = (id: string) => listRequests(suite.cases.find((each) => each.id === id) as TestCase);
  const bodies = new Set(requestsOfCase('window-whoever-asks').map(({ body }) => body));
  expect(bodies.size).toBe(9);
  for (const id of ['only-valid-tiers', 'campaign-filter', 'metadata-filter', 'one-window-under-a-campaign-filter'])
    for (const { body } of requestsOfCase(id)) expect(bodies, id).toContain(body);
});

test.describe('combinations', () => {
  const axes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 5 });

  test('any two places of two axes meet, and no row is there twice', () => {
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

  test('those of axes that end as others do are made of the others’ rows', () => {
    fc.assert(
      fc.property(axes, fc.integer({ min: 1, max: 7 }), (sizes, first) => {
        const ends = combinePairwise(sizes).map(String);
        for (const [, ...end] of combinePairwise([first, ...sizes])) expect(ends).toContain(String(end));
      }),
      { seed: 20_261_122, numRuns: 60 },
    );
  });

  test('three axes of three make nine rows, and a fourth in front three for each of its places', () => {
    expect(combinePairwise([3, 3, 3])).toHaveLength(9);
    expect(combinePairwise([7, 3, 3, 3])).toHaveLength(21);
    expect(combinePairwise([])).toEqual([[]]);
  });
});
