import type { TestCase } from '../cases/test-case.js';
import { type Exchange, type HttpRequest, serializeRequest } from '../http/exchange.js';
import type { Leak } from '../judge/find-leak.js';
import type { FailureCondition } from '../judge/judge-case.js';
import type { CaseExchanges } from './case-result.js';
import { countAttempts } from './request-cache.js';
import type { SendingLog } from './sending-log.js';

/**
 * What may have made a response wrong: requests in flight at the same time, the request before it, or a connection that
 * earlier requests have used.
 */
export type ConditionKind = FailureCondition['kind'];

/** A condition under which a row is sent again, with what is sent. */
export interface Trial {
  readonly kind: ConditionKind;
  /** Counted from 0. */
  readonly row: number;
  /** The name of the suspected request of the row. */
  readonly name: string;
  /** The other requests that make the condition, in the order in which they are sent. */
  readonly partners: readonly HttpRequest[];
  /** Their names, for people. */
  readonly labels: readonly string[];
}

/** A response that failed a row which passes when it is sent alone. */
export interface Suspect {
  /** Counted from 0. */
  readonly row: number;
  readonly name: string;
  readonly exchange: Exchange;
  /** Finds the part of another request that explains the response. */
  findLeak(other: HttpRequest): Leak | undefined;
}

/** Sends single rows of cases again, under the conditions of the first time. */
export interface ConditionSender {
  /** Lists the conditions to try, likeliest first. Empty once enough was tried in this run. */
  listTrials(testCase: TestCase, suspects: readonly Suspect[]): readonly Trial[];
  /** Sends one row under a condition, while nothing else is sent. */
  sendUnder(trial: Trial, testCase: TestCase): Promise<CaseExchanges>;
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
 * @param waitUntilIdle waits until no request is in flight
 */
export function createConditionSender(
  { channel, findSurroundings }: SendingLog,
  cases: readonly TestCase[],
  waitUntilIdle: () => Promise<unknown>,
): ConditionSender {
  const confirmedKinds: ConditionKind[] = [];
  let fruitlessCases = 0;
  const labels = nameRequests(cases);
  const label = (request: HttpRequest) => labels.get(serializeRequest(request)) ?? `${request.method} ${request.path}`;

  const listTrialsOf = ({ row, name, exchange, findLeak }: Suspect): Trial[] => {
    const { overlapping, earlier } = findSurroundings(exchange);
    const ranks = new Map<HttpRequest, number>();
    for (const request of [...earlier.slice(0, maxEarlier), ...overlapping]) {
      const leak = findLeak(request);
      if (leak !== undefined) ranks.set(request, leak.isComplete ? Number.MAX_SAFE_INTEGER : leak.explained);
    }
    const sortByRank = (requests: readonly HttpRequest[]) =>
      requests.toSorted((one, two) => (ranks.get(two) ?? 0) - (ranks.get(one) ?? 0));
    // As many are in flight at once, with the request itself, and the likeliest partner three times.
    const maxOverlapping = channel.maxConcurrency > 1 ? Math.max(1, channel.maxConcurrency - 3) : 0;
    const conditions: [ConditionKind, readonly HttpRequest[]][] = [
      // What one earlier request explains is tried with it alone first: a leak between overlapping requests needs more.
      ['reused-connection', sortByRank([...ranks.keys()]).slice(0, 1)],
      ['reused-connection', earlier.slice(0, chainLength).toReversed()],
      ['overlapping', sortByRank(overlapping).slice(0, maxOverlapping)],
    ];
    return conditions
      .filter(([, partners]) => partners.length > 0)
      .map(([kind, partners]) => ({ kind, row, name, partners, labels: partners.map(label) }));
  };

  return {
    listTrials(_, suspects) {
      if (confirmedKinds.length >= maxConfirmedCases || fruitlessCases >= maxFruitlessCases) return [];
      const trials = suspects.flatMap(listTrialsOf);
      const isKnown = ({ kind }: Trial) => (kind === 'overlapping') === (confirmedKinds.at(-1) === 'overlapping');
      return confirmedKinds.length === 0 ? trials : trials.toSorted((one, two) => +isKnown(two) - +isKnown(one));
    },
    async sendUnder({ kind, row, name: suspected, partners }, { rows }) {
      await waitUntilIdle();
      const others = new Map(rows[row]?.requests);
      const own = others.get(suspected) as HttpRequest;
      others.delete(suspected);
      const exchanges = new Map<string, Exchange>();
      for (const [name, request] of others) {
        channel.reconnect();
        exchanges.set(name, await channel.send(request));
      }
      channel.reconnect();
      const received = new Map<string, Exchange>();
      const sendPartner = async (request: HttpRequest, n: number) =>
        received.set(formatPartnerName(kind, n + 1, label(request)), await channel.send(request));
      if (kind === 'overlapping') {
        const half = Math.ceil(partners.length / 2);
        // The likeliest goes first, next and last: some deployments keep the first request, others the next or the last.
        const likeliest = partners.slice(0, 1);
        const sending = partners.slice(0, half).map(sendPartner);
        const owned = channel.send(own);
        const after = [...likeliest, ...partners.slice(half), ...likeliest];
        sending.push(...after.map((request, n) => sendPartner(request, half + n)));
        exchanges.set(suspected, await owned);
        await Promise.all(sending);
      } else {
        for (const [n, partner] of partners.entries()) await sendPartner(partner, n);
        if (kind === 'after') channel.reconnect();
        exchanges.set(suspected, await channel.send(own));
      }
      return {
        exchanges: rows.map((_, n) => (n === row ? exchanges : new Map())),
        partners: received,
        count: exchanges.size + received.size,
        requestsSent: countAttempts([...exchanges.values(), ...received.values()]),
      };
    },
    noteResult(kind) {
      if (kind === undefined) fruitlessCases += 1;
      else confirmedKinds.push(kind);
    },
  };
}

/** Names each request after the first case that sends it. */
function nameRequests(cases: readonly TestCase[]): ReadonlyMap<string, string> {
  const named = cases.flatMap(({ id, rows }) =>
    rows.flatMap(({ requests }) =>
      [...requests].map(([name, request]) => [serializeRequest(request), `'${name}' of '${id}'`] as const),
    ),
  );
  return new Map(named.toReversed());
}

/** Names a request that makes a condition, for the evidence. */
export function formatPartnerName(kind: ConditionKind, position: number, label: string): string {
  return `${kind} ${position}: ${label}`;
}

/** Reads a name of {@link formatPartnerName}; returns undefined for the name of any other request. */
export function parsePartnerName(name: string): { readonly kind: ConditionKind; readonly label: string } | undefined {
  const [, kind, label = ''] = /^(overlapping|after|reused-connection) \d+: (.*)$/s.exec(name) ?? [];
  return kind === undefined ? undefined : { kind: kind as ConditionKind, label };
}

/** Tells when a row fails, as the beginning of a reason. */
export function renderCondition({ kind, labels }: Trial): string {
  const last = labels.at(-1) ?? '';
  const isOne = labels.length === 1;
  const beginnings = {
    overlapping: 'Only when requests overlap',
    after: isOne ? `Only after request ${last}` : `Only after earlier requests, the last of them ${last}`,
    'reused-connection': isOne ? `Only on a reused connection, after request ${last}` : 'Only on a reused connection',
  };
  return beginnings[kind];
}
