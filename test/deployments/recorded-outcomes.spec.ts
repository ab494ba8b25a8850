/** The reference deployment with each outcome, recorded and served again: the mock does not drift from the record. */

import { expect, test } from '@playwright/test';
import { type Behaviours, closedQuestions } from '../../reference/deployment/behaviours.js';
import { createBaseline } from '../../src/record/drift.js';
import type { StartRunOptions } from '../../src/run/run.js';
import type { Suite } from '../../src/suite/suite.js';
import { certifyInProcess, createReference, suite } from '../support/in-process.js';
import { createPatchedRequest } from '../support/patched-request.js';
import { createMockOfRecord, questionSuite, recordInProcess } from '../support/recorded-mock.js';

/** Values of the questions without named outcomes, other than the defaults. */
const values: Readonly<Record<string, readonly string[]>> = {
  'response-status': ['203'],
  'response-media-type': ['text/json', 'none'],
  'deprecation-headers': ['deprecation: true | sunset: Sat, 01 Jan 2028 00:00:00 GMT'],
  'rate-limit-headers': ['none', 'x-rate-limit-limit'],
  'caching-headers': ['cache-control: no-store | etag | vary: Origin'],
  'cors-headers': ['access-control-allow-origin: https://shop.example'],
};
const outcomes = Object.entries<readonly string[]>({ ...closedQuestions, ...values });

/** Records a deployment, serves the record, and compares the mock with it. */
async function findDriftOfMock(behaviours: Behaviours, certified: Suite): Promise<string[]> {
  // An examination takes most of the time of a run, and no behaviour makes another one necessary.
  const options: StartRunOptions = { isWorldLoaded: true };
  const record = await recordInProcess(createReference({ behaviours }), options);
  const expected = createBaseline(record, {});
  const { certificate } = await certifyInProcess(createMockOfRecord(record), {
    ...options,
    expected,
    suite: certified,
  });
  const failed = certificate.verdict === 'does-not-conform' ? ['does not conform'] : [];
  return [...certificate.drift.map(({ text }) => text), ...failed].map(
    (text) => `${JSON.stringify(behaviours)}: ${text}`,
  );
}

/** Compares the mock of each outcome, together with outcomes of other questions. */
async function expectNoDrift(question: string, chosen: readonly string[], others: Behaviours = {}, certified = suite) {
  for (const outcome of chosen)
    expect.soft(await findDriftOfMock({ ...others, [question]: outcome }, certified)).toEqual([]);
}

/** Outcomes that show in the responses to many questions, or in the shape of bodies. */
const core: Readonly<Record<string, readonly string[]>> = {
  'empty-result': closedQuestions['empty-result'],
  'result-repetition': closedQuestions['result-repetition'],
  'omitted-customer': ['depends-on-earlier-requests'],
};

for (const [question, chosen] of Object.entries(core))
  test(`A mock of each outcome does not drift: ${question}`, async () => {
    await expectNoDrift(question, chosen, {}, questionSuite);
  });

test('A filter in other letters finds what an unknown key or value finds, if letter case matters', () => {
  const ask = (behaviours: Behaviours, query: string) => {
    const [key = '', value = ''] = query.split('=');
    const patch = { query: { [`[filters][metadata.${key}][conditions][$is]`]: value } };
    const { status, body } = createReference({ behaviours })(createPatchedRequest(suite.world, patch));
    return [status, status === 200 ? JSON.parse(body).promotions.length > 0 : undefined];
  };
  const unknown: readonly [Behaviours, ofKey: unknown, ofValue: unknown][] = [
    [{}, [200, false], [200, false]],
    [{ 'empty-result': 'not-found' }, [200, false], [404, undefined]],
    [{ 'filter-unknown-metadata-key': 'rejected' }, [400, undefined], [200, false]],
    [{ 'filter-unknown-metadata-key': 'ignored', 'empty-result': 'rejected' }, [200, true], [400, undefined]],
  ];
  for (const [behaviours, ofKey, ofValue] of unknown) {
    const shown = ['no_such_key=North', 'Level=marigold', 'level=no-such-value', 'level=Marigold'].map((query) =>
      ask(behaviours, query),
    );
    expect(shown, JSON.stringify(behaviours)).toEqual([ofKey, ofKey, ofValue, ofValue]);
    const folded = { ...behaviours, 'filter-letter-case': 'ignored-in-key' };
    expect(ask(folded, 'Level=marigold')).toEqual([200, true]);
    expect(ask(folded, 'Level=Marigold')).toEqual(ofValue);
  }
});

for (const [question, chosen] of outcomes)
  test(`A mock of each outcome does not drift in the whole suite: ${question}`, { tag: '@long' }, async () => {
    test.setTimeout(300_000);
    await expectNoDrift(question, chosen);
  });

/** Outcomes that show in the responses to many questions. */
const farReaching: readonly Behaviours[] = [
  { 'empty-result': 'not-found' },
  { 'empty-result': 'rejected', 'filter-unknown-metadata-key': 'rejected' },
  { 'empty-result': 'no-content', 'filter-unknown-metadata-key': 'ignored' },
];

for (const others of farReaching)
  test(`A mock of each outcome does not drift beside ${JSON.stringify(others)}`, { tag: '@long' }, async () => {
    test.setTimeout(1_800_000);
    for (const [question, chosen] of outcomes)
      if (!Object.hasOwn(others, question)) await expectNoDrift(question, chosen, others, questionSuite);
  });
