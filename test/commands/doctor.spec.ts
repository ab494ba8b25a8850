import { expect, test } from '@playwright/test';
import { loadSuite, type Suite, suiteFolder } from '../../src/cases/suite.js';
import type { ThingKind } from '../../src/contract/named-world.js';
import type { Channel, Exchange, HttpResponse } from '../../src/http/exchange.js';
import { type DoctorArea, diagnose } from '../../src/run/diagnose.js';
import { credentialVariables, makeTestFolder, runConformanceInProcess } from '../support/cli.js';
import { type Answer, channelTo, createBindings, suite } from '../support/in-process.js';
import { createIndependentDeployment, listen } from '../support/independent-deployment.js';
import { addPromotions } from '../support/own-promotions.js';

const folder = makeTestFolder();

const { world } = suite;
const conforming = createIndependentDeployment(world);
const baseUrl = 'http://a.test';
const always =
  (status: number, headers: HttpResponse['headers'] = [], body = ''): Answer =>
  () => ({ status, headers, body });
const withoutBody =
  (answer: Answer): Answer =>
  ({ body, ...request }) =>
    answer(request);
/** Answers the first request in one way, the others in another way. */
const firstThen = (first: Answer, others: Answer): Answer => {
  let turn = 0;
  return (request) => (++turn === 1 ? first(request) : others(request));
};
let requestId = 0;
const withRequestId: Answer = (request) => {
  const { data } = JSON.parse(conforming(request).body);
  return { status: 200, headers: [], body: JSON.stringify({ request_id: `v-${++requestId}`, data }) };
};

