import { expect, test } from '@playwright/test';
import { judgeNamedRows } from '../../src/certificate/judge-named-rows.js';
import type { Verdict } from '../../src/judge/verdict.js';
import type { RowsByCase } from '../../src/record/known-deviations.js';
import { type CaseResult, createRepetitionResult, createUnsentResult } from '../../src/run/case-result.js';
import { createReason } from '../../src/support/reason.js';
import { suite } from '../support/in-process.js';

const requirement = 'filter.promotion-id';
const id = 'filters-without-customer';
const testCase = suite.cases.find((candidate) => candidate.id === id);
const titles = testCase?.rows.map(({ title }) => title) ?? [];
const [first = '', second = ''] = titles;

/** The result of a case: the verdict of its first row; the others pass. */
function createResult(verdict: Verdict): CaseResult {
  if (testCase === undefined) throw new Error('The suite has lost a case.');
  const rows = titles.map((title, n) => ({ title, verdict: n === 0 ? verdict : ('pass' as const) }));
  return { ...createUnsentResult(testCase, verdict, createReason('passed')), rows };
}

const judge = (rows: RowsByCase, ...results: readonly CaseResult[]) =>
  judgeNamedRows({ requirement, rows, reason: 'A.' }, { suite, results });
const nothing = { failing: {}, passing: {}, missing: {} };

for (const verdict of ['inconclusive', 'not-applicable', 'not-run', 'error'] as const)
  test(`A named row that is ${verdict} shows nothing`, () => {
    expect(judge({ [id]: [first] }, createResult(verdict))).toEqual(nothing);
  });

test('A case that was not sent, or not selected, shows nothing', () => {
  const unsent = { ...createResult('not-run'), rows: [] };
  for (const results of [[], [unsent]])
    for (const named of [[first], 'all'] as const) expect(judge({ [id]: named }, ...results)).toEqual(nothing);
});

test('A named row fails or passes, whatever the other rows of its case do', () => {
  expect(judge({ [id]: [first] }, createResult('fail'))).toEqual({ ...nothing, failing: { [id]: [first] } });
  expect(judge({ [id]: [second] }, createResult('fail'))).toEqual({ ...nothing, passing: { [id]: [second] } });
  expect(judge({ [id]: [first, 'gone'] }, createResult('pass'))).toEqual({
    ...nothing,
    passing: { [id]: [first] },
    missing: { [id]: ['gone'] },
  });
});

test('All rows of a case are each of them', () => {
  expect(judge({ [id]: 'all' }, createResult('pass'))).toEqual({ ...nothing, passing: { [id]: 'all' } });
  expect(judge({ [id]: 'all' }, createResult('fail'))).toEqual({
    ...nothing,
    failing: { [id]: [first] },
    passing: { [id]: titles.slice(1) },
  });
  // With --quick, some rows are sent.
  const quick = { ...createResult('pass'), rows: createResult('pass').rows.slice(0, 1) };
  expect(judge({ [id]: 'all' }, quick)).toEqual({ ...nothing, passing: { [id]: [first] } });
  expect(judge({ [id]: [second] }, quick)).toEqual(nothing);
});

test('A case that fails as a whole is named so', () => {
  const whole: CaseResult = { ...createResult('fail'), rows: [{ title: '', verdict: 'fail' }] };
  expect(judge({ [id]: 'all' }, whole)).toEqual({ ...nothing, failing: { [id]: 'all' } });
  expect(judge({ [id]: [first] }, whole)).toEqual(nothing);
});

test('If the data changed during the run, no result shows anything', () => {
  const changed: CaseResult = { ...createRepetitionResult('inconclusive'), hasDataChanged: true };
  expect(judge({ [id]: [first, second], gone: 'all' }, createResult('fail'), changed)).toEqual(nothing);
});

test('The repetition at the end of a run is judged for the requirement that it refutes', () => {
  const named = { 'sampled-again': 'all' } as const;
  const failing = { ...createRepetitionResult('fail'), subject: requirement };
  expect(judge(named, failing)).toEqual({ ...nothing, failing: named });
  expect(judge(named, createRepetitionResult('pass'))).toEqual({ ...nothing, passing: named });
  expect(judge(named, { ...failing, subject: 'order.quantity' })).toEqual(nothing);
  expect(judge(named, createRepetitionResult('inconclusive'))).toEqual(nothing);
  expect(judge(named)).toEqual(nothing);
});

test('A case about every request lacks the rows for what a target does not have', () => {
  const every = suite.cases.find(({ tags }) => tags.includes('every-request'));
  if (every?.kind !== 'requirement') throw new Error('The suite has no case about every request.');
  const rows = { [every.id]: ['gone'] };
  const deviation = { requirement: every.verifies, rows, reason: 'A.' };
  expect(judgeNamedRows(deviation, { suite, results: [] }).missing).toEqual(rows);
  const [kind, name] = ['customer', 'ann'] as const;
  const world = { ...suite.world, unavailable: new Map([['cust_1', { kind, name }]]) };
  expect(judgeNamedRows(deviation, { suite: { ...suite, world }, results: [] })).toEqual(nothing);
});
