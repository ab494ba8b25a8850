/**
 * The end of a run, in the process that sends: some requests are sent again, to notice a deployment that changed or stopped
 * working. What they show is the result of one more case.
 */

import { holdingResult } from '../assertions/assertion.js';
import { judgeAssertion } from '../assertions/registry.js';
import { getRequirementOrQuestionId, type TestCase } from '../cases/test-case.js';
import type { Exchange, HttpRequest, RequestChannel } from '../http/exchange.js';
import { collectRowEvidence, type ExchangesByRow, type TargetContext } from '../judge/collect-row-evidence.js';
import {
  classifyExchangeOutcome,
  type DeploymentStop,
  findDeploymentStop,
  rechecksPerRequest,
  selectRequestsToRecheck,
  summarizeExchange,
} from '../judge/find-deployment-stop.js';
import { findWorstVerdict, type Verdict } from '../judge/verdict.js';
import type { Suite } from '../suite/suite.js';
import { createReason } from '../support/reason.js';
import { areResultsLeftOver } from './are-results-left-over.js';
import { areResultsOfKeptParts } from './are-results-of-kept-parts.js';
import {
  type CaseExchanges,
  type CaseResult,
  createRepetitionResult,
  findVerdictApart,
  getVerdictApartFromKnown,
  repetitionCaseId,
} from './case-result.js';
import type { CaseSender } from './case-sender.js';
import type { EvidenceKeeper } from './evidence-keeper.js';
import { mayDataHaveChanged } from './may-data-have-changed.js';
import { listRepeatedRequests, listSampleCases } from './plan.js';
import { recheckCaseId, type SentLog } from './sent-log.js';

export interface RecheckInputs {
  readonly suite: Suite;
  readonly target: TargetContext;
  /** Undefined if the exchanges come from evidence. */
  readonly keeper: EvidenceKeeper | undefined;
  readonly log: SentLog;
  readonly createSender: (purpose: string) => CaseSender;
  readonly runSample: (testCase: TestCase, sender: CaseSender, purpose: string) => Promise<CaseResult>;
  /** The verdict of a case in the run; undefined if it was not run. */
  readonly findVerdict: (id: string) => Verdict | undefined;
  /** Waits for milliseconds. Evidence has nothing to wait for. */
  readonly wait: NonNullable<RequestChannel['wait']>;
  readonly isFailing: boolean;
  /** Whether the examination found that more requests could do harm, or would be in vain. */
  readonly isUnreachable: boolean;
}

/** The purposes of the two times that requests may be sent again. */
const purposes = [repetitionCaseId, 'sampled-once-more'] as const;

/** How long a refused request is left alone before it is sent again, in seconds: a restart takes its time. */
const pauses = [0, 1, 3, 6, 10, 10].slice(0, rechecksPerRequest);

/** @returns undefined if nothing was to be sent, and every request was accepted */
export async function repeatAndRecheckAtEnd(inputs: RecheckInputs): Promise<CaseResult | undefined> {
  const { suite, log, isUnreachable } = inputs;
  const hasSamples = suite.data !== undefined || listSampleCases(suite).length > 0;
  if (isUnreachable) return hasSamples ? createRepetitionResult('inconclusive') : undefined;
  const [once, again] = purposes;
  const repeated = await repeat(once, inputs);
  await checkRefused(inputs);
  const stop = findDeploymentStop(log.listTraces(), suite.world);
  // Without a case of its own, the certificate finds it in the evidence.
  if (stop !== undefined) return hasSamples ? createDeploymentStopResult(stop, suite) : undefined;
  // The verdict of a run that fails does not depend on the samples.
  const isUnjudged = !inputs.isFailing && repeated?.verdict === 'inconclusive' && repeated.hasDataChanged === undefined;
  const judged = isUnjudged ? await repeat(again, inputs) : repeated;
  return hasSamples || judged?.verdict !== 'pass' ? judged : undefined;
}

