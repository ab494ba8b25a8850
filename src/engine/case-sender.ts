import { type Row, type TestCase, tag } from '../cases/test-case.js';
import type { Channel, Exchange, HttpRequest } from '../http/exchange.js';
import type { RowExchanges } from '../judge/judge-case.js';
import type { CaseExchanges } from './case-exchanges.js';
import { type ConditionSender, createConditionSender } from './condition-sender.js';
import {
  createRequestCache,
  createUncachedFetch,
  type ExchangeFetcher,
  type FetchedExchange,
} from './request-cache.js';

/** Lists the requests of a case, each once, without rows for which the target lacks test data. */
export function listRequests({ rows }: TestCase): HttpRequest[] {
  const applicable = rows.filter(({ unavailable }) => unavailable.length === 0);
  const named = applicable.flatMap(({ requests }) => [...requests]);
  return [...new Map(named.map(([name, request]) => [createKey(name, request), request])).values()];
}

/** Within a case, requests with the same name and content are sent once. */
function createKey(name: string, request: HttpRequest): string {
  return JSON.stringify([name, request]);
}

/** Sends the requests of cases. */
export interface CaseSender {
  /**
   * Sends the requests of a case concurrently, or one after another if the case is serial. Rows for which the target lacks
   * test data are skipped. Nothing more is sent once the bodies exceed the limit of the channel.
   */
  send(testCase: TestCase): Promise<CaseExchanges>;
  /** Sends each request again, one after another on new connections, while nothing else is sent. */
  sendSerially(testCase: TestCase): Promise<CaseExchanges>;
  /** Sends single rows again, under the conditions of the first time. */
  readonly conditions: ConditionSender;
}

/** How many requests are sent ahead of the current case, per concurrent request of the channel. */
const aheadPerConcurrency = 8;
/** The maximum length of bodies that wait for their case, in characters. */
const maxAhead = 8 * 1024 * 1024;

/**
 * Creates the sender of a run. Equal requests of several cases are sent once. While a case waits for responses, requests
 * of the next cases are sent ahead. A serial case shares nothing and runs alone.
 *
 * @param planned the cases that will be sent, in this order, as far as known
 * @param known the cases whose ids name requests in reasons
 */
export function createCaseSender(
  target: Channel,
  planned: readonly TestCase[] = [],
  known: readonly TestCase[] = planned,
): CaseSender {
  const { channel, conditions } = createConditionSender(target, known);
  const queue = planned.map((testCase) => ({ testCase, requests: listRequests(testCase) }));
  const expected = queue.filter(({ testCase }) => !isSerial(testCase)).flatMap(({ requests }) => requests);
  const { fetch } = createRequestCache(channel, planned.length === 0 ? undefined : expected);
  const positions = new Map(planned.map(({ id }, position) => [id, position]));
  const ahead = new Map<string, Promise<CaseExchanges>>();
  const sizes = createBodySizes();
  const begin = async (testCase: TestCase): Promise<CaseExchanges> => {
    const sent = await sendRows(testCase, channel, fetch);
    sizes.add(sent);
    return sent;
  };
  const sendAhead = (position: number): void => {
    let count = 0;
    for (const { testCase, requests } of queue.slice(position + 1)) {
      if (isSerial(testCase)) return;
      count += requests.length;
      const size = sizes.estimate(count);
      const maxRequests = (size === undefined ? 1 : aheadPerConcurrency) * channel.maxConcurrency;
      if (count > maxRequests || (size ?? 0) > maxAhead) return;
      if (!ahead.has(testCase.id)) ahead.set(testCase.id, begin(testCase));
    }
  };
  return {
    send: async (testCase) => {
      if (isSerial(testCase)) {
        await Promise.all(ahead.values());
        // One new connection for all of them: what a deployment keeps of a connection shows, too.
        channel.reconnect();
        return sendRows(testCase, channel, createUncachedFetch(channel), 'serial');
      }
      const sending = ahead.get(testCase.id) ?? begin(testCase);
      const position = positions.get(testCase.id);
      if (position !== undefined) sendAhead(position);
      const sent = await sending;
      ahead.delete(testCase.id);
      return sent;
    },
    sendSerially: async (testCase) => {
      await Promise.all(ahead.values());
      return sendRowsSerially(testCase, channel);
    },
    conditions,
  };
}

