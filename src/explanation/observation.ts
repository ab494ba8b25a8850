import type { TestCase } from '../cases/test-case.js';
import { createOracle, type Obligation } from '../contract/oracle.js';
import { listAvailableTiers, type NamedWorld, type Tier } from '../contract/world.js';
import { type Exchange, type HttpRequest, serializeWithoutRepetition } from '../http/exchange.js';
import { explainExceededSize, explainTransientFailure, isSuccessful } from '../http/response-status.js';
import { provePaths } from '../judge/prove-paths.js';
import { type ReturnedTiers, readReturnedTiers } from '../recognition/returned-tiers.js';
import { determineReading } from '../recognition/tier-reading.js';
import type { CaseResult } from '../run/case-result.js';
import { calibrationPurpose } from '../run/evidence-keeper.js';
import type { ExchangeIndex } from '../run/exchange-index.js';
import type { Suite } from '../suite/suite.js';
import { remember } from '../support/caches.js';
import type { Reason } from '../support/reason.js';

export interface Row {
  readonly case: string;
  readonly requirement: string;
  readonly reason: Reason | undefined;
  readonly isFailing: boolean;
  /** Whether any failure of its requirement is known. */
  readonly isKnown: boolean;
}

export interface Asked {
  readonly request: HttpRequest;
  readonly documented: readonly Obligation[];
}

export interface Observation extends Asked {
  /** Equal for equal requests. */
  readonly key: string;
  readonly isDocumented: boolean;
  readonly isAccepted: boolean;
  readonly rows: Set<Row>;
  /** Whether each tier was returned; undefined if that is not clear. */
  returned?: readonly boolean[];
  /** Whether the response names promotions, and it is not clear which of them were returned. */
  isUnclear?: true;
  /** The status with which a request was refused that must be accepted. */
  refusedWith?: number;
}

/** An observation of a documented request whose result is clear. */
export type Compared = Observation & { readonly returned: readonly boolean[] };

/** What the exchanges of a run show, those that answer questions included. */
export type Observations = ReturnType<typeof observe>;

/** @param knownRequirements each of their failures is known. A failure that is known by its cause makes no row. */
export function observe(
  { cases, world, calibration }: Suite,
  results: readonly CaseResult[],
  index: ExchangeIndex,
  statedPatterns: readonly string[] | undefined,
  knownRequirements: readonly string[],
) {
  const tiers = listAvailableTiers(world);
  const judged = new Map(results.map((result) => [result.id, result]));
  const listed = cases.map((entry) => [entry.id, listRows(entry, judged.get(entry.id), knownRequirements)] as const);
  const byId = new Map<string, Observation>();
  const proving = new Set(calibration.map(serializeBody));
  const first = index.calibration.filter(({ request }) => proving.has(serializeBody(request)));
  // The first requests contradict a cause, or bear it out, as all do.
  for (const [purpose, rows] of [...listed, [calibrationPurpose, []] as const]) {
    const uses = index.listByCase(purpose);
    const all = [
      ...index.calibration.map(({ mentions }) => mentions),
      ...uses.flatMap(({ mentions = [] }) => mentions),
    ];
    const found = determineReading([...new Set(all)], statedPatterns);
    const reading = found.kind === 'ambiguous' ? (provePaths(found, first, all, world) ?? found) : found;
    for (const { id, row, exchange, mentions } of uses) {
      const observed = byId.get(id) ?? createObservation(exchange, world);
      byId.set(id, observed);
      const shown = rows[row];
      if (shown !== undefined) observed.rows.add(shown);
      const result = mentions && readReturnedTiers(mentions, reading);
      if (observed.returned !== undefined || result === undefined) continue;
      if (isDoubtful(result, observed, tiers)) {
        observed.isUnclear = true;
        continue;
      }
      // Where a member is left out, an empty result shows nothing, and any other one is decided by the rest.
      if (result.returned.length === 0 && createOracle(exchange.request, world).whenReturning !== undefined) continue;
      const ids = new Set(result.returned);
      observed.returned = tiers.map((tier) => ids.has(tier.id));
    }
  }
  const read = [...byId.values()];
  // An empty result may have any status. These, other than 2xx, are seen where nothing is required.
  const empty = read.filter(({ documented }) => !documented.includes('required'));
  const emptyStatuses = [...new Set(empty.flatMap(({ refusedWith }) => refusedWith ?? []))];
  const counts = read.filter(isCompared).map(({ returned }) => returned.filter(Boolean).length);
  // Where an empty result is seen with 2xx, too, only a mistake can explain that a result with another status is empty.
  const isAlways = counts.length > 0 && !counts.includes(0);
  const different = new Map<string, Observation>();
  for (const observed of read) {
    if (isAlways && emptyStatuses.includes(observed.refusedWith ?? 0)) {
      observed.returned = tiers.map(() => false);
      delete observed.refusedWith;
    }
    // An equal request with an equal result shows nothing more.
    const key = JSON.stringify([observed.key, observed.returned, observed.refusedWith]);
    const equal = different.get(key);
    if (equal === undefined) different.set(key, observed);
    else for (const row of observed.rows) equal.rows.add(row);
  }
  const all = [...different.values()];
  const sent = index.all.toSorted((left, right) => (left.timing?.startedAt ?? 0) - (right.timing?.startedAt ?? 0));
  return {
    all,
    compared: all.filter(isCompared),
    /** Every request of the run in the order of sending: what mistakes about state do depends on those before. */
    history: sent.map(({ request }) => request),
    outcomes: Object.fromEntries(results.flatMap(({ subject, outcome }) => (outcome ? [[subject, outcome]] : []))),
    world,
    tiers,
    rows: listed.flatMap(([, rows]) => rows.flatMap((row) => row ?? [])),
    emptyStatuses,
  };
}

