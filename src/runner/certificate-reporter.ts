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
import { collectRunFacts } from '../certificate/certificate.js';
import { determineOverallVerdict } from '../certificate/overall-verdict.js';
import { addColors } from '../outputs/terminal/colors.js';
import { liveIntervalMs, progressIntervalMs, renderProgress } from '../outputs/terminal/progress.js';
import { renderRunReport } from '../outputs/terminal/run-report.js';
import { type CaseResult, createUnsentResult, notReachedReason, samplesCaseId } from '../run/case-result.js';
import { createPlan, type Plan } from '../run/plan.js';
import { getMonotonicMs } from '../support/monotonic-clock.js';
import { UnusableInput } from '../support/problem.js';
import { describeFileError } from '../support/read-input-file.js';
import { joinLines, toOneLine } from '../support/untrusted-text.js';
import { createCertifiedTarget, loadTarget } from '../target/target.js';
import { listSecrets } from '../target/target-connection.js';
import { saveEnding } from './ending.js';
import { ExchangeCollector } from './exchange-collector.js';
import { disableExpectedFailures, enableExpectedFailures, restoreFailure } from './expected-failure.js';
import { ignoreClosedOutput, watchForShutdown } from './parent-watch.js';
import { loadRunInputs, readRunOptions } from './run-inputs.js';
import { findSavedFailure, findSession, findTarget, type Session, savePlannedCases } from './session.js';
import { readCaseId, readTestReport, removeTestReport, type TestReport } from './test-report.js';

