/**
 * The room of the one loop that sends. In: a suite, a channel to a deployment, and what is known of it. The run examines the
 * deployment, then sends and judges case after case, and at the end sends some requests again. Out: the report of each case
 * (`CaseReport`). It runs in a worker of Playwright; for programs, and when evidence is judged again, in their own process.
 */

import type { KnownMistakeCorrections } from '../assertions/row-evidence.js';
import { getRequirementOrQuestionId, type TestCase } from '../cases/test-case.js';
import type { HttpRequest, RequestChannel } from '../http/exchange.js';
import type { TargetContext } from '../judge/collect-row-evidence.js';
import { findDeploymentStop } from '../judge/find-deployment-stop.js';
import type { Judgement, KnownFailureTest } from '../judge/judgement.js';
import type { Verdict } from '../judge/verdict.js';
import { createRecognizer } from '../recognition/recognizer.js';
import type { MentionFilter } from '../recognition/sibling-values.js';
import { type Baseline, emptyBaseline } from '../record/drift.js';
import { type CaseExclusionSettings, findExclusionReason } from '../suite/case-selection.js';
import { isOwnCase, type Suite } from '../suite/suite.js';
import { InternalError } from '../support/problem.js';
import { createReason } from '../support/reason.js';
import { adaptCase, type RequestAdaptation } from './adapt-case.js';
import type { CaseReport, StoredEvidence } from './case-report.js';
import {
  type CaseResult,
  createRepetitionResult,
  createUnsentResult,
  getVerdictApartFromKnown,
} from './case-result.js';
import { type CaseSender, createCaseSender } from './case-sender.js';
import { calibrationPurpose, createEvidenceKeeper, type EvidenceKeeper } from './evidence-keeper.js';
import { type ExaminationSettings, examineTarget } from './examine-target.js';
import { createExchangeStore } from './exchange-store.js';
import { createNarrowingSender, createReplayedNarrowingSender, type NarrowingSender } from './narrowing-sender.js';
import { createRefusalResults } from './refusal-result.js';
import { repeatAndRecheckAtEnd } from './repeat-and-recheck-at-end.js';
import type { Replay } from './replay.js';
import { runCase } from './run-case.js';
import { createLoggedChannel } from './sent-log.js';

export interface StartRunOptions extends ExaminationSettings, Partial<CaseExclusionSettings> {
  readonly mentionFilter?: MentionFilter;
  readonly expected?: Baseline;
  readonly infersShape?: boolean;
  /** Makes the ids of exchanges unique among the processes of a run. */
  readonly suffix?: string;
  /** The evidence of an earlier run, which keeps its ids. */
  readonly replay?: Replay;
  readonly known?: KnownMistakeCorrections;
  readonly isFailureKnown?: KnownFailureTest;
  /** The cases of the whole suite, if only some of them are selected. */
  readonly allCases?: readonly TestCase[];
  /** The ids of the cases that will be run, in this order. Their requests are sent ahead. */
  readonly plannedCases?: readonly string[];
}

