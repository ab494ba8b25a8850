/** A deployment that stops answering costs few requests, through the client and through a transport. */

import { expect } from '@playwright/test';
import type { RetryOptions } from '../../src/http/connection-options.js';
import type { Exchange, HttpRequest, RequestChannel } from '../../src/http/exchange.js';
import { createTransportClient, NoResponse } from '../../src/http/transport.js';
import { createRequest, getOutcome, type Reply, renderResponse, test } from '../support/wire.js';

const ok = renderResponse('200 OK', [], '{}');
const quick: RetryOptions = { delays_seconds: [0.01, 0.02], max_delay_seconds: 1 };
const limits = { timeout_ms: 500 };
const concurrency = 8;
const sent = 200;

const sendAll = (channel: Pick<RequestChannel, 'send'>, requests: readonly HttpRequest[]) =>
  Promise.all(requests.map((request) => channel.send(request)));
const plain = Array.from({ length: sent }, (_, n) => createRequest(`r${n}`));
const countSent = (exchanges: readonly Exchange[]) => exchanges.reduce((sum, { attempts = 1 }) => sum + attempts, 0);

const ends: Readonly<Record<string, Reply>> = {
  'does not answer': () => undefined,
  'resets connections': (socket) => void socket.resetAndDestroy(),
  'closes connections': (socket) => void socket.destroy(),
  'answers 503': renderResponse('503 Busy'),
  'answers 429': renderResponse('429 Too Many'),
};

for (const [what, reply] of Object.entries(ends))
  for (const since of [2, 50])
    test(`From request ${since} on, a deployment ${what}: few requests are sent`, async ({ serve, open }) => {
      const wire = await serve(...Array(since - 1).fill(ok), reply);
      const client = open(wire.url, { retry: quick, limits, pacing: { concurrency } });
      const exchanges = await sendAll(client, plain);
      // Ten without an answer, those that were under way, and those that find out whether it is only these requests.
      expect(wire.received.length).toBeLessThan(since + 10 + 2 * concurrency + quick.delays_seconds.length);
      expect(countSent(exchanges)).toBe(wire.received.length);
      const last = exchanges.at(-1) as Exchange;
      expect(getOutcome(last)).toBe('not-sent');
      expect('message' in last && last.message).toBe(`Not sent: no answer since request ${since}.`);
      const numbers = exchanges.flatMap((exchange) => exchange.numbers ?? []).toSorted((left, right) => left - right);
      expect(numbers).toEqual(wire.received.map((_, n) => n + 1));
    });

test('A deployment that crashes is not asked for long', async ({ open, listen }) => {
  const { createServer } = await import('node:http');
  let received = 0;
  const server = createServer((_, response) => {
    received += 1;
    response.end('{}');
    if (received === 20) void listening.close();
  });
  const listening = await listen(server);
  const client = open(listening.url, { retry: quick, pacing: { concurrency: 1 } });
  const exchanges: Exchange[] = [];
  for (const request of plain) exchanges.push(await client.send(request));
  expect(countSent(exchanges)).toBeLessThan(40);
  expect(exchanges.at(-1)).toMatchObject({ message: 'Not sent: no answer since request 21.' });
});

test('Requests of one kind without an answer end nothing while others have one', async ({ serve, open }) => {
  const wire = await serve((socket, { line }) => {
    if (!line.includes('/odd')) socket.write(ok);
  });
  const client = open(wire.url, { retry: quick, limits, pacing: { concurrency } });
  const odd = Array.from({ length: 12 }, (_, n) => createRequest(`odd${n}`));
  const exchanges = await sendAll(client, [...plain.slice(0, 9), ...odd, ...plain.slice(9, 40)]);
  const outcomes = exchanges.map(getOutcome);
  expect(outcomes.slice(9, 21)).toEqual(odd.map(() => 'timed-out'));
  expect(new Set([...outcomes.slice(0, 9), ...outcomes.slice(21)])).toEqual(new Set([200]));
});

test('A short outage ends nothing', async ({ serve, open }) => {
  const busy = renderResponse('503 Busy');
  const wire = await serve(...Array(20).fill(ok), ...Array(12).fill(busy), ok);
  const client = open(wire.url, { retry: quick, pacing: { concurrency } });
  const exchanges = await sendAll(client, plain);
  expect(exchanges.filter((exchange) => getOutcome(exchange) === 'not-sent')).toEqual([]);
  expect(exchanges.slice(60).map(getOutcome)).toEqual(plain.slice(60).map(() => 200));
});

for (const error of [NoResponse, undefined])
  test(`A transport ${error === undefined ? 'that hangs' : 'without a response'} is not called for long`, async ({
    open,
  }) => {
    let calls = 0;
    const transport = () => {
      calls += 1;
      if (calls < 20) return { status: 200, headers: [], body: '{}' };
      if (error !== undefined) throw new error('gone');
      return new Promise<never>(() => undefined);
    };
    const client = open('http://127.0.0.1:9', { pacing: { concurrency } });
    const channel = createTransportClient(transport, client, { baseUrl: 'http://127.0.0.1:9', idleMs: 300 });
    const exchanges = await sendAll(channel, plain);
    expect(calls).toBeLessThan(20 + 10 + 2 * concurrency);
    expect(countSent(exchanges)).toBe(calls);
    expect(exchanges.at(-1)).toMatchObject({ message: 'Not sent: no answer since request 20.' });
  });
