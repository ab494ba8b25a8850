import type { TestCase } from '../cases/test-case.js';
import { type Channel, type Exchange, type HttpRequest, serializeRequest } from '../http/exchange.js';
import type { Leak } from '../judge/find-leak.js';
import type { CaseExchanges } from './case-exchanges.js';
import { type Condition, type ConditionKind, formatPartnerName } from './condition.js';
import { countAttempts } from './request-cache.js';
import { createSendingLog } from './sending-log.js';

/** A response that failed a row which passes when it is sent alone. */
export interface Suspect {
  /** Counted from 0. */
  readonly row: number;
  readonly name: string;
  readonly exchange: Exchange;
  /** Finds the part of another request that explains the response. */
  findLeak(other: HttpRequest): Leak | undefined;
}

/** A condition to be tried, with what is sent. */
export interface Trial extends Condition {
  /** The name of the suspected request of the row. */
  readonly name: string;
  readonly partners: readonly HttpRequest[];
}

/** Sends single rows of cases again, under the conditions of the first time. */
export interface ConditionSender {
  /** Lists the conditions to try, likeliest first. Empty once enough was tried in this run. */
  listTrials(testCase: TestCase, suspects: readonly Suspect[]): readonly Trial[];
  /** Sends one row under a condition, while nothing else is sent. */
  send(testCase: TestCase, trial: Trial): Promise<CaseExchanges>;
  /** Sends the requests of one row one after another on new connections, while nothing else is sent. */
  sendAlone(testCase: TestCase, row: number): Promise<CaseExchanges>;
  /** Notes that a condition was confirmed, so that it is tried first from now on; or that none was. */
  noteResult(kind: ConditionKind | undefined): void;
}

/** How many cases are repeated under conditions; further cases show no more. */
const maxConfirmedCases = 4;
const maxFruitlessCases = 4;
/** How many earlier requests may explain a response. */
const maxEarlier = 24;
/** How many earlier requests are sent again to use a connection as the first time. */
const chainLength = 8;

/**
 * Creates a sender that knows what was sent around each request.
 *
 * @param cases name the requests
 * @returns the channel to send everything over
 */
