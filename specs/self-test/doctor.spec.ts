import { expect, test } from '@playwright/test';
import { loadSuite, ownFolder, type Suite } from '../../src/cases/suite.js';
import { noRepeats } from '../../src/http/connection-options.js';
import type { Channel, Exchange, HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import { type Area, examine, findingsText } from '../../src/targets/doctor.js';
import { openTarget } from '../../src/targets/open.js';
import type { Target } from '../../src/targets/target.js';
import { kinds } from '../../src/world/world-file.js';
import { conformance, temporaryFolder } from './support/cli.js';
import { channelTo, suite } from './support/in-process.js';
import { independentDeployment, listen } from './support/independent.js';

const { folder, remove } = temporaryFolder();
test.afterAll(remove);

const { world } = suite.world;
const honest = independentDeployment(world);
const env = { CLIENT_APPLICATION_ID: 'the-application', CLIENT_TOKEN: 'the-token-0815' };
const target: Target = {
  name: 'a',
  place: { kind: 'deployment', baseUrl: 'https://a.test', credentials: { applicationId: 'a', token: 'b' } },
  pins: new Map(),
};

type Answer = (request: HttpRequest) => HttpResponse;
const always =
  (status: number, headers: HttpResponse['headers'] = [], body = ''): Answer =>
  () => ({ status, headers, body });
const withoutBody =
  (answer: Answer): Answer =>
  ({ body, ...request }) =>
    answer(request);

/** Servers, each with what the doctor says of it: the trouble, and whatever else matters. */
const patients: Readonly<Record<string, readonly [answer: Answer, area: Area, state: string, text: RegExp]>> = {
  'all well': [honest, 'Ids', 'fine', /promotions of the world are named/],
  'another path': [always(404), 'URL', 'trouble', /Is the base URL right.*operation:/],
  'another method': [always(405), 'URL', 'trouble', /operation:/],
  'a redirect': [always(308, [['Location', 'https://b.test/x']]), 'URL', 'trouble', /to https:\/\/b\.test\/x/],
  'too many requests': [always(429), 'URL', 'trouble', /pacing/],
  'down for maintenance': [always(503), 'URL', 'trouble', /not available/],
  'wrong credentials': [always(401), 'Credentials', 'trouble', /CLIENT_APPLICATION_ID and CLIENT_TOKEN/],
  'a body lost on the way': [withoutBody(honest), 'Body on GET', 'trouble', /lost on the way.*proxies/],
  'a body lost on the way, and every answer with a number of its own': [
    (() => {
      let turn = 0;
      return () => ({ status: 200, headers: [], body: JSON.stringify({ request_id: `v-${++turn}`, promotions: [] }) });
    })(),
    'Body on GET',
    'trouble',
    /lost on the way/,
  ],
  'a limit after the first request': [
    (() => {
      let turn = 0;
      return (request: HttpRequest) => (++turn === 1 ? honest(request) : always(429)(request));
    })(),
    'Body on GET',
    'unknown',
    /hint what is in trouble first/,
  ],
  'a body refused on the way': [
    (request) => (request.body === undefined ? honest(request) : always(403)(request)),
    'Body on GET',
    'trouble',
    /With a body the answer is 403, without one 200/,
  ],
  'no JSON': [
    (request) => ({ ...honest(request), body: `<ul>${honest(request).body}</ul>` }),
    'Responses',
    'trouble',
    /no JSON/,
  ],
  'a request refused': [
    ({ body = '' }) => ({ status: body === '' ? 422 : 400, headers: [], body: '{}' }),
    'Responses',
    'trouble',
    /was not accepted/,
  ],
  'two paths that disagree': [
    independentDeployment(world, { shape: 'with-rejected' }),
    'Responses',
    'trouble',
    /response: \{ tier: /,
  ],
  'another world': [
    ({ body = '' }) => ({
      status: 200,
      headers: [],
      body: JSON.stringify([{ id: `other-${body.length}` }, ...(body ? [{}] : [])]),
    }),
    'Ids',
    'trouble',
    /Is the world loaded.*ids, or bindings/,
  ],
};

for (const [what, [answer, area, state, text]] of Object.entries(patients)) {
  test(`${what}: at most three requests, and ${area} is ${state}`, async () => {
    let requests = 0;
    const { url, close } = await listen((request) => {
      requests += 1;
      return answer(request);
    });
    const credentials = { applicationId: env.CLIENT_APPLICATION_ID, token: env.CLIENT_TOKEN };
    const patient: Target = { ...target, place: { kind: 'deployment', baseUrl: url, credentials } };
    const client = openTarget(patient, undefined, { repeats: noRepeats });
    const findings = await examine(suite, patient, client);
    await client.close();
    await close();
    expect(requests).toBeLessThanOrEqual(3);
    expect(findings.find((finding) => finding.area === area)).toMatchObject({
      state,
      text: expect.stringMatching(text),
    });
    expect(findingsText(findings)).not.toContain(env.CLIENT_TOKEN);
  });
}

test('a deployment that is down', async () => {
  const { status, output } = await conformance(['doctor', '--base-url', 'http://127.0.0.1:1'], { cwd: folder, env });
  expect(output).toMatch(/^URL +TROUBLE +127\.0\.0\.1:1 refuses the connection/m);
  expect(output).toMatch(/^Ids +\? +Not known; hint what is in trouble first\.$/m);
  expect(status).toBe(1);
});

test('plain HTTP where TLS is expected', async () => {
  const { url, close } = await listen(honest);
  const { output } = await conformance(['doctor', '--base-url', url.replace('http:', 'https:')], { cwd: folder, env });
  await close();
  expect(output).toMatch(/^TLS +TROUBLE +.*Does it speak TLS/m);
});

test('without a target the reference deployment is well', async () => {
  const { status, output } = await conformance(['doctor'], { cwd: folder });
  expect(output.match(/ fine /g)).toHaveLength(6);
  expect(status).toBe(0);
});

test.describe('with a part of the world', () => {
  const at = { file: 'target.yaml', line: 1, column: 1 };
  const bound = (names: Partial<Record<string, Record<string, string>>>): Suite =>
    loadSuite(ownFolder, {
      bindings: Object.fromEntries(
        kinds.map((kind) => [kind, new Map(Object.entries(names[kind] ?? {}).map(([name, id]) => [name, { id, at }]))]),
      ) as never,
    });
  const examined = async (asked: Suite, channel: Channel) =>
    Object.fromEntries((await examine(asked, target, channel)).map(({ area, state }) => [area, state]));

  test('a customer and a product will do', async () => {
    const asked = bound({
      customer: { ann: world.customers[1]?.id ?? '' },
      product: { mug: world.products[0]?.id ?? '' },
    });
    const foreign: Answer = (request) => {
      const response = honest(request);
      return { ...response, body: response.body.replaceAll('promo_', 'other_') };
    };
    expect(await examined(asked, channelTo(foreign))).toEqual({
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
      maxOfCase: Number.POSITIVE_INFINITY,
    };
    expect(await examined(bound({}), channel)).toMatchObject({ URL: 'unknown', Ids: 'trouble' });
  });
});

test('findings are a line each', () => {
  expect(findingsText([{ area: 'URL', state: 'trouble', text: 'Gone.' }])).toBe('URL          TROUBLE  Gone.\n');
});
