import type { TestCase } from '../cases/test-case.js';
import { createOracle, type Obligation } from '../contract/oracle.js';
import { listAvailableTiers, type TargetWorld, type Tier } from '../contract/world.js';
import { type Exchange, type HttpRequest, serializeRequestIgnoringRepetition } from '../http/exchange.js';
import { findResponseBreakage } from '../http/response-breakage.js';
import {
  allowsPostAlone,
  explainTooLongRequest,
  explainTransientFailure,
  isSuccessful,
} from '../http/response-status.js';
import type { FailingRow, KnownFailureTest } from '../judge/judgement.js';
import { proveReturnedTierPaths } from '../judge/prove-returned-tier-paths.js';
import { determineTierReading, type ReturnedTierPaths } from '../recognition/returned-tier-paths.js';
import { type ReturnedTiers, readReturnedTiersOfMentions } from '../recognition/returned-tiers.js';
import type { CaseResult } from '../run/case-result.js';
import { calibrationPurpose } from '../run/evidence-keeper.js';
import type { ExchangeIndex } from '../run/exchange-index.js';
import type { Suite } from '../suite/suite.js';
import { cacheByObject } from '../support/caches.js';
import type { Reason } from '../support/reason.js';

/** How many requests may be under way at once: those that are sent at the same time have no order. */
export const maxOverlap = 8;
/** How many equal requests have to have different results before results are said to change: one may be an accident. */
export const minChanging = 3;

/** A row of a case that fails or is inconclusive. */
export interface UnpassedRow extends FailingRow {
  /** Its number in the case. */
  readonly row: number;
  readonly reason: Reason | undefined;
  readonly isFailing: boolean;
  /** Whether the known deviations name it. */
  readonly isKnown: boolean;
}

/** A request, and what the documentation says of each tier. */
export interface RequestWithObligations {
  readonly request: HttpRequest;
  readonly documented: readonly Obligation[];
  /** Whether each tier was returned; undefined if that is not clear, or not known. */
  readonly returned?: readonly boolean[];
}

/** What is seen of one request. */
export interface Observation extends RequestWithObligations {
  /** Equal for equal requests. */
  readonly key: string;
  readonly isDocumented: boolean;
  readonly isAccepted: boolean;
  readonly rows: Set<UnpassedRow>;
  /** The numbers of its attempts among all requests of the run. */
  readonly numbers: number[];
  /** Whether each tier was returned; undefined if that is not clear. */
  returned?: readonly boolean[];
  /** Whether the response names promotions, and it is not clear which of them were returned. */
  isUnclear?: true;
  /** The status with which a request was refused that must be accepted. */
  refusedWith?: number;
  /** Whether the response to a refused request says that POST is allowed, and GET is not. */
  readonly allowsPostAlone?: boolean;
}

/** An observation of a documented request whose result is clear. */
export type ComparableObservation = Observation & { readonly returned: readonly boolean[] };

/** What the exchanges of a run show, those that answer questions included. */
export type Observations = ReturnType<typeof collectObservations>;

/** @param isFailureKnown whether the known deviations name a row. A failure that is known by its cause alone makes no row. */
export function collectObservations(
  suite: Suite,
  results: readonly CaseResult[],
  index: ExchangeIndex,
  statedPatterns: readonly string[] | undefined,
  isFailureKnown: KnownFailureTest,
) {
  const { world } = suite;
  const tiers = listAvailableTiers(world);
  const judged = new Map(results.map((result) => [result.id, result]));
  const listed = suite.cases.map(
    (entry): CaseRows => [entry.id, listRows(entry, judged.get(entry.id), isFailureKnown)],
  );
  const observed = observeExchanges(suite, listed, index, statedPatterns);
  const emptyStatuses = listEmptyStatuses(observed);
  if (isNoSuccessEmpty(observed)) readAsEmpty(observed, emptyStatuses, tiers);
  const all = mergeEqual(observed);
  return {
    all,
    compared: all.filter(isCompared),
    outcomes: Object.fromEntries(results.flatMap(({ subject, outcome }) => (outcome ? [[subject, outcome]] : []))),
    world,
    tiers,
    rows: listed.flatMap(([, rows]) => rows.flatMap((row) => row ?? [])),
    emptyStatuses,
  };
}

