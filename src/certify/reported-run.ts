/**
 * The half of a run that receives. In: the reports of the cases, one by one. It adds each exchange to the evidence and to the
 * index while the next requests are sent. Out, at the end: the certificate, or the written results. It runs in the process of
 * the reporter; for programs, and when evidence is judged again, in theirs.
 */

import { countDisturbances } from '../certificate/disturbances.js';
import { createEvidenceArchiver, parseEvidenceArchive } from '../certificate/har-archive.js';
import type { RunInputs } from '../config/run-inputs.js';
import { getDocumentedResult } from '../explanation/observation.js';
import type { RetriedAttempt } from '../http/exchange.js';
import { type ExchangeSummary, findDeploymentStop, summarizeExchange } from '../judge/find-deployment-stop.js';
import { findWorstVerdict, type Verdict } from '../judge/verdict.js';
import { getIdFinders } from '../recognition/id-finders.js';
import { createRecognizer } from '../recognition/recognizer.js';
import type { CaseReport, ExchangeUse, Explanation, StoredExchange } from '../run/case-report.js';
import {
  type CaseResult,
  createRepetitionResult,
  createUnsentResult,
  notReachedReason,
  repetitionCaseId,
} from '../run/case-result.js';
import { countAttempts } from '../run/case-sender.js';
import { calibrationPurpose, createStoredExchange } from '../run/evidence-keeper.js';
import { createExchangeIndexer } from '../run/exchange-index.js';
import { countPlannedRequests, createRunPlan } from '../run/plan.js';
import { markRechecks } from '../run/sent-log.js';
import { selectCases, selectFromSuite } from '../suite/case-selection.js';
import { loadSuite, packageCasesFolder } from '../suite/suite.js';
import { computeOnce } from '../support/caches.js';
import { type Problem, UnusableInput } from '../support/problem.js';
import type { Reason } from '../support/reason.js';
import { getFirstLine } from '../support/untrusted-text.js';
import { certifyRun, publishRun, type RunToRejudge } from './certify-run.js';
import type { JudgedCases, RunStartReport } from './target-run.js';

/** Or without results: nothing was sent, they could not be written, or there is a bug in the suite. */
export type RunEnding = ReturnType<typeof publishRun> | 'not-begun' | 'unwritten' | 'bug';

/** How each project ended, for the command: the reporter is in the same process. None if Playwright ended before it did. */
export const runEndings: RunEnding[] = [];

/** A run that is certified by the reports of its cases alone. */
export class ReportedRun {
  private readonly startedAt = new Date();
  private readonly results = new Map<string, CaseResult>();
  /** By the id of the result, which they judged, and those before the cases. */
  private readonly uses = new Map<string, readonly ExchangeUse[]>();
  private requestsSent = 0;
  private readonly retried: RetriedAttempt[] = [];
  private readonly traces: ExchangeSummary[] = [];
  private start: RunStartReport | undefined;
  private failure: UnusableInput | undefined;
  private readonly explanations: Explanation[] = [];
  private hasFailure = false;
  /** Exchanges are archived and indexed as tests end, while the next ones are sent. */
  private readonly getCollector = computeOnce(() => {
    const { suite, settings } = this.inputs;
    const indexer = createExchangeIndexer(getIdFinders(suite.world));
    return { archiver: createEvidenceArchiver(settings.target.baseUrl), indexer };
  });

  private readonly countPlanned = computeOnce(() => {
    const { suite, settings } = this.inputs;
    const whole = selectFromSuite(suite, settings);
    const cases = whole.cases.filter(({ id }) => this.selected.has(id));
    return countPlannedRequests(createRunPlan({ ...whole, cases }, settings));
  });

  /**
   * @param selected the ids of the cases; none if there is no test
   * @param loadedInputs undefined for a run of another machine: its inputs come with its reports
   * @param recorded the evidence, if it is judged again
   */
  constructor(
    private readonly selected: ReadonlySet<string>,
    private loadedInputs: RunInputs | undefined,
    private readonly recorded?: RunToRejudge,
  ) {}

