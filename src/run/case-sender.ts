import { type Row, type TestCase, tag } from '../cases/test-case.js';
import type { Channel, Exchange, HttpRequest } from '../http/exchange.js';
import type { RowExchanges } from '../judge/judge-case.js';
import { type Batch, createBatches } from './batches.js';
import type { CaseExchanges } from './case-result.js';
import { countAttempts, countBodyCharacters, createRequestCache, type SentRequest } from './request-cache.js';

/** Lists the requests of a case, each once, without rows for which the target lacks test data. */
export function listRequests(testCase: TestCase): HttpRequest[] {
  return [...indexRequests(testCase).values()];
}

/** A case, or other requests that are sent together. */
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
  return JSON.stringify([name, request]);
}

/** Whether a case shares no exchanges with other cases. */
export function isSerial({ tags }: TestCase): boolean {
  return tags.includes(tag.serial);
}

/** Sends the requests of cases. */
export interface CaseSender {
  /**
   * Sends the requests of a case concurrently, or one after another if the case is serial. Rows for which the target lacks
   * test data are skipped. Nothing more is sent once the bodies exceed the limit of the channel.
   */
  send(testCase: TestCase): Promise<CaseExchanges>;
  /**
   * Sends the requests of some rows again, one after another on new connections, while nothing else is sent. Cases share
   * what is sent in the same turn.
   *
   * @param rows counted from 0
   * @param turn counted from 1
   */
  sendAlone(testCase: TestCase, rows: readonly number[], turn: number): Promise<CaseExchanges>;
  /**
   * Sends a request of a row again, together with those that were sent shortly before and after it, as many at once as the
   * first time. A serial case is sent again as it is. Rows share what is sent in the same turn.
   *
   * @param first the exchange of the request, when it was sent first
   * @param turn counted from 1
   * @returns undefined if the run has sent enough requests again
   */
  sendInBatch(
    testCase: TestCase,
    row: number,
    name: string,
    first: Exchange,
    turn: number,
  ): Promise<CaseExchanges | undefined>;
}

type Uncounted = Omit<CaseExchanges, 'requestsSent'>;

/** The number of requests that are sent again in batches, at most: two full batches, three times. */
const maxInBatches = 96;

/** How many requests are sent ahead of the current case, per concurrent request of the channel. */
const aheadPerConcurrency = 8;
/** The maximum length of bodies that wait for their case, in characters. */
const maxAhead = 8 * 1024 * 1024;

/**
 * Creates the sender of a run. Equal requests of several cases are sent once. While a case waits for responses, requests
 * of the next cases are sent ahead. A serial case shares nothing and runs alone.
 *
 * @param planned the cases that will be sent, in this order, as far as known
 * @param known what was sent and counted before
 */
