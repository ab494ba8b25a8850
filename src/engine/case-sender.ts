import { type Row, type TestCase, tag } from '../cases/test-case.js';
import type { Channel, Exchange, HttpRequest } from '../http/exchange.js';
import type { CaseExchanges } from './case-result.js';
import { type ConditionSender, createConditionSender } from './condition-sender.js';
import { countAttempts, countBodyCharacters, createRequestCache } from './request-cache.js';
import { createSendingLog } from './sending-log.js';

/** Lists the requests of a case, each once, without rows for which the target lacks test data. */
export function listRequests(testCase: TestCase): HttpRequest[] {
  return [...indexRequests(testCase).values()];
}

/** Within a case, requests with the same name and content are sent once. */
function indexRequests({ rows }: TestCase): Map<string, HttpRequest> {
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
export interface CaseSender extends ConditionSender {
  /**
   * Sends the requests of a case concurrently, or one after another if the case is serial. Rows for which the target lacks
   * test data are skipped. Nothing more is sent once the bodies exceed the limit of the channel.
   */
  send(testCase: TestCase): Promise<CaseExchanges>;
  /**
   * Sends each request again, one after another on new connections, while nothing else is sent.
   *
   * @param row the only row to send, counted from 0
   */
  sendSerially(testCase: TestCase, row?: number): Promise<CaseExchanges>;
}

type Uncounted = Omit<CaseExchanges, 'requestsSent'>;

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
  const log = createSendingLog(target);
  const { channel } = log;
  const queue = planned.map((testCase) => ({ testCase, requests: listRequests(testCase) }));
  const expected = queue.filter(({ testCase }) => !isSerial(testCase)).flatMap(({ requests }) => requests);
  const sendOnce = createRequestCache(channel, expected);
  const counted = new WeakSet<Exchange>();
  const ahead = new Map<string, Promise<Uncounted>>();
  const waitUntilIdle = () => Promise.all(ahead.values());
  let characters = 0;
  let exchanges = 0;

  const sendRows = async (testCase: TestCase, send: Channel['send'], isSerial = false): Promise<Uncounted> => {
    const sent = new Map<string, Exchange>();
    let ownCharacters = 0;
    const whyWithheld = (): string | undefined =>
      ownCharacters > channel.maxCaseBodyLength
        ? `The bodies of this case are longer than ${channel.maxCaseBodyLength} characters together, so its other requests were not sent. Increase limits.body_bytes in the target file.`
        : undefined;
    const sending: Promise<void>[] = [];
    const sendOne = async (key: string, request: HttpRequest): Promise<void> => {
      const exchange = await send(request, whyWithheld);
      ownCharacters += countBodyCharacters(exchange);
      sent.set(key, exchange);
    };
    for (const [key, request] of indexRequests(testCase)) {
      const one = sendOne(key, request);
      sending.push(one);
      if (isSerial) await one;
    }
    await Promise.all(sending);
    characters += ownCharacters;
    exchanges += sent.size;
    const listNamed = ({ requests, unavailable }: Row) =>
      [...(unavailable.length > 0 ? [] : requests)].map(
        ([name, request]) => [name, sent.get(createKey(name, request)) as Exchange] as const,
      );
    return { exchanges: testCase.rows.map((row) => new Map(listNamed(row))), count: sent.size };
  };
  /** Counts the requests for the case that is judged first: after an interruption, the evidence has no others. */
  const countRequests = (sent: Uncounted): CaseExchanges => {
    const all = new Set(sent.exchanges.flatMap((row) => [...row.values()]));
    const own = [...all].filter((exchange) => !counted.has(exchange));
    for (const exchange of own) counted.add(exchange);
    return { ...sent, requestsSent: countAttempts(own) };
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
  return {
    ...createConditionSender(log, known, waitUntilIdle),
    async send(testCase) {
      if (isSerial(testCase)) {
        await waitUntilIdle();
        // One new connection for all of them: what a deployment keeps of a connection shows, too.
        channel.reconnect();
        return countRequests(await sendRows(testCase, channel.send, true));
      }
      const sending = ahead.get(testCase.id) ?? sendRows(testCase, sendOnce);
      const position = planned.findIndex(({ id }) => id === testCase.id);
      if (position >= 0) sendAhead(position + 1);
      const sent = await sending;
      ahead.delete(testCase.id);
      return countRequests(sent);
    },
    async sendSerially(testCase, row) {
      await waitUntilIdle();
      const send: Channel['send'] = (...args) => {
        channel.reconnect();
        return channel.send(...args);
      };
      return countRequests(await sendRows(row === undefined ? testCase : keepRow(testCase, row), send, true));
    },
  };
}

/** Empties all rows of a case but one. */
function keepRow(testCase: TestCase, row: number): TestCase {
  const rows = testCase.rows.map((each, n) => (n === row ? each : { ...each, requests: new Map() }));
  return { ...testCase, rows } as TestCase;
}
