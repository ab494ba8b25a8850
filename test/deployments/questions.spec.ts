import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { type Behaviours, closedQuestions } from '../../reference/deployment/behaviours.js';
import type { RequestPatch } from '../../src/cases/request-draft.js';
import type { TestCase } from '../../src/cases/test-case.js';
import type { Question } from '../../src/contract/contract.js';
import { spellFiltersLiterally } from '../../src/contract/operation.js';
import { createOracle } from '../../src/contract/oracle.js';
import type { HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import { writeResults } from '../../src/outputs/write-results.js';
import { createBaseline } from '../../src/record/drift.js';
import { createRecord, renderRecord } from '../../src/record/target-record.js';
import { createCaseSender } from '../../src/run/case-sender.js';
import { startRun } from '../../src/run/run.js';
import { sendAndJudgeCase } from '../../src/run/run-case.js';
import { selectFromSuite } from '../../src/suite/case-selection.js';
import { UnusableInput } from '../../src/support/problem.js';
import { makeTestFolder } from '../support/cli.js';
import { coverPairs } from '../support/cover-pairs.js';
import { certifyInProcess, channelTo, createReference, recognizer, suite } from '../support/in-process.js';
import { createPatchedRequest } from '../support/patched-request.js';
import { readSettings } from '../support/run-with-evidence.js';

const reference = (behaviours: Behaviours = {}) => createReference({ behaviours });

/** A run on the reference deployment as it is, which several tests look at. */
let plainRun: ReturnType<typeof certifyInProcess> | undefined;
const runPlain = () => {
  plainRun ??= certifyInProcess(reference(), { infersShape: true });
  return plainRun;
};

/** The suite with the case of one question, and no other. */
const suiteFor = (question: string) => selectFromSuite(suite, { only: [question] });

/** The questions with named outcomes. */
const named = suite.contract.questions.flatMap(({ id, answer }) =>
  answer.kind === 'value' ? [] : [{ id, outcomes: [...answer.outcomes.keys()] }],
);

test('The reference deployment has each outcome of each question as a behaviour', () => {
  const known: Readonly<Record<string, readonly string[]>> = closedQuestions;
  expect(named.length).toBeGreaterThan(0);
  for (const { id, outcomes } of named) expect(known[id]?.toSorted(), id).toEqual(outcomes.toSorted());
});

// chaos.spec.ts checks that such deployments conform.
test('Each outcome is observed if it is chosen as a behaviour', async () => {
  // An examination takes most of the time of a run, and no behaviour makes another one necessary.
  const { target } = await startRun(suite, channelTo(reference()), { recognizer, isWorldLoaded: true });
  for (const { id, outcomes } of named) {
    const { cases } = suiteFor(id);
    const observe = async (outcome: string) => {
      const sender = createCaseSender(channelTo(reference({ [id]: outcome })), cases);
      return (await sendAndJudgeCase(cases[0] as TestCase, sender, target)).judgement.outcome;
    };
    expect.soft(await Promise.all(outcomes.map(observe)), id).toEqual(outcomes);
  }
});

test('No answer to a plausible caller is refuted, whatever the answers to questions are', () => {
  const body = (members: object): RequestPatch => ({ body: members });
  const axes: readonly (readonly RequestPatch[])[] = [
    [
      ...['ann', 'bulk'].map((name) => body({ customer: { id: `<customer ${name}>` } })),
      { without: ['body.customer'] },
    ],
    [
      {},
      body({
        order: {
          items: [
            { product_id: '<product mug>', quantity: 10 },
            { sku_id: '<sku shirt-blue>', quantity: 2 },
          ],
        },
      }),
      body({ order: { items: [{ product_id: '<product mug>' }] } }),
      { without: ['body.order'] },
    ],
    [{}, { without: ['body.order.metadata'] }, body({ order: { metadata: { payment_mean: ['credit-card'] } } })],
    [{}, { without: ['body.metadata'] }, body({ metadata: { store_name: 'Broadway' } })],
    [{}, { without: ['body.options'] }, body({ options: { expand: ['category'] } })],
    [
      {},
      { filter: { campaign: 'spring' } },
      { filter: { 'metadata.has_budget': 'true' } },
      { query: { audienceRulesOnly: 'true' } },
    ],
    [{}, { headers: { Host: 'shop.test', 'User-Agent': 'a', Cookie: 'a=b' } }],
  ];
  const requests = coverPairs(axes).map((row) => createPatchedRequest(suite.world, ...row));
  const refuted: string[] = [];
  // Most answers change few responses.
  const confirmed = new Set<string>();
  const examine = (deployment: ReturnType<typeof reference>, what: string, spelled = requests) => {
    for (const request of spelled) {
      const response = deployment(request);
      const exchange = `${request.path} ${request.body} ${response.status} ${response.body}`;
      if (confirmed.has(exchange)) continue;
      const flaw = findContradiction(request, response);
      if (flaw === undefined) confirmed.add(exchange);
      else refuted.push(`${what}: ${flaw} ${request.path} ${request.body}`);
    }
  };
  // The examination of a target finds out which spelling of filters is read.
  const literal = requests.map(spellFiltersLiterally);
  for (const [id, outcomes] of Object.entries(closedQuestions))
    for (const outcome of outcomes)
      if (outcome !== 'different-promotions')
        examine(
          reference({ [id]: outcome }),
          `${id}: ${outcome}`,
          id === 'filter-percent-encoded' ? literal : requests,
        );
  expect(refuted).toEqual([]);
  const withOmission = requests.filter((request) => createOracle(request, suite.world).whenReturning !== undefined);
  for (const fault of ['window-of-the-valid', 'one-rule-suffices', 'customer-ignored', 'ends-at-first-invalid']) {
    refuted.splice(0);
    examine(createReference({ faults: [fault] }), fault, withOmission);
    expect(refuted, fault).not.toEqual([]);
  }
});

/** Says how a response of the reference deployment contradicts the documentation. */
function findContradiction(request: HttpRequest, { status, body }: HttpResponse): string | undefined {
  const oracle = createOracle(request, suite.world);
  const records: { id: string }[] = status < 300 && body !== '' ? JSON.parse(body).promotions : [];
  const returned = new Set(records.map(({ id }) => id));
  const said = (returned.size > 0 && oracle.whenReturning) || oracle;
  if (status >= 300 && !oracle.accepted) return undefined;
  const flaws = (said.alternatives.length > 0 ? said.alternatives : [said]).map((reading) => {
    const wrong = suite.world.tiers.find((tier) =>
      returned.has(tier.id) ? reading.returned(tier) === 'forbidden' : reading.returned(tier) === 'required',
    );
    return wrong && `${status}, ${returned.has(wrong.id) ? 'returned' : 'not returned'}: ${wrong.name}`;
  });
  return flaws.includes(undefined) ? undefined : flaws[0];
}

test('Open values are recorded as received', async () => {
  const values = {
    'response-status': '203',
    'response-media-type': 'text/json',
    'deprecation-headers': 'deprecation: true | sunset: Sat, 01 Jan 2028 00:00:00 GMT',
    'rate-limit-headers': 'x-rate-limit-limit | x-rate-limit-remaining',
    'caching-headers': 'cache-control: no-store | etag | vary: Origin',
    'cors-headers': 'access-control-allow-origin: https://shop.example',
  };
  const { certificate } = await certifyInProcess(reference(values));
  expect(certificate.verdict).toBe('conforms');
  const observed = Object.fromEntries(certificate.questions.map(({ id, outcome }) => [id, outcome]));
  expect(observed).toMatchObject(values);
});

test('Two runs on an unchanged target write the same record', async () => {
  const allQuestions = { ...suite, cases: suite.cases.filter(({ kind }) => kind === 'question') };
  const write = (run: Awaited<ReturnType<typeof runPlain>>) =>
    renderRecord(createRecord(allQuestions, run, 'reference'));
  const again = await certifyInProcess(reference(), { suite: allQuestions, infersShape: true });
  expect(write(again)).toBe(write(await runPlain()));
});

test('A changed outcome is drift, shown with both responses', async () => {
  const expected = createBaseline(createRecord(suite, await runPlain(), 'reference'), {});
  const { certificate } = await certifyInProcess(reference({ 'quantity-numeric-string': 'rejected' }), { expected });
  expect(certificate.verdict).toBe('conforms');
  expect(certificate.drift.map((drift) => drift.case)).toEqual(['quantity-numeric-string']);
  const { answer } = suite.contract.questions.find(({ id }) => id === 'quantity-numeric-string') as Question;
  const [was, is] = ['as-number', 'rejected'].map((name) => answer.kind === 'outcomes' && answer.outcomes.get(name));
  expect(certificate.drift[0]).toEqual({
    case: 'quantity-numeric-string',
    kind: 'answer',
    text: `quantity-numeric-string: was “${was}”, is “${is}”`,
    was,
    is,
    before: expect.stringMatching(/^\| 200/),
    after: expect.stringMatching(/^\| 400/),
    repeat_with: expect.stringMatching(/^curl /),
  });
});

test.describe('An existing record', () => {
  test('is kept if a run lacks answers', async () => {
    const folder = makeTestFolder();
    const to = path.join(folder, 'shop.yaml');
    const write = (run: Awaited<ReturnType<typeof runPlain>>) =>
      writeResults(run, suite, { out: folder, recordTo: to }).record;
    const writeSome = async (question: string) =>
      write(await certifyInProcess(reference(), { suite: suiteFor(question), infersShape: true }));
    expect(await writeSome('no-question')).toEqual({
      file: to,
      unwritten: expect.stringContaining('not written'),
    });
    expect(existsSync(to)).toBe(false);
    expect(write(await runPlain())).toEqual({ file: to });
    const whole = readFileSync(to, 'utf8');
    const partly = await writeSome('quantity-zero');
    expect(partly?.unwritten).toMatch(
      /lacks, to [\w-]+(, [\w-]+){4} and \d+ more\. .* delete the record, and write a new/,
    );
    expect(readFileSync(to, 'utf8')).toBe(whole);
  });

  test('is checked before the run: other files are not overwritten', () => {
    const folder = makeTestFolder();
    const file = path.join(folder, 'notes.yaml');
    writeFileSync(file, 'my: notes\n');
    for (const recordTo of [file, folder])
      expect(() => readSettings({ recordTo, reference: true })).toThrow(UnusableInput);
  });
});
