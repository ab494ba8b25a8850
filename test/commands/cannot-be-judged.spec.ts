/** Deployments that cannot be judged: a run ends early and says why, and `doctor` finds the problem. */

import { createServer } from 'node:https';
import { expect, test } from '@playwright/test';
import type { Channel, HttpRequest, HttpResponse, TransportErrorKind } from '../../src/http/exchange.js';
import { type ExaminedArea, examine } from '../../src/run/examine.js';
import { startRun } from '../../src/run/run.js';
import { loadSuite, suiteFolder } from '../../src/suite/suite.js';
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
const redirecting: Answer = () => ({ status: 308, headers: [['Location', 'https://b.test/x']], body: '' });
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
  return reply(200, JSON.stringify({ request_id: `v-${++requestId}`, data }));
};
const page = '<!DOCTYPE html><html><title>Welcome</title></html>';
const breaking = (transportError: TransportErrorKind, message: string): Partial<Channel> => ({
  send: async (request) => ({ request, transportError, message }),
});
const findReason = async (answer: Answer) => (await startRun(suite, channelTo(answer))).examination.unreachable;

type Finding = readonly [area: ExaminedArea, state: string, text: RegExp];
const problem = (area: ExaminedArea, text: RegExp): Finding => [area, 'problem', text];
const unknown = (area: ExaminedArea, text: RegExp): Finding => [area, 'unknown', text];
/** What the doctor finds, and what a run says of every case. */
type Row = readonly [what: string, answer: Answer | Partial<Channel>, finds: Finding | undefined, says?: RegExp];
const gateway = /'headers' in the target file.*403 \(application\/json\), "\{"message":"Missing API key"\}"/;
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
  ['conforms', conforming, ['Ids', 'fine', /promotions of the test data/]],
  ['has another path', notFound, problem('URL', /base URL.*transport/), /Cannot GET .*base_url.*prefix/],
  ['redirects', redirecting, problem('URL', /to https:\/\/b\.test\/x/), /not followed/],
  ['limits requests', always(429), problem('URL', /pacing/), /limits the rate/],
  ['is not available', always(503), undefined, /not available/],
  ['cuts the connection', breaking('broken-connection', 'It broke.'), undefined, /It broke/],
  ['hangs', breaking('timed-out', 'It is late.'), undefined, /It is late/],
  ['refuses the credentials', always(401), problem('Credentials', /CLIENT_TOKEN/), /credentials are probably wrong/],
  [
    'is behind a gateway',
    always(403, '{"message":"Missing API key"}'),
    problem('Credentials', /'headers'.*Missing API key/),
    gateway,
  ],
  [
    'answers with web pages',
    html(`${page}${'x'.repeat(500)}`),
    problem('URL', /web pages/),
    /"<!DOCTYPE html>.*base_url/,
  ],
  // What nginx says.
  ['speaks TLS', always(400, 'The plain HTTP request was sent to HTTPS port'), undefined, /The port is for HTTPS/],
  ['answers with an empty object', always(200, '{}'), undefined, /"\{\}".*base_url/],
  ['answers with a text', always(200, 'It works!', 'text/plain'), undefined, /"It works!"/],
  ['loses the body', withoutBody(conforming), problem('Body on GET', /lost.*proxies/)],
  ['loses the body and adds a request id', withoutBody(withRequestId), problem('Body on GET', /lost/)],
  [
    'demands the body that a proxy drops',
    always(422),
    unknown('Body on GET', /422 with a body and without one.*proxies/),
  ],
  ['returns nothing', always(200, '[]'), unknown('Body on GET', /name no promotion.*proves nothing/)],
  ['limits after one request', firstThen(conforming, always(429)), unknown('Body on GET', /the other problems first/)],
  ['refuses the body', refusingBodies, problem('Body on GET', /without one it answers 200.*With a body: 403/)],
  ['returns HTML', wrapped, problem('Responses', /not JSON/)],
  [
    'rejects the request',
    byBody((body) => reply(body === '' ? 422 : 400, '{}')),
    problem('Responses', /documented request is rejected/),
  ],
  ['names promotions under two paths', inTwoParts, problem('Responses', /response: \{ tier: /)],
  [
    'has another world',
    byBody((body) => reply(200, `[{"id":"other-${body.length}"}]`)),
    problem('Ids', /Load it.*bindings/),
  ],
];
for (const [what, answer, finds, says] of rows)
  test(`A deployment that ${what}`, async () => {
    let requests = 0;
    const channel = typeof answer === 'function' ? channelTo(answer) : { ...channelTo(conforming), ...answer };
    const send = (request: HttpRequest) => {
      requests += 1;
      return channel.send(request);
    };
    if (finds !== undefined) {
      const [area, state, text] = finds;
      const findings = (await examine(suite, { send }, {})).findings;
      const found = findings.find((finding) => finding.area === area);
      expect([found?.state, renderReason(found?.reason)]).toEqual([state, expect.stringMatching(text)]);
      expect(requests).toBeLessThanOrEqual(20);
    }
    if (says === undefined) return;
    requests = 0;
    const { certificate } = await certifyOver({ ...channel, send }, requirementSuite);
    expect([certificate.verdict, certificate.summary]).toEqual(['incomplete', { inconclusive: 17 }]);
    for (const { reason } of certificate.requirements.flatMap(({ cases }) => cases)) {
      expect(reason).toMatch(says);
      expect(reason.length).toBeLessThan(700);
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
  expect(output).toMatch(/^URL +PROBLEM +No connection to 127\.0\.0\.1:1 was made/m);
  expect(output).toMatch(/^Ids +\? +Not checked: solve the other problems first\.$/m);
  expect(status).toBe(1);
  expect(withoutTls.output).toMatch(/^TLS +PROBLEM +.*Does it speak TLS/m);
  expect(withTls.output).toContain('If the port is for HTTPS, write https://');
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
  const { findings } = await examine(loadSuite(suiteFolder, { bindings }), channelTo(withOwnPromotions), {});
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
