import { type Channel, type Exchange, type HttpRequest, serializeRequest } from '../http/exchange.js';
import { isTransient } from '../http/response-status.js';

/** A request as a case states it, with its exchange. */
export type SentRequest = readonly [request: HttpRequest, exchange: Exchange];

/** The maximum length of all cached bodies together, in characters of one or two bytes. */
const maxCached = 48 * 1024 * 1024;

/**
 * Creates a function that sends equal requests only once. Transport errors and transient status codes are not cached, and
 * a server error only if it came twice.
 *
 * @param expected every request as often as it will be needed, if known: an exchange is dropped after its last use
 * @param known what was sent before
 */
export function createRequestCache(
  { send }: Pick<Channel, 'send'>,
  expected: readonly HttpRequest[] = [],
  known: readonly SentRequest[] = [],
): Channel['send'] {
  const pending = new Map<string, Promise<Exchange>>();
  const cached = new Map<string, Exchange>();
  const failed = new Set<string>();
  const usesLeft = new Map<string, number>();
  for (const key of expected.map(serializeRequest)) usesLeft.set(key, (usesLeft.get(key) ?? 0) + 1);
  let characters = 0;

  const mayStore = (key: string, exchange: Exchange): boolean => {
    if (!('response' in exchange) || isTransient(exchange.response)) return false;
    const isFirstFailure = exchange.response.status >= 500 && !failed.has(key);
    if (isFirstFailure) failed.add(key);
    return !isFirstFailure && characters + countBodyCharacters(exchange) <= maxCached;
  };
  const store = (key: string, exchange: Exchange): void => {
    if (!mayStore(key, exchange)) return;
    cached.set(key, exchange);
    characters += countBodyCharacters(exchange);
  };
  // Only what will be needed: nothing else would drop it.
  for (const [request, exchange] of known) {
    const key = serializeRequest(request);
    if (usesLeft.has(key)) store(key, exchange);
  }
  const fetch = async (key: string, ...args: Parameters<Channel['send']>): Promise<Exchange> => {
    const sending = send(...args);
    pending.set(key, sending);
    const exchange = await sending;
    pending.delete(key);
    store(key, exchange);
    return exchange;
  };

  return async (request, whyWithheld) => {
    const key = serializeRequest(request);
    // If a shared request failed, the next waiter sends it again while the others wait.
    for (let sending = pending.get(key); sending !== undefined; sending = pending.get(key)) await sending;
    const exchange = cached.get(key) ?? (await fetch(key, request, whyWithheld));
    const left = (usesLeft.get(key) ?? Number.POSITIVE_INFINITY) - 1;
    usesLeft.set(key, left);
    if (left <= 0 && cached.delete(key)) characters -= countBodyCharacters(exchange);
    return exchange;
  };
}

/** Counts the characters of the body; 0 without a response. */
export function countBodyCharacters(exchange: Exchange): number {
  return 'response' in exchange ? exchange.response.body.length : 0;
}

/** Counts the requests that were sent for some exchanges, retries included. */
export function countAttempts(exchanges: readonly Exchange[]): number {
  return exchanges.reduce((sum, { attempts = 1 }) => sum + attempts, 0);
}