export function createConditionSender(
  channel: Channel,
  cases: readonly TestCase[],
): { readonly channel: Channel; readonly conditions: ConditionSender } {
  const log = createSendingLog(channel);
  const confirmedKinds: ConditionKind[] = [];
  let fruitlessCases = 0;
  const labels = nameRequests(cases);
  const label = (request: HttpRequest) => labels.get(serializeRequest(request)) ?? `${request.method} ${request.path}`;

  const listTrialsOf = ({ row, name, exchange, findLeak }: Suspect): Trial[] => {
    const { overlapping, earlier } = log.findSurroundings(exchange);
    const isLeaking = new Map<HttpRequest, Leak>();
    for (const request of [...overlapping, ...earlier.slice(0, maxEarlier)]) {
      const leak = findLeak(request);
      if (leak !== undefined) isLeaking.set(request, leak);
    }
    const rank = (request: HttpRequest): number => {
      const leak = isLeaking.get(request);
      return leak === undefined ? 0 : leak.isComplete ? Number.MAX_SAFE_INTEGER : leak.explained;
    };
    const byRank = (requests: readonly HttpRequest[]) => requests.toSorted((one, two) => rank(two) - rank(one));
    const createTrial = (kind: ConditionKind, partners: readonly HttpRequest[]): Trial[] =>
      partners.length === 0 ? [] : [{ kind, row, name, partners, labels: partners.map(label) }];
    const likeliest = byRank([...earlier.slice(0, maxEarlier), ...overlapping]).find((request) => rank(request) > 0);
    // As many are in flight at once, with the request itself, and the likeliest partner three times.
    const maxOverlapping = Math.max(1, channel.maxConcurrency - 3);
    return [
      // What one earlier request explains is tried with it alone first: a leak between overlapping requests needs more.
      ...createTrial('reused-connection', likeliest === undefined ? [] : [likeliest]),
      ...createTrial('reused-connection', earlier.slice(0, chainLength).toReversed()),
      ...(channel.maxConcurrency > 1 ? createTrial('overlapping', byRank(overlapping).slice(0, maxOverlapping)) : []),
    ];
  };

  const sendOne = async (request: HttpRequest): Promise<Exchange> => log.channel.send(request);
  const conditions: ConditionSender = {
    listTrials(_, suspects) {
      if (confirmedKinds.length >= maxConfirmedCases || fruitlessCases >= maxFruitlessCases) return [];
      const trials = suspects.flatMap(listTrialsOf);
      const isKnown = ({ kind }: Trial) => (kind === 'overlapping') === (confirmedKinds.at(-1) === 'overlapping');
      return confirmedKinds.length === 0 ? trials : trials.toSorted((one, two) => +isKnown(two) - +isKnown(one));
    },
    async send(testCase, trial) {
      await log.waitUntilIdle();
      const { kind, name: suspected, partners } = trial;
      const requests = testCase.rows[trial.row]?.requests ?? new Map<string, HttpRequest>();
      const exchanges = new Map<string, Exchange>();
      for (const [name, request] of requests) {
        if (name === suspected) continue;
        channel.reconnect();
        exchanges.set(name, await sendOne(request));
      }
      const sent: { request: HttpRequest; exchange: Exchange }[] = [];
      const sendPartner = async (request: HttpRequest): Promise<void> => {
        sent.push({ request, exchange: await sendOne(request) });
      };
      const own = requests.get(suspected) as HttpRequest;
      channel.reconnect();
      if (kind === 'overlapping') {
        const half = Math.ceil(partners.length / 2);
        // The likeliest goes first, next and last: some deployments keep the first request, others the next or the last.
        const likeliest = partners.slice(0, 1);
        const [before, after] = [partners.slice(0, half), [...likeliest, ...partners.slice(half), ...likeliest]];
        const sending = before.map(sendPartner);
        const owned = sendOne(own);
        sending.push(...after.map(sendPartner));
        exchanges.set(suspected, await owned);
        await Promise.all(sending);
      } else {
        for (const partner of partners) await sendPartner(partner);
        if (kind === 'after') channel.reconnect();
        exchanges.set(suspected, await sendOne(own));
      }
      const partnersSent = new Map(
        sent.map(({ request, exchange }, n) => [formatPartnerName(kind, n + 1, label(request)), { request, exchange }]),
      );
      return createRowResult(testCase, trial.row, exchanges, partnersSent);
    },
    async sendAlone(testCase, row) {
      await log.waitUntilIdle();
      const exchanges = new Map<string, Exchange>();
      for (const [name, request] of testCase.rows[row]?.requests ?? []) {
        channel.reconnect();
        exchanges.set(name, await sendOne(request));
      }
      return createRowResult(testCase, row, exchanges);
    },
    noteResult(kind) {
      if (kind === undefined) fruitlessCases += 1;
      else confirmedKinds.push(kind);
    },
  };
  return { channel: log.channel, conditions };
}

function createRowResult(
  { rows }: TestCase,
  row: number,
  own: ReadonlyMap<string, Exchange>,
  partners: NonNullable<CaseExchanges['partners']>['exchanges'] = new Map(),
): CaseExchanges {
  const all = [...own.values(), ...[...partners.values()].map(({ exchange }) => exchange)];
  return {
    exchanges: rows.map((_, n) => (n === row ? own : new Map())),
    partners: { row, exchanges: partners },
    count: all.length,
    requestsSent: countAttempts(all),
  };
}

/** Names each request after the first case that sends it. */
function nameRequests(cases: readonly TestCase[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { id, rows } of cases)
    for (const { requests } of rows)
      for (const [name, request] of requests) {
        const key = serializeRequest(request);
        if (!names.has(key)) names.set(key, `'${name}' of '${id}'`);
      }
  return names;
}
