/** Deployments that refuse an optional part of every request: it is found, and everything else is judged without it. */

import { expect, test } from '@playwright/test';
import { getHeaderValues, type HttpRequest, type HttpResponse } from '../../src/http/exchange.js';
import { examineTarget } from '../../src/run/examine-target.js';
import { loadSuite, packageCasesFolder } from '../../src/suite/suite.js';
import { isJsonObject, parseJson } from '../../src/support/json.js';
import {
  type Answer,
  certifyInProcess,
  channelTo,
  createReference,
  listRequirementsWith,
  recognizer,
  renderUnpassed,
  requirementSuite,
  suite,
} from '../support/in-process.js';
import { createIndependentDeployment } from '../support/independent-deployment.js';
import { createData, writeData } from '../support/own-data.js';
import { listReasons, reasonOf } from '../support/reasons.js';
import { judgeAgain, runWithEvidence } from '../support/run-with-evidence.js';

const { world } = suite;
const conforming = createIndependentDeployment(world);
const small = createData('small');

/** Reads a member of the body; undefined if there is none. */
const read = ({ body = '' }: HttpRequest, ...path: string[]): unknown =>
  path.reduce<unknown>((value, name) => (isJsonObject(value) ? value[name] : undefined), parseJson(body));
const has =
  (...path: string[]) =>
  (request: HttpRequest) =>
    read(request, ...path) !== undefined;
const isEmpty =
  (...path: string[]) =>
  (request: HttpRequest) => {
    const member = read(request, ...path);
    return isJsonObject(member) && Object.keys(member).length === 0;
  };
const refuse = (status: number, message = 'Bad request'): HttpResponse => ({
  status,
  headers: [['Content-Type', 'application/json']],
  body: JSON.stringify({ statusCode: status, message }),
});
/** Refuses the requests for which something holds. */
const refusing =
  (isRefused: (request: HttpRequest) => boolean, status = 400, answer: Answer = conforming): Answer =>
  (request) =>
    isRefused(request) ? refuse(status) : answer(request);
const usesDefault = (header: string) => (request: HttpRequest) =>
  request.sent !== 'with-accept-headers' && getHeaderValues(request.headers, header).length === 0;

/** A part that is found to be refused: the code of the reason, and what it calls the part. */
type FoundPart = readonly [code: 'part-refused' | 'empty-part-refused', part: string];
interface Row {
  readonly refuses: string;
  readonly isRefused: (request: HttpRequest) => boolean;
  readonly statuses: readonly number[];
  readonly breaks: readonly string[];
  readonly parts: readonly FoundPart[];
}
const row = (
  refuses: string,
  isRefused: Row['isRefused'],
  statuses: number[],
  breaks: string[],
  ...parts: FoundPart[]
): Row => {
  return { refuses, isRefused, statuses, breaks, parts };
};
const memberRefused = (name: string): FoundPart => ['part-refused', `the member '${name}'`];
const emptyRefused = (name: string): FoundPart => ['empty-part-refused', `the member '${name}'`];
const [expand, rules, ofOrder] = ['options.expand-category', 'metadata.promotion-rules', 'order.metadata'];
const found: readonly Row[] = [
  row('options', has('options'), [400, 404, 415, 422, 500], [expand], memberRefused('options')),
  row('metadata', has('metadata'), [400, 500], [rules], memberRefused('metadata')),
  row('order.metadata', has('order', 'metadata'), [400], [ofOrder], memberRefused('order.metadata')),
  row('empty options', isEmpty('options'), [400], [expand], emptyRefused('options')),
  row('empty metadata', isEmpty('metadata'), [422], [rules], emptyRefused('metadata')),
  row('empty order.metadata', isEmpty('order', 'metadata'), [400], [ofOrder], emptyRefused('order.metadata')),
  row(
    'two members',
    (request) => has('options')(request) || has('order', 'metadata')(request),
    [400],
    [ofOrder, expand],
    memberRefused('options'),
    memberRefused('order.metadata'),
  ),
  row(
    'all three that name nothing',
    (request) => has('options')(request) || has('metadata')(request) || has('order', 'metadata')(request),
    [400],
    [ofOrder, expand, rules],
    ...['options', 'metadata', 'order.metadata'].map(memberRefused),
  ),
  row(
    'its usual Accept',
    usesDefault('Accept'),
    [406],
    ['request.get-with-body'],
    ['part-refused', "the usual value of the header 'Accept'"],
  ),
];
/** Lists the reasons for the problem of the responses. */
async function listResponseProblems(answer: Answer) {
  const { findings } = await examineTarget(suite, channelTo(answer), {});
  const finding = findings.find(({ area, state }) => area === 'Responses' && state === 'problem');
  return listReasons(finding?.reason).filter(({ code }) => code !== 'and');
}

