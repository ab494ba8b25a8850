/** Explanations of failures. */

import { expect, test } from '@playwright/test';
import { createDeployment } from '../../reference/deployment.js';
import { findFault } from '../../reference/faults/index.js';
import { getSubjectId, type TestCase } from '../../src/cases/test-case.js';
import type { ShownResult } from '../../src/engine/case-result.js';
import type { HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import { parseRequest } from '../../src/http/request-content.js';
import type { Cause, CauseKind } from '../../src/report/diagnosis/cause.js';
import { diagnoseRun } from '../../src/report/diagnosis/diagnose-run.js';
import { indexForOutputs } from '../../src/report/write-results.js';
import { createChannel, inProcessCredentials } from '../proof/judge-deployment.js';
import { certifyInProcess, requirementSuite, suite } from './support/in-process.js';
import { createIndependentDeployment } from './support/independent-deployment.js';
import { runWithEvidence } from './support/run-with-evidence.js';

type Answer = (request: HttpRequest) => HttpResponse;

const conforming = createIndependentDeployment(suite.world);
const everything = JSON.stringify({ data: suite.world.tiers.map(({ id }) => ({ id })) });

/** Returns every promotion, valid or not, for some requests. */
const careless =
  (isMet: (body: { order?: { items?: { quantity?: number }[] }; metadata?: object }) => boolean): Answer =>
  (request) => {
    const response = conforming(request);
    const { body } = parseRequest(request);
    return typeof body === 'object' && isMet(body ?? {}) ? { ...response, body: everything } : response;
  };

async function certified(answer: Answer) {
  const { certificate } = await certifyInProcess(answer, { suite: requirementSuite });
  return certificate;
}

test('A reason states what a promotion requires and what the request has', async () => {
  const reasons = [
    await certified(careless(() => true)),
    await certified((request) => ({ ...conforming(request), body: '{"data":[]}' })),
  ].flatMap(({ requirements }) => requirements.flatMap(({ cases }) => cases.flatMap(({ rows = [] }) => rows)));
  const text = reasons.map(({ reason }) => reason).join('\n');
  for (const why of [
    /'beyond-first' \(rank 151: is older than the newest 150\)/,
    /: asks for \d+ of product [a-z-]+; the order has none\)/,
    /: asks for \d+ of product [a-z-]+; the order has \d+( \+ \d+)*\)/,
    /: asks for \d+ of sku [a-z0-9-]+; the order has (none|\d+)/,
    /: is for customer [a-z-]+( or [a-z-]+)*; the customer is [a-z-]+/,
    /: asks for the metadata \S+ = \S+; the request has /,
    /: is of campaign [a-z-]+; the filter asks for [a-z-]+\)/,
    /: has the metadata \S+ = \S+; the filter asks for /,
  ])
    expect(text).toMatch(why);
});

/** Diagnoses a deployment in this process. */
async function diagnose(
  answer: Answer,
  selects = ({ kind }: TestCase) => kind === 'requirement',
): Promise<{ causes: readonly Cause[]; results: readonly ShownResult[] }> {
  const { results, evidence } = await runWithEvidence(createChannel(answer), { selects });
  return { results, causes: diagnoseRun(suite, results, indexForOutputs(suite, evidence, results)) };
}

const withFault = (id: string): Answer =>
  createDeployment({ world: suite.world, credentials: inProcessCredentials, faults: [findFault(id)] });

const answering = (status: number, type: string, body: string): Answer => {
  return () => ({ status, headers: [['Content-Type', type]], body });
};

const html = '<!doctype html><title>Shop</title><p>Welcome';

const bugs: readonly (readonly [string, Answer, CauseKind, RegExp])[] = [
  ['a window of 100', withFault('window-of-100'), 'window-size', /newest 100 /],
  ['a window of 149', withFault('window-of-149'), 'window-size', /newest 149 /],
  ['the oldest first', withFault('window-of-the-oldest'), 'window-oldest-first', /oldest 150/],
  ['the limit after the rules', withFault('window-of-the-valid'), 'window-after-rules', /after/],
  ['> in place of >=', withFault('quantity-above-threshold'), 'threshold', />=/],
  ['rules joined by "or"', withFault('one-rule-suffices'), 'rules-joined-by-or', /"or"/],
  ['the first customer only', withFault('first-listed-customer-only'), 'first-customer-only', /first/],
  ['a filter by a part of the value', withFault('metadata-filter-by-prefix'), 'filter-loose', /tier metadata/],
  ['a repeated product refused', withFault('repeated-product-refused'), 'repeated-product-refused', /400/],
  ['expand refused', withFault('expand-refused'), 'expand-refused', /400/],
  ['404 to everything', answering(404, 'text/plain', 'no such route'), 'same-status', /404/],
  ['HTML to everything', answering(200, 'text/html', html), 'not-json', /base_url/],
];

for (const [n, [what, answer, kind, words]] of bugs.entries())
  test(`The first cause of ${what} names it`, { tag: n % 2 === 0 ? [] : '@long' }, async () => {
    const { causes } = await diagnose(answer);
    expect(causes.map((cause) => cause.kind)).toEqual([kind]);
    expect(causes[0]?.sentence).toMatch(words);
  });

test('Every failing case belongs to a cause', async () => {
  let turn = 0;
  const now = careless(() => {
    turn += 1;
    return turn % 3 > 0;
  });
  const { causes, results } = await diagnose(now, (testCase) => getSubjectId(testCase).startsWith('order.'));
  const failing = results.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
  expect([...new Set(causes.flatMap(({ cases }) => cases))].sort()).toEqual(failing.sort());
});

test('What fails only for some requests is named with what they have', async () => {
  const { causes } = await diagnose(careless(({ metadata }) => Object.keys(metadata ?? {}).length > 0));
  expect(causes.map(({ sentence }) => sentence)).toEqual([expect.stringMatching(/^Only for requests with metadata: /)]);
});

test('A deployment that conforms has no causes', async () => {
  expect((await diagnose(conforming)).causes).toEqual([]);
});