/** The result of a run whose deployment stopped working. A refusal fails the requirement that the operation answers. */
export function createDeploymentStopResult(
  { verdict, reason, advice }: DeploymentStop,
  { contract, cases }: StopTerms,
): CaseResult {
  const common = { ...createRepetitionResult(verdict), reason: createReason('and', { reason, next: advice }) };
  const subject = contract.requirements.find(({ about }) => about === 'body')?.id;
  if (verdict !== 'fail' || subject === undefined) return { ...common, concernsRun: true };
  const at = cases.find((testCase) => getRequirementOrQuestionId(testCase) === subject)?.at;
  return { ...common, subject, ...(at && { at }), concernsRun: true };
}

type StopTerms = Pick<Suite, 'contract' | 'cases'>;

/** Sends requests again that were accepted, and are refused now: alone, on new connections, and several times. */
async function checkRefused({ suite, log, createSender, keeper, wait }: RecheckInputs): Promise<void> {
  const requests = selectRequestsToRecheck(log.listTraces(), suite.world);
  if (requests.refused.length === 0) return;
  const all = [...requests.refused, ...requests.control];
  const check = createPlainCase(recheckCaseId, all);
  const sender = createSender(repetitionCaseId);
  const rounds: CaseExchanges[] = [];
  let refused = all.map((_, n) => n);
  for (const [n, seconds] of pauses.entries()) {
    if (seconds > 0) await wait(seconds * 1_000);
    // The last request of the run shows whether all are refused, or some.
    const isLast = n === pauses.length - 1;
    const sent = await sender.sendAlone(check, isLast ? [...new Set([...refused, all.length - 1])] : refused, n + 1);
    rounds.push(sent);
    const exchanges = sent.exchanges.map((row) => row.get(requestName));
    log.markChecks(exchanges.flatMap((exchange) => exchange ?? []));
    refused = refused.filter((row) => isRefused(exchanges[row]));
    if (refused.length === 0) break;
  }
  keeper?.keepCase(check, rounds, repetitionCaseId);
}

/** A quota, a gateway and a deployment without an answer are not asked again. */
function isRefused(exchange: Exchange | undefined): boolean {
  const trace = exchange && summarizeExchange('', exchange);
  return trace !== undefined && classifyExchangeOutcome(trace.outcome) === 'refused';
}

async function repeat(purpose: string, inputs: RecheckInputs): Promise<CaseResult | undefined> {
  const { suite, createSender, runSample, isFailing } = inputs;
  const sender = createSender(purpose);
  const watched = listRepeatedRequests(suite, isFailing);
  if (watched.length > 0) return await watchFirstRequests(watched, sender, inputs, purpose);
  const results: CaseResult[] = [];
  for (const testCase of suite.data === undefined ? listSampleCases(suite) : [])
    results.push(await runSample(testCase, sender, purpose));
  return combineSampleResults(results, inputs);
}

/** Fails if a case failed or was unstable this time. Without a verdict, the run is incomplete if the case passed before. */
function combineSampleResults(
  results: readonly CaseResult[],
  { findVerdict, target }: Pick<RecheckInputs, 'findVerdict' | 'target'>,
): CaseResult | undefined {
  const failing = results
    .filter((result) => getVerdictApartFromKnown(result) === 'fail')
    .map((result) => markAsKnownAtEnd(result, target));
  const broken =
    failing.find((result) => getVerdictApartFromKnown(result) === 'fail') ??
    results.find(({ repeatedExchangeId }) => repeatedExchangeId !== undefined) ??
    results.find((result) => isUnjudged(getVerdictApartFromKnown(result)) && findVerdict(result.id) === 'pass') ??
    failing[0];
  if (results.length === 0) return undefined;
  if (broken === undefined) return createRepetitionResult(findWorstVerdict(results.map(getVerdictApartFromKnown)));
  const { id, verdict, reason = createReason('passed') } = broken;
  const changed = createReason('changed-at-end', { case: id, reason });
  const common = { id: repetitionCaseId, repeats: id, drift: [], reason: changed };
  if (!isUnjudged(verdict)) return { ...broken, ...common };
  return { ...broken, ...common, verdict: 'inconclusive', subject: repetitionCaseId, concernsRun: true };
}

