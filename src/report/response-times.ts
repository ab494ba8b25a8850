/** How long the responses of a deployment take: an observation, which changes no verdict. */

import { isOwnCase, type Suite } from '../cases/suite.js';
import { isTransient } from '../http/response-status.js';
import { classifyRequest, type RequestKind, requestKinds } from './compare/request-kind.js';
import type { ExchangeIndex } from './exchange-index.js';

/** As in `certificate.json`. */
export interface ResponseTimes {
  /** How many requests were sent at once, at most. */
  readonly concurrency: number;
  readonly kinds: readonly KindTimes[];
}

/** The response times of one kind of request. */
export interface KindTimes {
  readonly kind: RequestKind;
  readonly requests: number;
  readonly median_ms: number;
  /** The 99 % confidence interval of the median; none for fewer than 11 requests. */
  readonly median_between_ms?: readonly [low: number, high: number];
  readonly p95_ms: number;
  readonly slowest_ms: number;
}

/**
 * Measures the response times by kind of request: of each request of the cases, the last attempt of the first time that it
 * was sent. Requests that are sent in a special way are left out, since the suite itself is slow there, and so are
 * responses such as 429 and 503.
 *
 * @returns undefined if no exchange has a time
 */
export function measureResponseTimes(
  suite: Suite,
  exchanges: Pick<ExchangeIndex, 'listByCase'>,
  concurrency: number,
): ResponseTimes | undefined {
  const times = new Map<RequestKind, number[]>();
  const seen = new Set<string>();
  for (const testCase of suite.cases.filter((each) => !isOwnCase(each)))
    for (const { id, row, request: name, attempt, exchange } of exchanges.listByCase(testCase.id)) {
      const request = testCase.rows[row]?.requests.get(name);
      if (request === undefined || request.sent !== undefined || attempt > 1 || seen.has(id)) continue;
      seen.add(id);
      const { timing } = exchange;
      if (timing === undefined || !('response' in exchange) || isTransient(exchange.response)) continue;
      const kind = classifyRequest(request, suite.world);
      times.set(kind, [...(times.get(kind) ?? []), timing.durationMs]);
    }
  if (times.size === 0) return undefined;
  const kinds = (Object.keys(requestKinds) as RequestKind[]).filter((kind) => times.has(kind)).reverse();
  return { concurrency, kinds: kinds.map((kind) => summarizeTimes(kind, times.get(kind) ?? [])) };
}

/** The distance from the middle that holds 99 % of a normal distribution, in standard deviations. */
const z = 2.576;

function summarizeTimes(kind: RequestKind, unsorted: readonly number[]): KindTimes {
  const sorted = unsorted.toSorted((one, other) => one - other);
  const count = sorted.length;
  const getRank = (rank: number) => sorted[rank - 1] ?? 0;
  // How many of them are below the median has the binomial distribution B(count, 1/2).
  const low = Math.floor((count - z * Math.sqrt(count)) / 2);
  return {
    kind,
    requests: count,
    median_ms: getRank(Math.ceil(count / 2)),
    ...(low < 1 ? {} : { median_between_ms: [getRank(low), getRank(count + 1 - low)] as const }),
    p95_ms: getRank(Math.ceil(0.95 * count)),
    slowest_ms: getRank(count),
  };
}

/** What the columns of {@link listTimesRows} are. */
export const timesHeadings = ['', 'requests', 'median', 'p95', 'slowest'] as const;

/** Lists a row of a table for each kind of request. */
export function listTimesRows({ kinds }: ResponseTimes): readonly (readonly [string, ...number[]])[] {
  return kinds.map((each) => [requestKinds[each.kind], each.requests, each.median_ms, each.p95_ms, each.slowest_ms]);
}

/** Says what the times are. */
export function describeTimes({ concurrency }: ResponseTimes): string {
  const sent = concurrency === 1 ? 'one request at a time' : `at most ${concurrency} requests at once`;
  return `In milliseconds, with ${sent}; p95 is the 95th percentile. Only the last attempt of a request counts, without the time that it waited to be sent.`;
}
