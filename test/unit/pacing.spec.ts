import { createServer, type Socket } from 'node:net';
import { expect } from '@playwright/test';
import { openClient } from '../../src/http/client.js';
import type { RetryOptions } from '../../src/http/connection-options.js';
import type { Exchange } from '../../src/http/exchange.js';
import { computeRetryDelay, isRetryable } from '../../src/http/retry.js';
import { runSuite } from '../../src/run/run.js';
import { requirementSuite } from '../support/in-process.js';
import { createIndependentDeployment, listen } from '../support/independent-deployment.js';
import {
  createRequest,
  getMessage,
  getOutcome,
  joinNames,
  type Reply,
  renderResponse,
  test,
  timeoutMs,
} from '../support/wire.js';

// These tests compare the number and the order of requests, never durations.

const request = createRequest('a');
const ok = renderResponse('200 OK', [], '{}');
const renderBusy = (status: number, ...headers: readonly string[]) => renderResponse(`${status} Busy`, headers);
const quick: RetryOptions = { delaysMs: [1, 1], maxDelayMs: 1_000 };
/** A test that waits this long fails. */
const hour = 3_600_000;

/** An exchange that ended with a status, or with a transport error. */
const createExchange = (outcome: number | string, method = 'GET', headers: Exchange['request']['headers'] = []) =>
  ({
    request: createRequest('a', method),
    ...(typeof outcome === 'number'
      ? { response: { status: outcome, headers, body: '' } }
      : { transportError: outcome, message: `It was ${outcome}.` }),
  }) as Exchange;

test.describe('A request is retried', () => {
  const transient = [408, 421, 425, 429, 499, 502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527, 530];
  const errors = ['unreachable', 'tls', 'timed-out', 'broken-connection', 'unreadable'];
  test('after a transient status or transport error', () => {
    for (const outcome of [...transient, ...errors])
      expect(isRetryable(createExchange(outcome)), String(outcome)).toBe(true);
  });

  test('but not after any other status or transport error', () => {
    const final = [200, 204, 301, 307, 400, 401, 403, 404, 405, 409, 413, 418, 422, 500, 501, 505, 519, 531];
    for (const outcome of [...final, 'too-large', 'not-sent'])
      expect(isRetryable(createExchange(outcome)), String(outcome)).toBe(false);
    expect(isRetryable(createExchange(500, 'GET', [['retry-after', '0']]))).toBe(false);
  });

  test('but not a POST that may have reached the deployment', () => {
    for (const outcome of ['timed-out', 'broken-connection', 'unreadable'])
      expect(isRetryable(createExchange(outcome, 'POST')), outcome).toBe(false);
    for (const outcome of [503, 'unreachable', 'tls'])
      expect(isRetryable(createExchange(outcome, 'POST')), String(outcome)).toBe(true);
  });

  // client.spec.ts shows which transport error each reply is.
  for (const [what, reply, outcome] of [
    ['503', renderBusy(503), 503],
    ['a reset connection', (socket) => socket.resetAndDestroy(), 'broken-connection'],
  ] as readonly (readonly [what: string, reply: Reply, outcome: number | string])[])
    test(`until it succeeds, and at most twice: ${what}`, async ({ serve, open }) => {
      for (const [replies, last, attempts] of [
        [[reply], outcome, 3],
        [[reply, ok], 200, 2],
      ] as const) {
        const wire = await serve(...replies);
        const exchange = await open(wire.url, { retry: quick }).send(request);
        expect([getOutcome(exchange), exchange.attempts, wire.received.length]).toEqual([last, attempts, attempts]);
      }
    });
});

