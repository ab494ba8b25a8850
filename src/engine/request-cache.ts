import {
  type Channel,
  type Exchange,
  type HttpRequest,
  type HttpResponse,
  serializeRequest,
} from '../http/exchange.js';
import { isTransient } from '../http/response-status.js';

/** An exchange, and the number of requests that were sent for it: 0 if it came from the cache. */
export interface FetchedExchange {
  readonly exchange: Exchange;
  readonly requestsSent: number;
}

/** Gets the exchange of a request. Like `Channel.send`, it never rejects. */
export type ExchangeFetcher = (request: HttpRequest, whyWithheld: () => string | undefined) => Promise<FetchedExchange>;

/** The maximum length of all cached bodies together, in characters of one or two bytes. */
const maxCached = 48 * 1024 * 1024;

/** Creates a function that sends every request. */
export function createUncachedFetch({ send }: Pick<Channel, 'send'>): ExchangeFetcher {
  return async (request, whyWithheld) => {
    const exchange = await send(request, whyWithheld);
    return { exchange, requestsSent: countAttempts([exchange]) };
  };
}

/** Sends equal requests only once. */
export interface RequestCache {
  readonly fetch: ExchangeFetcher;
  /** Counts the characters of all cached bodies. */
  countCachedCharacters(): number;
}

/**
 * Creates a cache. Transport errors and transient status codes are not cached, and a server error only if it came twice.
 *
 * @param expected every request as often as it will be needed, if known: an exchange is dropped after its last use
 */
export function createRequestCache(channel: Pick<Channel, 'send'>, expected?: readonly HttpRequest[]): RequestCache {
  const send = createUncachedFetch(channel);
  const pending = new Map<string, Promise<FetchedExchange>>();
  const cached = new Map<string, Exchange & { readonly response: HttpResponse }>();
  const failed = new Set<string>();
  const usesLeft = expected && countKeys(expected.map(serializeRequest));
  let characters = 0;

  const store = (key: string, exchange: Exchange): void => {
    if (!('response' in exchange) || isTransient(exchange.response)) return;
    const { status, body } = exchange.response;
    const isFirstFailure = status >= 500 && !failed.has(key);
    if (isFirstFailure) failed.add(key);
    if (isFirstFailure || characters + body.length > maxCached) return;
    characters += body.length;
    cached.set(key, exchange);
  };
  const countUse = (key: string): void => {
    if (usesLeft === undefined) return;
    const left = (usesLeft.get(key) ?? 0) - 1;
    usesLeft.set(key, left);
    const exchange = cached.get(key);
    if (left > 0 || exchange === undefined) return;
    cached.delete(key);
    characters -= exchange.response.body.length;
  };

  return {
    countCachedCharacters: () => characters,
    fetch: async (request, whyWithheld) => {
      const key = serializeRequest(request);
      // If a shared request failed, the next waiter sends it again while the others wait.
      for (let other = pending.get(key); other !== undefined; other = pending.get(key)) await other;
      const known = cached.get(key);
      if (known !== undefined) {
        countUse(key);
        return { exchange: known, requestsSent: 0 };
      }
      const fetching = send(request, whyWithheld);
      pending.set(key, fetching);
      const fetched = await fetching;
      pending.delete(key);
      store(key, fetched.exchange);
      countUse(key);
      return fetched;
    },
  };
}

function countKeys(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** Counts the requests that were sent for some exchanges, retries included. */
export function countAttempts(exchanges: readonly Exchange[]): number {
  return exchanges.reduce((sum, { attempts = 1 }) => sum + attempts, 0);
}
