import { type Row, type TestCase, tag } from '../cases/test-case.js';
import type { Channel, Exchange, HttpRequest } from '../http/exchange.js';
import type { RowExchanges } from '../judge/judge-case.js';
import type { CaseExchanges } from './case-exchanges.js';
import { type ConditionSender, createConditionSender } from './condition-sender.js';
import { createRequestCache, createUncachedFetch, type FetchExchange, type FetchedExchange } from './request-cache.js';

/** The requests that a case sends: each once, rows for which the target has not all that they need aside. */
export function listRequests({ rows }: TestCase): HttpRequest[] {
  const applicable = rows.filter(({ unavailable }) => unavailable.length === 0);
  const named = applicable.flatMap(({ requests }) => [...requests]);
  return [...new Map(named.map(([name, request]) => [keyOf(name, request), request])).values()];
}

/** Requests of the same name that are equal are one. */
function keyOf(name: string, request: HttpRequest): string {
  return JSON.stringify([name, request]);
}

/** Sends the cases of a run. */
export interface CaseSender {
  /**
   * Sends the requests of a case, side by side; where it is to be alone, a row's one after another. Rows for which the
   * target has not all that they need are not sent, nor is anything once the bodies have more characters than the channel
   * allows.
   */
  send(testCase: TestCase): Promise<CaseExchanges>;
  /**
   * The same once more, while nothing else is sent: one request after another, each sent anew and on a connection
   * of its own.
   */
  sendSerially(testCase: TestCase): Promise<CaseExchanges>;
  /** Sends single rows again, under the conditions of the first time. */
  readonly conditions: ConditionSender;
}

/** How many requests may be ahead of the case whose turn it is, for each exchange that the target takes at once. */
const aheadPerExchange = 8;
/** How many characters their bodies may have together: they are kept until it is the turn of their cases. */
const maxAhead = 8 * 1024 * 1024;

/**
 * Makes the sender of a run. Of equal requests one is sent, whose exchange all cases share; while a case waits for its
 * exchanges, the requests of coming ones go out. A case that is to be alone has its own, and nothing beside it.
 *
 * @param coming the cases that will be sent, in their order, as far as that is known
 * @param known the cases that name requests in reasons
 */
export function createCaseSender(
  target: Channel,
  coming: readonly TestCase[] = [],
  known: readonly TestCase[] = coming,
): CaseSender {
  const { channel, conditions } = createConditionSender(target, known);
  const sendable = coming.map((testCase) => ({ testCase, requests: listRequests(testCase) }));
  const wanted = sendable.filter(({ testCase }) => !isSerial(testCase)).flatMap(({ requests }) => requests);
  const { fetch: obtain } = createRequestCache(channel, coming.length === 0 ? undefined : wanted);
  const places = new Map(coming.map(({ id }, place) => [id, place]));
  const ahead = new Map<string, Promise<CaseExchanges>>();
  const sizes = bodySizes();
  const begin = async (testCase: TestCase): Promise<CaseExchanges> => {
    const sent = await sendRows(testCase, channel, obtain);
    sizes.note(testCase.id, sent);
    return sent;
  };
  const beginComing = (place: number): void => {
    // Before anything has come back, it may be of any size.
    const maxRequests = sizes.areKnown() ? aheadPerExchange * channel.maxConcurrency : channel.maxConcurrency;
    let count = 0;
    let characters = 0;
    for (const { testCase, requests } of sendable.slice(place + 1)) {
      if (isSerial(testCase)) return;
      count += requests.length;
      characters += sizes.of(testCase.id, requests.length);
      if (count > maxRequests || characters > maxAhead) return;
      if (!ahead.has(testCase.id)) ahead.set(testCase.id, begin(testCase));
    }
  };
  const settled = async () => void (await Promise.all(ahead.values()));
  return {
    send: async (testCase) => {
      if (isSerial(testCase)) {
        await settled();
        return sendRows(testCase, channel, createUncachedFetch(channel), 'one-by-one');
      }
      const sending = ahead.get(testCase.id) ?? begin(testCase);
      const place = places.get(testCase.id);
      if (place !== undefined) beginComing(place);
      const sent = await sending;
      ahead.delete(testCase.id);
      return sent;
    },
    sendSerially: async (testCase) => {
      await settled();
      return sendRowsSlowly(testCase, channel);
    },
    conditions,
  };
}

