import type { Exchange, HttpRequest, HttpResponse, RequestChannel } from '../../src/http/exchange.js';
import { isRetryable } from '../../src/http/response-status.js';
import { type Answer, createChannel } from '../../tools/proof/judge-deployment.js';

/** Returns numbers from 0 up to 1. */
export type Random = () => number;

/** Creates a random generator with a seed (splitmix32). */
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

/** Faults of a proxy. */
const faults = ['garbles', 'resets', 'sends the previous response', 'answers 520'] as const;
type Fault = (typeof faults)[number];

/** @param share of the responses with a fault */
function drawFault(random: Random, share: number): Fault | undefined {
  return random() < share ? faults[Math.floor(random() * faults.length)] : undefined;
}

/** Replaces, removes or doubles a few characters at one position. */
function garble(whole: string, random: Random): string {
  const below = (limit: number) => Math.floor(random() * limit);
  const at = below(whole.length);
  const length = 1 + below(16);
  const end = at + length;
  const others = Array.from({ length }, () => String.fromCharCode(0x20 + below(0x5f))).join('');
  const instead = [others, '', whole.slice(at, end).repeat(2)][below(3)];
  return whole.slice(0, at) + instead + whole.slice(end);
}

/** Puts an unreliable proxy before a deployment in this process. @param share of the responses with a fault */
function addUnreliableProxy(answer: Answer, random: Random, share: number): (request: HttpRequest) => Exchange {
  let previous: HttpResponse | undefined;
  return (request) => {
    const response = answer(request);
    const stale = previous ?? response;
    previous = response;
    switch (drawFault(random, share)) {
      case 'resets':
        return { request, transportError: 'broken-connection', message: 'The connection broke.' };
      case 'answers 520':
        return { request, response: { status: 520, headers: [], body: '<h1>An unknown error</h1>' } };
      case 'garbles':
        return { request, response: { ...response, body: garble(response.body, random) } };
      case 'sends the previous response':
        return { request, response: stale };
      case undefined:
        return { request, response };
    }
  };
}

/** The default of the client. */
const maxAttempts = 3;

/** Creates a channel through an unreliable proxy that retries as the client does. */
export function createChaoticChannel(answer: Answer, random: Random, share: number): RequestChannel {
  const sendOnce = addUnreliableProxy(answer, random, share);
  return {
    ...createChannel(answer),
    async send(request) {
      let exchange = sendOnce(request);
      let attempts = 1;
      while (attempts < maxAttempts && isRetryable(exchange)) {
        exchange = sendOnce(request);
        attempts += 1;
      }
      return { ...exchange, attempts };
    },
  };
}
