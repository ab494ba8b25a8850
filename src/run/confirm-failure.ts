/**
 * Sends a failing case again: a failure counts only if it is seen again. In: a case with its exchanges and its judgement. Out:
 * the judgement that counts, and what came back each time.
 */

import { listWholeResponses } from '../assertions/judge-broken-response.js';
import { type AnsweredExchange, readReturnedTiersOfExchange } from '../assertions/row-evidence.js';
import type { RequirementCase, RequirementRow } from '../cases/test-case.js';
import { type Exchange, serializeRequest } from '../http/exchange.js';
import { findResponseBreakage } from '../http/response-breakage.js';
import { hasTransientStatus, isSuccessful } from '../http/response-status.js';
import {
  type CaseJudgement,
  collectRowEvidence,
  type ExchangesByRow,
  isNewFailure,
  judgeCase,
  judgeCaseByRows,
  type RowEvidenceWithReadings,
  type RowJudgement,
  type TargetContext,
} from '../judge/judge-case.js';
import { judgeExchanges } from '../judge/judge-exchange.js';
import { groupBy } from '../support/collections.js';
import { parseJson } from '../support/json.js';
import { createReason } from '../support/reason.js';
import type { CaseExchanges } from './case-result.js';
import {
  type CaseSender,
  isSerial,
  maxInBatches,
  maxInBatchesAfterFailure,
  maxInPromisingBatches,
  type SuspectRequest,
} from './case-sender.js';

/** A case that failed when it was sent first. */
export interface FailedCase {
  readonly testCase: RequirementCase;
  readonly sender: CaseSender;
  readonly target: TargetContext;
  readonly first: CaseExchanges;
  readonly evidence: readonly RowEvidenceWithReadings[];
  readonly firstJudgement: CaseJudgement;
  /** Whether another requirement failed before, so that the verdict of the run is certain. */
  readonly isRunFailing: boolean;
  /** Whether a failure was confirmed that shows only among requests at the same time. */
  readonly isRaceConfirmed: boolean;
}

export interface Confirmation {
  readonly judgement: CaseJudgement;
  readonly repetitions: readonly CaseExchanges[];
}

/**
 * A response that does not arrive is sent for again beside others that do. Other failing rows are sent alone; one that then
 * passes may fail every other time, so it is sent several times, or only among other requests, so it is sent in its batch, too.
 * All that is not seen again is inconclusive.
 *
 * Only the first failing case of a requirement is confirmed: then the verdict of the requirement is certain. That rule and its
 * exceptions are in `run.ts` (`needsConfirmation`).
 */
export async function confirmFailure(failed: FailedCase): Promise<Confirmation> {
  const arrived = await confirmBrokenResponses(failed);
  if (arrived.isConfirmed || listFailingRows(arrived.judgement).length === 0) return arrived;
  const remaining = { ...failed, firstJudgement: arrived.judgement };
  const alone = await confirmAlone(remaining);
  const repetitions = [...arrived.repetitions, ...alone.repetitions];
  if (alone.isConfirmed) return { ...alone, repetitions };
  const series = await confirmInSeries(remaining, alone);
  const sent = [...repetitions, ...series.repetitions];
  if (series.isConfirmed) return { ...series, repetitions: sent };
  const batch = await confirmInBatches(remaining, alone);
  return { ...batch, repetitions: [...sent, ...batch.repetitions] };
}

/** Lists the rows that fail. If there are new failures, these are to be confirmed, and not what is known. */
function listFailingRows({ rows }: CaseJudgement): number[] {
  const list = (isMeant: (row: RowJudgement) => boolean) => rows.flatMap((row, n) => (isMeant(row) ? [n] : []));
  const unknown = list(isNewFailure);
  return unknown.length > 0 ? unknown : list(({ verdict }) => verdict === 'fail');
}

interface StageResult extends Confirmation {
  readonly isConfirmed: boolean;
}

// Broken responses ----------------------------------------------------------------------------------------------------

