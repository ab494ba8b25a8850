/** Fronts that refuse a body on GET, in whatever way, and deployments that only seem to. */

import { expect, test } from '@playwright/test';
import type {
  Exchange,
  HttpRequest,
  HttpResponse,
  RequestChannel,
  TransportErrorKind,
} from '../../src/http/exchange.js';
import { examineTarget } from '../../src/run/examine-target.js';
import { isJsonObject, parseJson } from '../../src/support/json.js';
import { type Answer, channelTo, createReference, listRequirementsWith, suite } from '../support/in-process.js';
import { createIndependentDeployment, shapes } from '../support/independent-deployment.js';
import { listReasonCodes, reasonOf } from '../support/reasons.js';
import { judgeAgain, runWithEvidence } from '../support/run-with-evidence.js';

const { world } = suite;
const reply = (status: number, body: string, type = 'text/html'): HttpResponse => ({
  status,
  headers: [['Content-Type', type]],
  body,
});

/** A channel through a front that does not forward requests with a body. */
function channelThrough(refuse: (request: HttpRequest) => Exchange): RequestChannel {
  const channel = channelTo(createReference());
  return {
    ...channel,
    send: async (request) => (request.body === undefined ? await channel.send(request) : refuse(request)),
  };
}
let incident = 0;
const withStatus = (status: number) =>
  channelThrough((request) => {
    incident += 1;
    return { request, response: reply(status, `<h1>Refused</h1> Incident ${incident}`) };
  });
const withoutResponse = (transportError: TransportErrorKind, message: string) =>
  channelThrough((request) => ({ request, transportError, message }));

/** What a front answers proves nothing about the deployment behind it. */
const incomplete: readonly (readonly [what: string, channel: RequestChannel])[] = [
  ...[400, 401, 403, 407, 408, 411, 413, 431, 499, 502, 503, 504, 520].map(
    (status) => [String(status), withStatus(status)] as const,
  ),
  ['a timeout', withoutResponse('timed-out', 'There was no complete response within 10000 ms.')],
  ['a reset', withoutResponse('broken-connection', 'The connection broke before the response was complete (RST).')],
  ['an empty reply', withoutResponse('unreadable', 'The response is not valid HTTP.')],
];
const failing = [404, 405, 406, 409, 410, 415, 422, 500, 501].map(
  (status) => [String(status), withStatus(status)] as const,
);
const cases = [
  ...incomplete.map((entry) => [...entry, 'incomplete'] as const),
  ...failing.map((entry) => [...entry, 'does-not-conform'] as const),
];
for (const [what, channel, verdict] of cases)
  test(`A body on GET that is refused with ${what}: ${verdict}`, async () => {
    const { findings } = await examineTarget(suite, channel, {});
    expect(findings).toContainEqual({
      area: 'Body on GET',
      state: 'problem',
      reason: reasonOf('body-refused', { status: 200 }),
    });
    const run = await runWithEvidence(channel);
    expect(run.certificate.verdict).toBe(verdict);
    const says = /refuses a body on GET, or does not read all of it\./;
    expect(run.certificate.causes?.map(({ sentence }) => sentence)).toEqual([expect.stringMatching(says)]);
    const expected = verdict === 'incomplete' ? [] : ['request.get-with-body'];
    expect(listRequirementsWith('fail', run.certificate)).toEqual(expected);
    expect(run.certificate.requests_sent).toBeLessThan(12);
    expect(await judgeAgain(run)).toEqual(run.certificate);
  });

const readBody = ({ body = '{}' }: HttpRequest) => {
  const parsed = parseJson(body);
  return isJsonObject(parsed) ? parsed : {};
};
const hasCustomer = (request: HttpRequest) => isJsonObject(readBody(request).customer);
const nothingLoaded = { ...world, tiers: [], customers: [], products: [] };
const unknownCustomers = createIndependentDeployment(nothingLoaded, { unknownCustomer: 'rejected' });
const refusingCustomers =
  (status: number, answer: Answer): Answer =>
  (request) =>
    hasCustomer(request) ? reply(status, 'No such customer') : answer(request);
const demandingCustomers: Answer = (request) => {
  if (request.body === undefined) return reply(200, '[]', 'application/json');
  return hasCustomer(request) ? reply(400, 'No such customer') : reply(400, 'The customer is missing');
};
let turn = 0;
const others: Readonly<Record<string, Answer | RequestChannel>> = {
  'has nothing loaded, and answers 404 for unknown customers': unknownCustomers,
  ...Object.fromEntries(
    [400, 404, 422, 500].map((status) => [
      `has nothing loaded, and answers ${status} for unknown customers`,
      refusingCustomers(status, createIndependentDeployment(nothingLoaded)),
    ]),
  ),
  'has no customers, but promotions': refusingCustomers(404, createIndependentDeployment(world)),
  'demands a known customer, but no body': demandingCustomers,
  'limits the rate of requests': () => {
    turn += 1;
    return turn % 3 === 0 ? reply(200, '[]', 'application/json') : reply(429, 'Slow down');
  },
  'is not there': () => reply(503, 'Not available'),
  conforms: createIndependentDeployment(world, { shape: shapes.wrapped, unknownCustomer: 'rejected' }),
};
for (const [what, answer] of Object.entries(others))
  test(`A deployment that ${what} does not refuse a body`, async () => {
    const { findings } = await examineTarget(suite, typeof answer === 'function' ? channelTo(answer) : answer, {});
    expect(findings.flatMap(({ reason }) => listReasonCodes(reason))).not.toContain('body-refused');
  });
