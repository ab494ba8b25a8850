import {
  type Channel,
  type Exchange,
  type HttpRequest,
  type HttpResponse,
  serializeRequest,
} from '../http/exchange.js';
import { isTransient } from '../http/response-status.js';

/** What a request came to, and how many requests that took: none where an equal one had been sent before. */
export interface FetchedExchange {
  readonly exchange: Exchange;
  readonly requestsSent: number;
}

/** Obtains the exchange of a request. As `Channel.send`, it never rejects. */
export type FetchExchange = (request: HttpRequest, whyWithheld: () => string | undefined) => Promise<FetchedExchange>;

/** How many characters the bodies may have together that are kept for other cases: each takes a byte or two of memory. */
const maxKept = 48 * 1024 * 1024;

/** Sends every request. */
export function createUncachedFetch({ send }: Pick<Channel, 'send'>): FetchExchange {
  return async (request, whyWithheld) => {
    const exchange = await send(request, whyWithheld);
    return { exchange, requestsSent: countAttempts([exchange]) };
  };
}

/** Obtains the exchanges of requests of which several may be equal. */
export interface RequestCache {
  readonly fetch: FetchExchange;
  /** How many characters the bodies have together that are kept, as somebody will want them. */
  countCachedCharacters(): number;
}

/**
 * Sends of equal requests the first, and gives its exchange to all who want it. What may have been bad luck is not
 * passed on: after a transport error or from a busy deployment nothing is, and a server error only once it came twice.
 *
 * @param wanted how often each request will be wanted, if that is known: an exchange is kept until then, and no longer
 */
export function createRequestCache(channel: Pick<Channel, 'send'>, wanted?: readonly HttpRequest[]): RequestCache {
  const obtainOne = createUncachedFetch(channel);
  const sending = new Map<string, Promise<FetchedExchange>>();
  const kept = new Map<string, Exchange & { readonly response: HttpResponse }>();
  const failed = new Set<string>();
  const usesLeft = wanted && countsOf(wanted.map(serializeRequest));
  let characters = 0;

  const keep = (key: string, exchange: Exchange): void => {
    if (!('response' in exchange) || isTransient(exchange.response)) return;
    const { status, body } = exchange.response;
    const isFirstFailure = status >= 500 && !failed.has(key);
    if (isFirstFailure) failed.add(key);
    if (isFirstFailure || characters + body.length > maxKept) return;
    characters += body.length;
    kept.set(key, exchange);
  };
  const noteUse = (key: string): void => {
    if (usesLeft === undefined) return;
    const left = (usesLeft.get(key) ?? 0) - 1;
    usesLeft.set(key, left);
    const exchange = kept.get(key);
    if (left > 0 || exchange === undefined) return;
    kept.delete(key);
    characters -= exchange.response.body.length;
  };

  return {
    countCachedCharacters: () => characters,
    fetch: async (request, whyWithheld) => {
      const key = serializeRequest(request);
      // Whoever waited in vain sends it, and those who wait with it wait for that.
      for (let other = sending.get(key); other !== undefined; other = sending.get(key)) await other;
      const known = kept.get(key);
      if (known === undefined) {
        const obtaining = obtainOne(request, whyWithheld);
        sending.set(key, obtaining);
        const obtained = await obtaining;
        sending.delete(key);
        keep(key, obtained.exchange);
        noteUse(key);
        return obtained;
      }
      noteUse(key);
      return { exchange: known, requestsSent: 0 };
    },
  };
}

function countsOf(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** How many requests went out for some exchanges, repeats included. */
export function countAttempts(exchanges: readonly Exchange[]): number {
  return exchanges.reduce((sum, { attempts = 1 }) => sum + attempts, 0);
}
