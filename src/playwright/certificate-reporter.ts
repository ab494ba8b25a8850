import { appendFileSync, readFileSync } from 'node:fs';
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
  isPartialRun,
  notReachedReason,
  samplesCaseId,
} from '../engine/case-result.js';
import { createPlan, type Plan } from '../engine/plan.js';
import { collectRunFacts } from '../report/certificate.js';
import { determineOverallVerdict } from '../report/overall-verdict.js';
import { addColors } from '../report/terminal/colors.js';
import { liveIntervalMs, progressIntervalMs, renderProgress } from '../report/terminal/progress.js';
import { renderRunReport } from '../report/terminal/run-report.js';
import { getMonotonicMs } from '../support/monotonic-clock.js';
import { UnusableInput } from '../support/problem.js';
import { describeFileError } from '../support/read-input-file.js';
import { joinLines, toOneLine } from '../support/untrusted-text.js';
import { createCertifiedTarget, loadTarget } from '../targets/target.js';
import { listSecrets } from '../targets/target-connection.js';
import { saveEnding } from './ending.js';
import { ExchangeCollector } from './exchange-collector.js';
import { disableExpectedFailures, enableExpectedFailures, restoreFailure } from './expected-failure.js';
import { ignoreClosedOutput, watchForShutdown } from './parent-watch.js';
import { loadRunInputs, readRunOptions } from './run-inputs.js';
import { findSavedFailure, findSession, type Session, savePlannedCases } from './session.js';
import { readCaseId, readTestReport, removeTestReport, type TestReport } from './test-report.js';

const clearLine = '\r\u001b[2K';

