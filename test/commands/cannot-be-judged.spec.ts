/** Deployments that cannot be judged: a run ends early and says why, and `doctor` finds the problem. */

import { createServer } from 'node:https';
import { expect, test } from '@playwright/test';
import type { HttpRequest, HttpResponse, RequestChannel, TransportErrorKind } from '../../src/http/exchange.js';
import { renderExaminationFindings } from '../../src/outputs/terminal/findings.js';
import { type ExaminationSettings, type ExaminedArea, examineTarget } from '../../src/run/examine-target.js';
import { startRun } from '../../src/run/run.js';
import { loadSuite, packageCasesFolder } from '../../src/suite/suite.js';
import { parseJson } from '../../src/support/json.js';
import { renderReason } from '../../src/support/reason.js';
import { credentialVariables, makeTestFolder, runConformanceInProcess } from '../support/cli.js';
import {
  type Answer,
  certifyInProcess,
  certifyOver,
  channelTo,
  createBindings,
  createReference,
  requirementSuite,
  suite,
} from '../support/in-process.js';
import {
  createIndependentDeployment,
  listen,
  type ShapeName,
  shapes,
  type Traits,
} from '../support/independent-deployment.js';
import { listenOnLoopback } from '../support/listen-on-loopback.js';
import { reasonOf } from '../support/reasons.js';
import { serverCertificate } from '../support/tls-certificates.js';

const cwd = makeTestFolder();

const { world } = suite;
const conforming = createIndependentDeployment(world);
const reply = (status: number, body = '', type = 'application/json'): HttpResponse => ({
  status,
  headers: type === '' ? [] : [['Content-Type', type]],
  body,
});
const always =
  (...response: Parameters<typeof reply>): Answer =>
  () =>
    reply(...response);
const redirectTo =
  (locate: (path: string) => string): Answer =>
  ({ path }) => ({ status: 308, headers: [['Location', locate(path)]], body: '' });
const redirecting = redirectTo(() => 'https://b.test/x');
const withSlash = (path: string) => path.replace(/(?=\?)|$/, '/');
const withoutBody =
  (answer: Answer): Answer =>
  ({ body, ...request }) =>
    answer(request);
/** Answers the first request in one way, the others in another way. */
const firstThen = (first: Answer, others: Answer): Answer => {
  let turn = 0;
  return (request) => (++turn === 1 ? first(request) : others(request));
};
const allowing =
  (methods: string): Answer =>
  () => ({ ...reply(405, '{}'), headers: [['allow', methods]] });
let requestId = 0;
const withRequestId: Answer = (request) => {
  const { data } = JSON.parse(conforming(request).body);
  return reply(200, JSON.stringify({ request_id: `v-${++requestId}`, data }));
};
const page = '<!DOCTYPE html><html><title>Welcome</title></html>';
const breaking = (transportError: TransportErrorKind, message: string): Partial<RequestChannel> => ({
  send: async (request) => ({ request, transportError, message }),
});
const findReason = async (answer: Answer) => (await startRun(suite, channelTo(answer))).examination.unreachable;

type Data = Readonly<Record<string, unknown>>;
type Finding = readonly [area: ExaminedArea, state: string, reason: unknown];
const problem = (area: ExaminedArea, code: string, data?: Data): Finding => [area, 'problem', reasonOf(code, data)];
const unknown = (area: ExaminedArea, code: string, data?: Data): Finding => [area, 'unknown', reasonOf(code, data)];
const judgesNothing = 'judges nothing';
/** What the doctor finds, and whether a run gives it as the reason of every case. */
type Row = readonly [
  what: string,
  answer: Answer | Partial<RequestChannel>,
  finds: Finding,
  run?: typeof judgesNothing,
];
const html = (body: string) => always(200, body, 'text/html');
const refusingBodies: Answer = (request) => (request.body === undefined ? conforming(request) : reply(403));
const wrapped: Answer = (request) => ({ ...conforming(request), body: `<ul>${conforming(request).body}</ul>` });
const byBody =
  (answer: (body: string) => HttpResponse): Answer =>
  ({ body = '' }) =>
    answer(body);

