import type { Socket } from 'node:net';
import { expect } from '@playwright/test';
import { openClient } from '../../src/http/client.js';
import type { PartialConnectionOptions, RetryOptions } from '../../src/http/connection-options.js';
import type { Exchange } from '../../src/http/exchange.js';
import { computeRetryDelay, isRetryable } from '../../src/http/response-status.js';
import { countAttempts } from '../../src/run/case-sender.js';
import { runSuite } from '../../tools/proof/judge-deployment.js';
import { requirementSuite } from '../support/in-process.js';
import { createIndependentDeployment, listen } from '../support/independent-deployment.js';
import { createRequest, getOutcome, joinNames, type Reply, renderResponse, test } from '../support/wire.js';

// These tests compare the number and the order of requests, never durations.

const ok = renderResponse('200 OK', [], '{}');
const renderBusy = (status: number, ...headers: readonly string[]) => renderResponse(`${status} Busy`, headers);
const quick: RetryOptions = { delays_seconds: [0.001, 0.001], max_delay_seconds: 1 };

/** An exchange that ended with a status, or with a transport error. */
const createExchange = (outcome: number | string, method = 'GET', headers: Exchange['request']['headers'] = []) =>
  ({
    request: createRequest('a', method),
    ...(typeof outcome === 'number'
      ? { response: { status: outcome, headers, body: '' } }
      : { transportError: outcome, message: `It was ${outcome}.` }),
  }) as Exchange;

test('A request is retried after a transient failure, but a POST only if it cannot have reached the deployment', () => {
  const transient = [408, 421, 425, 429, 499, 502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527, 530];
  const final = [200, 204, 301, 307, 400, 401, 403, 404, 405, 409, 413, 418, 422, 500, 501, 505, 519, 531];
  const lost = ['timed-out', 'broken-connection', 'unreadable', 'invalid-coding'];
  for (const [method, outcomes, isRetried] of [
    ['GET', [...transient, 'unreachable', 'tls', ...lost], true],
    ['GET', [...final, 'too-large', 'not-sent'], false],
    ['POST', lost, false],
    ['POST', [503, 'unreachable', 'tls'], true],
  ] as const)
    for (const outcome of outcomes)
      expect(isRetryable(createExchange(outcome, method)), `${method} ${outcome}`).toBe(isRetried);
  expect(isRetryable(createExchange(500, 'GET', [['retry-after', '0']]))).toBe(false);
});

test('A retry waits as Retry-After says, or for its own delay', () => {
  const now = Date.parse('2026-11-21T12:00:00Z');
  const retry: RetryOptions = { delays_seconds: [0.007], max_delay_seconds: 60 };
  const delays: readonly (readonly [status: number, retryAfter: string | undefined, ms: number, forAll: boolean])[] = [
    [502, undefined, 7, false],
    [503, undefined, 7, true],
    [429, undefined, 7, true],
    [429, '2', 2_000, true],
    [503, '0', 0, true],
    [503, '61', 60_000, true],
    [503, '9'.repeat(400), 60_000, true],
    [503, 'Sat, 21 Nov 2026 12:00:05 GMT', 5_000, true],
    [503, 'Sat, 21 Nov 2026 11:59:59 GMT', 0, true],
    [503, 'soon', 7, true],
    [503, '-1', 7, true],
  ];
  for (const [status, retryAfter, ms, forAll] of delays) {
    const exchange = createExchange(status, 'GET', retryAfter === undefined ? [] : [['retry-after', retryAfter]]);
    expect.soft(computeRetryDelay(exchange, 0.007, retry, now), `${status} ${retryAfter}`).toEqual({ ms, forAll });
  }
  expect(computeRetryDelay(createExchange('timed-out'), 0.007, retry, now)).toEqual({ ms: 7, forAll: false });
});

/** Requests of this row follow each other; those of others are sent together. */
const inTurn = 'no retry after three failures in a row';
const failures = '503/3 503/3 503/3 503/1 200/1 503/3';
const atOnce = renderBusy(503, 'Retry-After: 0');
const reset = (socket: Socket) => void socket.resetAndDestroy();
const hours: RetryOptions = { delays_seconds: [3_600, 3_600], max_delay_seconds: 3_600 };
const pacing = { concurrency: 1 };
const busy = renderBusy(503);
const past = renderBusy(429, 'Retry-After: Sat, 01 Jan 2000 00:00:00 GMT');
const after = (seconds: number) => ({ pacing, retry: { delays_seconds: [seconds], max_delay_seconds: seconds } });

