import type { Suite } from '../../cases/suite.js';
import type { NamedWorld } from '../../contract/named-world.js';
import { createOracle, type Oracle } from '../../contract/oracle.js';
import type { Tier } from '../../contract/world.js';
import { type Exchange, type HttpRequest, serializeWithoutRepetition } from '../../http/exchange.js';
import { explainTransientFailure, isSuccessful } from '../../http/response-status.js';
import type { ResultWithExchanges } from '../../run/case-result.js';
import { computeOnce } from '../../support/compute-once.js';
import { omitUndefined } from '../../support/omit-undefined.js';
import { type ExchangeIndex, readTogether } from '../exchange-index.js';
import { findFeatures, type RequestFeatures } from './request-features.js';

/** A row of a requirement case, or another result about a requirement, that fails or is inconclusive. */
export interface Row {
  readonly case: string;
  readonly requirement: string;
  readonly title: string;
  readonly isFailing: boolean;
  /** Whether any failure of its requirement is known. */
  readonly isKnown?: true;
}

/** One exchange with what the documentation says of its request. */
export interface Observation {
  readonly exchange: Exchange;
  readonly oracle: Oracle;
  /** Computed when it is asked for. */
  readonly features: RequestFeatures;
  /** Equal for requests that ask for the same. */
  readonly requestKey: string;
  /** The rows that it is a part of. */
  readonly rows: ReadonlySet<Row>;
  /** What was returned, by the tiers of the world; undefined if that is not clear. */
  readonly returned?: readonly boolean[] | undefined;
  /** How the request was refused, which must be accepted: with a status, or without a response. */
  readonly refusedWith?: number | typeof noResponse | undefined;
}

export const noResponse = 'no-response';

/** An observation of a documented request whose result is clear. */
export type Compared = Observation & { readonly returned: readonly boolean[] };

export function isCompared(observation: Observation): observation is Compared {
  return observation.returned !== undefined && observation.oracle.undocumentedReason === undefined;
}

export interface Observations {
  /** The exchanges of all cases, those that answer questions included. */
  readonly all: readonly Observation[];
  /** Every request of the run in that order, for mistakes about state. */
  readonly history: readonly HttpRequest[];
  /** The observed answers to questions. */
  readonly outcomes: Readonly<Record<string, string>>;
  readonly world: NamedWorld;
  /** The tiers of the world that the target has, newest first. */
  readonly tiers: readonly Tier[];
  /** The rank of each of them in the whole world, counted from 1. */
  readonly ranks: readonly number[];
  /** All rows that fail or are inconclusive. */
  readonly rows: readonly Row[];
  /** The statuses of documented requests with an empty result, apart from 2xx; none if one of them has 2xx. */
  readonly emptyStatuses: readonly number[];
}

/**
 * Collects what the exchanges of the cases show, read as the judge reads it.
 *
 * @param statedPatterns the patterns under which, by the target file, returned tiers are named
 * @param knownRequirements each of their failures is known. A failure that is known by its cause makes no row.
 */