type Expectation = readonly [what: string, answer: Answer, area: DoctorArea, state: string, text: RegExp];
const deployments: readonly Expectation[] = [
  ['conforms', conforming, 'Ids', 'fine', /promotions of the test data/],
  ['has another path', always(404), 'URL', 'problem', /Answered 404, without a body.*Check the base URL.*operation:/],
  ['redirects', always(308, [['Location', 'https://b.test/x']]), 'URL', 'problem', /to https:\/\/b\.test\/x/],
  ['limits requests', always(429), 'URL', 'problem', /pacing/],
  ['refuses the credentials', always(401), 'Credentials', 'problem', /CLIENT_APPLICATION_ID and CLIENT_TOKEN/],
  [
    'is behind a gateway',
    always(403, [['Content-Type', 'application/json']], '{"message":"Missing API key"}'),
    'Credentials',
    'problem',
    /403 \(application\/json\), "\{"message":"Missing API key"\}".*'headers'/,
  ],
  [
    'answers with web pages',
    always(200, [['Content-Type', 'text/html']], '<html></html>'),
    'Credentials',
    'unknown',
    /nothing shows/,
  ],
  ['loses the body', withoutBody(conforming), 'Body on GET', 'problem', /lost.*proxies/],
  ['loses the body and adds a request id', withoutBody(withRequestId), 'Body on GET', 'problem', /lost/],
  [
    'demands the body that a proxy drops',
    always(422),
    'Body on GET',
    'unknown',
    /422 with a body and without one.*proxies/,
  ],
  ['returns nothing', always(200, [], '[]'), 'Body on GET', 'unknown', /name no promotion.*proves nothing/],
  [
    'limits after one request',
    firstThen(conforming, always(429)),
    'Body on GET',
    'unknown',
    /the other problems first/,
  ],
  [
    'refuses the body',
    (request) => (request.body === undefined ? conforming(request) : always(403)(request)),
    'Body on GET',
    'problem',
    /Answered 403.*Without a body it answered 200/,
  ],
  [
    'returns HTML',
    (request) => ({ ...conforming(request), body: `<ul>${conforming(request).body}</ul>` }),
    'Responses',
    'problem',
    /not JSON/,
  ],
  [
    'rejects the request',
    ({ body = '' }) => ({ status: body === '' ? 422 : 400, headers: [], body: '{}' }),
    'Responses',
    'problem',
    /rejects a documented request/,
  ],
  [
    'names promotions under two paths',
    createIndependentDeployment(world, { shape: 'with-rejected' }),
    'Responses',
    'problem',
    /response: \{ tier: /,
  ],
  [
    'has another world',
    ({ body = '' }) => ({ status: 200, headers: [], body: JSON.stringify([{ id: `other-${body.length}` }]) }),
    'Ids',
    'problem',
    /Load it.*bindings/,
  ],
];

test('The doctor sends at most three requests and finds the problem of each deployment', async () => {
  for (const [what, answer, area, state, text] of deployments) {
    let requests = 0;
    const channel = channelTo((request) => {
      requests += 1;
      return answer(request);
    });
    const findings = await diagnose(suite, channel, { baseUrl });
    expect.soft(requests, what).toBeLessThanOrEqual(3);
    const finding = findings.find((each) => each.area === area);
    expect.soft(finding, what).toMatchObject({ state, text: expect.stringMatching(text) });
  }
});

test('A deployment that is down has a problem with the URL, one without TLS with TLS', async () => {
  const { url, close } = await listen(conforming);
  const examine = (base: string) =>
    runConformanceInProcess(['doctor', '--base-url', base], { cwd: folder, env: credentialVariables });
  const { status, output } = await examine('http://127.0.0.1:1');
  const plain = await examine(url.replace('http:', 'https:'));
  await close();
  expect(output).toMatch(/^URL +PROBLEM +No connection to 127\.0\.0\.1:1 was made/m);
  expect(output).toMatch(/^Ids +\? +Not checked: solve the other problems first\.$/m);
  expect(status).toBe(1);
  expect(plain.output).toMatch(/^TLS +PROBLEM +.*Does it speak TLS/m);
});

test('Promotions of the deployment are a problem until the target file counts them', async () => {
  const channel = channelTo(createIndependentDeployment(addPromotions(world, 3)));
  const findIds = async (own: Suite) => (await diagnose(own, channel, { baseUrl })).find(({ area }) => area === 'Ids');
  expect(await findIds(suite)).toMatchObject({
    state: 'problem',
    text: expect.stringContaining('own_promotions: 3'),
  });
  expect(await findIds(loadSuite(suiteFolder, { ownPromotions: 3 }))).toMatchObject({ state: 'fine' });
});

test.describe('A target with a part of the world', () => {
  const bind = (ids: Partial<Record<ThingKind, Record<string, string>>>): Suite =>
    loadSuite(suiteFolder, { bindings: createBindings((kind, name) => ids[kind]?.[name]) });
  const diagnoseStates = async (partial: Suite, channel: Channel) =>
    Object.fromEntries((await diagnose(partial, channel, { baseUrl })).map(({ area, state }) => [area, state]));
  const own = bind({ customer: { ann: 'C-1' }, product: { mug: 'P-1' }, campaign: { spring: 'K-1' } });

  test('A customer and a product are enough for most checks', async () => {
    const [, ann] = world.customers;
    const [mug] = world.products;
    const partial = bind({ customer: { ann: ann?.id ?? '' }, product: { mug: mug?.id ?? '' } });
    const withOwnPromotions: Answer = (request) => {
      const response = conforming(request);
      return { ...response, body: response.body.replaceAll('promo_', 'other_') };
    };
    expect(await diagnoseStates(partial, channelTo(withOwnPromotions))).toEqual({
      URL: 'fine',
      TLS: 'fine',
      Credentials: 'fine',
      'Body on GET': 'fine',
      Responses: 'unknown',
      Ids: 'unknown',
    });
  });

  test('Nothing is sent without any ids', async () => {
    const send = (): Promise<Exchange> => Promise.reject(new Error('sent'));
    const states = await diagnoseStates(bind({}), { ...channelTo(conforming), send });
    expect(states).toMatchObject({ URL: 'unknown', Ids: 'problem' });
  });

  test('A lost body is not claimed if no promotion may depend on the ids', async () => {
    expect(await diagnoseStates(own, channelTo(withoutBody(conforming)))).toMatchObject({ 'Body on GET': 'unknown' });
  });

  test('Three ids are enough for every any-data case', () => {
    const cases = own.cases.filter(({ tags }) => tags.includes('any-data'));
    expect(cases).not.toEqual([]);
    expect(cases.flatMap(({ rows }) => rows.flatMap(({ unavailable }) => unavailable))).toEqual([]);
  });
});