/** Why no verdict of a run is valid. */
interface Obstacle {
  readonly reason: string;
  /** Whether the input is unusable, not the target. */
  readonly isUnusable: boolean;
}

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
  /** The ids of all tests; undefined if there are none. */
  private selected: ReadonlySet<string> | undefined;
  /** Why Playwright ended before the first test. */
  private error: string | undefined;
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
    // Playwright also begins with no tests after an error.
    if (ids.length > 0) this.selected = new Set(ids);
    this.isLive = !this.isListed && process.stderr.isTTY === true && !process.env.CI;
    const intervalMs = this.isLive ? liveIntervalMs : progressIntervalMs;
    this.progressTimer = setInterval(() => this.showProgress(), intervalMs).unref();
    // A run that stops at the first failure must not send requests ahead.
    if (config.maxFailures === 0) savePlannedCases(ids);
    // Loads while the worker starts, so that nobody waits for it at the end.
    void import('../outputs/write-results.js');
    void import('../certificate/certify-results.js');
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
      cases: plan.cases.filter(({ id }) => this.selected?.has(id)),
      samples: this.selected?.has(samplesCaseId) ? plan.samples : { ...plan.samples, requests: 0 },
    };
  }

  onError({ message = '' }: TestError): void {
    const lines = message.replace(/^(UnusableInput|Error): /, '').split('\n');
    this.error ??= lines[0];
    if (!this.isListed) process.stderr.write(joinLines(lines));
  }

  async onEnd(result: FullResult): Promise<{ status: FullResult['status'] }> {
    disableExpectedFailures();
    clearInterval(this.progressTimer);
    if (this.isLive) process.stderr.write(clearLine);
    try {
      if (findTarget() !== undefined) return await this.certify(result);
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

  private async certify({ status }: FullResult): Promise<{ status: FullResult['status'] }> {
    const { writeResults } = await import('../outputs/write-results.js');
    const { certifyResults } = await import('../certificate/certify-results.js');
    const { suite, settings, replay } = this.inputs;
    const session = findSession();
    const { target = findTarget(), calibration } = this.firstReport ?? session ?? {};
    const { base_url: baseUrl = '' } = target ?? {};
    const isCutShort = status === 'interrupted' || status === 'timedout';
    const obstacle = this.findObstacle(session, isCutShort);
    const plainResults = this.listResults(obstacle);
    const evidence = this.finishEvidence(plainResults, baseUrl, session, isCutShort, obstacle);
    const facts = {
      ...collectRunFacts(plainResults, calibration, settings, selectFromSuite(suite, settings).cases),
      requestsSent: evidence.requestsSent,
      target: createCertifiedTarget(settings.target, baseUrl),
      isReplay: replay !== undefined,
      isCutShort,
      startedAt: this.startedAt,
      durationMs: getMonotonicMs() - this.startedMs,
    };
    const { certificate, results, index } = certifyResults(suite, plainResults, evidence.index, facts, settings.target);
    const destination = {
      ...settings,
      secrets: replay !== undefined ? [] : listSecrets(loadTarget(this.options, process.env).connection),
    };
    const written = writeResults(certificate, suite, results, destination, {
      archive: evidence.archive,
      exchanges: index,
    });
    saveEnding({
      ...certificate,
      page: path.join(path.dirname(written.certificate), 'certificate.html'),
      isRecorded: written.record !== undefined && written.record.unwritten === undefined,
      isUnusable: obstacle?.isUnusable === true,
    });
    const text = [
      appendJobSummary(written.files, process.env.GITHUB_STEP_SUMMARY),
      addColors(renderRunReport(certificate, written), process),
    ].join('');
    this.printResult = () => process.stdout.write(text);
    const isGood = determineOverallVerdict(certificate) === 'conforms';
    return { status: status === 'passed' && !isGood ? 'failed' : status };
  }

  /** Finds out why no verdict of the run is valid, if so. */
  private findObstacle(session: Session | undefined, isCutShort: boolean): Obstacle | undefined {
    const failure = findSavedFailure();
    if (failure !== undefined) {
      process.stderr.write(`${failure.message}\n`);
      return { reason: failure.message.split('\n')[0] ?? '', isUnusable: true };
    }
    const { unreachable } = session?.calibration ?? {};
    if (unreachable !== undefined) return { reason: unreachable, isUnusable: false };
    if (this.selected !== undefined || isCutShort) return undefined;
    return { reason: toOneLine(this.error ?? 'Playwright found no test.'), isUnusable: true };
  }

  private finishEvidence(
    results: readonly CaseResult[],
    baseUrl: string,
    session: Session | undefined,
    isCutShort: boolean,
    obstacle: Obstacle | undefined,
  ): ReturnType<ExchangeCollector['finish']> {
    const { suite, replay, recorded } = this.inputs;
    const { name, version, digest } = suite;
    if (this.collector === undefined) {
      this.collector = new ExchangeCollector(this.inputs, baseUrl);
      if (session !== undefined) this.collector.add(session.evidence);
    }
    // If the target cannot be reached, the calibration judges all cases.
    const isJudged = ({ id }: CaseResult) => (obstacle === undefined ? this.judged.has(id) : !obstacle.isUnusable);
    const unjudged = results.filter((result) => !isJudged(result));
    return this.collector.finish(results, {
      suite: { name, version, digest },
      baseUrl,
      ...(replay === undefined ? {} : { isReplay: true as const }),
      inputs: recorded,
      extent: {
        isCutShort,
        judged: results.filter(isJudged).map(({ id }) => id),
        unjudged: unjudged.map(({ id, verdict, reason }) => ({ id, verdict, reason })),
      },
    });
  }

  /** Lists all results in the order of the suite, including those of cases that no test reached. */
  private listResults(obstacle: Obstacle | undefined): CaseResult[] {
    const { selected, results } = this;
    const { suite, settings } = this.inputs;
    const { cases } = selectFromSuite(suite, settings);
    if (obstacle !== undefined)
      return cases.map((testCase) => createUnsentResult(testCase, 'inconclusive', obstacle.reason));
    const ofCases = cases.flatMap((testCase) => {
      const result = results.get(testCase.id);
      if (result !== undefined) return [result];
      const isSelected = selected === undefined || selected.has(testCase.id);
      return isSelected ? [createUnsentResult(testCase, 'not-run', notReachedReason)] : [];
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
