import type { Suite } from '../../cases/suite.js';
import { createOracle, type Oracle } from '../../contract/oracle.js';
import type { Tier } from '../../contract/world.js';
import { type Exchange, type HttpRequest, serializeWithoutRepetition } from '../../http/exchange.js';
import { explainTransientFailure, isSuccessful } from '../../http/response-status.js';
import type { ResultWithExchanges } from '../../run/case-result.js';
import { type ExchangeIndex, readTogether } from '../exchange-index.js';
import { findFeatures, type RequestFeatures } from './request-features.js';

/** One exchange with what the documentation says of its request. */
export interface Observation {
  readonly exchange: Exchange;
  readonly oracle: Oracle;
  readonly features: RequestFeatures;
  /** Equal for equal requests. */
  readonly requestKey: string;
  /** The rows of requirement cases that it is a part of: "case/row". */
  readonly rows: ReadonlySet<string>;
  /** What was returned, by the tiers of the world; undefined if that is not clear. */
  readonly returned?: readonly boolean[] | undefined;
  /** The status of a refusal: the request must be accepted and was not. */
  readonly refusedWith?: number | undefined;
}

export interface Observations {
  /** The exchanges of requirement cases, in the order in which they were sent. */
  readonly all: readonly Observation[];
  /** Every request of the run in that order, for mistakes about state. */
  readonly history: readonly HttpRequest[];
  /** The tiers of the world that the target has, newest first. */
  readonly tiers: readonly Tier[];
  /** The rank of each of them in the whole world, counted from 1. */
  readonly ranks: readonly number[];
}

/** Names a row of a case. */
export function formatRow(caseId: string, row: number): string {
  return `${caseId}/${row}`;
}

/** Collects what the exchanges of the requirement cases show, read as the judge reads it. */
export function observe(
  { cases, world }: Suite,
  results: readonly ResultWithExchanges[],
  index: ExchangeIndex,
  statedPatterns: readonly string[] | undefined,
): Observations {
  const tiers = world.tiers.filter(({ id }) => !world.unavailable.has(id));
  const ranks = world.tiers.flatMap(({ id }, n) => (world.unavailable.has(id) ? [] : [n + 1]));
  const found = new Map<string, { exchange: Exchange; rows: Set<string>; returned?: boolean[] }>();
  for (const { id: caseId, kind } of cases) {
    if (kind !== 'requirement') continue;
    for (const { id, row, exchange, result } of readTogether(index.listByCase(caseId), index, statedPatterns)) {
      const known = found.get(id) ?? { exchange, rows: new Set<string>() };
      found.set(id, known);
      known.rows.add(formatRow(caseId, row));
      if (known.returned !== undefined || result === undefined || result.unclear.size > 0) continue;
      const ids = new Set(result.returned);
      known.returned = tiers.map((tier) => ids.has(tier.id));
    }
  }
  const requires = (oracle: Oracle) => tiers.some((tier) => oracle.returned(tier) === 'required');
  const read = [...found.values()].map(({ exchange, rows, returned }) => {
    const oracle = createOracle(exchange.request, world);
    return { exchange, rows, returned, oracle, isRequired: oracle.accepted && requires(oracle) };
  });
  // An empty result may have any status, unless one is seen with 2xx.
  const hasEmptySuccess = read.some(({ returned }) => returned?.every((isReturned) => !isReturned));
  const emptyStatuses = new Set(
    read.flatMap(({ exchange, oracle, isRequired }) =>
      oracle.accepted && !isRequired && !hasEmptySuccess && isRefusal(exchange) ? [exchange.response.status] : [],
    ),
  );
  const all = new Map<string, Observation & { readonly rows: Set<string> }>();
  for (const { exchange, rows, returned, oracle, isRequired } of read) {
    const refusal = isRequired && isRefusal(exchange) ? exchange.response.status : undefined;
    const isEmpty = refusal !== undefined && emptyStatuses.has(refusal);
    const shown = isEmpty ? tiers.map(() => false) : returned;
    const requestKey = getRequestKey(exchange.request);
    // An equal request with an equal result shows nothing more.
    const key = `${requestKey} ${refusal} ${shown?.map(Number).join('')}`;
    const same = all.get(key);
    if (same === undefined)
      all.set(key, {
        exchange,
        oracle,
        rows,
        requestKey,
        features: findFeatures(exchange.request, world),
        returned: shown,
        refusedWith: isEmpty ? undefined : refusal,
      });
    else for (const row of rows) same.rows.add(row);
  }
  // A result of no single case is about a request of one.
  const known = new Set(cases.map(({ id }) => id));
  for (const { id, exchange } of results.filter((each) => !known.has(each.id)))
    for (const { requestKey, rows } of all.values())
      if (exchange !== undefined && requestKey === getRequestKey(exchange.request)) rows.add(formatRow(id, 0));
  const timeOf = ({ timing }: Exchange) => timing?.startedAt ?? 0;
  return {
    all: [...all.values()].toSorted((one, other) => timeOf(one.exchange) - timeOf(other.exchange)),
    history: index.all.toSorted((one, other) => timeOf(one) - timeOf(other)).map(({ request }) => request),
    tiers,
    ranks,
  };
}

function isRefusal(exchange: Exchange): exchange is Extract<Exchange, { response: unknown }> {
  return 'response' in exchange && !isSuccessful(exchange.response) && explainTransientFailure(exchange) === undefined;
}

/** Equal for requests that ask for the same. */
export function getRequestKey(request: HttpRequest): string {
  return serializeWithoutRepetition({ ...request, headers: [] });
}