export function observe(
  suite: Suite,
  results: readonly ResultWithExchanges[],
  index: ExchangeIndex,
  statedPatterns: readonly string[] | undefined,
  knownRequirements: readonly string[],
): Observations {
  const { cases, world } = suite;
  const rowsByCase = listRows(suite, results, knownRequirements);
  const ranked = world.tiers
    .map((tier, n) => ({ tier, rank: n + 1 }))
    .filter(({ tier }) => !world.unavailable.has(tier.id));
  const tiers = ranked.map(({ tier }) => tier);
  const byExchange = new Map<string, { exchange: Exchange; rows: Set<Row>; returned?: boolean[] }>();
  for (const { id: caseId } of cases) {
    for (const { id, row, exchange, result } of readTogether(index.listByCase(caseId), index, statedPatterns)) {
      const known = byExchange.get(id) ?? { exchange, rows: new Set() };
      byExchange.set(id, known);
      for (const judged of rowsByCase.get(caseId)?.[row] ?? []) known.rows.add(judged);
      if (known.returned !== undefined || result === undefined || result.unclear.size > 0) continue;
      // Where a member is left out, an empty result shows nothing, and any other one is decided by the rest.
      if (result.returned.length === 0 && createOracle(exchange.request, world).whenReturning !== undefined) continue;
      const ids = new Set(result.returned);
      known.returned = tiers.map((tier) => ids.has(tier.id));
    }
  }
  const provesLoss = results.some(
    ({ verdict, exchange }) => verdict === 'fail' && exchange !== undefined && !('response' in exchange),
  );
  const read = [...byExchange.values()].map(({ exchange, rows, returned }) => {
    const stated = createOracle(exchange.request, world);
    const oracle = stated.whenReturning ?? stated;
    const isRequired = oracle.accepted && tiers.some((tier) => oracle.returned(tier) === 'required');
    const refusal = oracle.accepted ? findRefusal(exchange, provesLoss) : undefined;
    return { exchange, rows, returned, oracle, isRequired, refusal };
  });
  // The exchange that refutes a statement.
  const refuting = new Set(
    results.flatMap(({ verdict, exchange }) =>
      verdict === 'fail' && exchange !== undefined ? [getRequestKey(exchange.request)] : [],
    ),
  );
  // An empty result may have any status, unless one is seen with 2xx.
  const hasEmptySuccess = read.some(({ returned }) => returned?.every((isReturned) => !isReturned));
  const emptyStatuses = new Set(
    hasEmptySuccess ? [] : read.flatMap(({ refusal, isRequired }) => (isRequired ? [] : (refusal ?? []))),
  );
  const all = new Map<string, Observation & { readonly rows: Set<Row> }>();
  for (const { exchange, rows, returned, oracle, isRequired, refusal } of read) {
    const isEmpty = isRequired && refusal !== undefined && emptyStatuses.has(refusal);
    const requestKey = getRequestKey(exchange.request);
    const isRefused = (isRequired || refuting.has(requestKey)) && !isEmpty;
    const observed = {
      returned: isEmpty ? tiers.map(() => false) : returned,
      refusedWith: isRefused ? refusal : undefined,
    };
    // An equal request with an equal result shows nothing more.
    const key = JSON.stringify([requestKey, observed]);
    const known = all.get(key);
    if (known === undefined)
      all.set(key, createObservation({ exchange, oracle, rows, requestKey, ...observed }, suite.world, tiers));
    else for (const row of rows) known.rows.add(row);
  }
  // A result of no single case is about a request of one.
  const ids = new Set(cases.map(({ id }) => id));
  for (const { id, exchange } of results.filter((result) => !ids.has(result.id)))
    for (const { requestKey, rows } of all.values())
      if (exchange !== undefined && requestKey === getRequestKey(exchange.request))
        for (const row of rowsByCase.get(id)?.flat() ?? []) rows.add(row);
  return {
    all: [...all.values()],
    history: index.all
      .toSorted((left, right) => (left.timing?.startedAt ?? 0) - (right.timing?.startedAt ?? 0))
      .map(({ request }) => request),
    outcomes: Object.fromEntries(
      results.flatMap(({ subject, outcome }) => (outcome === undefined ? [] : [[subject, outcome]])),
    ),
    world,
    tiers,
    ranks: ranked.map(({ rank }) => rank),
    rows: [...rowsByCase.values()].flat(2),
    emptyStatuses: [...emptyStatuses].filter((status) => status !== noResponse),
  };
}

function createObservation<T extends Omit<Observation, 'features'>>(
  facts: T,
  world: NamedWorld,
  tiers: readonly Tier[],
): T & Pick<Observation, 'features'> {
  const computeFeatures = computeOnce(() => {
    const required = tiers.filter((tier) => facts.oracle.returned(tier) === 'required');
    return findFeatures(facts.exchange.request, world, required.length);
  });
  return {
    ...facts,
    get features() {
      return computeFeatures();
    },
  };
}

/** Lists the rows that fail or are inconclusive by their case, and by their number in it. */
function listRows(
  { cases, contract }: Suite,
  results: readonly ResultWithExchanges[],
  knownRequirements: readonly string[],
): Map<string, Row[][]> {
  const verified = new Map(
    cases.flatMap((entry) => (entry.kind === 'requirement' ? [[entry.id, entry.verifies]] : [])),
  );
  const requirements = new Set(contract.requirements.map(({ id }) => id));
  return new Map(
    results.flatMap(({ id, subject, verdict, rows }): [string, Row[][]][] => {
      const requirement = verified.get(id) ?? (requirements.has(subject) ? subject : undefined);
      if (requirement === undefined) return [];
      const judged: Partial<(typeof rows)[number]>[] = rows.length === 0 ? [{ verdict }] : [...rows];
      const isListed = knownRequirements.includes(requirement);
      const toRow = ({ title = '', verdict, known }: (typeof judged)[number]): Row[] =>
        (verdict === 'fail' || verdict === 'inconclusive') && (known === undefined || isListed)
          ? [{ case: id, requirement, title, isFailing: verdict === 'fail', ...omitUndefined({ isKnown: known }) }]
          : [];
      return [[id, judged.map(toRow)]];
    }),
  );
}

/** @param provesLoss whether responses that do not arrive violate a requirement */
function findRefusal(exchange: Exchange, provesLoss: boolean): Observation['refusedWith'] {
  if (!('response' in exchange)) return provesLoss ? noResponse : undefined;
  const isRefused = !isSuccessful(exchange.response) && explainTransientFailure(exchange) === undefined;
  return isRefused ? exchange.response.status : undefined;
}

/** Equal for requests that ask for the same. */
function getRequestKey(request: HttpRequest): string {
  return serializeWithoutRepetition({ ...request, headers: [] });
}
