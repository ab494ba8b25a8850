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
  /** Waits until no request is in flight. */
  waitUntilIdle(): Promise<void>;
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
  const inFlight = new Set<Promise<unknown>>();
  // Counts events: times in milliseconds are too coarse.
  let clock = 0;
  const tick = () => {
    clock += 1;
    return clock;
  };
  return {
    channel: {
      ...channel,
      async send(request, whyWithheld) {
        const entry: Entry = { request, startedAt: tick(), endedAt: Number.POSITIVE_INFINITY };
        entries.push(entry);
        const sending = channel.send(request, () => {
          // The request may have waited for its turn.
          entry.startedAt = tick();
          return whyWithheld?.();
        });
        inFlight.add(sending);
        const exchange = await sending;
        inFlight.delete(sending);
        entry.endedAt = tick();
        byExchange.set(exchange, entry);
        return exchange;
      },
    },
    findSurroundings(exchange) {
      const own = byExchange.get(exchange);
      if (own === undefined) return { overlapping: [], earlier: [] };
      const others = entries.filter((entry) => entry !== own);
      return {
        overlapping: listOnce(others.filter((each) => each.startedAt < own.endedAt && each.endedAt > own.startedAt)),
        earlier: listOnce(
          others.filter(({ endedAt }) => endedAt < own.startedAt).sort((one, two) => two.endedAt - one.endedAt),
        ),
      };
    },
    async waitUntilIdle() {
      while (inFlight.size > 0) await Promise.all(inFlight);
    },
  };
}

function listOnce(entries: readonly Entry[]): HttpRequest[] {
  const byKey = new Map<string, HttpRequest>();
  for (const { request } of entries) {
    const key = serializeRequest(request);
    if (!byKey.has(key)) byKey.set(key, request);
  }
  return [...byKey.values()];
}