  private get inputs(): RunInputs {
    const { settings } = this.start ?? {};
    if (this.loadedInputs === undefined && settings === undefined)
      throw new Error('A report of this project has no beginning: merge the reports of all shards.');
    this.loadedInputs ??= settings && {
      suite: loadSuite(packageCasesFolder, settings.availability, settings.cases),
      settings,
    };
    return this.loadedInputs as RunInputs;
  }

  /** How many requests were sent so far, how many of them again, and how many are planned. */
  get progress() {
    return { sent: this.requestsSent, retried: this.retried.length, planned: this.countPlanned() };
  }

  /** Adds cases that were judged in this process. */
  addAll({ start, reports }: JudgedCases): this {
    if (this.recorded !== undefined) this.addRecorded(this.recorded);
    this.begin(start);
    for (const report of reports) this.add(report);
    if (this.recorded !== undefined) this.uses.set(calibrationPurpose, this.recorded.evidence.uses);
    return this;
  }

  /** Adds what the evidence has: its exchanges, without what they name, and the cases that no exchange judged. */
  private addRecorded({ evidence, extent }: RunToRejudge): void {
    const { suite, settings } = this.inputs;
    const recognizer = createRecognizer(suite.world, settings.target.mentionFilter);
    for (const { id, exchange } of evidence.exchanges) this.keep(createStoredExchange(id, exchange, recognizer));
    for (const { id, verdict, reason = notReachedReason } of extent.unjudged) this.addUnjudged(id, verdict, reason);
  }

  /** Notes what a process that sends knows before its first case. The first one counts. */
  begin(start: RunStartReport): void {
    this.start ??= start;
  }

  /** Notes why the run has no valid verdict: its transport failed. */
  fail(problems: readonly Problem[]): void {
    this.failure ??= new UnusableInput(problems);
  }

  /** @param isCounted whether the result counts; the exchanges do anyway */
  add({ result, exchanges, uses, explanation }: CaseReport, isCounted = true): void {
    const isFirst = !this.uses.has(calibrationPurpose);
    this.hasFailure ||= result.verdict === 'fail';
    for (const kept of exchanges) this.keep(kept);
    if (explanation !== undefined) this.explanations.push(explanation);
    const ofCalibration = ({ case: purpose }: ExchangeUse) => purpose === calibrationPurpose;
    if (isFirst) this.uses.set(calibrationPurpose, uses.filter(ofCalibration));
    const before = this.results.get(result.id);
    // A test that ran several times counts with its worst verdict.
    const isWorst = before === undefined || findWorstVerdict([before.verdict, result.verdict]) !== before.verdict;
    if (!isCounted || !isWorst) return;
    this.results.set(result.id, result);
    this.uses.set(
      result.id,
      uses.filter((use) => !ofCalibration(use)),
    );
  }

  private keep(kept: StoredExchange): void {
    const { archiver, indexer } = this.getCollector();
    archiver.add(kept);
    const { request } = indexer.add(kept);
    this.traces.push(...[summarizeExchange(kept.id, { ...kept.exchange, request }) ?? []].flat());
    this.requestsSent += countAttempts([kept.exchange]);
    this.retried.push(...(kept.exchange.retried ?? []));
    // Measured: a run in which everything fails takes a tenth longer if its requests are explained after the last test.
    if (this.hasFailure) getDocumentedResult(this.inputs.suite.world)(request);
  }

  /** Adds the result of a case that no exchange judges. */
  addUnjudged(id: string, verdict: Verdict, reason: Reason | string): void {
    const testCase = this.inputs.suite.cases.find((candidate) => candidate.id === id);
    if (testCase !== undefined) this.results.set(id, createUnsentResult(testCase, verdict, reason));
    if (id === repetitionCaseId) this.results.set(id, createRepetitionResult(verdict, reason));
  }

