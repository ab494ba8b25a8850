import type { Channel, Exchange, HttpRequest } from '../http/exchange.js';
import { isTransient } from '../http/response-status.js';

/** What a request came to, and how many requests that took: none where an equal one had been sent before. */
export interface Obtained {
  readonly exchange: Exchange;
  readonly requestsSent: number;
}

/** Obtains the exchange of a request. As `Channel.send`, it never rejects. */
export type Obtain = (request: HttpRequest, whyWithheld: () => string | undefined) => Promise<Obtained>;

/** How many characters the bodies may have together that are kept for other cases: each takes a byte or two of memory. */
const maxKept = 48 * 1024 * 1024;

/** Sends every request. */
export function obtainAnew({ send }: Pick<Channel, 'send'>): Obtain {
  return async (request, whyWithheld) => {
    const exchange = await send(request, whyWithheld);
    return { exchange, requestsSent: attemptsOf([exchange]) };
  };
}

/**
 * Sends of equal requests the first, and gives its exchange to all who want it. What may have been bad luck is not
 * passed on: after a transport error or from a busy deployment nothing is, and a server error only once it came twice.
 */
export function obtainShared(channel: Pick<Channel, 'send'>): Obtain {
  const obtain = obtainAnew(channel);
  const sending = new Map<string, Promise<Obtained>>();
  const kept = new Map<string, Exchange>();
  const failed = new Set<string>();
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

  return async (request, whyWithheld) => {
    const key = JSON.stringify(request);
    // Whoever waited in vain sends it, and those who wait with it wait for that.
    for (let other = sending.get(key); other !== undefined; other = sending.get(key)) await other;
    const known = kept.get(key);
    if (known !== undefined) return { exchange: known, requestsSent: 0 };
    const obtaining = obtain(request, whyWithheld);
    sending.set(key, obtaining);
    const obtained = await obtaining;
    sending.delete(key);
    keep(key, obtained.exchange);
    return obtained;
  };
}

/** How many requests went out for some exchanges, repeats included. */
export function attemptsOf(exchanges: readonly Exchange[]): number {
  return exchanges.reduce((sum, { attempts = 1 }) => sum + attempts, 0);
}