/**
 * The number of times that a request with a broken response is sent alone, and of other requests beside it each time. Where a
 * network breaks a share p of all responses, a request is broken each time and all others are whole with the probability
 * p·(p·(1-p)^6)^4, at most once in 600,000 (p = 0.17). With a hundred requests, that is once in 6,000 runs without retries.
 */
const [brokenTurns, controlCount] = [4, 6];

async function confirmBrokenResponses(failed: FailedCase): Promise<StageResult> {
  const { testCase, firstJudgement } = failed;
  let rows = firstJudgement.rows;
  const repetitions: CaseExchanges[] = [];
  for (const row of listFailingRows(firstJudgement)) {
    if (firstJudgement.rows[row]?.expected?.kind !== 'answered') continue;
    const repeated = await repeatBrokenRow(failed, row);
    rows = rows.with(row, repeated.judgement);
    repetitions.push(...repeated.repetitions);
    if (repeated.judgement.verdict === 'fail')
      return { judgement: judgeCaseByRows(rows, testCase), repetitions, isConfirmed: true };
  }
  return { judgement: judgeCaseByRows(rows, testCase), repetitions, isConfirmed: false };
}

/** Sends a row whose response is broken again, alone, with requests that got whole responses beside it. */
async function repeatBrokenRow({ testCase, sender, target, first, evidence, firstJudgement }: FailedCase, row: number) {
  const { title, exchange: name = '' } = firstJudgement.rows[row] as RowJudgement;
  const broken = first.exchanges[row]?.get(name) as Exchange;
  const whole = listWholeResponses({
    ofCase: first.exchanges.flatMap(listExchanges),
    calibration: target.calibration,
  });
  const controls = whole.slice(0, controlCount).map(({ request }, n) => [`control-${n + 1}`, request] as const);
  const judged = testCase.rows[row] as RequirementRow;
  const beside = { ...judged, requests: new Map([...judged.requests, ...controls]) };
  const watched: RequirementCase = { ...testCase, rows: testCase.rows.with(row, beside) };
  const ofRow: RequirementCase = { ...testCase, rows: [judged] };
  const firstEvidence = evidence.slice(row, row + 1);
  const repetitions: CaseExchanges[] = [];
  const again: RowEvidenceWithReadings[][] = [];
  for (let turn = 1; turn <= brokenTurns; turn += 1) {
    const sent = await sender.sendAlone(watched, [row], turn);
    repetitions.push(sent);
    again.push(collectRowEvidence(sent.exchanges, target).slice(row, row + 1));
    const judgement = { ...judgeRepeatedRow(ofRow, firstEvidence, again), title };
    if (judgement.verdict !== 'fail') return { judgement, repetitions };
    const received = sent.exchanges[row];
    const isAlike = findResponseBreakage(received?.get(name) as Exchange)?.kind === findResponseBreakage(broken)?.kind;
    const isEachWhole = controls.every(([control]) => isWhole(received?.get(control)));
    if (!isAlike || !isEachWhole) return { judgement: leaveOpen(judgement, broken), repetitions };
  }
  return { judgement: { ...judgeRepeatedRow(ofRow, firstEvidence, again), title }, repetitions };
}

const listExchanges = (row: ExchangesByRow[number]): Exchange[] => [...row.values()];

function judgeRepeatedRow(
  ofRow: RequirementCase,
  first: readonly RowEvidenceWithReadings[],
  again: readonly (readonly RowEvidenceWithReadings[])[],
): RowJudgement {
  return judgeCase(ofRow, first, again).rows[0] as RowJudgement;
}

const isWhole = (exchange: Exchange | undefined) =>
  exchange !== undefined && 'response' in exchange && findResponseBreakage(exchange) === undefined;

/** If responses to other requests break, too, or this one breaks in another way, the network may be the reason. */
function leaveOpen({ title, at, exchange, reason }: RowJudgement, broken: Exchange): RowJudgement {
  const why = findResponseBreakage(broken)?.reason ?? reason ?? createReason('passed');
  return { title, verdict: 'inconclusive', at, reason: why, ...(exchange !== undefined && { exchange }) };
}

// Alone ---------------------------------------------------------------------------------------------------------------