test.describe('A retry waits', () => {
  const now = Date.parse('2026-11-21T12:00:00Z');
  const retry: RetryOptions = { delaysMs: [7], maxDelayMs: 60_000 };
  const delays: readonly (readonly [status: number, retryAfter: string | undefined, ms: number, forAll: boolean])[] = [
    [503, undefined, 7, false],
    [429, undefined, 7, true],
    [429, '2', 2_000, true],
    [503, '0', 0, true],
    [503, '59', 59_000, true],
    [503, '61', 60_000, true],
    [503, '9'.repeat(400), 60_000, true],
    [503, 'Sat, 21 Nov 2026 12:00:05 GMT', 5_000, true],
    [503, 'Saturday, 21-Nov-26 12:00:05 GMT', 5_000, true],
    [503, 'Sat, 21 Nov 2026 11:59:59 GMT', 0, true],
    [503, 'Sun, 22 Nov 2026 12:00:00 GMT', 60_000, true],
    [503, 'soon', 7, false],
    [503, '-1', 7, false],
    [503, '1.5', 7, false],
    [503, '', 7, false],
  ];
  test('as Retry-After says, or for its own delay', () => {
    for (const [status, retryAfter, ms, forAll] of delays) {
      const exchange = createExchange(status, 'GET', retryAfter === undefined ? [] : [['retry-after', retryAfter]]);
      expect.soft(computeRetryDelay(exchange, 7, retry, now), `${status} ${retryAfter}`).toEqual({ ms, forAll });
    }
    expect(computeRetryDelay(createExchange('timed-out'), 7, retry, now)).toEqual({ ms: 7, forAll: false });
  });

  test('for Retry-After in place of its own delay', async ({ serve, open }) => {
    const past = renderBusy(429, 'Retry-After: Sat, 01 Jan 2000 00:00:00 GMT');
    const wire = await serve(renderBusy(503, 'Retry-After: 0'), past, ok);
    const retry = { delaysMs: [hour, hour], maxDelayMs: hour };
    const exchange = await open(wire.url, { retry }).send(request);
    expect([getOutcome(exchange), exchange.attempts]).toEqual([200, 3]);
  });
});

