import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { expect } from '@playwright/test';
import { runSuite } from '../../src/engine/run.js';
import { openClient } from '../../src/http/client.js';
import { defaultConnectionOptions, noRetry, type RetryOptions } from '../../src/http/connection-options.js';
import type { Exchange, HttpRequest } from '../../src/http/exchange.js';
import { createMemoryBudget, openFileBudget } from '../../src/http/request-budget.js';
import { computeRetryDelay } from '../../src/http/retry.js';
import { getMonotonicMs } from '../../src/support/monotonic-clock.js';
import { createTemporaryFolder } from './support/cli.js';
import { requirementSuite, suite } from './support/in-process.js';
import { createIndependentDeployment, listen } from './support/independent-deployment.js';
import { credentials, type Reply, renderResponse, test, type Wire } from './support/wire.js';

// No test asserts how long something takes: what counts is how many requests there were, and in which order.

const requestTo = (name: string, method = 'GET'): HttpRequest => ({ method, path: `/${name}`, headers: [] });
const request = requestTo('a');
const outcomeOf = (exchange: Exchange) => ('response' in exchange ? exchange.response.status : exchange.transportError);
const messageOf = (exchange: Exchange) => ('message' in exchange ? exchange.message : '');
/** The requests that came, by the names that they were made with. */
const namesOf = ({ received }: Wire) => received.map(({ line }) => /\/(\S*) /.exec(line)?.[1]).join('');

const ok = renderResponse('200 OK', [], '{}');
const busy = (status: number, ...headers: readonly string[]) => renderResponse(`${status} Busy`, headers);
const quick: RetryOptions = { waitsMs: [1, 1], longestWaitMs: 1_000 };
/** A test that waits this long fails. */
const hour = 3_600_000;