/** Creates the certificate from the results of all tests. The run fails unless the target conforms. */
export default class CertificateReporter implements Reporter {
  private readonly startedAt = new Date();
  private readonly startedMs = getMonotonicMs();
  private readonly options = readRunOptions();
  private readonly inputs = loadRunInputs(this.options);
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
    this.progressTimer = setInterval(() => this.showProgress(), intervalMs).unref();
    // A run that stops at the first failure must not send requests ahead.
    if (config.maxFailures === 0) savePlannedCases(ids);
    // Loads while the worker starts, so that nobody waits for it at the end.
    void import('../report/write-results.js');
    void import('../report/certify-results.js');
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    // First, so that no error below leaves a failure that looks like a success.
    restoreFailure(test, result);
    const { report, exchanges = [] } = readTestReport(result) ?? {};
    // After the other reporters: a blob report must contain it.
    queueMicrotask(() => removeTestReport(result));
    this.firstReport ??= report;
    // The end of the run may have aborted its requests, so its case counts as not reached.
    if (result.status === 'interrupted') return;
    const id = readCaseId(test) ?? '';
    const testCase = this.inputs.suite.cases.find((each) => each.id === id);
    if (report !== undefined) {
      this.results.set(id, report.result);
      this.judged.add(id);
      this.collector ??= new ExchangeCollector(this.inputs, report.target.base_url);
      this.collector.add({ exchanges, uses: report.uses });
    } else if (testCase !== undefined) {
      const [problem = ''] = (result.error?.message ?? 'The test ended without a result.').split('\n');
      this.results.set(id, createUnsentResult(testCase, 'error', toOneLine(problem)));
    }
  }

  private showProgress(): void {
    const { requestBudget } = findSession() ?? {};
    if (requestBudget === undefined) return;
    this.plan ??= this.createPlan();
    const sent = requestBudget.countSpent();
    const elapsedMs = getMonotonicMs() - requestBudget.openedAt;
    // Other reporters write to the standard output for programs.
    const line = renderProgress(this.plan, { ended: this.results.size, sent, elapsedMs });
    process.stderr.write(this.isLive ? clearLine + line.slice(0, process.stderr.columns - 1) : joinLines([line]));
  }

  private createPlan(): Plan {
    const { suite, settings } = this.inputs;
    const plan = createPlan(selectFromSuite(suite, settings), settings);
    return {
      ...plan,
      cases: plan.cases.filter(({ id }) => this.selected.has(id)),
      samples: this.selected.has(samplesCaseId) ? plan.samples : { ...plan.samples, requests: 0 },
    };
  }

  onError({ message = '' }: TestError): void {
    if (!this.isListed) process.stderr.write(joinLines(message.replace(/^UnusableInput: /, '').split('\n')));
  }

  async onEnd(result: FullResult): Promise<{ status: FullResult['status'] }> {
    disableExpectedFailures();
    clearInterval(this.progressTimer);
    if (this.isLive) process.stderr.write(clearLine);
    const session = findSession();
    try {
      const refusal = findSavedFailure();
      if (refusal !== undefined) throw refusal;
      if (this.hasBegun(result, session)) return await this.certify(result, session);
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

  private async certify(result: FullResult, session: Session | undefined): Promise<{ status: FullResult['status'] }> {
    const { writeResults } = await import('../report/write-results.js');
    const { certifyResults } = await import('../report/certify-results.js');
    const { suite, settings, replay } = this.inputs;
    const { target, calibration } = this.firstReport ?? session ?? {};
    const { base_url: baseUrl = '' } = target ?? {};
    const unreachable = session?.calibration.unreachable;
    const isCutShort = result.status === 'interrupted' || result.status === 'timedout';
    const isReplay = replay !== undefined;
    const plainResults = this.listResults(unreachable);
    const evidence = this.finishEvidence(plainResults, baseUrl, session, isCutShort);
    const facts = {
      ...collectRunFacts(plainResults, calibration, settings, selectFromSuite(suite, settings).cases),
      ...(isReplay ? { requestsSent: evidence.requestsSent } : {}),
      target: createCertifiedTarget(settings.target, baseUrl),
      isReplay,
      isCutShort,
      startedAt: this.startedAt,
      durationMs: getMonotonicMs() - this.startedMs,
    };
    const { certificate, results, index } = certifyResults(suite, plainResults, evidence.index, facts, settings.target);
    const destination = {
      ...settings,
      isPartial: isCutShort || this.isPartial(results),
      secrets: isReplay ? [] : listSecrets(loadTarget(this.options, process.env).connection),
    };
    const written = writeResults(certificate, suite, results, destination, {
      archive: evidence.archive,
      exchanges: index,
    });
    saveEnding({
      ...certificate,
      page: path.join(path.dirname(written.certificate), 'certificate.html'),
      isRecorded: written.record !== undefined && written.record.unwritten === undefined,
    });
    const text = [
      appendJobSummary(written.files, process.env.GITHUB_STEP_SUMMARY),
      addColors(renderRunReport(certificate, written), process),
    ].join('');
    this.printResult = () => process.stdout.write(text);
    const isGood = determineOverallVerdict(certificate) === 'conforms';
    return { status: result.status === 'passed' && !isGood ? 'failed' : result.status };
  }

  private finishEvidence(
    results: readonly CaseResult[],
    baseUrl: string,
    session: Session | undefined,
    isCutShort: boolean,
  ): ReturnType<ExchangeCollector['finish']> {
    const { suite, replay, recorded } = this.inputs;
    const { name, version, digest } = suite;
    if (this.collector === undefined) {
      this.collector = new ExchangeCollector(this.inputs, baseUrl);
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
        isCutShort,
        judged: results.filter(isJudged).map(({ id }) => id),
        unjudged: unjudged.map(({ id, verdict, reason }) => (verdict === 'error' ? { id, error: reason } : { id })),
      },
    });
  }

  /** Whether only some of the cases ran, or were selected: the results of a whole run then stay. */
  private isPartial(results: readonly CaseResult[]): boolean {
    const { suite, settings } = this.inputs;
    if (settings.quick !== undefined || isPartialRun(results)) return true;
    return suite.cases.some(({ id }) => !this.selected.has(id));
  }

  /** All results in the order of the suite, including those of cases that no test reached. */
  private listResults(unreachable: string | undefined): CaseResult[] {
    const { selected, results } = this;
    const { suite, settings } = this.inputs;
    const ofCases = selectFromSuite(suite, settings).cases.flatMap((testCase) => {
      const result = results.get(testCase.id);
      if (result !== undefined) return [result];
      if (unreachable !== undefined) return [createUnsentResult(testCase, 'inconclusive', unreachable)];
      return selected.has(testCase.id) ? [createUnsentResult(testCase, 'not-run', notReachedReason)] : [];
    });
    const ofSamples = results.get(samplesCaseId);
    return ofSamples === undefined ? ofCases : [...ofCases, ofSamples];
  }

  printsToStdio(): boolean {
    return true;
  }
}

/**
 * Appends the summary of a run to the page of a job of GitHub Actions.
 *
 * @param file of the job; none elsewhere
 * @returns why it could not be written, for the terminal
 */
export function appendJobSummary(files: readonly string[], file: string | undefined): string {
  const summary = files.find((name) => path.basename(name) === 'summary.md');
  if (!file || summary === undefined) return '';
  try {
    appendFileSync(file, readFileSync(summary));
    return '';
  } catch (error) {
    return joinLines([describeFileError(error, `The job summary was not written to ${file}`)]);
  }
}
