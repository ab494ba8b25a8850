import { holds } from '../assertions/assertion.js';
import { judgeAssertion } from '../assertions/registry.js';
import type { KnownMistakes } from '../assertions/row-evidence.js';
import { findExclusionReason, type RunScope } from '../cases/case-selection.js';
import { isOwnCase, type Suite } from '../cases/suite.js';
import { getSubjectId, type TestCase } from '../cases/test-case.js';
import type { Channel, Exchange, HttpRequest } from '../http/exchange.js';
import { collectEvidence, type Judgement, type TargetContext } from '../judge/judge-case.js';
import { findWorstVerdict } from '../judge/verdict.js';
import { createRecognizer } from '../recognition/recognizer.js';
import type { MentionFilter } from '../recognition/sibling-values.js';
import { type Baseline, emptyBaseline } from '../record/drift.js';
import { omitUndefined } from '../support/collections.js';
import { InternalError } from '../support/problem.js';
import { createReason } from '../support/reason.js';
import {
  type CaseExchanges,
  createUnsentResult,
  getVerdictApart,
  type ResultWithExchanges,
  samplesCaseId,
} from './case-result.js';
import { type CaseSender, createCaseSender } from './case-sender.js';
import { calibrationPurpose, type EvidenceKeeper } from './evidence-keeper.js';
import { type ExaminedTarget, examine } from './examine.js';
import { listSampleCases, watchedRequests } from './plan.js';
import { createRefusalResults } from './refusal-result.js';
import type { Replay } from './replay.js';
import { changeCase, type RequestChanges } from './request-changes.js';
import { runCase } from './run-case.js';

export interface EngineOptions extends ExaminedTarget, Partial<RunScope> {
  readonly mentionFilter?: MentionFilter;
  readonly expected?: Baseline;
  readonly infersShape?: boolean;
  readonly keeper?: EvidenceKeeper;
  readonly replay?: Replay;
  readonly known?: KnownMistakes;
  /** The ids of requirements whose failures are known, whatever their cause. */
  readonly knownRequirements?: readonly string[];
  /** The ids of the cases that will be run, in this order. Their requests are sent ahead. */
  readonly plannedCases?: readonly string[];
}

