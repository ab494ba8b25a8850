import path from 'node:path';
import type {
  FullConfig,
  FullResult,
  Reporter,
  Suite,
  TestCase,
  TestError,
  TestResult,
} from '@playwright/test/reporter';
import { selectFromSuite } from '../cases/case-selection.js';
import {
  type CaseResult,
  createUnsentResult,
  explorationCaseId,
  isPartialRun,
  notReachedReason,
  samplesCaseId,
} from '../engine/case-result.js';
import { createPlan, type Plan } from '../engine/plan.js';
import { collectRunFacts } from '../report/certificate.js';
import type { RunExtent } from '../report/har-archive.js';
import { determineOverallVerdict } from '../report/overall-verdict.js';
import { createSigner } from '../report/signature.js';
import { addColors } from '../report/terminal/colors.js';
import { liveIntervalMs, progressIntervalMs, renderProgress } from '../report/terminal/progress.js';
import { renderRunReport } from '../report/terminal/run-report.js';
import { getMonotonicMs } from '../support/monotonic-clock.js';
import { UnusableInput } from '../support/problem.js';
import { joinLines, toOneLine } from '../support/untrusted-text.js';
import type { RunInputs } from '../targets/recorded-run.js';
import { createCertifiedTarget, loadTarget } from '../targets/target.js';
import { listSecrets } from '../targets/target-connection.js';
import { saveEnding } from './ending.js';
import { ExchangeCollector } from './exchange-collector.js';
import { disableExpectedFailures, enableExpectedFailures, restoreFailure } from './expected-failure.js';
import { reportToGitHub } from './github-actions.js';
import { certifyMerged, readMergedRun } from './merged-run.js';
import { ignoreClosedOutput, watchForShutdown } from './parent-watch.js';
import { loadRunInputs, readRunOptions } from './run-inputs.js';
import { findSavedFailure, findSession, type Session, savePlannedCases } from './session.js';
import { renderShardSummary } from './shard-report.js';
import { readCaseId, readTestReport, removeTestReport, type TestReport } from './test-report.js';

const clearLine = '\r\u001b[2K';

/** Creates the certificate from the results of all tests. The run fails unless the target conforms. */
export default class CertificateReporter implements Reporter {
  private readonly startedAt = new Date();
  private readonly startedMs = getMonotonicMs();
  private readonly options = readRunOptions();
  private readonly isMerge = this.options.merge !== undefined;
  /** A merge reads them from the reports of the shards. */
  private inputs: RunInputs | undefined;
  /** Why the shards cannot be merged. */
  private refusal: UnusableInput | undefined;
  /** Why the merged shards are not the whole run. */
  private readonly gaps = new Set<string>();
  private readonly results = new Map<string, CaseResult>();
  /** The ids of the results with a report: they were judged. */
  private readonly judged = new Set<string>();
  private collector: ExchangeCollector | undefined;
  /** The ids of all tests. */
  private selected: ReadonlySet<string> = new Set();
  private firstReport: TestReport | undefined;
  private progressTimer: NodeJS.Timeout | undefined;
  private plan: Plan | undefined;
  /** Whether one line of a terminal shows the progress. */
  private isLive = false;
  /** Whether another reporter shows tests and errors. */
  private isListed = false;
  private printResult: () => void = () => undefined;

  constructor() {
    if (!this.isMerge) this.inputs = loadRunInputs(this.options);
    ignoreClosedOutput();
    // As Ctrl-C, so that the certificate contains what was judged by then.
    watchForShutdown(() => process.kill(process.pid, 'SIGINT'));
  }

  onBegin(config: FullConfig, tests: Suite): void {
    enableExpectedFailures(config, import.meta.filename);
    this.isListed = config.reporter.some(([name]) => ['list', 'line', 'dot'].includes(name));
    const ids = tests.allTests().flatMap((test) => readCaseId(test) ?? []);
    this.selected = new Set(ids);
    this.isLive = !this.isListed && process.stderr.isTTY === true && !process.env.CI;
    const intervalMs = this.isLive ? liveIntervalMs : progressIntervalMs;
    if (this.isMerge) this.beginMerge(config, ids);
    else this.progressTimer = setInterval(() => this.showProgress(), intervalMs).unref();
    // A run that stops at the first failure must not send requests ahead.
    if (config.maxFailures === 0) savePlannedCases(ids);
    // Loads while the worker starts, so that nobody waits for it at the end.
    void import('../report/write-results.js');
    void import('../report/certify-results.js');
  }