test.describe('repeated twice, and the last exchange counts', () => {
  const replies: readonly (readonly [what: string, reply: Reply, outcome: number | string])[] = [
    ...[408, 421, 425, 429, 499, 502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527, 530].map(
      (status) => [String(status), busy(status), status] as const,
    ),
    ['no HTTP', 'SSH-2.0\r\n\r\n', 'unreadable'],
    ['a length that is none', renderResponse('200 OK', ['Content-Length: many']), 'unreadable'],
    ['a coding that is none', renderResponse('200 OK', ['Content-Encoding: gzip'], 'text'), 'unreadable'],
    ['a coding that nobody knows', renderResponse('200 OK', ['Content-Encoding: zstd'], 'text'), 'unreadable'],
    ['a time-out', () => undefined, 'timed-out'],
    ['a connection that is reset', (socket) => socket.resetAndDestroy(), 'broken-connection'],
    ['a connection that is closed', (socket) => socket.end(), 'broken-connection'],
    [
      'a body that is cut',
      (socket) => socket.end(renderResponse('200 OK', ['Content-Length: 9'], 'a')),
      'broken-connection',
    ],
  ];
  for (const [what, reply, outcome] of replies) {
    test(what, async ({ serve, open }) => {
      const wire = await serve(reply);
      const exchange = await open(wire.url, { timeoutMs: 300 }, {}, { retry: quick }).send(request);
      expect([outcomeOf(exchange), exchange.attempts]).toEqual([outcome, 3]);
      expect(namesOf(wire)).toBe('aaa');
    });

    test(`${what}, once: what comes then counts`, async ({ serve, open }) => {
      const wire = await serve(reply, ok);
      const exchange = await open(wire.url, { timeoutMs: 300 }, {}, { retry: quick }).send(request);
      expect([outcomeOf(exchange), exchange.attempts]).toEqual([200, 2]);
      expect(namesOf(wire)).toBe('aa');
    });
  }

  test('a connection that is refused', async ({ open }) => {
    const exchange = await open('http://127.0.0.1:1', {}, {}, { retry: quick }).send(request);
    expect([outcomeOf(exchange), exchange.attempts]).toEqual(['unreachable', 3]);
  });

  test('TLS that fails', async ({ open }) => {
    const server = createServer((socket) => socket.on('error', () => undefined).once('data', () => socket.end(ok)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const exchange = await open(`https://127.0.0.1:${port}`, {}, {}, { retry: quick }).send(request);
    server.close();
    expect([outcomeOf(exchange), exchange.attempts]).toEqual(['tls', 3]);
    expect(messageOf(exchange)).toBe(`The TLS connection to 127.0.0.1:${port} failed. Does it speak TLS?`);
  });
});

test.describe('sent once, whatever comes', () => {
  for (const status of [200, 204, 301, 307, 400, 401, 403, 404, 405, 409, 413, 418, 422, 500, 501, 505, 519, 531]) {
    test(String(status), async ({ serve, open }) => {
      // That a deployment wants it makes no difference.
      const wire = await serve(busy(status, 'Retry-After: 0'));
      const exchange = await open(wire.url, {}, {}, { retry: quick }).send(request);
      expect([outcomeOf(exchange), exchange.attempts, namesOf(wire)]).toEqual([status, 1, 'a']);
    });
  }

  const others: readonly (readonly [what: string, reply: Reply, transportError: string, method?: string])[] = [
    ['a body that is too large', renderResponse('200 OK', [], 'x'.repeat(101)), 'too-large'],
    ['no HTTP in answer to a POST, which has arrived', 'SSH-2.0\r\n\r\n', 'unreadable', 'POST'],
    ['no answer to a POST, which may have arrived', (socket) => socket.end(), 'broken-connection', 'POST'],
  ];
  for (const [what, reply, transportError, method] of others) {
    test(what, async ({ serve, open }) => {
      const wire = await serve(reply);
      const exchange = await open(wire.url, { bodyBytes: 100 }, {}, { retry: quick }).send(requestTo('a', method));
      expect([outcomeOf(exchange), exchange.attempts, namesOf(wire)]).toEqual([transportError, 1, 'a']);
    });
  }

  test('unless a POST was turned away', async ({ serve, open }) => {
    const wire = await serve(busy(503), ok);
    const exchange = await open(wire.url, {}, {}, { retry: quick }).send(requestTo('a', 'POST'));
    expect([outcomeOf(exchange), exchange.attempts]).toEqual([200, 2]);
  });
});

test.describe('waits', () => {
  test('grow', () => {
    const { waitsMs } = defaultConnectionOptions.retry;
    expect(waitsMs.length).toBeGreaterThan(0);
    expect(waitsMs).toEqual([...new Set(waitsMs)].sort((a, b) => a - b));
  });

  const now = Date.parse('2026-11-21T12:00:00Z');
  const repeats: RetryOptions = { waitsMs: [7], longestWaitMs: 60_000 };
  const waits: readonly (readonly [status: number, retryAfter: string | undefined, ms: number, forAll: boolean])[] = [
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
  for (const [status, retryAfter, ms, forAll] of waits) {
    test(`after ${status} with ${retryAfter === undefined ? 'no Retry-After' : `'${retryAfter.slice(0, 40)}'`}`, () => {
      const headers = retryAfter === undefined ? [] : ([['retry-after', retryAfter]] as const);
      const exchange: Exchange = { request, response: { status, headers, body: '' } };
      expect(computeRetryDelay(exchange, 7, repeats, now)).toEqual({ ms, forAll });
    });
  }

  test('after no response', () => {
    const exchange: Exchange = { request, transportError: 'timed-out', message: '' };
    expect(computeRetryDelay(exchange, 7, repeats, now)).toEqual({ ms: 7, forAll: false });
  });

  test('as long as the deployment says, in place of the own', async ({ serve, open }) => {
    const wire = await serve(busy(503, 'Retry-After: 0'), busy(429, 'Retry-After: Sat, 01 Jan 2000 00:00:00 GMT'), ok);
    const exchange = await open(wire.url, {}, {}, { retry: { waitsMs: [hour, hour], longestWaitMs: hour } }).send(
      request,
    );
    expect([outcomeOf(exchange), exchange.attempts]).toEqual([200, 3]);
  });

  test('no longer than the cap', async ({ serve, open }) => {
    const wire = await serve(
      busy(503, 'Retry-After: 86400'),
      busy(429, 'Retry-After: Wed, 01 Jan 3000 00:00:00 GMT'),
      ok,
    );
    const exchange = await open(wire.url, {}, {}, { retry: { waitsMs: [hour, hour], longestWaitMs: 1 } }).send(request);
    expect([outcomeOf(exchange), exchange.attempts]).toEqual([200, 3]);
  });
});

test.describe('others', () => {
  const three = ['a', 'b', 'c'].map((name) => requestTo(name));

  for (const reply of [busy(429), busy(503, 'Retry-After: 1')]) {
    test(`wait too where the rate is limited: ${reply.toString().split('\r\n', 2).join(', ')}`, async ({
      serve,
      open,
    }) => {
      const wire = await serve(reply, ok);
      const repeats: RetryOptions = { waitsMs: [200], longestWaitMs: 200 };
      const { send } = open(wire.url, { concurrency: 1 }, {}, { retry: repeats });
      await Promise.all(three.map((each) => send(each)));
      expect(namesOf(wire)).toBe('aabc');
    });
  }

  test('go on where one had bad luck', async ({ serve, open }) => {
    const wire = await serve(busy(502), ok);
    const { send } = open(wire.url, { concurrency: 1 }, {}, { retry: { waitsMs: [1_000], longestWaitMs: 1_000 } });
    await Promise.all(three.map((each) => send(each)));
    expect(namesOf(wire)).toBe('abca');
  });

  test('are sent one at a time from then on', async ({ serve, open }) => {
    let atOnce = 0;
    let maxAtOnce = 0;
    const wire = await serve(
      // The first four are sent at once; the others are left to wait for a while, so that more could come.
      (socket) => setTimeout(() => socket.write(busy(429)), 100),
      (socket) => setTimeout(() => socket.write(ok), 50),
      (socket) => setTimeout(() => socket.write(ok), 50),
      (socket) => setTimeout(() => socket.write(ok), 50),
      (socket) => {
        atOnce += 1;
        maxAtOnce = Math.max(maxAtOnce, atOnce);
        setTimeout(() => {
          atOnce -= 1;
          socket.write(ok);
        }, 20);
      },
    );
    const { send } = open(wire.url, { concurrency: 4 }, {}, { retry: quick });
    const first = ['a', 'b', 'c', 'd'].map((name) => send(requestTo(name)));
    await first[0];
    await Promise.all(['e', 'f', 'g', 'h'].map((name) => send(requestTo(name))));
    expect(wire.received).toHaveLength(9);
    expect(maxAtOnce).toBe(1);
  });
});

test.describe('pacing', () => {
  test('so many in a second: the second waits for its turn', async ({ serve }) => {
    const wire = await serve(ok);
    const pacing = { concurrency: 8, requestsPerSecond: 0.001 };
    const { send, close } = openClient({ baseUrl: wire.url, credentials, pacing });
    const [first, ...others] = ['a', 'b', 'c'].map((name) => send(requestTo(name)));
    expect(outcomeOf((await first) as Exchange)).toBe(200);
    await close();
    expect((await Promise.all(others)).map(outcomeOf)).toEqual(['not-sent', 'not-sent']);
    expect(namesOf(wire)).toBe('a');
  });

  test('all are sent, in their order', async ({ serve, open }) => {
    const wire = await serve(ok);
    const { send } = open(wire.url, {}, {}, { pacing: { concurrency: 8, requestsPerSecond: 200 } });
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => send(requestTo(name))));
    expect(namesOf(wire)).toBe('abcde');
  });
});

test.describe('the budget', () => {
  const usedUp = 'The budget of 3 requests is used up. A larger one goes into the target file (budget.requests).';
  const budget = { requests: 3, timeMs: hour };

  test('of requests: the rest is not sent, and the message says why', async ({ serve, open }) => {
    const wire = await serve(ok);
    const { send } = open(wire.url, {}, {}, { budget });
    const exchanges = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => send(requestTo(name))));
    expect(exchanges.map(outcomeOf)).toEqual([200, 200, 200, 'not-sent', 'not-sent']);
    expect(exchanges.map(({ attempts }) => attempts)).toEqual([1, 1, 1, 0, 0]);
    expect(messageOf(exchanges[4] as Exchange)).toBe(usedUp);
    expect(namesOf(wire)).toBe('abc');
  });

  test('counts repeats; what came before it was used up counts', async ({ serve, open }) => {
    const wire = await serve(ok, busy(503));
    const { send } = open(wire.url, {}, {}, { budget, retry: { waitsMs: [1, 1, 1, 1], longestWaitMs: 1 } });
    await send(requestTo('a'));
    const exchange = await send(requestTo('b'));
    expect([outcomeOf(exchange), exchange.attempts]).toEqual([503, 2]);
    expect(namesOf(wire)).toBe('abb');
  });

  test('of time', async ({ serve, open }) => {
    const wire = await serve(ok);
    const exchange = await open(wire.url, {}, {}, { budget: { requests: 3, timeMs: 0 } }).send(request);
    expect(messageOf(exchange)).toBe(
      'The budget of 0 seconds is used up. A larger one goes into the target file (budget.seconds).',
    );
    expect(wire.connections()).toBe(0);
  });

  test('is one for all processes of a run', async ({ serve }) => {
    const wire = await serve(ok);
    const { folder, remove } = createTemporaryFolder();
    const file = path.join(folder, 'requests');
    writeFileSync(file, '.');
    const options = { baseUrl: wire.url, credentials, budget };
    const clients = [1, 2].map(() => openClient(options, openFileBudget(file, getMonotonicMs())));
    const outcomes: unknown[] = [];
    for (const { send } of [...clients, ...clients]) outcomes.push(outcomeOf(await send(request)));
    await Promise.all(clients.map((client) => client.close()));
    remove();
    expect(outcomes).toEqual([200, 200, 'not-sent', 'not-sent']);
    expect(namesOf(wire)).toBe('aa');
  });
});

