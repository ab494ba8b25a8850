import { type TestCase, tag } from '../cases/test-case.js';
import type { Channel, Exchange, HttpRequest } from '../http/exchange.js';
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
  let characters = 0;
  let exchanges = 0;
  const begin = async (testCase: TestCase): Promise<CaseExchanges> => {
    const sent = await sendRows(testCase, channel, fetch);
    characters += countCharacters(sent);
    exchanges += sent.count;
    return sent;
  };
  const sendAhead = (position: number): void => {
    let count = 0;
    // Before the first response, bodies may have any size.
    const maxCount =
      exchanges === 0
        ? channel.maxConcurrency
        : Math.min(aheadPerConcurrency * channel.maxConcurrency, (maxAhead * exchanges) / characters);
    for (const { testCase, requests } of queue.slice(position + 1)) {
      if (isSerial(testCase)) return;
      count += requests.length;
      if (count > maxCount) return;
      if (!ahead.has(testCase.id)) ahead.set(testCase.id, begin(testCase));
    }
  };
  return {
    send: async (testCase) => {
      if (isSerial(testCase)) {
        await Promise.all(ahead.values());
        // One new connection for all of them: what a deployment keeps of a connection shows, too.
        channel.reconnect();
        return sendRows(testCase, channel, createUncachedFetch(channel), true);
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

/** Sends the rows of a case. Requests that rows share are sent once. */
async function sendRows(
  { rows }: TestCase,
  { maxCaseBodyLength }: Channel,
  fetch: ExchangeFetcher,
  isSerial = false,
): Promise<CaseExchanges> {
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
  const sending: Promise<readonly (readonly [string, Exchange])[]>[] = [];
  for (const { requests, unavailable } of rows) {
    const row: Promise<readonly [string, Exchange]>[] = [];
    for (const [name, request] of unavailable.length > 0 ? [] : requests) {
      const key = createKey(name, request);
      const one = sent.get(key) ?? sendOne(request);
      sent.set(key, one);
      row.push(one.then(({ exchange }) => [name, exchange]));
      if (isSerial) await one;
    }
    sending.push(Promise.all(row));
  }
  const exchanges = (await Promise.all(sending)).map((row) => new Map(row));
  const all = await Promise.all(sent.values());
  return { exchanges, count: all.length, requestsSent: all.reduce((sum, each) => sum + each.requestsSent, 0) };
}

async function sendRowsSerially(testCase: TestCase, channel: Channel): Promise<CaseExchanges> {
  const fetch = createUncachedFetch(channel);
  const fetchOnNewConnection: ExchangeFetcher = (request, whyWithheld) => {
    channel.reconnect();
    return fetch(request, whyWithheld);
  };
  return sendRows(testCase, channel, fetchOnNewConnection, true);
}
