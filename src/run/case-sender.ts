import { type CaseRow, caseTags, type TestCase } from '../cases/test-case.js';
import { type Exchange, type HttpRequest, type RequestChannel, serializeRequest } from '../http/exchange.js';
import { hasTransientStatus, isSuccessful } from '../http/response-status.js';
import type { BatchKind, CaseExchanges } from './case-result.js';

/** A request as a case states it, with its exchange. */
export type RequestWithExchange = readonly [request: HttpRequest, exchange: Exchange];

/** Lists the requests of a case, each once, without rows for which the target lacks test data. */
export function listRequestsOfCase(testCase: TestCase): HttpRequest[] {
  return [...indexRequests(testCase).values()];
}

interface SentRows {
  readonly rows: readonly Pick<CaseRow, 'requests' | 'unavailable'>[];
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
  return tags.includes(caseTags.serial);
}

export interface CaseSender {
  /** Sends the requests of a case concurrently, or one after another if it is serial. Rows without test data are skipped. */
  send(testCase: TestCase): Promise<CaseExchanges>;
  /** Sends rows again, each request alone on a new connection. Cases share what is sent in the same turn, from 1. */
  sendAlone(testCase: TestCase, rows: readonly number[], turn: number): Promise<CaseExchanges>;
  /** Sends a request again, alone on a new connection. Undefined if the run has sent enough requests in series. */
  sendInSeries(suspect: SuspectRequest): Promise<CaseExchanges | undefined>;
  /**
   * Sends a request again among those sent next to it, in a turn from 1. Undefined if it was not sent among others, or if the
   * run has sent as many requests again.
   */
  sendInBatch(suspect: SuspectRequest, turn: number, maxOfRun: number): Promise<CaseExchanges | undefined>;
  /**
   * Sends a request again after those that were sent just before it, one after another on one connection. Undefined if there was none
   * before it, or if the run has sent as many requests again.
   */
  sendInOrder(suspect: SuspectRequest, maxOfRun: number): Promise<CaseExchanges | undefined>;
  /**
   * Returns the batches of the run in the order in which they were sent again; after them, sends that of the suspect, with more
   * requests around it than {@link sendInBatch} takes.
   */
  repeatBatch(suspect: SuspectRequest, number: number, maxOfRun: number): Promise<RepeatedBatch | undefined>;
  /** Sends requests of such a batch one after another, each alone on a new connection, once: those that were wrong in it. */
  repeatBatchAlone(
    suspect: SuspectRequest,
    number: number,
    maxOfRun: number,
    isWrong: (exchange: Exchange) => boolean,
  ): Promise<RepeatedBatch | undefined>;
}

export interface RepeatedBatch {
  readonly sent: CaseExchanges;
  /** Whether it was sent now, and not for an earlier suspect. */
  readonly isNew: boolean;
}

/** A request whose response was wrong when it was sent first. */
export interface SuspectRequest {
  readonly testCase: TestCase;
  readonly row: number;
  readonly name: string;
  readonly first: Exchange;
}

/** Requests that were sent together, or shortly one after another. Several failing rows may share it. */
interface Batch {
  readonly serialCase: string | undefined;
  readonly requests: ReadonlyMap<string, HttpRequest>;
  /** What came back each time that the batch was sent again. */
  readonly turns: ReadonlyMap<string, Exchange>[];
}

/** A batch, and which of its requests is the suspect. */
interface BatchPlace {
  readonly batch: Batch;
  readonly key: string;
}

/**
 * The number of requests in a batch before the wrong one, and from it on. What one request leaves for the next shows among few;
 * how often requests that overlap get wrong results shows among more.
 */
const [halfOfSmallBatch, halfBatch] = [3, 5];
/** How many requests are sent on one connection before the wrong one. */
const maxBeforeInOrder = 4;
/**
 * How many requests of every second full batch are answered at the same time, at most. Then most of them come after another one on
 * their connection: what a deployment keeps of a connection shows. In the others, all are, as in the run: a race shows.
 */
const maxAtOnceInFullBatch = 4;
/**
 * The number of requests that are sent again in batches, or alone because they were wrong in one, at most: a small batch, one
 * in order and three full ones. A failing run has 70 requests to confirm and to narrow its failures.
 */
export const maxInBatches = 48;
/** The same if some results were wrong in a batch and right alone, which is not yet enough. A race that is missed is worse. */
export const maxInPromisingBatches = 120;
/** The same if the verdict of the run does not depend on them: one request among its neighbours, three times. */
export const maxInBatchesAfterFailure = 3 * 2 * halfOfSmallBatch;

/** The number of requests that are sent again in series, at most: a whole series, and two that are right. */
const maxInSeries = 20;

/** How many requests are sent ahead of the current case, per concurrent request of the channel. */
const aheadPerConcurrency = 8;