for (const { refuses, isRefused, statuses, breaks, parts } of found)
  for (const status of statuses)
    test(`A deployment that refuses ${refuses} with ${status} fails for that alone`, {
      tag: status === statuses[0] ? [] : '@long',
    }, async () => {
      const answer = refusing(isRefused, status);
      const { certificate } = await certifyInProcess(answer, { suite: requirementSuite });
      expect(listRequirementsWith('fail', certificate), renderUnpassed(certificate)).toEqual(breaks);
      expect(listRequirementsWith('pass', certificate)).toHaveLength(17 - breaks.length);
      const shown = certificate.requirements.flatMap(
        ({ cases }) => cases.find(({ verdict }) => verdict === 'fail') ?? [],
      );
      for (const { code } of shown) expect(code).toMatch(/^(?:empty-)?part-refused$/);
      expect(certificate.requests_sent).toBeLessThanOrEqual(260);
      expect(await listResponseProblems(answer)).toEqual(
        parts.map(([code, part]) => reasonOf(code, { part, status, without: 200 })),
      );
    });

test('What else is wrong is found although a member is refused', async () => {
  const { certificate: ofWindow } = await certifyInProcess(
    refusing(has('options'), 400, createIndependentDeployment(world, { mistakenWindow: 100 })),
    { suite: requirementSuite },
  );
  expect(listRequirementsWith('fail', ofWindow)).toEqual(expect.arrayContaining([expand, 'limit.newest-150']));
  const { certificate } = await certifyInProcess(
    refusing(has('metadata'), 400, createIndependentDeployment(world, { mistakenRules: { customer: () => true } })),
    { suite: requirementSuite },
  );
  expect(listRequirementsWith('fail', certificate)).toEqual(expect.arrayContaining([rules, 'customer.by-id']));
});

test('On data of a deployment, too, a member that is refused is found', async () => {
  const drawn = loadSuite(packageCasesFolder, { data: { file: writeData(small, 'small') } });
  const drawnRequirements = { ...drawn, cases: drawn.cases.filter(({ kind }) => kind === 'requirement') };
  const deployment = createIndependentDeployment(small);
  const { certificate } = await certifyInProcess(refusing(has('options'), 400, deployment), {
    suite: drawnRequirements,
  });
  expect(listRequirementsWith('fail', certificate), renderUnpassed(certificate)).toEqual([expand]);
});

test('The evidence of a run without a refused member gives the same certificate, whose first cause names the member', async () => {
  for (const isRefused of [has('options'), isEmpty('metadata'), usesDefault('Accept')]) {
    const run = await runWithEvidence(channelTo(refusing(isRefused, 406, createReference())));
    expect(run.certificate.verdict).toBe('does-not-conform');
    expect(run.certificate.causes?.[0]?.sentence).toMatch(/refuses .* with 406/);
    expect(run.certificate.causes).toHaveLength(1);
    expect(await judgeAgain(run)).toEqual(run.certificate);
  }
});

