import { type Row, type TestCase, tag } from '../cases/test-case.js';
import { type Channel, type Exchange, type HttpRequest, serializeRequest } from '../http/exchange.js';
import { isTransient } from '../http/response-status.js';
import type { CaseExchanges } from './case-result.js';

/** A request as a case states it, with its exchange. */
export type SentRequest = readonly [request: HttpRequest, exchange: Exchange];

/** Lists the requests of a case, each once, without rows for which the target lacks test data. */
export function listRequests(testCase: TestCase): HttpRequest[] {
  return [...indexRequests(testCase).values()];
}

interface SentRows {
  readonly rows: readonly Pick<Row, 'requests' | 'unavailable'>[];
}

/** Within a case, requests with the same name and content are sent once. */
function indexRequests({ rows }: SentRows): Map<string, HttpRequest> {
  const applicable = rows.filter(({ unavailable }) => unavailable.length === 0);
  const named = applicable.flatMap(({ requests }) => [...requests]);
  return new Map(named.map(([name, request]) => [createKey(name, request), request]));
}

function createKey(name: string, request: HttpRequest): string {
  return `${name} ${serializeRequest(request)}`;
}

/** Whether a case shares no exchanges with other cases. */
export function isSerial({ tags }: TestCase): boolean {
  return tags.includes(tag.serial);
}

export interface CaseSender {
  /** Sends the requests of a case concurrently, or one after another if it is serial. Rows without test data are skipped. */
  send(testCase: TestCase): Promise<CaseExchanges>;
  /** Sends rows again, each request alone on a new connection. Cases share what is sent in the same turn, from 1. */
  sendAlone(testCase: TestCase, rows: readonly number[], turn: number): Promise<CaseExchanges>;
  /** Sends a request again among those sent around it. Undefined if the run has sent enough requests again. */
  sendInBatch(
    testCase: TestCase,
    row: number,
    name: string,
    first: Exchange,
    turn: number,
  ): Promise<CaseExchanges | undefined>;
}

/** Requests that were sent together, or shortly one after another. Several failing rows may share it. */
interface Batch {
  readonly serialCase: string | undefined;
  readonly requests: ReadonlyMap<string, HttpRequest>;
  /** What came back each time that the batch was sent again. */
  readonly turns: ReadonlyMap<string, Exchange>[];
}

/** The number of requests in a batch before the wrong one, and from it on. */
const halfBatch = 8;
/** The number of requests that are sent again in batches, at most: two full batches, three times. */
const maxInBatches = 96;

/** How many requests are sent ahead of the current case, per concurrent request of the channel. */
const aheadPerConcurrency = 8;