/** How many characters the bodies of cases have. */
interface BodySizes {
  note(caseId: string, sent: CaseExchanges): void;
  /** @param requests of a case of which nothing came back yet: each is expected to bring what others brought on average */
  of(caseId: string, requests: number): number;
  areKnown(): boolean;
}

function bodySizes(): BodySizes {
  const known = new Map<string, number>();
  let characters = 0;
  let exchanges = 0;
  return {
    note(caseId, sent) {
      const size = charactersOf(sent);
      known.set(caseId, size);
      characters += size;
      exchanges += sent.count;
    },
    of: (caseId, requests) => known.get(caseId) ?? (exchanges === 0 ? 0 : (requests * characters) / exchanges),
    areKnown: () => exchanges > 0,
  };
}

function charactersOf({ exchanges }: CaseExchanges): number {
  const all = new Set(exchanges.flatMap((row) => [...row.values()]));
  return [...all].reduce((sum, exchange) => sum + ('response' in exchange ? exchange.response.body.length : 0), 0);
}

/** Whether a case has exchanges of its own, which it shares with no other. */
export function isSerial({ tags }: TestCase): boolean {
  return tags.includes(tag.alone);
}

/** Makes a sender that shares nothing and sends nothing ahead, for cases that are sent once more. */
export function createUncachedSender(target: Channel, known: readonly TestCase[] = []): CaseSender {
  const { channel, conditions } = createConditionSender(target, known);
  return {
    conditions,
    send: (testCase) => sendRows(testCase, channel, createUncachedFetch(channel)),
    sendSerially: (testCase) => sendRowsSlowly(testCase, channel),
  };
}

async function sendRows(
  { rows }: TestCase,
  channel: Channel,
  obtain: FetchExchange,
  order: Order = 'side-by-side',
): Promise<CaseExchanges> {
  const sender = rowSender(channel, obtain, order);
  const exchanges = await Promise.all(rows.map((row) => sender.send(row)));
  return { exchanges, ...(await sender.sums()) };
}

async function sendRowsSlowly({ rows }: TestCase, channel: Channel): Promise<CaseExchanges> {
  const obtain = createUncachedFetch(channel);
  const renewing: FetchExchange = (request, whyWithheld) => {
    channel.reconnect();
    return obtain(request, whyWithheld);
  };
  const sender = rowSender(channel, renewing, 'one-by-one');
  const exchanges: SentRow[] = [];
  for (const row of rows) exchanges.push(await sender.send(row));
  return { exchanges, ...(await sender.sums()) };
}

type SentRow = RowExchanges[number];

/** How the requests of a row go out. */
type Order = 'side-by-side' | 'one-by-one';

/** Sends the rows of one case. */
interface RowSender {
  send(row: Row): Promise<SentRow>;
  /** Of all that was begun. */
  sums(): Promise<Pick<CaseExchanges, 'count' | 'requestsSent'>>;
}

/** A request that several rows have in common is sent once. */
function rowSender({ maxCaseBodyLength: maxOfCase }: Channel, obtain: FetchExchange, order: Order): RowSender {
  const sent = new Map<string, Promise<FetchedExchange>>();
  let characters = 0;
  const whyWithheld = (): string | undefined =>
    characters > maxOfCase
      ? `The bodies of this case have more than ${maxOfCase} characters together, so the rest was not sent. A larger limits.body_bytes of the target file allows more.`
      : undefined;
  const sendOne = async (request: HttpRequest): Promise<FetchedExchange> => {
    const obtained = await obtain(request, whyWithheld);
    if ('response' in obtained.exchange) characters += obtained.exchange.response.body.length;
    return obtained;
  };
  const sendOnce = async (name: string, request: HttpRequest): Promise<Exchange> => {
    const key = keyOf(name, request);
    const obtaining = sent.get(key) ?? sendOne(request);
    sent.set(key, obtaining);
    return (await obtaining).exchange;
  };
  return {
    async send({ requests, unavailable }) {
      if (unavailable.length > 0) return new Map();
      const came: Promise<readonly [string, Exchange]>[] = [];
      for (const [name, request] of requests) {
        const sending = sendOnce(name, request).then((exchange) => [name, exchange] as const);
        came.push(sending);
        if (order === 'one-by-one') await sending;
      }
      return new Map(await Promise.all(came));
    },
    async sums() {
      const obtained = await Promise.all(sent.values());
      return {
        count: obtained.length,
        requestsSent: obtained.reduce((sum, { requestsSent }) => sum + requestsSent, 0),
      };
    },
  };
}