test.describe('While a request waits for its retry,', () => {
  const three = ['a', 'b', 'c'].map((name) => createRequest(name));

  for (const [what, reply, delayMs, order] of [
    ['all others wait, too, after 429', renderBusy(429), 200, 'aabc'],
    ['all others wait, too, after Retry-After', renderBusy(503, 'Retry-After: 1'), 200, 'aabc'],
    // The others are done long before.
    ['the others go on after 502', renderBusy(502), 2_000, 'abca'],
  ] as const)
    test(what, async ({ serve, open }) => {
      const wire = await serve(reply, ok);
      const retry = { delaysMs: [delayMs], maxDelayMs: delayMs };
      const { send } = open(wire.url, { pacing: { concurrency: 1 }, retry });
      await Promise.all(three.map((each) => send(each)));
      expect(joinNames(wire)).toBe(order);
    });

  test('later requests go one at a time after 429', async ({ serve, open }) => {
    const first: Socket[] = [];
    let pending = 0;
    let maxPending = 0;
    const wire = await serve((socket) => {
      if (first.length < 4) {
        first.push(socket);
        if (first.length === 4) for (const [n, each] of first.entries()) each.write(n === 0 ? renderBusy(429) : ok);
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
});

test.describe('A rate limit', () => {
  test('makes the second request wait for its turn', async ({ serve, open }) => {
    const wire = await serve(ok);
    const { send, close } = open(wire.url, { pacing: { requestsPerSecond: 0.001 } });
    const [first, ...others] = ['a', 'b', 'c'].map((name) => send(createRequest(name)));
    expect(getOutcome((await first) as Exchange)).toBe(200);
    await close();
    expect((await Promise.all(others)).map(getOutcome)).toEqual(['not-sent', 'not-sent']);
    expect(joinNames(wire)).toBe('a');
  });

  test('keeps the order', async ({ serve, open }) => {
    const wire = await serve(ok);
    const { send } = open(wire.url, { pacing: { requestsPerSecond: 200 } });
    let turns = '';
    const noteTurn = (name: string) => () => {
      turns += name;
      return undefined;
    };
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => send(createRequest(name), noteTurn(name))));
    // A busy machine may accept two connections in another order.
    expect(turns).toBe('abcde');
    expect(joinNames(wire)).toHaveLength(5);
  });
});

test.describe('The budget', () => {
  test('limits the time', async ({ serve, open }) => {
    const wire = await serve(ok);
    const exchange = await open(wire.url, { budgetMs: 0 }).send(request);
    expect(getMessage(exchange)).toContain('(budget.seconds)');
    expect(wire.countConnections()).toBe(0);
  });
});

test.describe('The time of the budget ends a wait', () => {
  const budgetMs = timeoutMs;
  const usedUp = /^Nothing more was sent: The budget of 1.5 seconds is used up\. .*\(budget\.seconds\)\.$/;
  const retry: RetryOptions = { delaysMs: [hour], maxDelayMs: hour };

  test('for a response', async ({ serve, open }) => {
    const wire = await serve(() => undefined);
    const exchange = await open(wire.url, { limits: { timeoutMs: hour }, budgetMs, retry }).send(request);
    expect([getOutcome(exchange), exchange.attempts]).toEqual(['timed-out', 1]);
    expect(getMessage(exchange)).toMatch(usedUp);
  });

  test('for a connection', async ({ open, listen }) => {
    const { url: proxy } = await listen(createServer(() => undefined));
    const limits = { timeoutMs: hour };
    const client = open('http://deployment.test', { proxy, allowHttp: true, limits, budgetMs, retry });
    const exchange = await client.send(request);
    expect([getOutcome(exchange), exchange.attempts]).toEqual(['timed-out', 1]);
    expect(getMessage(exchange)).toMatch(usedUp);
  });

  test('for a retry', async ({ serve, open }) => {
    const wire = await serve(renderBusy(502), ok);
    const exchange = await open(wire.url, { budgetMs, retry }).send(request);
    expect([getOutcome(exchange), exchange.attempts, joinNames(wire)]).toEqual([502, 1, 'a']);
  });

  for (const [what, reply, pacing, outcome] of [
    ['for Retry-After', renderBusy(429, 'Retry-After: 3600'), { concurrency: 1 }, 429],
    ['for the rate limit', ok, { requestsPerSecond: 0.000_000_1 }, 200],
  ] as const)
    test(what, async ({ serve, open }) => {
      const wire = await serve(reply, ok);
      const { send } = open(wire.url, { pacing, budgetMs, retry });
      const [first, ...others] = await Promise.all(['a', 'b', 'c'].map((name) => send(createRequest(name))));
      expect([first && getOutcome(first), first?.attempts, joinNames(wire)]).toEqual([outcome, 1, 'a']);
      for (const other of others) expect(getMessage(other)).toMatch(usedUp);
    });
});

for (const ms of [-2 * hour, 2 * hour])
  test(`The time of day may change by ${ms} ms during a run`, async ({ serve, open }) => {
    const wire = await serve(ok, ok, renderBusy(429), ok);
    const { send } = open(wire.url, {
      budgetMs: hour,
      pacing: { concurrency: 1, requestsPerSecond: 100 },
      retry: { delaysMs: [100], maxDelayMs: 100 },
    });
    await send(createRequest('a'));
    const { now } = Date;
    Date.now = () => now() + ms;
    try {
      const exchanges = await Promise.all(['b', 'c', 'd'].map((name) => send(createRequest(name))));
      expect(exchanges.map(getOutcome)).toEqual([200, 200, 200]);
    } finally {
      Date.now = now;
    }
    expect(joinNames(wire)).toBe('abccd');
  });

test('Requests are not retried after three failures in a row, until one succeeds', async ({ serve, open }) => {
  const busy = renderBusy(503);
  const wire = await serve(...Array(9).fill(busy), busy, ok, busy);
  const { send } = open(wire.url, { retry: quick });
  const attempts: (number | undefined)[] = [];
  for (const name of 'abcdef') attempts.push((await send(createRequest(name))).attempts);
  expect(attempts).toEqual([3, 3, 3, 1, 1, 3]);
  expect(joinNames(wire)).toBe('aaabbbcccdefff');
});

test('A deployment that fails now and then conforms, and every request is counted', async () => {
  const answer = createIndependentDeployment(requirementSuite.world);
  let received = 0;
  const { url, close } = await listen((each) => {
    received += 1;
    if (received % 5 !== 0) return answer(each);
    const [status, headers] = received % 2 === 0 ? [503, []] : [429, [['Retry-After', '0']] as const];
    return { status, headers, body: '' } as never;
  });
  const client = openClient({ retry: quick, baseUrl: url });
  const { results, calibration } = await runSuite(requirementSuite, client);
  await client.close();
  await close();
  expect(results.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
  expect(results.reduce((sum, { requestsSent }) => sum + requestsSent, calibration.requestsSent)).toBe(received);
});
