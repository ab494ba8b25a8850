import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Channel, Exchange, HttpRequest, HttpResponse } from '../../../src/http/exchange.js';
import { isRetryable } from '../../../src/http/retry.js';
import { createChannel } from '../../proof/judge-deployment.js';

/** Numbers from 0 up to 1, the same ones for the same seed. */
export type Random = () => number;

/** A generator of 32 bits of state (splitmix32): good enough to disturb something, and short. */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

/** What a bad proxy does to an answer. */
const mischiefs = ['garbles', 'resets', 'swaps', 'answers 520'] as const;
type Mischief = (typeof mischiefs)[number];

/** Draws what happens to an answer, if anything. @param share of the answers to which something happens */
function drawMischief(random: Random, share: number): Mischief | undefined {
  return random() < share ? mischiefs[Math.floor(random() * mischiefs.length)] : undefined;
}

/** A text in which a few characters, in one place, are others, or are gone, or stand twice. */
function garbled(whole: string, random: Random): string {
  const below = (limit: number) => Math.floor(random() * limit);
  const at = below(whole.length);
  const length = 1 + below(16);
  const end = at + length;
  const others = Array.from({ length }, () => String.fromCharCode(0x20 + below(0x5f))).join('');
  const instead = [others, '', whole.slice(at, end).repeat(2)][below(3)];
  return whole.slice(0, at) + instead + whole.slice(end);
}

/** What a request gets through a bad proxy: a response, or a connection that is reset. */
type Passed = (request: HttpRequest) => Promise<HttpResponse | 'reset'>;

/** A deployment in this process behind a bad proxy. @param share of the answers to which something happens */
function badlyProxied(answer: (request: HttpRequest) => HttpResponse, random: Random, share: number): Passed {
  /** An answer that waits to be swapped for that of the next request. */
  let waiting: ((other: HttpResponse) => HttpResponse) | undefined;
  const swapped = (own: HttpResponse): Promise<HttpResponse> =>
    new Promise((resolve) => {
      const swap = (other: HttpResponse): HttpResponse => {
        if (waiting === swap) waiting = undefined;
        resolve(other);
        return own;
      };
      waiting = swap;
      // Where nothing else is sent, there is nothing to swap it for.
      setTimeout(() => swap(own), 1);
    });
  return async (request) => {
    const own = answer(request);
    const response = waiting === undefined ? own : waiting(own);
    switch (drawMischief(random, share)) {
      case 'resets':
        return 'reset';
      case 'answers 520':
        return { status: 520, headers: [], body: '<h1>The web server returns an unknown error</h1>' };
      case 'garbles':
        return { ...response, body: garbled(response.body, random) };
      case 'swaps':
        return swapped(response);
      case undefined:
        return response;
    }
  };
}

/** As often as the client repeats by default. */
const maxAttempts = 3;

/** A channel to a deployment in this process through a bad proxy. What is out of reach is repeated as the client does. */
export function createChaoticChannel(
  answer: (request: HttpRequest) => HttpResponse,
  random: Random,
  share: number,
): Channel {
  const pass = badlyProxied(answer, random, share);
  const sendOnce = async (request: HttpRequest): Promise<Exchange> => {
    const response = await pass(request);
    if (response === 'reset') return { request, transportError: 'broken-connection', message: 'The connection broke.' };
    return { request, response };
  };
  return {
    ...createChannel(answer),
    async send(request) {
      let exchange = await sendOnce(request);
      let attempts = 1;
      while (attempts < maxAttempts && isRetryable(exchange)) {
        exchange = await sendOnce(request);
        attempts += 1;
      }
      return { ...exchange, attempts };
    },
  };
}

/** Serves a deployment through a bad proxy over sockets. */
export async function listenUnreliably(
  answer: (request: HttpRequest) => HttpResponse,
  random: Random,
  share: number,
): Promise<{ url: string; close(): Promise<void> }> {
  const pass = badlyProxied(answer, random, share);
  const server = createServer(async (incoming, outgoing) => {
    const { method = '', url: path = '', rawHeaders } = incoming;
    const headers = rawHeaders.flatMap((name, n) => (n % 2 === 0 ? [[name, rawHeaders[n + 1] ?? ''] as const] : []));
    const response = await pass({ method, path, headers, body: await text(incoming) });
    if (response === 'reset') return void incoming.socket.resetAndDestroy();
    outgoing.writeHead(response.status, response.headers.flat()).end(response.body);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