export async function startRun(stated: Suite, unlogged: RequestChannel, options: StartRunOptions = {}) {
  const { channel, log } = createLoggedChannel(unlogged);
  const { world } = stated;
  const { tierPatterns, expected = emptyBaseline, infersShape = false } = options;
  const { mentionFilter, recognizer = createRecognizer(world, mentionFilter) } = options;
  const { replay, suffix, known, isFailureKnown, plannedCases = [] } = options;
  const examination = await examineTarget(stated, channel, { ...options, recognizer });
  const { calibration, exchanges, sent, isWorldSeen, unreachable, unjudged, refusals, changes, load } = examination;
  const numbered = new Map(sent.map(([, exchange], n) => [String(n + 1), exchange]));
  const keeper = replay === undefined ? createEvidenceKeeper(recognizer, suffix) : undefined;
  keeper?.keepCase({ id: calibrationPurpose }, [{ exchanges: [numbered] }]);
  const { findId } = (replay ?? keeper) as Pick<EvidenceKeeper, 'findId'>;
  const suite = changeSuite(stated, calibration, changes);
  const target: TargetContext = {
    world,
    recognizer,
    calibration: exchanges,
    isWorldSeen,
    configuredPatterns: tierPatterns,
    known,
    isFailureKnown,
    load,
  };
  const refused = createRefusalResults(suite, refusals, options, findId);
  let pointless = unjudged;
  const findUnsentResult = (testCase: TestCase): CaseResult | undefined => {
    const refusal = refused.get(testCase.id);
    if (refusal !== undefined) return refusal;
    const unsent = unreachable ?? pointless;
    if (unsent !== undefined) return createUnsentResult(testCase, 'inconclusive', unsent);
    const reason = findExclusionReason(testCase, options);
    return reason === undefined ? undefined : createUnsentResult(testCase, 'not-applicable', reason);
  };
  const byId = new Map(suite.cases.map((testCase) => [testCase.id, testCase]));
  const planned = plannedCases
    .flatMap((id) => byId.get(id) ?? [])
    .filter((testCase) => findUnsentResult(testCase) === undefined);
  // Cases share what was sent alone: what overlaps may have a fault that shows only together. They share everything if the
  // requests are drawn from a data file, since they are many.
  const shared = stated.data === undefined ? sent.filter(([, exchange]) => !exchanges.includes(exchange)) : sent;
  const sender = replay?.createSender() ?? createCaseSender(channel, planned, shared);
  const context = { target, expected, infersShape, keeper, findId };
  /** The requirements of the contract with a confirmed failure, which decides their verdict; and those with a known one. */
  const failing = new Set<string>();
  const failingAsKnown = new Set<string>();
  let isRaceConfirmed = false;
  const verdicts = new Map<string, Verdict>();
  const runCaseWith = async (sender: CaseSender, testCase: TestCase, purpose?: string): Promise<CaseResult> => {
    const subject = getRequirementOrQuestionId(testCase);
    const needsConfirmation = ({ isKnown }: Pick<Judgement, 'isKnown'>) =>
      isOwnCase(testCase) ||
      !(failing.has(subject) || (isKnown === true && failingAsKnown.has(subject))) ||
      replay?.hasRepetition(testCase, purpose) === true;
    const isRunFailing = failing.size > 0;
    try {
      const unsent = findUnsentResult(testCase);
      const terms = { needsConfirmation, isRunFailing, isRaceConfirmed };
      const result = unsent ?? (await runCase(testCase, sender, context, terms, purpose));
      isRaceConfirmed ||= result.rows.some(isOfRace);
      const isNew = getVerdictApartFromKnown(result) === 'fail';
      if (result.verdict === 'fail' && !isOwnCase(testCase)) (isNew ? failing : failingAsKnown).add(subject);
      return result;
    } catch (error) {
      return createUnsentResult(testCase, 'error', new InternalError(error).message);
    }
  };
  const { constantAnswer } = examination;
  const proof = constantAnswer === undefined ? undefined : findProof(suite);
  const proven =
    proof && (await runCaseWith(replay === undefined ? createCaseSender(channel, [], shared) : sender, proof));
  if (proven !== undefined && getVerdictApartFromKnown(proven) === 'fail')
    pointless = createReason('constant-answer', { answer: `${constantAnswer}`, case: proven.id });
  const sentLog = replay === undefined ? log : { listTraces: replay.listTraces, markChecks: () => undefined };
  const judgeTheEnd = async () => {
    if (pointless !== undefined) return undefined;
    return await repeatAndRecheckAtEnd({
      suite,
      target,
      keeper,
      log: sentLog,
      createSender: (purpose) => replay?.createSender(purpose) ?? createCaseSender(channel),
      runSample: (testCase, sender, purpose) => runCaseWith(sender, testCase, purpose),
      findVerdict: (id) => verdicts.get(id),
      wait: (replay === undefined ? channel.wait : undefined) ?? (async () => undefined),
      isFailing: failing.size > 0,
      isUnreachable: unreachable !== undefined,
    });
  };
  const takeEvidence = (): StoredEvidence => keeper?.take() ?? { exchanges: [], uses: [] };
  const narrowingSender: NarrowingSender =
    keeper === undefined ? createReplayedNarrowingSender(replay as Replay) : createNarrowingSender(channel, keeper);
  return {
    examination,
    target,
    /** Shows an exchange that was sent. Those of a replay are in its evidence. */
    shown: keeper?.shown ?? createExchangeStore(),
    narrowingSender,
    takeEvidence,
    /** Whether the deployment stopped working: then nothing more is found out about it. */
    hasStopped: () => findDeploymentStop(sentLog.listTraces(), world) !== undefined,
    /** Sends and judges a case, unless it was sent before the others. */
    async reportCase(testCase: TestCase): Promise<CaseReport> {
      const result = testCase.id === proven?.id ? proven : await runCaseWith(sender, byId.get(testCase.id) ?? testCase);
      verdicts.set(result.id, getVerdictApartFromKnown(result));
      return { result, ...takeEvidence() };
    },
    /**
     * Sends the sample cases again, or the first requests, to detect a deployment that changed during the run. Undefined if
     * nothing was sent.
     */
    async repeatSamples(): Promise<CaseReport | undefined> {
      const judged = await judgeTheEnd();
      const evidence = takeEvidence();
      if (judged === undefined && evidence.exchanges.length === 0) return undefined;
      return { result: judged ?? { ...createRepetitionResult('pass'), isUncounted: true }, ...evidence };
    },
  };
}

/** Whether a row fails only among requests at the same time. */
function isOfRace({ verdict, reason }: CaseResult['rows'][number]): boolean {
  return verdict === 'fail' && ['only-among-others', 'after-others', 'among-overlapping'].includes(reason?.code ?? '');
}

/** Changes what is sent for a deployment that does not take every request as it is. */
function changeSuite(suite: Suite, calibration: readonly HttpRequest[], changes: RequestAdaptation): Suite {
  const { readsLiteralFiltersOnly, refusedParts } = changes;
  if (!readsLiteralFiltersOnly && refusedParts.length === 0) return suite;
  return { ...suite, calibration, cases: suite.cases.map((testCase) => adaptCase(testCase, changes, suite)) };
}

/** Finds the case that fails if a deployment gives one answer to all requests. */
function findProof({ contract, cases, data }: Suite): TestCase | undefined {
  // Of drawn requests, those about the body compare results, and say nothing of a refusal.
  const topic = data === undefined ? 'body' : 'content-type';
  const requirement = contract.requirements.find(({ about }) => about === topic)?.id;
  return cases.find((testCase) => testCase.kind === 'requirement' && testCase.verifies === requirement);
}