test.describe('nothing is waited for beyond the time of the budget', () => {
  const budget = { requests: 5_000, timeMs: 300 };
  const usedUp = 'The budget of 0.3 seconds is used up. A larger one goes into the target file (budget.seconds).';
  const repeats: RetryOptions = { waitsMs: [hour], longestWaitMs: hour };

  test('no response', async ({ serve, open }) => {
    const wire = await serve(() => undefined);
    const exchange = await open(wire.url, { timeoutMs: hour }, {}, { budget, retry: repeats }).send(request);
    expect([outcomeOf(exchange), messageOf(exchange), exchange.attempts]).toEqual(['timed-out', usedUp, 1]);
  });

  test('no connection', async ({ open }) => {
    const server = createServer(() => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const options = { proxy: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, allowHttp: true };
    const client = open('http://deployment.test', { timeoutMs: hour }, {}, { ...options, budget, retry: repeats });
    const exchange = await client.send(request);
    expect([outcomeOf(exchange), messageOf(exchange), exchange.attempts]).toEqual(['timed-out', usedUp, 1]);
    await client.close();
    server.close();
  });

  test('no repeat', async ({ serve, open }) => {
    const wire = await serve(busy(502), ok);
    const exchange = await open(wire.url, {}, {}, { budget, retry: repeats }).send(request);
    expect([outcomeOf(exchange), exchange.attempts, namesOf(wire)]).toEqual([502, 1, 'a']);
  });

  test('no end of what holds up all', async ({ serve, open }) => {
    const wire = await serve(busy(429, 'Retry-After: 3600'), ok);
    const { send } = open(wire.url, { concurrency: 1 }, {}, { budget, retry: repeats });
    const [first, ...others] = await Promise.all(['a', 'b', 'c'].map((name) => send(requestTo(name))));
    expect([first && outcomeOf(first), first?.attempts, namesOf(wire)]).toEqual([429, 1, 'a']);
    expect(others.map(messageOf)).toEqual([usedUp, usedUp]);
  });

  test('no turn', async ({ serve, open }) => {
    const wire = await serve(ok);
    const pacing = { concurrency: 8, requestsPerSecond: 0.000_000_1 };
    const { send } = open(wire.url, {}, {}, { budget, pacing });
    const [first, ...others] = await Promise.all(['a', 'b', 'c'].map((name) => send(requestTo(name))));
    expect([first && outcomeOf(first), namesOf(wire)]).toEqual([200, 'a']);
    expect(others.map(messageOf)).toEqual([usedUp, usedUp]);
  });
});

test.describe('the time of day may be set while a run goes on', () => {
  const options = { budget: { requests: 5_000, timeMs: hour }, pacing: { concurrency: 1, requestsPerSecond: 100 } };
  for (const [what, ms] of [
    ['back', -2 * hour],
    ['on', 2 * hour],
  ] as const) {
    test(`${what}: pacing and budget go on as before`, async ({ serve, open }) => {
      const wire = await serve(ok, ok, busy(429), ok);
      const { send } = open(wire.url, {}, {}, { ...options, retry: { waitsMs: [100], longestWaitMs: 100 } });
      await send(requestTo('a'));
      const { now } = Date;
      Date.now = () => now() + ms;
      try {
        const exchanges = await Promise.all(['b', 'c', 'd'].map((name) => send(requestTo(name))));
        expect(exchanges.map(outcomeOf)).toEqual([200, 200, 200]);
      } finally {
        Date.now = now;
      }
      expect(namesOf(wire)).toBe('abccd');
    });
  }
});

test.describe('a deployment from which nothing comes any more', () => {
  const reset: Reply = (socket) => socket.resetAndDestroy();
  const send10 = async (send: (request: HttpRequest) => Promise<Exchange>) => {
    const exchanges: Exchange[] = [];
    for (let n = 0; n < 10; n += 1) exchanges.push(await send(request));
    return exchanges;
  };
  const givenUp =
    /^Nothing more was sent: 10 requests in a row brought nothing, nor did one that was answered before\. /;

  const replies: readonly (readonly [what: string, reply: Reply, why: string])[] = [
    ['time-outs', () => undefined, 'There was no complete response within 100 ms'],
    ['connections that break', reset, 'The connection broke'],
    ['what is no HTTP', 'SSH-2.0\r\n\r\n', 'The response is no valid HTTP'],
    ['503', busy(503), 'Answered 503'],
  ];
  for (const [what, reply, why] of replies) {
    test(`is left alone after ten, and one that was answered before: ${what}`, async ({ serve, open }) => {
      const wire = await serve(ok, reply);
      const { send } = open(wire.url, { timeoutMs: 100 });
      await send(requestTo('first'));
      const attempts = (await send10(send)).map((each) => each.attempts);
      // The eleventh is the request that had been answered.
      expect(attempts).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1, 2]);
      expect(namesOf(wire)).toBe('firstaaaaaaaaaafirst');
      const exchange = await send(request);
      expect([outcomeOf(exchange), exchange.attempts]).toEqual(['not-sent', 0]);
      expect(messageOf(exchange)).toMatch(givenUp);
      expect(messageOf(exchange)).toContain(`The last one: ${why}`);
      expect(wire.received).toHaveLength(12);
    });
  }

  test('without one that was answered before, after ten', async ({ serve, open }) => {
    const wire = await serve(reset);
    const { send } = open(wire.url);
    await send10(send);
    expect(messageOf(await send(request))).toMatch(/^Nothing more was sent: 10 requests in a row brought nothing\. /);
    expect(wire.received).toHaveLength(10);
  });

  test('is one that answers if only some requests get through', async ({ serve, open }) => {
    const wire = await serve((socket, { line }) => (line.includes('/a') ? socket.resetAndDestroy() : socket.write(ok)));
    const { send } = open(wire.url);
    await send(requestTo('b'));
    const attempts = [...(await send10(send)), ...(await send10(send))].map((each) => each.attempts);
    expect(attempts).toEqual([...Array(9).fill(1), 2, ...Array(9).fill(1), 2]);
    expect(outcomeOf(await send(requestTo('b')))).toBe(200);
    expect(namesOf(wire)).toBe(`b${'a'.repeat(10)}b${'a'.repeat(10)}bb`);
  });

  test('one answer in between counts', async ({ serve, open }) => {
    const wire = await serve(...Array(9).fill(reset), ok, ...Array(9).fill(reset), ok);
    const { send } = open(wire.url);
    await send10(send);
    await send10(send);
    expect(wire.received).toHaveLength(20);
  });

  test('answers that are too large count, too', async ({ serve, open }) => {
    const wire = await serve(renderResponse('200 OK', [], 'x'.repeat(101)));
    const { send } = open(wire.url, { bodyBytes: 100 });
    await send10(send);
    expect(outcomeOf(await send(request))).toBe('too-large');
  });

  test('is left alone by all processes of the run', async ({ serve }) => {
    const wire = await serve(reset);
    const { folder, remove } = createTemporaryFolder();
    const file = path.join(folder, 'requests');
    writeFileSync(file, '');
    const options = { baseUrl: wire.url, credentials, repeats: noRetry };
    const [one, other] = [1, 2].map(() => openClient(options, openFileBudget(file, getMonotonicMs())));
    if (one === undefined || other === undefined) throw new Error('There are two clients.');
    await send10(one.send);
    expect(messageOf(await other.send(request))).toContain('Nothing more was sent');
    await Promise.all([one.close(), other.close()]);
    remove();
    expect(wire.received).toHaveLength(10);
  });
});