/** The rows of a case that are shown, by their number in the case. */
type CaseRows = readonly [caseId: string, rows: readonly (UnpassedRow | undefined)[]];

/** Observes each exchange once, with all rows that use it. */
function observeExchanges(
  suite: Suite,
  listed: readonly CaseRows[],
  index: ExchangeIndex,
  statedPatterns: readonly string[] | undefined,
): Observation[] {
  const { world } = suite;
  const tiers = listAvailableTiers(world);
  const byId = new Map<string, Observation>();
  const determineCaseReading = createCaseReader(suite, index, statedPatterns);
  const isDoubtful = createDoubtTest(tiers);
  // The requests before the cases belong to no row. They contradict a cause, or bear it out, as all others do.
  const purposes: readonly CaseRows[] = [...listed, [calibrationPurpose, []]];
  for (const [purpose, rows] of purposes) {
    const uses = index.listByCase(purpose);
    const reading = determineCaseReading(uses);
    for (const { id, row, exchange, mentions } of uses) {
      const observed = byId.get(id) ?? createObservation(exchange, world);
      byId.set(id, observed);
      const shown = rows[row];
      if (shown !== undefined) observed.rows.add(shown);
      const isWhole = findResponseBreakage(exchange) === undefined;
      const isUnread = isWhole && mentions !== undefined && observed.returned === undefined;
      if (isUnread) readResult(observed, readReturnedTiersOfMentions(mentions, reading), isDoubtful, { tiers, world });
    }
  }
  return [...byId.values()];
}

type ExchangeUses = ReturnType<ExchangeIndex['listByCase']>;

/** Determines how the responses of a case are read: from them and from those before the cases, as the judge does. */
function createCaseReader(
  { world, calibration }: Suite,
  index: ExchangeIndex,
  statedPatterns: readonly string[] | undefined,
): (uses: ExchangeUses) => ReturnedTierPaths {
  const proving = new Set(calibration.map(serializeBody));
  const first = index.calibration.filter(({ request }) => proving.has(serializeBody(request)));
  const before = index.calibration.map(({ mentions }) => mentions);
  return (uses) => {
    const all = [...before, ...uses.flatMap(({ mentions = [] }) => mentions)];
    const found = determineTierReading([...new Set(all)], statedPatterns);
    return found.kind === 'ambiguous' ? (proveReturnedTierPaths(found, first, all, world) ?? found) : found;
  };
}

/** Adds the result of a response to what was observed, if it is clear. */
function readResult(
  observed: Observation,
  result: ReturnedTiers,
  isDoubtful: DoubtTest,
  { tiers, world }: Pick<Observations, 'tiers' | 'world'>,
): void {
  if (isDoubtful(result, observed)) {
    observed.isUnclear = true;
    return;
  }
  // If a request leaves a member out, an empty result shows nothing. Any other result is decided by the rest of the request.
  const leavesMemberOut = () => createOracle(observed.request, world).whenReturning !== undefined;
  if (result.returned.length === 0 && leavesMemberOut()) return;
  const ids = new Set(result.returned);
  observed.returned = tiers.map((tier) => ids.has(tier.id));
}

/** Lists the statuses other than 2xx that are seen where nothing is required: an empty result may have any status. */
function listEmptyStatuses(observed: readonly Observation[]): number[] {
  const empty = observed.filter(({ documented }) => !documented.includes('required'));
  return [...new Set(empty.flatMap(({ refusedWith }) => refusedWith ?? []))];
}

/**
 * Whether results were compared, and none with 2xx is empty. Where an empty result is seen with 2xx, too, only a mistake
 * can explain that a result with another status is empty.
 */
function isNoSuccessEmpty(observed: readonly Observation[]): boolean {
  const compared = observed.filter(isCompared);
  return compared.length > 0 && compared.every(({ returned }) => returned.some(Boolean));
}

/** Reads the refusals with the status of an empty result as empty results. */
function readAsEmpty(observed: readonly Observation[], emptyStatuses: readonly number[], tiers: readonly Tier[]): void {
  for (const refused of observed) {
    if (refused.refusedWith === undefined || !emptyStatuses.includes(refused.refusedWith)) continue;
    refused.returned = tiers.map(() => false);
    delete refused.refusedWith;
  }
}

