import { type Channel, type Exchange, type HttpRequest, serializeRequest } from '../http/exchange.js';

/** What else was sent around an exchange, each request once. */
export interface Surroundings {
  /** Requests that were in flight at the same time. */
  readonly overlapping: readonly HttpRequest[];
  /** Requests that were answered before, the latest first. */
  readonly earlier: readonly HttpRequest[];
}

/** Notes when requests were in flight. */
export interface SendingLog {
  readonly channel: Channel;
  /** Returns what was sent around an exchange of this channel. */
  findSurroundings(exchange: Exchange): Surroundings;
}

interface Entry {
  readonly request: HttpRequest;
  startedAt: number;
  endedAt: number;
}

/** Creates a log of everything that is sent over a channel. */
export function createSendingLog(channel: Channel): SendingLog {
  const entries: Entry[] = [];
  const byExchange = new WeakMap<Exchange, Entry>();
  // Counts events: times in milliseconds are too coarse.
  let clock = 0;
  return {
    channel: {
      ...channel,
      async send(request, whyWithheld) {
        const entry: Entry = { request, startedAt: ++clock, endedAt: Number.POSITIVE_INFINITY };
        entries.push(entry);
        const exchange = await channel.send(request, () => {
          // The request may have waited for its turn.
          entry.startedAt = ++clock;
          return whyWithheld?.();
        });
        entry.endedAt = ++clock;
        byExchange.set(exchange, entry);
        return exchange;
      },
    },
    findSurroundings(exchange) {
      const own = byExchange.get(exchange);
      if (own === undefined) return { overlapping: [], earlier: [] };
      const others = entries.filter((entry) => entry !== own);
      const overlapping = others.filter((each) => each.startedAt < own.endedAt && each.endedAt > own.startedAt);
      const earlier = others.filter(({ endedAt }) => endedAt < own.startedAt);
      return {
        overlapping: listOnce(overlapping),
        earlier: listOnce(earlier.sort((one, two) => two.endedAt - one.endedAt)),
      };
    },
  };
}

function listOnce(entries: readonly Entry[]): HttpRequest[] {
  return [...new Map(entries.map(({ request }) => [serializeRequest(request), request])).values()];
}