/** Equal requests of several cases are sent once. @param planned the next cases: their requests are sent ahead */
export function createCaseSender(
  channel: RequestChannel,
  planned: readonly TestCase[] = [],
  alreadySent: readonly RequestWithExchange[] = [],
): CaseSender {
  /** What was sent first, in this order, by the name that it has in batches. */
  const sent: (readonly [name: string, request: HttpRequest])[] = [];
  const places = new WeakMap<Exchange, number>();
  const takePlace = (request: HttpRequest) => sent.push([String(sent.length), request]) - 1;
  for (const [request, exchange] of alreadySent) places.set(exchange, takePlace(request));
  const sendOnce = createRequestCache(async (request) => {
    const place = takePlace(request);
    const exchange = await channel.send(request);
    places.set(exchange, place);
    return exchange;
  }, alreadySent);
  const sendOnNewConnection: RequestChannel['send'] = (request) => {
    channel.reconnect();
    return channel.send(request);
  };
  const sendAloneOnce: RequestChannel['send'][] = [];
  const ahead = new Map<string, ReturnType<typeof sendRows>>();
  const batches: Batch[] = [];
  /** All batches that were sent again, each time, in this order. */
  const repeated: {
    readonly requests: Batch['requests'];
    readonly received: ReadonlyMap<string, Exchange>;
    alone?: ReadonlyMap<string, Exchange> | undefined;
  }[] = [];
  let inBatches = 0;
  let inSeries = 0;

  /** @param maxAtOnce how many requests are answered at the same time, at most */
  const sendRows = async (
    testCase: SentRows,
    send: RequestChannel['send'],
    maxAtOnce: number = Number.POSITIVE_INFINITY,
  ) => {
    const received = new Map<string, Exchange>();
    const sendKept = async ([key, request]: readonly [string, HttpRequest]): Promise<void> => {
      received.set(key, await send(request));
    };
    const waiting = [...indexRequests(testCase)];
    const sendNext = async (): Promise<void> => {
      for (let request = waiting.shift(); request !== undefined; request = waiting.shift()) await sendKept(request);
    };
    await Promise.all(Array.from({ length: Math.min(waiting.length, maxAtOnce) }, sendNext));
    const exchanges = testCase.rows.map(({ requests, unavailable }) => {
      const applicable = unavailable.length > 0 ? [] : [...requests];
      return new Map(applicable.map(([name, sent]) => [name, received.get(createKey(name, sent)) as Exchange]));
    });
    return { exchanges };
  };
  const sendAhead = (position: number): void => {
    let count = 0;
    for (const testCase of planned.slice(position)) {
      count += listRequestsOfCase(testCase).length;
      if (isSerial(testCase) || count > aheadPerConcurrency * channel.maxConcurrency) return;
      if (!ahead.has(testCase.id)) ahead.set(testCase.id, sendRows(testCase, sendOnce));
    }
  };
  /** Sends requests while nothing else is sent, on connections of their own: what a deployment keeps of one shows. */
  const sendWhileIdle = async (testCase: SentRows, maxAtOnce?: number) => {
    await Promise.all(ahead.values());
    channel.reconnect();
    return await sendRows(testCase, channel.send, maxAtOnce);
  };
  const sendOneByOne = async (testCase: SentRows) => {
    await Promise.all(ahead.values());
    return await sendRows(testCase, sendOnNewConnection, 1);
  };
  /** Finds the batch of a suspect, which several failing rows may share. */
  const findBatch = (suspect: SuspectRequest, half: number): BatchPlace | undefined => {
    const place = places.get(suspect.first);
    if (isSerial(suspect.testCase)) {
      const kept = batches.find(({ serialCase }) => serialCase === suspect.testCase.id);
      const created = createSerialBatch(suspect);
      return created && { ...created, batch: kept ?? created.batch };
    }
    if (place === undefined) return undefined;
    const created = createBatchAround(sent, place, half);
    const isAround = ({ serialCase, requests }: Batch) =>
      serialCase === undefined && [...requests.keys()].indexOf(created.key) >= Math.min(half, place);
    return { ...created, batch: batches.find(isAround) ?? created.batch };
  };
  const sendBatch = async (
    { serialCase, requests, turns }: Batch,
    maxOfRun: number,
  ): Promise<ReadonlyMap<string, Exchange> | undefined> => {
    // A batch that is refused must not use up what is left for smaller ones.
    if (inBatches + requests.size > maxOfRun) return undefined;
    inBatches += requests.size;
    const all = { rows: [{ requests, unavailable: [] }] };
    const isFull = requests.size > 2 * halfOfSmallBatch;
    const maxOfBatch = isFull && repeated.length % 2 === 1 ? maxAtOnceInFullBatch : undefined;
    const { exchanges } = await sendWhileIdle(all, serialCase === undefined ? maxOfBatch : 1);
    const received = exchanges[0] ?? new Map<string, Exchange>();
    turns.push(received);
    if (serialCase === undefined) repeated.push({ requests, received });
    return received;
  };
  const selectOfBatch = (
    kind: BatchKind,
    { testCase, row, name }: SuspectRequest,
    received: ReadonlyMap<string, Exchange>,
    key?: string,
  ) => {
    const exchange = received.get(key ?? '');
    const ofRow = testCase.rows.map((_, n) => new Map(n === row && exchange ? [[name, exchange]] : []));
    return { exchanges: ofRow, batch: { kind, row, exchanges: [...received.values()] } };
  };
  return {
    async send(testCase) {
      if (isSerial(testCase)) return await sendWhileIdle(testCase, 1);
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
      return await sendRows({ rows: kept }, send, 1);
    },
    async sendInSeries(suspect) {
      if (inSeries === maxInSeries) return undefined;
      inSeries += 1;
      const key = '1';
      const { exchanges } = await sendOneByOne({
        rows: [{ requests: new Map([[key, suspect.first.request]]), unavailable: [] }],
      });
      return selectOfBatch('series', suspect, exchanges[0] ?? new Map(), key);
    },
    async sendInBatch(suspect, turn, maxOfRun) {
      const place = findBatch(suspect, halfOfSmallBatch);
      if (place === undefined) return undefined;
      const { batch, key } = place;
      if (!batches.includes(batch)) batches.push(batch);
      const received = batch.turns[turn - 1] ?? (await sendBatch(batch, maxOfRun));
      return received && selectOfBatch('same-row', suspect, received, key);
    },
    async sendInOrder(suspect, maxOfRun) {
      const place = places.get(suspect.first);
      if (isSerial(suspect.testCase) || place === undefined || place === 0) return undefined;
      const requests = new Map(sent.slice(Math.max(0, place - maxBeforeInOrder), place + 1));
      if (inBatches + requests.size > maxOfRun) return undefined;
      inBatches += requests.size;
      const { exchanges } = await sendWhileIdle({ rows: [{ requests, unavailable: [] }] }, 1);
      return selectOfBatch('in-order', suspect, exchanges[0] ?? new Map(), String(place));
    },
    async repeatBatch(suspect, number, maxOfRun) {
      const kept = repeated[number - 1];
      if (kept !== undefined) return { sent: selectOfBatch('together', suspect, kept.received), isNew: false };
      const place = findBatch(suspect, halfBatch);
      const received = place && (await sendBatch(place.batch, maxOfRun));
      return received && { sent: selectOfBatch('together', suspect, received), isNew: true };
    },
    async repeatBatchAlone(suspect, number, maxOfRun, isWrong) {
      const batch = repeated[number - 1];
      if (batch === undefined) return undefined;
      const isNew = batch.alone === undefined;
      if (isNew) {
        const isWanted = ([key]: readonly [string, HttpRequest]) => isWrong(batch.received.get(key) as Exchange);
        const requests = [...batch.requests].filter(isWanted).slice(0, Math.max(0, maxOfRun - inBatches));
        inBatches += requests.length;
        batch.alone = (await sendOneByOne({ rows: [{ requests: new Map(requests), unavailable: [] }] })).exchanges[0];
      }
      return { sent: selectOfBatch('alone', suspect, batch.alone ?? new Map()), isNew };
    },
  };
}