/** Whatever they refuse, it may be the data, the credentials or something before the deployment. */
const withoutCustomers = createIndependentDeployment({ ...world, customers: [] }, { unknownCustomer: 'rejected' });
const withoutProducts = refusing(
  (request) => JSON.stringify(read(request, 'order', 'items') ?? '').includes('prod_'),
  404,
);
const doubtful: readonly (readonly [what: string, answer: Answer, code: string, data: object])[] = [
  ['has no customers', withoutCustomers, 'part-perhaps-unknown', { part: "the member 'customer'", status: 404 }],
  [
    'has no products',
    withoutProducts,
    'part-perhaps-unknown',
    { part: expect.stringMatching(/'order(\.items)?'/), status: 404 },
  ],
  [
    'refuses the customer',
    refusing(has('customer')),
    'part-perhaps-unknown',
    { part: "the member 'customer'", status: 400 },
  ],
  [
    'refuses the credentials with 400, and takes requests without',
    (request) =>
      getHeaderValues(request.headers, 'X-Client-Token').length > 0
        ? refuse(400, 'invalid token')
        : conforming({
            ...request,
            headers: [...request.headers, ['X-Client-Token', 'x'], ['X-Client-Application-Id', 'x']],
          }),
    'part-perhaps-refused',
    { part: expect.stringContaining("'X-Client-Token'"), status: 400 },
  ],
  [
    'refuses unknown clients',
    refusing(usesDefault('User-Agent')),
    'part-perhaps-refused',
    { part: expect.stringContaining("the header 'User-Agent'"), status: 400 },
  ],
];
for (const [what, answer, code, data] of doubtful)
  test(`A deployment that ${what} does not fail, and the run says why`, async () => {
    const { certificate } = await certifyInProcess(answer, { suite: requirementSuite });
    expect(certificate.verdict).toBe('incomplete');
    const [first] = certificate.requirements.flatMap(({ cases }) => cases);
    expect(first?.code).toBe(code);
    expect(certificate.requests_sent).toBeLessThan(40);
    expect(await listResponseProblems(answer)).toEqual([reasonOf(code, { ...data, without: 200 })]);
  });

test('If the user says that the world is loaded, a refused customer fails', async () => {
  const { certificate, results } = await certifyInProcess(refusing(has('customer')), {
    suite: requirementSuite,
    isWorldLoaded: true,
    recognizer,
  });
  expect(listRequirementsWith('fail', certificate)).toEqual(['customer.by-id']);
  const failing = results.find(({ verdict }) => verdict === 'fail');
  const refused = { part: "the member 'customer'", status: 400, without: 200 };
  expect(listReasons(failing?.reason)).toContainEqual(reasonOf('part-refused', refused));
});

test('A deployment that refuses everything, or answers by luck, refuses no member', async () => {
  let turn = 0;
  const flaky: Answer = (request) => (++turn % 2 === 0 ? conforming(request) : refuse(500));
  const empty = createIndependentDeployment({ ...world, tiers: [] }, { empty: 404 });
  const answers: Answer[] = [() => refuse(400), () => refuse(404), flaky, empty];
  for (const answer of answers) {
    const codes = (await listResponseProblems(answer)).map(({ code }) => code);
    expect(codes.filter((code) => code.startsWith('part-') || code === 'empty-part-refused')).toEqual([]);
  }
});

test('Questions that compare a request with one without the refused member are not asked', async () => {
  const asks = ['omitted-options', 'unknown-customer'];
  const asked = {
    ...suite,
    cases: suite.cases.filter((entry) => entry.kind === 'question' && asks.includes(entry.answers)),
  };
  const { certificate } = await certifyInProcess(refusing(has('options')), { suite: asked });
  const outcomes = Object.fromEntries(certificate.questions.map(({ id, outcome }) => [id, outcome]));
  expect(outcomes).toMatchObject({ 'omitted-options': null, 'unknown-customer': 'as-anybody' });
});