/** The requests by their letters, how each ends after how many attempts, and the order in which they arrive. */
type Course = `${string}: ${string}: ${string}`;
type Row = readonly [what: string, replies: Reply[], options: PartialConnectionOptions, course: Course];
const rows: readonly Row[] = [
  // client.spec.ts shows which transport error each reply is.
  ['503 once', [busy, ok], { retry: quick }, 'a: 200/2: aa'],
  ['a reset connection each time', [reset], { retry: quick }, 'a: broken-connection/3: aaa'],
  ['Retry-After in place of the own delay', [atOnce, past, ok], { retry: hours }, 'a: 200/3: aaa'],
  ['all wait for Retry-After', [renderBusy(503, 'Retry-After: 1'), ok], after(0.2), 'abc: 200/2 200/1 200/1: aabc'],
  // The others are done long before.
  ['all wait for the retry after 503', [busy, ok], after(0.2), 'abc: 200/2 200/1 200/1: aabc'],
  ['the others go on after 502', [renderBusy(502), ok], after(2), 'abc: 200/2 200/1 200/1: abca'],
  [inTurn, [...Array(10).fill(busy), ok, busy], { retry: quick }, `abcdef: ${failures}: aaabbbcccdefff`],
];
for (const [what, replies, options, course] of rows)
  test(`Attempts and their order: ${what}`, async ({ serve, open }) => {
    const wire = await serve(...replies);
    const { send } = open(wire.url, options);
    const sent: Promise<Exchange>[] = [];
    const [names = ''] = course.split(':');
    for (const name of names) {
      sent.push(send(createRequest(name)));
      if (what === inTurn) await sent.at(-1);
    }
    const exchanges = await Promise.all(sent);
    const ends = exchanges.map((exchange) => `${getOutcome(exchange)}/${exchange.attempts}`).join(' ');
    expect(`${names}: ${ends}: ${joinNames(wire)}`).toBe(course);
  });

test('Later requests go one at a time after 429', async ({ serve, open }) => {
  const first: Socket[] = [];
  let pending = 0;
  let maxPending = 0;
  const wire = await serve((socket) => {
    if (first.length < 4) {
      first.push(socket);
      if (first.length === 4) for (const [n, socket] of first.entries()) socket.write(n === 0 ? renderBusy(429) : ok);
      return;
    }
    pending += 1;
    maxPending = Math.max(maxPending, pending);
    setTimeout(() => {
      pending -= 1;
      socket.write(ok);
    }, 20);
  });
  const { send } = open(wire.url, { pacing: { concurrency: 4 }, retry: quick });
  const sendAll = (names: string) => Promise.all([...names].map((name) => send(createRequest(name))));
  await sendAll('abcd');
  await sendAll('efgh');
  expect(wire.received).toHaveLength(9);
  expect(maxPending).toBe(1);
});

test('A rate limit makes the second request wait for its turn', async ({ serve, open }) => {
  const wire = await serve(ok);
  const { send, close } = open(wire.url, { pacing: { requests_per_second: 0.001 } });
  const [first, ...others] = ['a', 'b', 'c'].map((name) => send(createRequest(name)));
  expect(getOutcome((await first) as Exchange)).toBe(200);
  await close();
  expect((await Promise.all(others)).map(getOutcome)).toEqual(['not-sent', 'not-sent']);
  expect(joinNames(wire)).toBe('a');
});

test('A deployment that fails now and then conforms, and every request is counted', async () => {
  const answer = createIndependentDeployment(requirementSuite.world);
  let received = 0;
  const { url, close } = await listen((request) => {
    received += 1;
    if (received % 5 !== 0) return answer(request);
    const [status, headers] = received % 2 === 0 ? [503, []] : [429, [['Retry-After', '0']] as const];
    return { status, headers, body: '' } as never;
  });
  const client = openClient({ retry: quick, baseUrl: url });
  const { results, evidence } = await runSuite(requirementSuite, client);
  await client.close();
  await close();
  expect(results.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
  expect(countAttempts(evidence.exchanges.map(({ exchange }) => exchange))).toBe(received);
});