/** The batch of a serial case is the whole case. */
function createSerialBatch({ testCase, row, name }: SuspectRequest): BatchPlace | undefined {
  const request = testCase.rows[row]?.requests.get(name);
  if (request === undefined) return undefined;
  const batch = { serialCase: testCase.id, requests: indexRequests(testCase), turns: [] };
  return { batch, key: createKey(name, request) };
}

/** @param sent all requests in their order @param place that of the suspect @param half how many come before it */
function createBatchAround(sent: readonly (readonly [string, HttpRequest])[], place: number, half: number): BatchPlace {
  const start = Math.max(0, Math.min(place - half, sent.length - 2 * half));
  const requests = new Map(sent.slice(start, start + 2 * half));
  return { batch: { serialCase: undefined, requests, turns: [] }, key: String(place) };
}

/** After as many different requests with a server error, and none that succeeds, a server error is not taken for a temporary one. */
const maxFailedWithoutSuccess = 10;

/** Sends equal requests only once. Transport errors and transient statuses are not cached, a server error if it came twice. */
function createRequestCache(
  send: RequestChannel['send'],
  alreadySent: readonly RequestWithExchange[] = [],
): RequestChannel['send'] {
  let hasSucceeded = false;
  const pending = new Map<string, Promise<Exchange>>();
  const cached = new Map<string, Exchange>();
  const failed = new Set<string>();
  const store = (key: string, exchange: Exchange): void => {
    if (!('response' in exchange) || hasTransientStatus(exchange.response)) return;
    const { response } = exchange;
    hasSucceeded ||= isSuccessful(response);
    const isPerhapsTemporary = hasSucceeded || failed.size < maxFailedWithoutSuccess;
    const isFirstFailure = response.status >= 500 && !failed.has(key) && isPerhapsTemporary;
    if (isFirstFailure) failed.add(key);
    else cached.set(key, exchange);
  };
  for (const [request, exchange] of alreadySent) store(serializeRequest(request), exchange);
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