/** Two responses confirm a failure: more rows would only cost requests. */
const rowsAtOnce = 2;
/** How many failing rows of a case are sent again if the verdict of the run does not depend on them. */
const maxRowsAfterFailure = 2 * rowsAtOnce;
/** The same if requests at the same time are known to be wrong: most failures will not be seen again. */
const maxRowsAfterRace = 1;

/** A proxy that damages one response in twenty damages the same one three times once in 200 runs. */
const maxTurns = 3;

async function confirmAlone(failed: FailedCase): Promise<StageResult> {
  const failing = listFailingRows(failed.firstJudgement);
  const maxRows = failed.isRaceConfirmed ? maxRowsAfterRace : maxRowsAfterFailure;
  const rows = failed.isRunFailing ? failing.slice(0, maxRows) : failing;
  let result: StageResult = { judgement: failed.firstJudgement, repetitions: [], isConfirmed: false };
  for (let start = 0; start < rows.length && !result.isConfirmed; start += rowsAtOnce)
    result = await repeatAlone(failed, rows.slice(start, start + rowsAtOnce), result.repetitions);
  return result;
}

/**
 * Sends rows alone, up to three times. After the first time, only if a single response shows the failure.
 * @param before the repetitions of other rows
 */
async function repeatAlone(failed: FailedCase, rows: readonly number[], before: Confirmation['repetitions']) {
  const { testCase, sender, target, evidence, firstJudgement, first } = failed;
  const repetitions = [...before];
  let judgement = firstJudgement;
  let failing = rows;
  for (let turn = 1; turn <= maxTurns && failing.length > 0; turn += 1) {
    if (turn > 1 && !showsOneResponse(failing, judgement, first)) break;
    repetitions.push(await sender.sendAlone(testCase, failing, turn));
    const again = repetitions.map((sent) => collectRowEvidence(sent.exchanges, target));
    judgement = judgeCase(testCase, evidence, again, firstJudgement);
    const still = listFailingRows(judgement);
    failing = failing.filter((row) => still.includes(row));
  }
  return { judgement, repetitions, isConfirmed: failing.length > 0 };
}

function showsOneResponse(failing: readonly number[], { rows }: CaseJudgement, { exchanges }: CaseExchanges): boolean {
  const shown = failing.flatMap((row) => rows[row]?.shownBy?.map((name) => exchanges[row]?.get(name)) ?? []);
  return new Set(shown).size <= 1;
}

// In a series ---------------------------------------------------------------------------------------------------------

/** How often a request is sent alone, at most; and how often if it is right each time. */
const [maxInSeries, maxRightInSeries] = [12, 4];
/**
 * How often the result must be wrong in the same way, and how often right and wrong must follow each other. Of twelve responses,
 * a proxy that takes one in twenty for another makes three wrong once in 50 times, and seldom in the same way.
 */
const [minAlike, minTurns] = [3, 3];

/**
 * Confirms that a request has a right result and the same wrong one by turns, as where a worker process keeps something for its next
 * request. A change of the data would change the result once.
 */
async function confirmInSeries(failed: FailedCase, alone: Confirmation): Promise<StageResult> {
  const { testCase, sender, target, firstJudgement } = failed;
  const { judgement } = alone;
  const repetitions: CaseExchanges[] = [];
  const suspect = listFailingRows(firstJudgement)
    .map((row) => findSuspect(failed, alone.repetitions, row)?.suspect)
    .find((found) => found !== undefined);
  const { reason, ...failing } = firstJudgement.rows[suspect?.row ?? -1] ?? {};
  if (suspect === undefined || reason === undefined || isSerial(testCase) || failed.isRunFailing)
    return { judgement, repetitions, isConfirmed: false };
  while (repetitions.length < maxInSeries) {
    const sent = await sender.sendInSeries(suspect);
    if (sent === undefined) break;
    repetitions.push(sent);
    const series = readSeries(repetitions, suspect, target);
    if (series.isDamaged || (series.wrong === 0 && series.sent >= maxRightInSeries)) break;
    if (!series.isByTurns) continue;
    const row = { ...failing, reason: createReason('by-turns', { reason, wrong: series.wrong, sent: series.sent }) };
    const rows = judgement.rows.with(suspect.row, row as RowJudgement);
    return { judgement: judgeCaseByRows(rows, testCase), repetitions, isConfirmed: true };
  }
  return { judgement, repetitions, isConfirmed: false };
}

