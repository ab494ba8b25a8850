import { expect, test } from '@playwright/test';
import { loadSuite, type Suite, suiteFolder } from '../../src/cases/suite.js';
import { type Endpoint, noRetry } from '../../src/http/connection-options.js';
import type { Channel, Exchange, HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import { type DiagnosisArea, diagnose, renderFindings } from '../../src/targets/diagnose.js';
import { openTarget } from '../../src/targets/open-target.js';
import { thingKinds } from '../../src/world/named-world.js';
import { createTemporaryFolder, runConformanceInProcess } from './support/cli.js';
import { channelTo, suite } from './support/in-process.js';
import { createIndependentDeployment, listen } from './support/independent-deployment.js';

const { folder, remove } = createTemporaryFolder();
test.afterAll(remove);

const { world } = suite;
const honest = createIndependentDeployment(world);
const env = { CLIENT_APPLICATION_ID: 'the-application', CLIENT_TOKEN: 'the-token-0815' };
type Answer = (request: HttpRequest) => HttpResponse;
const always =
  (status: number, headers: HttpResponse['headers'] = [], body = ''): Answer =>
  () => ({ status, headers, body });
const withoutBody =
  (answer: Answer): Answer =>
  ({ body, ...request }) =>
    answer(request);

/** Servers, each with what the doctor says of it: the problem, or whatever else matters. */
const deployments: Readonly<
  Record<string, readonly [answer: Answer, area: DiagnosisArea, state: string, text: RegExp]>
> = {
  'all well': [honest, 'Ids', 'fine', /promotions of the world are named/],
  'another path': [always(404), 'URL', 'problem', /Is the base URL right.*operation:/],
  'another method': [always(405), 'URL', 'problem', /operation:/],
  'a redirect': [always(308, [['Location', 'https://b.test/x']]), 'URL', 'problem', /to https:\/\/b\.test\/x/],
  'too many requests': [always(429), 'URL', 'problem', /pacing/],
  'down for maintenance': [always(503), 'URL', 'problem', /not available/],
  'wrong credentials': [always(401), 'Credentials', 'problem', /CLIENT_APPLICATION_ID and CLIENT_TOKEN/],
  'a body that is lost': [withoutBody(honest), 'Body on GET', 'problem', /lost in between.*proxies/],
  'a body that is lost, and every answer with a number of its own': [
    (() => {
      let turn = 0;
      return () => ({ status: 200, headers: [], body: JSON.stringify({ request_id: `v-${++turn}`, promotions: [] }) });
    })(),
    'Body on GET',
    'problem',
    /lost in between/,
  ],
  'a limit after the first request': [
    (() => {
      let turn = 0;
      return (request: HttpRequest) => (++turn === 1 ? honest(request) : always(429)(request));
    })(),
    'Body on GET',
    'unknown',
    /solve the other problems first/,
  ],
  'a body that is refused': [
    (request) => (request.body === undefined ? honest(request) : always(403)(request)),
    'Body on GET',
    'problem',
    /With a body the answer is 403, without one 200/,
  ],
  'no JSON': [
    (request) => ({ ...honest(request), body: `<ul>${honest(request).body}</ul>` }),
    'Responses',
    'problem',
    /no JSON/,
  ],
  'a request refused': [
    ({ body = '' }) => ({ status: body === '' ? 422 : 400, headers: [], body: '{}' }),
    'Responses',
    'problem',
    /was not accepted/,
  ],
  'two paths that disagree': [
    createIndependentDeployment(world, { shape: 'with-rejected' }),
    'Responses',
    'problem',
    /response: \{ tier: /,
  ],
  'another world': [
    ({ body = '' }) => ({
      status: 200,
      headers: [],
      body: JSON.stringify([{ id: `other-${body.length}` }, ...(body ? [{}] : [])]),
    }),
    'Ids',
    'problem',
    /Is the world loaded.*ids, or bindings/,
  ],
};

for (const [what, [answer, area, state, text]] of Object.entries(deployments)) {
  test(`${what}: at most three requests, and ${area} is ${state}`, async () => {
    let requests = 0;
    const { url, close } = await listen((request) => {
      requests += 1;
      return answer(request);
    });
    const credentials = { applicationId: env.CLIENT_APPLICATION_ID, token: env.CLIENT_TOKEN };
    const endpoint: Endpoint = { baseUrl: url, credentials };
    const client = openTarget({}, endpoint, { retry: noRetry });
    const findings = await diagnose(suite, client, endpoint);
    await client.close();
    await close();
    expect(requests).toBeLessThanOrEqual(3);
    expect(findings.find((finding) => finding.area === area)).toMatchObject({
      state,
      text: expect.stringMatching(text),
    });
    expect(renderFindings(findings)).not.toContain(env.CLIENT_TOKEN);
  });
}

test('a deployment that is down', async () => {
  const { status, output } = await runConformanceInProcess(['doctor', '--base-url', 'http://127.0.0.1:1'], {
    cwd: folder,
    env,
  });
  expect(output).toMatch(/^URL +PROBLEM +127\.0\.0\.1:1 refuses the connection/m);
  expect(output).toMatch(/^Ids +\? +Not known yet; solve the other problems first\.$/m);
  expect(status).toBe(1);
});

test('plain HTTP where TLS is expected', async () => {
  const { url, close } = await listen(honest);
  const { output } = await runConformanceInProcess(['doctor', '--base-url', url.replace('http:', 'https:')], {
    cwd: folder,
    env,
  });
  await close();
  expect(output).toMatch(/^TLS +PROBLEM +.*Does it speak TLS/m);
});

test('without a target the reference deployment is well', async () => {
  const { status, output } = await runConformanceInProcess(['doctor'], { cwd: folder });
  expect(output.match(/ fine /g)).toHaveLength(6);
  expect(status).toBe(0);
});

test.describe('with a part of the world', () => {
  const at = { file: 'target.yaml', line: 1, column: 1 };
  const bound = (names: Partial<Record<string, Record<string, string>>>): Suite =>
    loadSuite(suiteFolder, {
      bindings: Object.fromEntries(
        thingKinds.map((kind) => [
          kind,
          new Map(Object.entries(names[kind] ?? {}).map(([name, id]) => [name, { id, at }])),
        ]),
      ) as never,
    });
  const statesOf = async (partial: Suite, channel: Channel) =>
    Object.fromEntries(
      (await diagnose(partial, channel, { baseUrl: 'https://a.test' })).map(({ area, state }) => [area, state]),
    );

  test('a customer and a product will do', async () => {
    const partial = bound({
      customer: { ann: world.customers[1]?.id ?? '' },
      product: { mug: world.products[0]?.id ?? '' },
    });
    const foreign: Answer = (request) => {
      const response = honest(request);
      return { ...response, body: response.body.replaceAll('promo_', 'other_') };
    };
    expect(await statesOf(partial, channelTo(foreign))).toEqual({
      URL: 'fine',
      TLS: 'fine',
      Credentials: 'fine',
      'Body on GET': 'fine',
      Responses: 'unknown',
      Ids: 'unknown',
    });
  });

  test('nothing at all is sent where not even they have an id', async () => {
    const channel: Channel = {
      send: (): Promise<Exchange> => Promise.reject(new Error('sent')),
      redact: (text) => text,
      reconnect: () => undefined,
      maxCaseBodyLength: Number.POSITIVE_INFINITY,
      maxConcurrency: 1,
    };
    expect(await statesOf(bound({}), channel)).toMatchObject({ URL: 'unknown', Ids: 'problem' });
  });

  const textAbout = async (area: DiagnosisArea, partial: Suite) =>
    (await diagnose(partial, channelTo(honest), { baseUrl: 'https://a.test' })).find((each) => each.area === area)
      ?.text;

  test('the names that need an id are said, and no more', async () => {
    const other = bound({ customer: { ben: 'C-1' }, product: { chair: 'P-1' }, campaign: { summer: 'K-1' } });
    expect(await textAbout('Ids', other)).toContain('Give customers.ann, products.mug, campaigns.spring an id');
    const two = bound({ customer: { ann: 'C-1' }, product: { mug: 'P-1' } });
    expect(await textAbout('Ids', two)).toContain('Give campaigns.spring an id');
    const all = bound({ customer: { ann: 'C-1' }, product: { mug: 'P-1' }, campaign: { spring: 'K-1' } });
    expect(await textAbout('Ids', all)).toMatch(/only cases that need none are judged\.$/);
  });

  test('where no promotion need depend on them, nobody says that a body is lost', async () => {
    const own = bound({ customer: { ann: 'C-1' }, product: { mug: 'P-1' }, campaign: { spring: 'K-1' } });
    expect(await statesOf(own, channelTo(withoutBody(honest)))).toMatchObject({ 'Body on GET': 'unknown' });
  });

  test('any three ids are enough for every case that needs to know of no promotion', async () => {
    const own = bound({ customer: { ann: 'C-1' }, product: { mug: 'P-1' }, campaign: { spring: 'K-1' } });
    const cases = own.cases.filter(({ tags }) => tags.includes('any-data'));
    expect(cases).toHaveLength(12);
    expect(cases.flatMap(({ rows }) => rows.flatMap(({ unavailable }) => unavailable))).toEqual([]);
  });
});

test('findings are a line each', () => {
  expect(renderFindings([{ area: 'URL', state: 'problem', text: 'Gone.' }])).toBe('URL          PROBLEM  Gone.\n');
});