const notFound = always(404, '<html>Cannot GET /v1</html>', 'text/html');
/** No path has all promotions. */
const inTwoParts: Answer = (request) => {
  const response = conforming(request);
  const { data = [] } = JSON.parse(response.body) as { data?: unknown[] };
  return { ...response, body: JSON.stringify({ one: data.slice(0, 3), more: data.slice(3) }) };
};

const rows: readonly Row[] = [
  ['conforms', conforming, ['Ids', 'fine', reasonOf('ids-named')]],
  [
    'has another path',
    notFound,
    problem('URL', 'web-pages', { answer: expect.stringContaining('Cannot GET') }),
    judgesNothing,
  ],
  ['redirects', redirecting, problem('URL', 'redirected', { location: 'https://b.test/x' }), judgesNothing],
  ...[
    ['the path alone', (path: string) => `/api${withSlash(path)}`],
    ['an address', (path: string) => `https://a.test/api${withSlash(path)}`],
    ['an address without the query', (path: string) => withSlash(`https://a.test${path.split('?')[0]}`)],
  ].map(
    ([form, locate]): Row => [
      `redirects to the path with a slash, by ${form}`,
      redirectTo(locate as (path: string) => string),
      problem('URL', 'redirected-to-slash'),
      judgesNothing,
    ],
  ),
  [
    'redirects to another host',
    redirectTo((path) => `https://www.b.test/api${path}`),
    problem('URL', 'redirected-to-base', { base: 'https://www.b.test/api' }),
    judgesNothing,
  ],
  [
    'redirects to a login page that knows the path',
    redirectTo((path) => `/login?next=${path}`),
    problem('URL', 'redirected'),
    judgesNothing,
  ],
  ['redirects to a path that ends alike', redirectTo((path) => `/other${path}`), problem('URL', 'redirected')],
  [
    'compresses wrongly',
    breaking('invalid-coding', 'The body is not valid gzip.'),
    problem('Responses', 'invalid-coding', { message: 'The body is not valid gzip.' }),
    judgesNothing,
  ],
  [
    'has a page for each error',
    always(404, '<!doctype html><title>404</title>', 'text/html'),
    problem('URL', 'web-pages', { answer: expect.stringContaining('404 (text/html)') }),
    judgesNothing,
  ],
  [
    'says in a success that the credentials are wrong',
    byBody((body) => reply(200, JSON.stringify({ error: 'unauthorized', length: body.length }))),
    problem('Ids', 'ids-unnamed', { answer: expect.stringContaining('unauthorized') }),
  ],
  [
    'limits requests',
    always(429),
    problem('URL', 'unavailable-now', { reason: reasonOf('unavailable') }),
    judgesNothing,
  ],
  [
    'is not available',
    always(503),
    problem('URL', 'unavailable-now', { reason: reasonOf('unavailable') }),
    judgesNothing,
  ],
  [
    'cuts the connection',
    breaking('broken-connection', 'It broke.'),
    problem('URL', 'odd-response', { message: 'It broke.' }),
    judgesNothing,
  ],
  [
    'hangs',
    breaking('timed-out', 'It is late.'),
    problem('URL', 'no-response', { message: 'It is late.' }),
    judgesNothing,
  ],
  ...['POST', 'OPTIONS, POST'].map(
    (methods): Row => [
      `allows ${methods} alone`,
      allowing(methods),
      problem('Responses', 'rejected-for-post', { answer: expect.stringContaining('405') }),
    ],
  ),
  ...['GET, POST', 'PUT', ''].map(
    (methods): Row => [
      `answers 405 and allows '${methods}'`,
      allowing(methods),
      problem('Responses', 'rejected-always', { status: 405 }),
    ],
  ),
  [
    'refuses the credentials',
    always(401),
    problem('Credentials', 'credentials-examined', { reason: reasonOf('credentials-refused', { status: 401 }) }),
    judgesNothing,
  ],
  [
    'is behind a gateway',
    always(403, '{"message":"Missing API key"}'),
    problem('Credentials', 'credentials-examined', {
      answer: '403 (application/json), "{"message":"Missing API key"}"',
    }),
    judgesNothing,
  ],
  [
    'answers with web pages',
    html(`${page}${'x'.repeat(500)}`),
    problem('URL', 'web-pages', { answer: expect.stringContaining('"<!DOCTYPE html>') }),
    judgesNothing,
  ],
  // What nginx says.
  [
    'speaks TLS',
    always(400, 'The plain HTTP request was sent to HTTPS port'),
    problem('URL', 'alike-over-https'),
    judgesNothing,
  ],
  [
    'answers with an empty object',
    always(200, '{}'),
    problem('URL', 'alike', { answer: '200 (application/json), "{}"' }),
    judgesNothing,
  ],
  [
    'answers with a text',
    always(200, 'It works!', 'text/plain'),
    problem('URL', 'alike', { answer: '200 (text/plain), "It works!"' }),
    judgesNothing,
  ],
  ['loses the body', withoutBody(conforming), problem('Body on GET', 'body-lost', { status: 200 })],
  ['loses the body and adds a request id', withoutBody(withRequestId), problem('Body on GET', 'body-lost')],
  ['demands the body that a proxy drops', always(422), unknown('Body on GET', 'body-perhaps-lost', { status: 422 })],
  ['returns nothing', always(200, '[]'), unknown('Body on GET', 'body-perhaps-lost', { status: 200 })],
  ['limits after one request', firstThen(conforming, always(429)), unknown('Body on GET', 'not-checked')],
  [
    'refuses the body',
    refusingBodies,
    problem('Body on GET', 'body-refused', { status: 200, answer: expect.stringMatching(/^403/) }),
  ],
  ['returns HTML', wrapped, problem('Responses', 'unreadable')],
  ['rejects the request', byBody((body) => reply(body === '' ? 422 : 400, '{}')), problem('Responses', 'rejected')],
  [
    'names promotions under two paths',
    inTwoParts,
    problem('Responses', 'paths-compared', { stated: expect.stringMatching(/^response: \{ tier: /) }),
  ],
  [
    'has another world',
    byBody((body) => reply(200, `[{"id":"other-${body.length}"}]`)),
    problem('Ids', 'ids-unnamed', { answer: expect.stringContaining('other-') }),
  ],
];
/** What each area says beside the problem: nothing that nobody saw, and nothing that only follows from the problem. */
const besides: readonly (readonly [
  what: string,
  answer: Answer,
  findings: Partial<Record<ExaminedArea, string>>,
  settings?: ExaminationSettings,
])[] = [
  ['conforms', conforming, { URL: 'answers', Credentials: 'credentials-accepted', 'Body on GET': 'body-read' }],
  ...[405, 406, 410].map(
    (status) =>
      [
        `answers ${status} to everything`,
        always(status, '{}'),
        { URL: 'not-checked', Credentials: 'not-checked', 'Body on GET': 'not-checked', Load: 'not-checked' },
      ] as const,
  ),
  ...[400, 422, 500].map(
    (status) =>
      [
        `answers ${status} to everything, and says why`,
        ({ path, body }: HttpRequest) =>
          path.startsWith('/v1/promotions')
            ? reply(status, body === undefined ? '{"needs":"a body"}' : '{}')
            : reply(404),
        { URL: 'responds', Credentials: 'not-checked', 'Body on GET': 'not-checked', Load: 'not-checked' },
      ] as const,
  ),
  ['refuses the credentials', always(401), { URL: 'responds', 'Body on GET': 'not-checked', Load: 'not-checked' }],
  ['refuses the body', refusingBodies, { URL: 'answers', Credentials: 'credentials-accepted' }],
  ['conforms, as stated', conforming, { Load: 'load-stated' }, { isWorldLoaded: true }],
  ['is the reference', conforming, { Load: 'load-of-reference' }, { isWorldLoaded: true, isReference: true }],
  ['conforms', conforming, { Load: 'load-unsuspected' }],
  [
    'refuses POST through a transport',
    allowing('GET'),
    { Responses: 'rejected-through-transport', URL: 'not-checked' },
    { isThroughTransport: true },
  ],
];
for (const [what, answer, expected, settings = {}] of besides)
  test(`Of a deployment that ${what}, doctor says what was seen: ${Object.values(expected).join(', ')}`, async () => {
    const { findings } = await examineTarget(suite, channelTo(answer), settings);
    const codes = Object.fromEntries(findings.map(({ area, reason }) => [area, reason.code]));
    expect(codes).toMatchObject(expected);
  });

test('Through a transport, no finding speaks of GET, of proxies, or of another transport', async () => {
  const statuses = [200, 405, 406, 422].map((status) => always(status, '{}'));
  for (const answer of [conforming, refusingBodies, withoutBody(conforming), allowing('POST'), ...statuses]) {
    const { findings } = await examineTarget(suite, channelTo(answer), { isThroughTransport: true });
    const output = renderExaminationFindings(findings, true);
    expect(output).not.toMatch(/\bGET\b|prox(y|ies)\b|docs\/transports/);
    expect(output).toMatch(/^Body /m);
    const direct = (await examineTarget(suite, channelTo(answer), {})).findings;
    expect(renderExaminationFindings(direct)).toMatch(/^Body on GET /m);
  }
});

for (const [what, answer, finds, run] of rows)
  test(`A deployment that ${what}`, async () => {
    let requests = 0;
    const channel = typeof answer === 'function' ? channelTo(answer) : { ...channelTo(conforming), ...answer };
    const send = (request: HttpRequest) => {
      requests += 1;
      return channel.send(request);
    };
    const [area, state, reason] = finds;
    const { findings } = await examineTarget(suite, { send }, {});
    const found = findings.find((finding) => finding.area === area);
    expect(found).toEqual({ area, state, reason });
    expect(renderReason(found?.reason)).not.toContain('{{');
    expect(requests).toBeLessThanOrEqual(20);
    if (run !== judgesNothing) return;
    requests = 0;
    const { certificate } = await certifyOver({ ...channel, send }, requirementSuite);
    expect([certificate.verdict, certificate.summary]).toEqual(['incomplete', { inconclusive: 17 }]);
    for (const entry of certificate.requirements.flatMap(({ cases }) => cases)) {
      expect([entry.code, entry.reason]).toEqual([found?.reason.code, renderReason(found?.reason)]);
      expect(entry.reason.length).toBeLessThan(700);
    }
    // Nobody is locked out by hundreds of refusals.
    expect(requests).toBeLessThanOrEqual(20);
  });

test('doctor names a deployment that is down, one without TLS, and one with TLS', async () => {
  const [plain, secure] = [await listen(conforming), await listenOnLoopback(createServer(serverCertificate))];
  const examineAt = (base: string) =>
    runConformanceInProcess(['doctor', '--base-url', base], { cwd, env: credentialVariables });
  const { status, output } = await examineAt('http://127.0.0.1:1');
  const withoutTls = await examineAt(plain.url.replace('http:', 'https:'));
  const withTls = await examineAt(secure.url);
  await Promise.all([plain.close(), secure.close()]);
  expect(output).toMatch(/^URL +PROBLEM .*127\.0\.0\.1:1 /);
  expect(output).toMatch(/^Ids +\? /m);
  expect(status).toBe(1);
  expect(withoutTls.output).toMatch(/^TLS +PROBLEM +.*Does it speak TLS/);
  expect(withTls.output).toContain('If the port is for HTTPS, write https://');
});

test('Who wrote https:// is not told to write it', async () => {
  const send = async (request: HttpRequest) =>
    ({ request, transportError: 'broken-connection', message: 'It broke.' }) as const;
  for (const [isEncrypted, code] of [
    [false, 'odd-response'],
    [true, 'no-response'],
  ] as const) {
    const { findings } = await examineTarget(suite, { send }, { isEncrypted });
    expect(findings.find(({ state }) => state === 'problem')?.reason.code).toBe(code);
  }
});

test('Where every path is answered 404, the address is the only problem: nothing that follows from it is another', async () => {
  const { findings } = await examineTarget(suite, channelTo(always(404, '{"message":"Not found"}')), {});
  expect(findings.flatMap(({ area, state }) => (state === 'problem' ? area : []))).toEqual(['URL']);
});

test('If the user says that the world is loaded, only a web page shows that the address is wrong', async () => {
  const judge = async (answer: Answer) =>
    (await certifyInProcess(answer, { suite: requirementSuite, isWorldLoaded: true })).certificate;
  for (const answer of [reply(404, '{"error":"not found"}'), reply(400, '{}'), reply(200, '{"status":"ok"}')])
    expect.soft((await judge(() => answer)).verdict, answer.body).toBe('does-not-conform');
  for (const status of [200, 404]) {
    const { verdict, requests_sent } = await judge(() => reply(status, page, 'text/html'));
    expect.soft([verdict, requests_sent < 20], String(status)).toEqual(['incomplete', true]);
  }
});

test('A conforming deployment never ends early, with or without the world', async () => {
  const withoutTiers = { ...world, tiers: [] };
  const withoutWorld = { ...withoutTiers, customers: [], products: [], skus: [], campaigns: [] };
  const traits: Traits[] = [
    ...(Object.keys(shapes) as ShapeName[]).map((shape) => ({ shape })),
    ...([404, 204, 'no-body'] as const).map((empty) => ({ empty })),
    { unknownCustomer: 'rejected' },
    { unknownCustomer: 'rejected', empty: 404 },
  ];
  // deployments.spec.ts has those with the world.
  for (const part of [withoutWorld, withoutTiers])
    for (const trait of traits)
      expect.soft(await findReason(createIndependentDeployment(part, trait)), JSON.stringify(trait)).toBeUndefined();
  for (const form of ['empty-list', 'no-content', 'not-found', 'rejected', 'empty-body'])
    expect
      .soft(await findReason(createReference({ world: withoutWorld, behaviours: { 'empty-result': form } })), form)
      .toBeUndefined();

  const isOperation = ({ path: place }: HttpRequest) => place.startsWith('/v1/promotions/validation');
  const nothing: Record<string, Answer> = {
    'answers any path with an empty list': always(200, '{"promotions":[]}'),
    'answers any path with nothing': always(204, '', ''),
    'says in words that nothing is valid': (request) =>
      isOperation(request) ? reply(200, '{"message":"No promotion is valid"}') : reply(404),
    'declares an empty list as HTML': html('[]'),
    'answers 404 with the same text as for another path, but reads the body': ({ body = '{}' }) =>
      reply(parseJson(body) === undefined ? 400 : 404, page, 'text/html'),
    'has a page for unknown customers': (request) =>
      reply(404, isOperation(request) ? `${page} unknown customer` : page, 'text/html'),
    'has promotions of others, and filters them': ({ path: place }) =>
      reply(200, place.includes('filters') ? '[]' : '[{"id":"other"}]'),
  };
  for (const [what, answer] of Object.entries(nothing)) expect.soft(await findReason(answer), what).toBeUndefined();
});

test('A customer and a product of the test data are enough for most checks', async () => {
  const { ann = '', mug = '' } = Object.fromEntries([...world.ids.customer, ...world.ids.product]);
  const bindings = createBindings((_, name) => ({ ann, mug })[name]);
  const withOwnPromotions: Answer = (request) => {
    const response = conforming(request);
    return { ...response, body: response.body.replaceAll('promo_', 'other_') };
  };
  const { findings } = await examineTarget(
    loadSuite(packageCasesFolder, { bindings }),
    channelTo(withOwnPromotions),
    {},
  );
  expect(Object.fromEntries(findings.map(({ area, state }) => [area, state]))).toEqual({
    URL: 'fine',
    TLS: 'fine',
    Credentials: 'fine',
    'Body on GET': 'fine',
    Responses: 'unknown',
    Ids: 'unknown',
    Load: 'unknown',
  });
});