export async function startRun(stated: Suite, channel: Channel, options: EngineOptions = {}) {
  const { world } = stated;
  const { tierPatterns, expected = emptyBaseline, infersShape = false } = options;
  const { mentionFilter, recognizer = createRecognizer(world, mentionFilter) } = options;
  const { replay, keeper, known, knownRequirements = [], plannedCases = [] } = options;
  const examination = await examine(stated, channel, { ...options, recognizer });
  const { calibration, exchanges, sent, isWorldSeen, unreachable, unjudged, refusals, changes } = examination;
  const numbered = new Map(sent.map(([, exchange], n) => [String(n + 1), exchange]));
  keeper?.keepCase({ id: calibrationPurpose }, [{ exchanges: [numbered] }]);
  const { find = replay?.find ?? (() => undefined) } = keeper ?? {};
  const suite = changeSuite(stated, calibration, changes);
  const background: TargetContext = {
    world,
    recognizer,
    calibration: exchanges,
    isWorldSeen,
    ...omitUndefined({ configuredPatterns: tierPatterns, known }),
  };
  const refused = createRefusalResults(suite, refusals, options, find);
  let pointless = unjudged;
  const findUnsentResult = (testCase: TestCase): ResultWithExchanges | undefined => {
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
  const terms = { background, knownRequirements, expected, infersShape, keeper, find };
  /** The requirements of the contract with a confirmed failure, which decides their verdict; and those with a known one. */
  const failing = new Set<string>();
  const failingAsKnown = new Set<string>();
  const runWith = async (sender: CaseSender, testCase: TestCase, purpose?: string): Promise<ResultWithExchanges> => {
    const subject = getSubjectId(testCase);
    const needsConfirmation = ({ isKnown }: Pick<Judgement, 'isKnown'>) =>
      isOwnCase(testCase) ||
      !(failing.has(subject) || (isKnown === true && failingAsKnown.has(subject))) ||
      replay?.hasRepetition(testCase, purpose) === true;
    try {
      const unsent = findUnsentResult(testCase);
      const result = unsent ?? (await runCase(testCase, sender, terms, needsConfirmation, purpose));
      const isNew = getVerdictApart(result) === 'fail' || knownRequirements.includes(subject);
      if (result.verdict === 'fail' && !isOwnCase(testCase)) (isNew ? failing : failingAsKnown).add(subject);
      return result;
    } catch (error) {
      return createUnsentResult(testCase, 'error', new InternalError(error).message);
    }
  };
  const { constantAnswer } = examination;
  const proof = constantAnswer === undefined ? undefined : findProof(suite);
  const proven = proof && (await runWith(replay === undefined ? createCaseSender(channel, [], shared) : sender, proof));
  if (proven !== undefined && getVerdictApart(proven) === 'fail')
    pointless = createReason('constant-answer', { answer: `${constantAnswer}`, case: proven.id });
  return {
    examination,
    background,
    runCase: async (testCase: TestCase) =>
      testCase.id === proven?.id ? proven : await runWith(sender, byId.get(testCase.id) ?? testCase),
    takeEvidence: () => keeper?.take() ?? { exchanges: [], uses: [], used: [] },
    /** Sends the sample cases again, or the first requests, to detect a deployment that changed during the run. */
    async repeatSamples(): Promise<ResultWithExchanges | undefined> {
      if (pointless !== undefined) return undefined;
      const sender = replay?.createSender(samplesCaseId) ?? createCaseSender(channel);
      if (suite.data !== undefined && suite.calibration.length > 0) {
        const count = failing.size > 0 ? suite.calibration.length : watchedRequests;
        return await watchData(suite.calibration.slice(0, count), sender, background, keeper);
      }
      const results: ResultWithExchanges[] = [];
      for (const testCase of listSampleCases(suite)) results.push(await runWith(sender, testCase, samplesCaseId));
      return combineSampleResults(results);
    },
  };
}

/** Changes what is sent for a deployment that does not take every request as it is. */
function changeSuite(suite: Suite, calibration: readonly HttpRequest[], changes: RequestChanges): Suite {
  const { readsLiteralFiltersOnly, refusedParts } = changes;
  if (!readsLiteralFiltersOnly && refusedParts.length === 0) return suite;
  return { ...suite, calibration, cases: suite.cases.map((testCase) => changeCase(testCase, changes, suite)) };
}

/** Finds the case that fails if a deployment gives one answer to all requests. */
function findProof({ contract, cases, data }: Suite): TestCase | undefined {
  // Of drawn requests, those about the body compare results, and say nothing of a refusal.
  const topic = data === undefined ? 'body' : 'content-type';
  const requirement = contract.requirements.find(({ about }) => about === topic)?.id;
  return cases.find((testCase) => testCase.kind === 'requirement' && testCase.verifies === requirement);
}

/** Fails if a case failed or was unstable this time; everything else is already known from the first time. */
function combineSampleResults(results: readonly ResultWithExchanges[]): ResultWithExchanges | undefined {
  const broken =
    results.find((result) => getVerdictApart(result) === 'fail') ??
    results.find(({ repeatedExchange }) => repeatedExchange !== undefined);
  const common = { id: samplesCaseId, drift: [] };
  if (broken === undefined) {
    const verdict = findWorstVerdict(results.map(getVerdictApart));
    return results[0] && { ...common, subject: samplesCaseId, verdict, at: results[0].at, rows: [] };
  }
  const { id, reason = createReason('passed') } = broken;
  return { ...broken, ...common, reason: createReason('changed-at-end', { case: id, reason }) };
}

/** If the first requests get other results at the end of a run, and keep them, no result of the run proves anything. */
async function watchData(
  requests: readonly HttpRequest[],
  sender: CaseSender,
  background: TargetContext,
  keeper: EvidenceKeeper | undefined,
): Promise<ResultWithExchanges> {
  const rows = requests.map((request, n) => ({
    title: String(n + 1),
    requests: new Map([['request', request]]),
    given: [],
    expect: [],
    unavailable: [],
  }));
  const [id, at, first] = ['watched-data', { file: '', line: 1, column: 1 }, 'the first response'];
  const watched: TestCase = { kind: 'requirement', id, verifies: id, title: '', at, tags: [], rows };
  const same = { kind: 'returned.same-as', of: 'request', at, data: { compared: first } };
  const listChanges = ({ exchanges }: CaseExchanges) => {
    const pairs = exchanges.map((row, n) => new Map([...row, [first, background.calibration[n] as Exchange]]));
    return collectEvidence(pairs, background).flatMap((evidence, n) => {
      const result = exchanges[n]?.size === 0 ? holds : judgeAssertion(same, evidence, 'requirement');
      return result.is === 'violated' ? [{ n, reason: result.reason }] : [];
    });
  };
  const sent = await sender.send(watched);
  const changed = listChanges(sent).map(({ n }) => n);
  const repetitions = changed.length > 0 ? [await sender.sendAlone(watched, changed, 1)] : [];
  keeper?.keepCase(watched, [sent, ...repetitions], samplesCaseId);
  const [lasting] = repetitions.flatMap(listChanges);
  const common = { id: samplesCaseId, subject: samplesCaseId, at, rows: [], drift: [] };
  if (lasting === undefined) return { ...common, verdict: 'pass' };
  const reason = createReason('data-changed', { reason: lasting.reason });
  return { ...common, verdict: 'inconclusive', reason, hasDataChanged: true };
}