export function createCaseSender(
  channel: Channel,
  planned: readonly TestCase[] = [],
  known: readonly SentRequest[] = [],
): CaseSender {
  const queue = planned.map((testCase) => ({ testCase, requests: listRequests(testCase) }));
  const expected = queue.filter(({ testCase }) => !isSerial(testCase)).flatMap(({ requests }) => requests);
  const batches = createBatches(channel);
  const sendOnce = createRequestCache(batches, expected, known);
  const sendOnNewConnection: Channel['send'] = (...args) => {
    channel.reconnect();
    return channel.send(...args);
  };
  const sendAloneOnce: Channel['send'][] = [];
  const serialBatches = new Map<string, Batch>();
  const counted = new WeakSet(known.map(([, exchange]) => exchange));
  const ahead = new Map<string, Promise<Uncounted>>();
  const waitUntilIdle = () => Promise.all(ahead.values());
  let characters = 0;
  let exchanges = 0;
  let inBatches = 0;

  const sendRows = async (testCase: SentRows, send: Channel['send'], isSerial = false): Promise<Uncounted> => {
    const sent = new Map<string, Exchange>();
    let length = 0;
    const whyWithheld = (): string | undefined =>
      length > channel.maxCaseBodyLength
        ? `The bodies of this case are longer than ${channel.maxCaseBodyLength} characters together, so its other requests were not sent. Increase limits.body_bytes in the target file.`
        : undefined;
    const sendKept = async ([key, request]: readonly [string, HttpRequest]): Promise<void> => {
      const exchange = await send(request, whyWithheld);
      length += countBodyCharacters(exchange);
      sent.set(key, exchange);
    };
    const requests = [...indexRequests(testCase)];
    if (isSerial) for (const request of requests) await sendKept(request);
    else await Promise.all(requests.map(sendKept));
    characters += length;
    exchanges += sent.size;
    const listNamed = ({ requests, unavailable }: SentRows['rows'][number]) =>
      [...(unavailable.length > 0 ? [] : requests)].map(
        ([name, request]) => [name, sent.get(createKey(name, request)) as Exchange] as const,
      );
    return { exchanges: testCase.rows.map((row) => new Map(listNamed(row))), count: sent.size };
  };
  /** Counts the requests for the case that is judged first: after an interruption, the evidence has no others. */
  const countRequests = (sent: Uncounted): CaseExchanges => {
    const all = new Set([...sent.exchanges.flatMap((row) => [...row.values()]), ...(sent.others ?? [])]);
    const uncounted = [...all].filter((exchange) => !counted.has(exchange));
    for (const exchange of uncounted) counted.add(exchange);
    return { ...sent, requestsSent: countAttempts(uncounted) };
  };
  const sendAhead = (position: number): void => {
    let count = 0;
    // Before the first response, bodies may have any size.
    const maxCount =
      exchanges === 0
        ? channel.maxConcurrency
        : Math.min(aheadPerConcurrency * channel.maxConcurrency, (maxAhead * exchanges) / characters);
    for (const { testCase, requests } of queue.slice(position)) {
      count += requests.length;
      if (isSerial(testCase) || count > maxCount) return;
      if (!ahead.has(testCase.id)) ahead.set(testCase.id, sendRows(testCase, sendOnce));
    }
  };
  /** Sends requests while nothing else is sent, on connections of their own: what a deployment keeps of one shows. */
  const sendWhileIdle = async (testCase: SentRows, isSerial: boolean): Promise<Uncounted> => {
    await waitUntilIdle();
    channel.reconnect();
    return await sendRows(testCase, channel.send, isSerial);
  };
  const findSerialBatch = (testCase: TestCase, row: number, name: string) => {
    const batch = serialBatches.get(testCase.id) ?? { requests: indexRequests(testCase), turns: [] };
    serialBatches.set(testCase.id, batch);
    return { batch, name: createKey(name, testCase.rows[row]?.requests.get(name) as HttpRequest) };
  };
  return {
    async send(testCase) {
      if (isSerial(testCase)) return countRequests(await sendWhileIdle(testCase, true));
      const sending = ahead.get(testCase.id) ?? sendRows(testCase, sendOnce);
      const position = planned.findIndex(({ id }) => id === testCase.id);
      if (position >= 0) sendAhead(position + 1);
      const sent = await sending;
      ahead.delete(testCase.id);
      return countRequests(sent);
    },
    async sendAlone(testCase, rows, turn) {
      await waitUntilIdle();
      sendAloneOnce[turn] ??= createRequestCache({ send: sendOnNewConnection });
      // The order of the requests of a serial case matters, so all of them are sent.
      const send = isSerial(testCase) ? sendOnNewConnection : sendAloneOnce[turn];
      return countRequests(await sendRows(keepRows(testCase, rows), send, true));
    },
    async sendInBatch(testCase, row, name, first, turn) {
      const found = isSerial(testCase) ? findSerialBatch(testCase, row, name) : batches.find(first);
      if (found === undefined) return undefined;
      const { batch } = found;
      const isNew = batch.turns.length < turn;
      if (isNew) {
        inBatches += batch.requests.size;
        if (inBatches > maxInBatches) return undefined;
        const together = { rows: [{ requests: batch.requests, unavailable: [] }] };
        const sent = await sendWhileIdle(together, isSerial(testCase));
        batch.turns.push(sent.exchanges[0] ?? new Map());
      }
      const sent: RowExchanges[number] = batch.turns[turn - 1] ?? new Map();
      const exchange = sent.get(found.name) as Exchange;
      const exchanges = testCase.rows.map((_, n) => new Map(n === row ? [[name, exchange]] : []));
      const others = isNew ? [...sent.values()].filter((received) => received !== exchange) : [];
      return countRequests({ exchanges, count: 1, others });
    },
  };
}

/** Empties all rows of a case but some. */
function keepRows(testCase: TestCase, kept: readonly number[]): TestCase {
  const rows = testCase.rows.map((row, n) => (kept.includes(n) ? row : { ...row, requests: new Map() }));
  return { ...testCase, rows } as TestCase;
}