/** Estimates the bodies of requests by the average of all responses so far. */
interface BodySizes {
  add(sent: CaseExchanges): void;
  /** Returns characters; undefined before the first response, which may have any size. */
  estimate(requests: number): number | undefined;
}

function createBodySizes(): BodySizes {
  let characters = 0;
  let exchanges = 0;
  return {
    add(sent) {
      characters += countCharacters(sent);
      exchanges += sent.count;
    },
    estimate: (requests) => (exchanges === 0 ? undefined : (requests * characters) / exchanges),
  };
}

function countCharacters({ exchanges }: CaseExchanges): number {
  const all = new Set(exchanges.flatMap((row) => [...row.values()]));
  return [...all].reduce((sum, exchange) => sum + ('response' in exchange ? exchange.response.body.length : 0), 0);
}

/** Whether a case shares no exchanges with other cases. */
export function isSerial({ tags }: TestCase): boolean {
  return tags.includes(tag.serial);
}

/** Creates a sender without cache that sends nothing ahead, for cases that are sent again. */
export function createUncachedSender(target: Channel, known: readonly TestCase[] = []): CaseSender {
  const { channel, conditions } = createConditionSender(target, known);
  return {
    conditions,
    send: (testCase) => sendRows(testCase, channel, createUncachedFetch(channel)),
    sendSerially: (testCase) => sendRowsSerially(testCase, channel),
  };
}

async function sendRows(
  { rows }: TestCase,
  channel: Channel,
  fetch: ExchangeFetcher,
  order: SendingOrder = 'concurrent',
): Promise<CaseExchanges> {
  const sender = createRowSender(channel, fetch, order);
  const exchanges = await Promise.all(rows.map((row) => sender.send(row)));
  return { exchanges, ...(await sender.countAll()) };
}

async function sendRowsSerially({ rows }: TestCase, channel: Channel): Promise<CaseExchanges> {
  const fetch = createUncachedFetch(channel);
  const fetchOnNewConnection: ExchangeFetcher = (request, whyWithheld) => {
    channel.reconnect();
    return fetch(request, whyWithheld);
  };
  const sender = createRowSender(channel, fetchOnNewConnection, 'serial');
  const exchanges: RowExchange[] = [];
  for (const row of rows) exchanges.push(await sender.send(row));
  return { exchanges, ...(await sender.countAll()) };
}

type RowExchange = RowExchanges[number];

/** How the requests of one row are sent. */
type SendingOrder = 'concurrent' | 'serial';

/** Sends the rows of one case. Requests that rows share are sent once. */
interface RowSender {
  send(row: Row): Promise<RowExchange>;
  countAll(): Promise<Pick<CaseExchanges, 'count' | 'requestsSent'>>;
}

function createRowSender({ maxCaseBodyLength }: Channel, fetch: ExchangeFetcher, order: SendingOrder): RowSender {
  const sent = new Map<string, Promise<FetchedExchange>>();
  let characters = 0;
  const whyWithheld = (): string | undefined =>
    characters > maxCaseBodyLength
      ? `The bodies of this case are longer than ${maxCaseBodyLength} characters together, so its other requests were not sent. Increase limits.body_bytes in the target file.`
      : undefined;
  const sendOne = async (request: HttpRequest): Promise<FetchedExchange> => {
    const fetched = await fetch(request, whyWithheld);
    if ('response' in fetched.exchange) characters += fetched.exchange.response.body.length;
    return fetched;
  };
  const sendOnce = async (name: string, request: HttpRequest): Promise<Exchange> => {
    const key = createKey(name, request);
    const sending = sent.get(key) ?? sendOne(request);
    sent.set(key, sending);
    return (await sending).exchange;
  };
  return {
    async send({ requests, unavailable }) {
      if (unavailable.length > 0) return new Map();
      const sending: Promise<readonly [string, Exchange]>[] = [];
      for (const [name, request] of requests) {
        const one = sendOnce(name, request).then((exchange) => [name, exchange] as const);
        sending.push(one);
        if (order === 'serial') await one;
      }
      return new Map(await Promise.all(sending));
    },
    async countAll() {
      const all = await Promise.all(sent.values());
      return { count: all.length, requestsSent: all.reduce((sum, { requestsSent }) => sum + requestsSent, 0) };
    },
  };
}