/** Marks the failures of a case if it is known that cases of its requirement fail at the end of a run. */
function markAsKnownAtEnd(result: CaseResult, { isFailureKnown }: Pick<TargetContext, 'isFailureKnown'>): CaseResult {
  if (!isFailureKnown?.({ requirement: result.subject, case: repetitionCaseId, title: '' })) return result;
  const rows = result.rows.map((row) => (row.verdict === 'fail' ? { ...row, known: true as const } : row));
  return { ...result, rows, apart_from_known: findVerdictApart(rows) };
}

function isUnjudged(verdict: Verdict): boolean {
  return verdict === 'inconclusive' || verdict === 'not-run';
}

const requestName = 'request';

/** A case of requests without expectations, each in a row of its own. */
function createPlainCase(id: string, requests: readonly HttpRequest[]): TestCase {
  const rows = requests.map((request, n) => ({
    title: String(n + 1),
    requests: new Map([[requestName, request]]),
    given: [],
    expect: [],
    unavailable: [],
  }));
  return { kind: 'requirement', id, verifies: id, title: '', at: createRepetitionResult('pass').at, tags: [], rows };
}

/**
 * Compares the results of the first requests at the end of a run with those at its beginning. If the data of a deployment
 * changed, no result of the run proves anything. The test data of the suite does not change.
 */
async function watchFirstRequests(
  requests: readonly HttpRequest[],
  sender: CaseSender,
  { target, keeper, suite }: RecheckInputs,
  purpose: string,
): Promise<CaseResult> {
  const watched = createPlainCase('watched-data', requests);
  const first = 'the first response';
  const same = { kind: 'returned.same-as', of: requestName, at: watched.at, data: { compared: first } };
  const compare = (exchanges: ExchangesByRow) => {
    const pairs = exchanges.map((row, n) => new Map([...row, [first, target.calibration[n] as Exchange]]));
    return collectRowEvidence(pairs, target).map((evidence, n) =>
      exchanges[n]?.size === 0 ? holdingResult : judgeAssertion(same, evidence, 'requirement'),
    );
  };
  // What could not be read at the beginning shows nothing at the end.
  const atFirst = requests.map((_, n) => new Map([[requestName, target.calibration[n] as Exchange]]));
  const isReadable = compare(atFirst).map(({ is }) => is === 'holds');
  const listChanges = ({ exchanges }: CaseExchanges) =>
    compare(exchanges).flatMap((result, n) => (result.is === 'holds' || !isReadable[n] ? [] : [{ n, ...result }]));
  const sent = await sender.send(watched);
  const changed = listChanges(sent).map(({ n }) => n);
  const repetitions = changed.length > 0 ? [await sender.sendAlone(watched, changed, 1)] : [];
  keeper?.keepCase(watched, [sent, ...repetitions], purpose);
  const lasting = repetitions.flatMap(listChanges);
  const violated = lasting.find(({ is }) => is === 'violated');
  const changedAtEnd = lasting.flatMap(({ n, is }) => (is === 'violated' ? [n] : []));
  const mayHaveChanged = changedAtEnd.some((n) => {
    const atEnd = repetitions.flatMap(({ exchanges }) => exchanges[n]?.get(requestName) ?? []);
    return mayDataHaveChanged(target.calibration[n], atEnd, requests, target);
  });
  const listSent = ({ exchanges }: CaseExchanges) => exchanges.flatMap((row) => [...row.values()]);
  const atEnd = [sent, ...repetitions].flatMap(listSent);
  const isOfEarlier = () =>
    areResultsLeftOver(target.calibration, atEnd, target) || areResultsOfKeptParts(atEnd, target);
  const hasChanged = mayHaveChanged && !isOfEarlier();
  if (violated !== undefined && suite.data !== undefined && hasChanged) {
    const reason = createReason('data-changed', { reason: violated.reason });
    return { ...createRepetitionResult('inconclusive'), reason, hasDataChanged: true };
  }
  const unclear = violated ?? lasting[0];
  if (unclear === undefined) return createRepetitionResult('pass');
  const reason = createReason('first-changed-at-end', { reason: unclear.reason });
  return { ...createRepetitionResult('inconclusive'), reason, concernsRun: true };
}
