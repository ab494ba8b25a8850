import { type Channel, type Exchange, type HttpRequest, serializeRequest } from '../http/exchange.js';

export type SendingLog = ReturnType<typeof createSendingLog>;

interface Entry {
  readonly request: HttpRequest;
  startedAt: number;
  endedAt: number;
}

/** Creates a log of when requests were in flight. @returns the channel to send everything over */
export function createSendingLog(channel: Channel) {
  const entries: Entry[] = [];
  const byExchange = new WeakMap<Exchange, Entry>();
  // Counts events: times in milliseconds are too coarse.
  let clock = 0;
  return {
    channel: {
      ...channel,
      async send(request: HttpRequest, whyWithheld?: () => string | undefined) {
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
    /** Lists what was in flight at the same time, and what was answered before, the latest first; each request once. */
    findSurroundings(exchange: Exchange): Record<'overlapping' | 'earlier', HttpRequest[]> {
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