test.describe('a deployment for which repeats are in vain', () => {
  test('gets each request once after three of them, until one fares better', async ({ serve, open }) => {
    const replies = [...Array(14).fill(busy(429)), ok, busy(429), ok];
    const wire = await serve(...replies);
    const { send } = open(wire.url, {}, {}, { retry: quick });
    const attempts: unknown[] = [];
    // One at a time: three by three tries, five by one, then one that is answered, and one that is repeated again.
    for (let n = 0; n < 10; n += 1) attempts.push((await send(request)).attempts);
    expect(attempts).toEqual([3, 3, 3, 1, 1, 1, 1, 1, 1, 2]);
    expect(wire.received).toHaveLength(replies.length);
  });

  test('costs a run hardly more requests than one that answers', async ({ serve, open }) => {
    const wire = await serve(busy(429, 'Retry-After: 86400'));
    const client = open(wire.url, {}, {}, { retry: { waitsMs: [1, 1], longestWaitMs: 1 } });
    const { results, calibration } = await runSuite(suite, client);
    const inCases = results.reduce((sum, { requestsSent }) => sum + requestsSent, 0);
    const { url, close } = await listen(createIndependentDeployment(suite.world));
    const other = await runSuite(suite, open(url));
    await close();
    const usually = other.results.reduce((sum, { requestsSent }) => sum + requestsSent, 0);
    // At most as many as are sent at once are repeated before it is known.
    expect(inCases + calibration.requestsSent).toBe(wire.received.length);
    expect(inCases - usually).toBeLessThanOrEqual(2 * defaultConnectionOptions.pacing.concurrency);
    expect(new Set(results.map(({ verdict }) => verdict))).toEqual(new Set(['inconclusive']));
    expect(results[0]?.reason).toContain('limits the rate');
  });
});

test('a deployment that fails now and then conforms, and every request is counted', async () => {
  const answer = createIndependentDeployment(requirementSuite.world);
  let received = 0;
  const { url, close } = await listen((each) => {
    received += 1;
    if (received % 5 !== 0) return answer(each);
    const [status, headers] = received % 2 === 0 ? [503, []] : [429, [['Retry-After', '0']] as const];
    return { status, headers, body: '' } as never;
  });
  const requestBudget = createMemoryBudget();
  const client = openClient({ retry: quick, baseUrl: url, credentials }, requestBudget);
  const { results, calibration } = await runSuite(requirementSuite, client);
  await client.close();
  await close();
  expect(results.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
  expect(results.reduce((sum, { requestsSent }) => sum + requestsSent, calibration.requestsSent)).toBe(received);
  expect(requestBudget.countSpent()).toBe(received);
});