/** Reads what came back each time that a suspect was sent. The first response, which is wrong, counts as a turn. */
function readSeries(repetitions: readonly CaseExchanges[], { first }: SuspectRequest, target: TargetContext) {
  const all = [first, ...repetitions.flatMap(({ batch }) => batch?.exchanges ?? [])];
  const whole = all.filter((exchange): exchange is AnsweredExchange => !isDamaged(exchange));
  const judged = judgeExchanges(whole, target);
  const results = whole.map((exchange, n) => (judged[n]?.verdict === 'fail' ? renderResult(exchange, target) : ''));
  const isWrong = results.map((result) => result !== '');
  const again = results.slice(1).filter((result) => result !== '');
  const alike = [...groupBy(again, (result) => result).values()].map((same) => same.length);
  const turns = isWrong.filter((is, n) => n > 0 && is !== isWrong[n - 1]).length;
  return {
    sent: all.length - 1,
    wrong: again.length,
    isDamaged: whole.length < all.length,
    isByTurns: Math.max(0, ...alike) >= minAlike && turns >= minTurns,
  };
}

/** Equal for exchanges that returned the same promotions, and never empty. */
function renderResult(exchange: AnsweredExchange, target: TargetContext): string {
  const evidence = collectRowEvidence([new Map([['request', exchange]])], target);
  const returned = evidence.flatMap((row) => readReturnedTiersOfExchange(exchange, row).returned);
  return JSON.stringify([exchange.response.status, returned.toSorted()]);
}

// In a batch ----------------------------------------------------------------------------------------------------------

/** A row that was wrong among other requests and passes alone. */
interface SuspectRow {
  readonly suspect: SuspectRequest;
  readonly alone: ExchangesByRow[number];
}

/** What one repetition in a batch shows. Without a judgement, nothing is confirmed. */
interface BatchResult {
  readonly judgement?: RowJudgement;
  readonly repetitions: readonly CaseExchanges[];
}

async function confirmInBatches(
  failed: FailedCase,
  { judgement, repetitions: alone }: Confirmation,
): Promise<Confirmation> {
  const repetitions: CaseExchanges[] = [];
  for (const row of listFailingRows(failed.firstJudgement)) {
    const suspect = findSuspect(failed, alone, row);
    if (suspect === undefined) continue;
    const result = await confirmInBatch(failed, suspect);
    repetitions.push(...result.repetitions);
    if (result.judgement !== undefined)
      return { judgement: judgeCaseByRows(judgement.rows.with(row, result.judgement), failed.testCase), repetitions };
  }
  return { judgement, repetitions };
}

function findSuspect(failed: FailedCase, sentAlone: readonly CaseExchanges[], row: number): SuspectRow | undefined {
  const { testCase, first, firstJudgement, target } = failed;
  const ofRow = selectRow(testCase, row);
  const passes = (exchanges: ExchangesByRow[number]) =>
    judgeCase(ofRow, collectRowEvidence([exchanges], target)).verdict === 'pass';
  const inRun = first.exchanges[row] ?? new Map<string, Exchange>();
  const alone = sentAlone.flatMap(({ exchanges }) => exchanges[row] ?? []).find(({ size }) => size > 0);
  if (alone === undefined || !passes(alone)) return undefined;
  // Of several responses, the wrong one is that without which the row passes.
  const isWrong = (request: string) => passes(new Map([...inRun, [request, alone.get(request) as Exchange]]));
  const name = [...inRun.keys()].find(isWrong) ?? firstJudgement.rows[row]?.exchange ?? '';
  const wrong = inRun.get(name);
  return wrong && { alone, suspect: { testCase, row, name, first: wrong } };
}