  private beginMerge({ metadata }: FullConfig, ids: readonly string[]): void {
    const { merge = '', out } = this.options;
    try {
      const { inputs, gaps } = readMergedRun(merge, metadata, ids, out);
      this.inputs = inputs;
      for (const gap of gaps) this.gaps.add(gap);
      // If a shard is missing, nobody knows which cases it selected.
      const whole = gaps.length === 0 ? [] : selectFromSuite(inputs.suite, inputs.settings).cases;
      this.selected = new Set([...ids, ...whole.map(({ id }) => id)]);
    } catch (error) {
      if (!(error instanceof UnusableInput)) throw error;
      this.refusal = error;
    }
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    // First, so that no error below leaves a failure that looks like a success.
    restoreFailure(test, result);
    const { inputs } = this;
    if (inputs === undefined) return;
    const { report, exchanges = [] } = readTestReport(result) ?? {};
    // After the other reporters: a blob report must contain it.
    queueMicrotask(() => removeTestReport(result));
    this.firstReport ??= report;
    // The end of the run may have aborted its requests, so its case counts as not reached.
    if (result.status === 'interrupted') return;
    const id = readCaseId(test) ?? '';
    const testCase = inputs.suite.cases.find((each) => each.id === id);
    if (report !== undefined) {
      this.results.set(id, report.result);
      this.judged.add(id);
      this.collector ??= new ExchangeCollector(inputs, report.target.base_url);
      this.collector.add({ exchanges, uses: report.uses }, report.shard);
    } else if (testCase !== undefined) {
      const [problem = ''] = (result.error?.message ?? 'The test ended without a result.').split('\n');
      this.results.set(id, createUnsentResult(testCase, 'error', toOneLine(problem)));
    }
  }

  private showProgress(): void {
    const { requestBudget } = findSession() ?? {};
    if (this.inputs === undefined || requestBudget === undefined) return;
    this.plan ??= this.createPlan(this.inputs);
    const sent = requestBudget.countSpent();
    const elapsedMs = getMonotonicMs() - requestBudget.openedAt;
    // Other reporters write to the standard output for programs.
    const line = renderProgress(this.plan, { ended: this.results.size, sent, elapsedMs });
    process.stderr.write(this.isLive ? clearLine + line.slice(0, process.stderr.columns - 1) : joinLines([line]));
  }

  private createPlan({ suite, settings }: RunInputs): Plan {
    const plan = createPlan(selectFromSuite(suite, settings), settings);
    return {
      ...plan,
      cases: plan.cases.filter(({ id }) => this.selected.has(id)),
      samples: this.selected.has(samplesCaseId) ? plan.samples : { ...plan.samples, requests: 0 },
    };
  }

  onError({ message = '' }: TestError): void {
    if (!this.isListed) process.stderr.write(joinLines(message.replace(/^UnusableInput: /, '').split('\n')));
    if (this.isMerge) this.gaps.add(toOneLine(message.split('\n')[0]?.replace(/^Error: /, '') ?? ''));
  }

  async onEnd(result: FullResult): Promise<{ status: FullResult['status'] }> {
    disableExpectedFailures();
    clearInterval(this.progressTimer);
    if (this.isLive) process.stderr.write(clearLine);
    const session = findSession();
    try {
      const refusal = this.refusal ?? findSavedFailure();
      if (refusal !== undefined) throw refusal;
      if (this.inputs !== undefined && (this.isMerge || this.hasBegun(result, session)))
        return await this.certify(result, this.inputs, session);
      saveEnding('not-begun');
      return { status: result.status };
    } catch (error) {
      const isUnwritten = error instanceof UnusableInput;
      saveEnding(isUnwritten ? 'unwritten' : 'broken-off');
      if (!isUnwritten) throw error;
      this.printResult = () => process.stderr.write(`${error.message}\n`);
      return { status: 'failed' };
    }
  }

  /** Prints the result last, after the output of all other reporters. */
  async onExit(): Promise<void> {
    this.printResult();
  }

  /** Whether there is anything to certify: no, if tests were only listed or Playwright refused its arguments. */
  private hasBegun({ status }: FullResult, session: Session | undefined): boolean {
    if (this.results.size > 0 || status === 'interrupted') return true;
    return session !== undefined && (status !== 'failed' || session.calibration.unreachable !== undefined);
  }