/** Merges equal requests with equal results, which show nothing more. */
function mergeEqual(observed: readonly Observation[]): Observation[] {
  const different = new Map<string, Observation>();
  for (const shown of observed) {
    const key = JSON.stringify([shown.key, shown.returned, shown.refusedWith]);
    const equal = different.get(key);
    if (equal === undefined) different.set(key, shown);
    else {
      for (const row of shown.rows) equal.rows.add(row);
      equal.numbers.push(...shown.numbers);
    }
  }
  return [...different.values()];
}

/** Identifies a request by path and body: a target file may add headers to the first requests. */
function serializeBody({ path, body }: HttpRequest): string {
  return JSON.stringify([path, body]);
}

/** Of how many responses each missing promotion is searched elsewhere, if it is in none of them. */
const maxSearched = 16;

type DoubtTest = (result: ReturnedTiers, observed: Observation) => boolean;

/**
 * Creates a test of whether a result is doubtful. To search for a missing promotion elsewhere in a response takes long, and whether
 * responses have other places for promotions is a matter of their shape: if many have none, the others are not searched.
 */
function createDoubtTest(tiers: readonly Tier[]): DoubtTest {
  let searched = 0;
  let isEverNamed = false;
  return (result, { documented }) => {
    if (result.unclear.size > 0) return true;
    const returned = new Set(result.returned);
    const missing = tiers.filter(({ id }, n) => documented[n] === 'required' && !returned.has(id));
    if (missing.length === 0 || (searched >= maxSearched && !isEverNamed)) return false;
    searched += 1;
    const isNamed = missing.some(({ id }) => result.isNamedElsewhere(id));
    isEverNamed ||= isNamed;
    return isNamed;
  };
}

function isCompared(observed: Observation): observed is ComparableObservation {
  return observed.returned !== undefined && observed.isDocumented;
}

/** Lists the rows that fail or are inconclusive, by their number in the case. */
function listRows(
  testCase: TestCase,
  result: CaseResult | undefined,
  isFailureKnown: KnownFailureTest,
): (UnpassedRow | undefined)[] {
  if (testCase.kind !== 'requirement' || result === undefined) return [];
  const { id, verifies: requirement } = testCase;
  const judged: readonly Partial<CaseResult['rows'][number]>[] = result.rows.length === 0 ? [result] : result.rows;
  return judged.map(({ title = '', verdict, reason, known: isKnown = false }, row) => {
    const named = { requirement, case: id, title };
    const isFailing = verdict === 'fail';
    const isShown = (isFailing || verdict === 'inconclusive') && (!isKnown || isFailureKnown(named));
    return isShown ? { ...named, row, reason, isFailing, isKnown } : undefined;
  });
}

/** What the documentation says of a request, tier by tier. To compute it takes long, so the reporter asks for it while requests are sent. */
export const getDocumentedResult = cacheByObject((world: TargetWorld) => {
  const tiers = listAvailableTiers(world);
  return cacheByObject((request: HttpRequest) => {
    const stated = createOracle(request, world);
    const { accepted, returned } = stated.whenReturning ?? stated;
    return { accepted, documented: tiers.map(returned) };
  });
});

function createObservation(exchange: Exchange, world: TargetWorld): Observation {
  const { request } = exchange;
  const { accepted, documented } = getDocumentedResult(world)(request);
  const isSuccess = 'response' in exchange && isSuccessful(exchange.response);
  const isRefused = accepted && 'response' in exchange && !isSuccess;
  // The documentation limits no size, so the deployment may.
  const isOpen = explainTransientFailure(exchange) ?? (isRefused ? explainTooLongRequest(exchange) : undefined);
  return {
    request,
    documented,
    key: serializeRequestIgnoringRepetition(request),
    isDocumented: documented.some((obligation) => obligation !== 'open'),
    isAccepted: isSuccess,
    rows: new Set(),
    numbers: [...(exchange.numbers ?? [])],
    ...(isRefused && isOpen === undefined
      ? { refusedWith: exchange.response.status, allowsPostAlone: allowsPostAlone(exchange.response) }
      : {}),
  };
}
