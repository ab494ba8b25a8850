import { type Channel, type Exchange, type HttpRequest, serializeRequest } from '../http/exchange.js';
import { isTransient } from '../http/response-status.js';

/** A request as a case states it, with its exchange. */
export type SentRequest = readonly [request: HttpRequest, exchange: Exchange];

/** The maximum length of all cached bodies together, in characters of one or two bytes. */
const maxCached = 96 * 1024 * 1024;

/**
 * Creates a function that sends equal requests only once. Transport errors and transient status codes are not cached, and
 * a server error only if it came twice.
 *
 * @param known what was sent before
 */
export function createRequestCache(send: Channel['send'], known: readonly SentRequest[] = []): Channel['send'] {
  const pending = new Map<string, Promise<Exchange>>();
  const cached = new Map<string, Exchange>();
  const failed = new Set<string>();
  let characters = 0;
  const store = (key: string, exchange: Exchange): void => {
    if (!('response' in exchange) || isTransient(exchange.response)) return;
    const { status, body } = exchange.response;
    const isFirstFailure = status >= 500 && !failed.has(key);
    if (isFirstFailure) failed.add(key);
    if (isFirstFailure || characters + body.length > maxCached) return;
    cached.set(key, exchange);
    characters += body.length;
  };
  for (const [request, exchange] of known) store(serializeRequest(request), exchange);
  return async (request) => {
    const key = serializeRequest(request);
    // If a shared request failed, the next waiter sends it again while the others wait.
    for (let sending = pending.get(key); sending !== undefined; sending = pending.get(key)) await sending;
    const found = cached.get(key);
    if (found !== undefined) return found;
    const sending = send(request);
    pending.set(key, sending);
    const exchange = await sending;
    pending.delete(key);
    store(key, exchange);
    return exchange;
  };
}

/** Counts the requests that were sent for some exchanges, retries included. */
export function countAttempts(exchanges: readonly Exchange[]): number {
  return exchanges.reduce((sum, { attempts = 1 }) => sum + attempts, 0);
}