const selectRow = (testCase: RequirementCase, row: number): RequirementCase => ({
  ...testCase,
  rows: testCase.rows.slice(row, row + 1),
});

async function confirmInBatch(failed: FailedCase, { suspect, alone }: SuspectRow): Promise<BatchResult> {
  const same = await confirmSameRow(failed, suspect, alone);
  // Whether overlapping requests are wrong takes forty requests to find out.
  if (same.judgement !== undefined || isSerial(failed.testCase) || failed.isRunFailing) return same;
  const others = await confirmAnyRequest(failed, suspect);
  return { ...others, repetitions: [...same.repetitions, ...others.repetitions] };
}

/** Confirms that the same row is wrong in each of three batches. */
async function confirmSameRow(
  failed: FailedCase,
  suspect: SuspectRequest,
  alone: ExchangesByRow[number],
): Promise<BatchResult> {
  const { testCase, sender, target, evidence, isRunFailing } = failed;
  const { row } = suspect;
  const maxOfRun = isRunFailing ? maxInBatchesAfterFailure : maxInBatches;
  const repetitions: CaseExchanges[] = [];
  let judgement: RowJudgement | undefined;
  for (let turn = 1; turn <= maxTurns; turn += 1) {
    const sent = await sender.sendInBatch(suspect, turn, maxOfRun);
    if (sent === undefined) return { repetitions };
    repetitions.push(sent);
    const received = collectRowEvidence([new Map([...alone, ...(sent.exchanges[row] ?? [])])], target);
    judgement = judgeRepeatedRow(selectRow(testCase, row), evidence.slice(row, row + 1), [received]);
    if (judgement.verdict !== 'fail') return { repetitions };
  }
  const { reason } = judgement ?? {};
  if (judgement === undefined || reason === undefined) return { repetitions };
  return { judgement: { ...judgement, reason: createReason('only-among-others', { reason }) }, repetitions };
}

/** How many batches must have wrong results, how many results must be wrong in all, and which share of all results. */
const [minWrongBatches, minWrong, minWrongShare] = [3, 6, 1 / 20];
/** How many new batches without a wrong result are sent for one suspect: others may show more. */
const maxRightBatches = 3;

/**
 * Confirms that overlapping requests get wrong results: the suspect each time, or whichever requests. The batches of the run count,
 * and some more around the suspect. What is wrong in a batch is sent alone, too. A response that is damaged refutes it: then the
 * network may have changed others. A proxy that takes one response in twenty for another makes one request wrong three times once in
 * 8,000 times, and six of 36 once in 150 times, seldom in three batches, and then it spares those that are sent alone in two of
 * three times.
 */
async function confirmAnyRequest(failed: FailedCase, suspect: SuspectRequest): Promise<BatchResult> {
  const { results, repetitions, isNew } = await repeatUntilEnough(failed, suspect);
  const unconfirmed = { repetitions: isNew ? repetitions : [] };
  const { reason, ...judgement } = failed.firstJudgement.rows[suspect.row] as RowJudgement;
  if (!isEnough(results, suspect) || reason === undefined) return unconfirmed;
  const wrong = listWrong(results).map(({ length }) => length);
  const data = { reason, wrong: sum(wrong), batches: wrong.filter(Boolean).length };
  return { judgement: { ...judgement, reason: createReason('among-overlapping', data) }, repetitions };
}

/** Sends batches until enough results are wrong, or it does not look like that. What refutes the suspicion leaves no results. */
async function repeatUntilEnough(failed: FailedCase, suspect: SuspectRequest) {
  const repetitions: CaseExchanges[] = [];
  let results: BatchResults = { together: [], alone: new Map() };
  let rightInNew = 0;
  let isNew = false;
  while (!isEnough(results, suspect) && rightInNew < maxRightBatches) {
    const turn = await repeatOnce(failed, suspect, results);
    if (turn === undefined) break;
    repetitions.push(...turn.repetitions);
    results = turn.results;
    isNew ||= turn.isNew;
    if (isDamagedOnce(results)) return { results: { together: [], alone: new Map() }, repetitions, isNew };
    if (turn.isNewAndRight) rightInNew += 1;
  }
  return { results, repetitions, isNew };
}