  /** Certifies what was reported. @param error why the run ended before its first test */
  async certify(isCutShort = this.recorded?.extent.isCutShort === true, error?: string) {
    const { start, inputs, requestsSent, startedAt, recorded } = this;
    const { name, version, digest } = inputs.suite;
    const { destination: _, cases: __, ...settings } = inputs.settings;
    const obstacle = this.findObstacle(isCutShort, error);
    const results = this.listResults(obstacle);
    // If the target cannot be reached, the examination judges all cases.
    const isJudged = ({ id }: CaseResult) => (obstacle === undefined ? this.uses.has(id) : !obstacle.isUnusable);
    const unjudged = results.filter((result) => !isJudged(result));
    const extent = {
      isCutShort,
      // The last case is judged again for what narrowing found out, even if its result does not count.
      judged: [
        ...new Set([
          ...results.filter(isJudged).map(({ id }) => id),
          ...(this.uses.has(repetitionCaseId) ? [repetitionCaseId] : []),
        ]),
      ],
      unjudged: unjudged.map(({ id, verdict, reason = notReachedReason }) => ({ id, verdict, reason })),
    };
    const uses = [...this.uses.values()].flat();
    const stop = findDeploymentStop(markRechecks(this.traces, uses), inputs.suite.world);
    const shown = uses.filter(({ id }) => !stop?.exchanges.has(id));
    const { archiver, indexer } = this.getCollector();
    // It names no paths of this machine.
    const archive = archiver.finish(uses, {
      suite: { name, version, digest },
      baseUrl: settings.target.baseUrl,
      extent,
      inputs: settings,
    });
    const certified = await certifyRun(inputs, {
      results,
      index: indexer.finish(shown),
      uses,
      load: start?.load,
      explanations: this.explanations,
      requestsSent,
      disturbances: countDisturbances(this.retried),
      isCutShort,
      startedAt,
      stop,
      data: start === undefined ? inputs.suite.data : start.data,
      recall() {
        const { evidence } = recorded ?? parseEvidenceArchive(archive.content, 'evidence.har');
        return { ...recorded, extent, evidence, settings: inputs.settings };
      },
    });
    return { ...certified, archive, isUnusable: obstacle?.isUnusable === true };
  }

  /** Certifies what was reported, and writes the results. @param terms as of {@link certify} */
  async publish(...terms: Parameters<ReportedRun['certify']>) {
    const certified = await this.certify(...terms);
    return publishRun(certified, this.inputs);
  }

  private findObstacle(isCutShort: boolean, error: string | undefined) {
    if (this.failure !== undefined) {
      process.stderr.write(`${this.failure.message}\n`);
      return { reason: getFirstLine(this.failure.message), isUnusable: true };
    }
    const { unreachable } = this.start ?? {};
    if (unreachable !== undefined) return { reason: unreachable, isUnusable: false };
    if (this.selected.size > 0 || isCutShort) return undefined;
    return { reason: error ?? 'Playwright found no test.', isUnusable: true };
  }

  private listResults(obstacle: { readonly reason: Reason | string } | undefined): CaseResult[] {
    const { suite, settings } = this.inputs;
    const cases = selectCases(suite, settings);
    if (obstacle !== undefined)
      return cases.map((testCase) => createUnsentResult(testCase, 'inconclusive', obstacle.reason));
    const ofCases = cases.flatMap((testCase) => {
      const result = this.results.get(testCase.id);
      if (result !== undefined) return [result];
      const isSelected = this.selected.size === 0 || this.selected.has(testCase.id);
      return isSelected ? [createUnsentResult(testCase, 'not-run', notReachedReason)] : [];
    });
    const samples = [this.results.get(repetitionCaseId) ?? []].flat();
    return [...ofCases, ...samples.filter(({ isUncounted }) => !isUncounted)];
  }
}