/** A target file may add headers to the first requests. */
function serializeBody({ path, body }: HttpRequest): string {
  return JSON.stringify([path, body]);
}

function isDoubtful(result: ReturnedTiers, { documented }: Observation, tiers: readonly Tier[]): boolean {
  if (result.unclear.size > 0) return true;
  const returned = new Set(result.returned);
  const missing = tiers.filter(({ id }, n) => documented[n] === 'required' && !returned.has(id));
  return missing.some(({ id }) => result.isNamedElsewhere(id));
}

function isCompared(observed: Observation): observed is Compared {
  return observed.returned !== undefined && observed.isDocumented;
}

/** Lists the rows that fail or are inconclusive, by their number in the case. */
function listRows(testCase: TestCase, result: CaseResult | undefined, known: readonly string[]): (Row | undefined)[] {
  if (testCase.kind !== 'requirement' || result === undefined) return [];
  const { id, verifies: requirement } = testCase;
  const judged: readonly Partial<CaseResult['rows'][number]>[] = result.rows.length === 0 ? [result] : result.rows;
  return judged.map(({ verdict, reason, known: isKnown = false }) => {
    const isFailing = verdict === 'fail';
    const isShown = (isFailing || verdict === 'inconclusive') && (!isKnown || known.includes(requirement));
    return isShown ? { case: id, requirement, reason, isFailing, isKnown } : undefined;
  });
}

/** What the documentation says of a request, tier by tier. It takes long, so it can be asked for while a run goes on. */
export const getDocumentation = remember((world: NamedWorld) => {
  const tiers = listAvailableTiers(world);
  return remember((request: HttpRequest) => {
    const stated = createOracle(request, world);
    const { accepted, returned } = stated.whenReturning ?? stated;
    return { accepted, documented: tiers.map(returned) };
  });
});

function createObservation(exchange: Exchange, world: NamedWorld): Observation {
  const { request } = exchange;
  const { accepted, documented } = getDocumentation(world)(request);
  const isSuccess = 'response' in exchange && isSuccessful(exchange.response);
  const isRefused = accepted && 'response' in exchange && !isSuccess;
  // The documentation limits no size, so the deployment may.
  const isOpen = explainTransientFailure(exchange) ?? (isRefused ? explainExceededSize(exchange) : undefined);
  return {
    request,
    documented,
    key: serializeWithoutRepetition(request),
    isDocumented: documented.some((obligation) => obligation !== 'open'),
    isAccepted: isSuccess,
    rows: new Set(),
    ...(isRefused && isOpen === undefined ? { refusedWith: exchange.response.status } : {}),
  };
}