/** Sends one more batch, and what is wrong in it alone, unless it is known how that is alone. */
async function repeatOnce({ sender, target }: FailedCase, suspect: SuspectRequest, before: BatchResults) {
  const number = before.together.length + 1;
  const maxOfRun = listWrong(before).flat().length > 0 ? maxInPromisingBatches : maxInBatches;
  const repeated = await sender.repeatBatch(suspect, number, maxOfRun);
  if (repeated === undefined) return undefined;
  const together = readResults(repeated.sent, target);
  const isUnknown = ([request, result]: readonly [string, Result]) => result === 'wrong' && !before.alone.has(request);
  const unknown = new Set([...together].filter(isUnknown).map(([request]) => request));
  const isWanted = ({ request }: Exchange) => unknown.has(serializeRequest(request));
  const alone =
    unknown.size > 0 ? await sender.repeatBatchAlone(suspect, number, maxInPromisingBatches, isWanted) : undefined;
  const ofAlone = alone === undefined ? [] : readResults(alone.sent, target);
  return {
    repetitions: [repeated.sent, ...(alone === undefined ? [] : [alone.sent])],
    results: { together: [...before.together, together], alone: new Map([...before.alone, ...ofAlone]) },
    isNew: repeated.isNew || alone?.isNew === true,
    isNewAndRight: repeated.isNew && ![...together.values()].includes('wrong'),
  };
}

/** The results of each batch, and of the requests that were wrong in one when each is sent alone. */
interface BatchResults {
  readonly together: readonly Results[];
  readonly alone: Results;
}

function isEnough(results: BatchResults, { first }: SuspectRequest): boolean {
  const wrong = listWrong(results);
  const count = wrong.flat().length;
  const all = sum(results.together.map(({ size }) => size));
  const key = serializeRequest(first.request);
  const isSuspectWrong = wrong.filter((requests) => requests.includes(key)).length >= minWrongBatches;
  const isMany = count >= minWrong && wrong.filter(({ length }) => length > 0).length >= minWrongBatches;
  return (isSuspectWrong || isMany) && count >= all * minWrongShare;
}

/** Lists for each batch the requests that are wrong in it and right alone. */
function listWrong({ together, alone }: BatchResults): string[][] {
  return together.map((results) =>
    [...results].flatMap(([request, result]) =>
      result === 'wrong' && alone.get(request) === 'right' ? [request] : [],
    ),
  );
}

function isDamagedOnce({ together, alone }: BatchResults): boolean {
  return [...together, alone].some((results) => [...results.values()].includes('damaged'));
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

/** `damaged`: the response did not arrive, or not as JSON, so the network or a proxy may have changed others, too. */
type Result = 'wrong' | 'right' | 'damaged';

/** By the request. */
type Results = ReadonlyMap<string, Result>;

/** Reads the results of a batch. Wrong is only what a successful response itself proves. */
function readResults({ batch }: CaseExchanges, target: TargetContext): Results {
  const sent = batch?.exchanges ?? [];
  const whole = sent.filter((exchange): exchange is AnsweredExchange => !isDamaged(exchange));
  const judged = judgeExchanges(whole, target);
  const isWrong = new Map<Exchange, boolean>(
    whole.map((exchange, n) => [exchange, isSuccessful(exchange.response) && judged[n]?.verdict === 'fail']),
  );
  const read = (exchange: Exchange): Result => {
    if (!isWrong.has(exchange)) return 'damaged';
    return isWrong.get(exchange) ? 'wrong' : 'right';
  };
  return new Map(sent.map((exchange) => [serializeRequest(exchange.request), read(exchange)]));
}

function isDamaged(exchange: Exchange): boolean {
  if (!('response' in exchange) || hasTransientStatus(exchange.response)) return true;
  const { body } = exchange.response;
  return isSuccessful(exchange.response) && body.trim() !== '' && parseJson(body) === undefined;
}