/** Equal requests of several cases are sent once. @param planned the next cases: their requests are sent ahead */
export function createCaseSender(
  channel: Channel,
  planned: readonly TestCase[] = [],
  known: readonly SentRequest[] = [],
): CaseSender {
  /** What was sent first, in this order, by the name that it has in batches. */
  const sent: (readonly [name: string, request: HttpRequest])[] = [];
  const places = new WeakMap<Exchange, number>();
  const sendOnce = createRequestCache(async (request) => {
    const place = sent.push([String(sent.length), request]) - 1;
    const exchange = await channel.send(request);
    places.set(exchange, place);
    return exchange;
  }, known);
  const sendOnNewConnection: Channel['send'] = (request) => {
    channel.reconnect();
    return channel.send(request);
  };
  const sendAloneOnce: Channel['send'][] = [];
  const ahead = new Map<string, ReturnType<typeof sendRows>>();
  const batches: Batch[] = [];
  let inBatches = 0;

  const sendRows = async (testCase: SentRows, send: Channel['send'], isSerial = false) => {
    const received = new Map<string, Exchange>();
    const sendKept = async ([key, request]: readonly [string, HttpRequest]): Promise<void> => {
      received.set(key, await send(request));
    };
    const requests = [...indexRequests(testCase)];
    if (isSerial) for (const request of requests) await sendKept(request);
    else await Promise.all(requests.map(sendKept));
    const exchanges = testCase.rows.map(({ requests, unavailable }) => {
      const applicable = unavailable.length > 0 ? [] : [...requests];
      return new Map(applicable.map(([name, sent]) => [name, received.get(createKey(name, sent)) as Exchange]));
    });
    return { exchanges };
  };
  const sendAhead = (position: number): void => {
    let count = 0;
    for (const testCase of planned.slice(position)) {
      count += listRequests(testCase).length;
      if (isSerial(testCase) || count > aheadPerConcurrency * channel.maxConcurrency) return;
      if (!ahead.has(testCase.id)) ahead.set(testCase.id, sendRows(testCase, sendOnce));
    }
  };
  /** Sends requests while nothing else is sent, on connections of their own: what a deployment keeps of one shows. */
  const sendWhileIdle = async (testCase: SentRows, isSerial: boolean) => {
    await Promise.all(ahead.values());
    channel.reconnect();
    return await sendRows(testCase, channel.send, isSerial);
  };
  return {
    async send(testCase) {
      if (isSerial(testCase)) return await sendWhileIdle(testCase, true);
      const sending = ahead.get(testCase.id) ?? sendRows(testCase, sendOnce);
      const position = planned.findIndex(({ id }) => id === testCase.id);
      if (position >= 0) sendAhead(position + 1);
      const received = await sending;
      ahead.delete(testCase.id);
      return received;
    },
    async sendAlone(testCase, rows, turn) {
      await Promise.all(ahead.values());
      sendAloneOnce[turn] ??= createRequestCache(sendOnNewConnection);
      // The order of the requests of a serial case matters, so all of them are sent.
      const send = isSerial(testCase) ? sendOnNewConnection : sendAloneOnce[turn];
      const kept = testCase.rows.map((row, n) => (rows.includes(n) ? row : { ...row, requests: new Map() }));
      return await sendRows({ rows: kept }, send, true);
    },
    async sendInBatch(testCase, row, name, first, turn) {
      const place = places.get(first) ?? -1;
      const [serialCase, key, requests] = isSerial(testCase)
        ? [testCase.id, createKey(name, testCase.rows[row]?.requests.get(name) as HttpRequest), indexRequests(testCase)]
        : [undefined, String(place), new Map(sent.slice(Math.max(0, place - halfBatch), place + halfBatch))];
      if (!requests.has(key)) return undefined;
      const before = serialCase === undefined ? Math.min(halfBatch, place) : 0;
      const isAround = (batch: Batch) =>
        batch.serialCase === serialCase && [...batch.requests.keys()].indexOf(key) >= before;
      const batch = batches.find(isAround) ?? { serialCase, requests, turns: [] };
      const isNew = batch.turns.length < turn;
      if (isNew) {
        inBatches += batch.requests.size;
        if (inBatches > maxInBatches) return undefined;
        if (turn === 1) batches.push(batch);
        const together = { rows: [{ requests: batch.requests, unavailable: [] }] };
        batch.turns.push(...(await sendWhileIdle(together, isSerial(testCase))).exchanges);
      }
      const received = batch.turns[turn - 1] ?? new Map<string, Exchange>();
      const exchange = received.get(key) as Exchange;
      const ofRow = testCase.rows.map((_, n) => new Map(n === row ? [[name, exchange]] : []));
      const others = isNew ? [...received.values()].filter((other) => other !== exchange) : [];
      return { exchanges: ofRow, others };
    },
  };
}

/** Sends equal requests only once. Transport errors and transient statuses are not cached, a server error if it came twice. */
function createRequestCache(send: Channel['send'], known: readonly SentRequest[] = []): Channel['send'] {
  const pending = new Map<string, Promise<Exchange>>();
  const cached = new Map<string, Exchange>();
  const failed = new Set<string>();
  const store = (key: string, exchange: Exchange): void => {
    if (!('response' in exchange) || isTransient(exchange.response)) return;
    const isFirstFailure = exchange.response.status >= 500 && !failed.has(key);
    if (isFirstFailure) failed.add(key);
    else cached.set(key, exchange);
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

export function countAttempts(exchanges: readonly Exchange[]): number {
  return exchanges.reduce((sum, { attempts = 1 }) => sum + attempts, 0);
}