  private async certify(
    result: FullResult,
    inputs: RunInputs,
    session: Session | undefined,
  ): Promise<{ status: FullResult['status'] }> {
    const { writeResults } = await import('../report/write-results.js');
    const { certifyResults } = await import('../report/certify-results.js');
    const { suite, settings, replay } = inputs;
    const { target, calibration } = this.firstReport ?? session ?? {};
    const { base_url: baseUrl = '' } = target ?? {};
    const unreachable = session?.calibration.unreachable;
    const isCutShort = result.status === 'interrupted' || result.status === 'timedout';
    const isReplay = replay !== undefined;
    const plainResults = this.listResults(inputs, unreachable);
    const gaps = [...this.gaps];
    const evidence = this.finishEvidence(inputs, plainResults, baseUrl, session, { isCutShort, gaps });
    const facts = {
      ...collectRunFacts(plainResults, calibration, settings, selectFromSuite(suite, settings).cases),
      ...(isReplay ? { requestsSent: evidence.requestsSent } : {}),
      target: createCertifiedTarget(settings.target, baseUrl),
      isReplay,
      isCutShort,
      gaps,
      startedAt: this.startedAt,
      durationMs: getMonotonicMs() - this.startedMs,
    };
    const { certificate, results, index } = this.isMerge
      ? await certifyMerged(suite, evidence.archive, plainResults, result)
      : certifyResults(suite, plainResults, evidence.index, facts, settings.target);
    const { sign } = this.options;
    const destination = {
      ...settings,
      isPartial: isCutShort || this.isPartial(inputs, results),
      ...(sign === undefined ? {} : { sign: createSigner(sign) }),
      secrets: this.isMerge || isReplay ? [] : listSecrets(loadTarget(this.options, process.env).connection),
    };
    const written = writeResults(certificate, suite, results, destination, {
      archive: evidence.archive,
      exchanges: index,
    });
    const isReached = results.every(({ verdict }) => verdict !== 'not-run');
    const isShardDone = settings.shard !== undefined && !isCutShort && unreachable === undefined && isReached;
    saveEnding({
      ...certificate,
      page: path.join(path.dirname(written.certificate), 'certificate.html'),
      isRecorded: written.record !== undefined && written.record.unwritten === undefined,
      isShardDone,
    });
    const text = [
      reportToGitHub(process.env, certificate, suite, results),
      addColors(renderRunReport(certificate, written), process),
      settings.shard === undefined ? '' : renderShardSummary(settings.shard, isShardDone, settings.out),
    ].join('');
    this.printResult = () => process.stdout.write(text);
    const isGood = determineOverallVerdict(certificate) === 'conforms';
    return { status: result.status === 'passed' && !isGood ? 'failed' : result.status };
  }

  private finishEvidence(
    inputs: RunInputs,
    results: readonly CaseResult[],
    baseUrl: string,
    session: Session | undefined,
    ending: Pick<RunExtent, 'isCutShort' | 'gaps'>,
  ): ReturnType<ExchangeCollector['finish']> {
    const { suite, replay, recorded } = inputs;
    const { name, version, digest } = suite;
    if (this.collector === undefined) {
      this.collector = new ExchangeCollector(inputs, baseUrl);
      if (session !== undefined) this.collector.add(session.evidence);
    }
    // If the target cannot be reached, the calibration judges all cases.
    const isUnreachable = session?.calibration.unreachable !== undefined;
    const isJudged = ({ id }: CaseResult) => isUnreachable || this.judged.has(id);
    const unjudged = results.filter((result) => !isJudged(result));
    return this.collector.finish(results, {
      suite: { name, version, digest },
      baseUrl,
      ...(replay === undefined ? {} : { isReplay: true as const }),
      inputs: recorded,
      extent: {
        ...ending,
        judged: results.filter(isJudged).map(({ id }) => id),
        unjudged: unjudged.map(({ id, verdict, reason }) => (verdict === 'error' ? { id, error: reason } : { id })),
      },
    });
  }

  /** Whether only some of the cases ran, or were selected: the results of a whole run then stay. */
  private isPartial({ suite, settings: { shard, profile } }: RunInputs, results: readonly CaseResult[]): boolean {
    if (shard !== undefined || profile !== undefined || isPartialRun(results)) return true;
    return suite.cases.some(({ id }) => !this.selected.has(id));
  }

  /** All results in the order of the suite, including those of cases that no test reached. */
  private listResults({ suite, settings }: RunInputs, unreachable: string | undefined): CaseResult[] {
    const { selected, results } = this;
    return [
      ...selectFromSuite(suite, settings).cases.flatMap((testCase) => {
        const result = results.get(testCase.id);
        if (result !== undefined) return [result];
        if (unreachable !== undefined) return [createUnsentResult(testCase, 'inconclusive', unreachable)];
        return selected.has(testCase.id) ? [createUnsentResult(testCase, 'not-run', notReachedReason)] : [];
      }),
      ...[samplesCaseId, explorationCaseId].flatMap((id) => results.get(id) ?? []),
    ];
  }

  printsToStdio(): boolean {
    return true;
  }
}
