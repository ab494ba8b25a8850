import { existsSync, readdirSync, rmdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type {
  FullConfig,
  FullResult,
  Reporter,
  Suite,
  TestCase,
  TestError,
  TestResult,
  TestStep,
} from '@playwright/test/reporter';
import { selectFromSuite } from '../cases/case-selection.js';
import {
  type CaseResult,
  createUnsentResult,
  explorationCaseId,
  isPartialRun,
  notReachedReason,
  sampleId,
} from '../engine/case-result.js';
import { createPlan, type Plan } from '../engine/plan.js';
import type { RequestBudget } from '../http/request-budget.js';
import { createRecognizer } from '../recognition/recognizer.js';
import { collectRunFacts } from '../report/certificate.js';
import type { RunExtent } from '../report/har-archive.js';
import { determineOverallVerdict } from '../report/overall-verdict.js';
import { createSigner } from '../report/signature.js';
import { addColors } from '../report/terminal/colors.js';
import { liveIntervalMs, progressIntervalMs, renderProgress } from '../report/terminal/progress.js';
import { renderRunReport } from '../report/terminal/run-report.js';
import { getMonotonicMs } from '../support/monotonic-clock.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { UnusableInput } from '../support/problem.js';
import { joinLines, toOneLine } from '../support/untrusted-text.js';
import { createCertifiedTarget, loadTarget } from '../targets/target.js';
import { listSecrets } from '../targets/target-connection.js';
import { saveEnding } from './ending.js';
import { createExchangeCollector, type ExchangeCollector } from './exchange-collector.js';
import { disableExpectedFailures, enableExpectedFailures, restoreFailure } from './expected-failure.js';
import { reportToGitHub } from './github-actions.js';
import { certifyMerged, type MergedRun, readMergedRun } from './merged-run.js';
import { ignoreClosedOutput, watchForShutdown } from './parent-watch.js';
import { loadRunInputs, type RunInputs, readRunOptions } from './run-inputs.js';
import { findSavedFailure, findSession, type Session, savePlannedCases } from './session.js';
import { readCaseId, readTestReport, removeTestReport, type TestReport } from './test-report.js';

const clearLine = '\r\u001b[2K';

/** Creates the certificate from the results of all tests. The run fails unless the target conforms. */
export default class CertificateReporter implements Reporter {
  private readonly startedAt = new Date();
  private readonly startedMs = getMonotonicMs();
  private readonly options = readRunOptions();
  /** A merge has none: the reports of the shards bring theirs. */
  private readonly ownInputs = this.options.merge === undefined ? loadRunInputs(this.options) : undefined;
  /** Created first, so that an unusable key is found before anything is sent. */
  private readonly sign = this.options.sign === undefined ? undefined : createSigner(this.options.sign);
  private readonly results = new Map<string, CaseResult>();
  /** The ids of the results with a report: they were judged. */
  private readonly judged = new Set<string>();
  private collector: ExchangeCollector | undefined;
  /** The ids of all tests; undefined if Playwright found none. */
  private selected: ReadonlySet<string> | undefined;
  private firstReport: TestReport | undefined;
  private merged: MergedRun | undefined;
  /** Why the shards cannot be merged. */
  private refusal: UnusableInput | undefined;
  /** The errors that ended shards early. */
  private readonly shardErrors = new Set<string>();
  private progressShownMs = getMonotonicMs();
  private plan: Plan | undefined;
  private requestBudget: RequestBudget | undefined;
  private stopsAtFailure = false;
  /** Whether another reporter shows tests and errors. */
  private isListed = false;
  private isLive = false;
  private tracesFolder: string | undefined;
  private printResult: () => void = () => undefined;

  constructor() {
    ignoreClosedOutput();
    // As Ctrl-C, so that the certificate contains what was judged by then.
    watchForShutdown(() => process.kill(process.pid, 'SIGINT'));
  }

  onBegin(config: FullConfig, tests: Suite): void {
    enableExpectedFailures(config, import.meta.filename);
    this.stopsAtFailure = config.maxFailures > 0;
    this.isListed = config.reporter.some(([name]) => ['list', 'line', 'dot'].includes(name));
    this.isLive = !this.isListed && process.stderr.isTTY === true && !process.env.CI;
    this.tracesFolder = config.projects[0]?.outputDir;
    const ids = tests.allTests().flatMap((test) => readCaseId(test) ?? []);
    if (ids.length > 0) this.selected = new Set(ids);
    if (this.options.merge !== undefined) this.beginMerge(this.options.merge, config.metadata, ids);
    // A run that stops at the first failure must not send requests ahead.
    if (!this.stopsAtFailure) savePlannedCases(ids);
    // Loads while the worker starts, so that nobody waits for it at the end.
    void loadWriteResults();
  }

  private beginMerge(folder: string, metadata: FullConfig['metadata'], ids: readonly string[]): void {
    try {
      this.merged = readMergedRun(folder, metadata, ids, this.options.out);
      const { suite, settings } = this.merged.inputs;
      // If a shard is missing, nobody knows which cases it selected.
      if (this.merged.gaps.length > 0)
        this.selected = new Set([...selectFromSuite(suite, settings).cases.map(({ id }) => id), ...ids]);
    } catch (error) {
      if (!(error instanceof UnusableInput)) throw error;
      this.refusal = error;
    }
  }

  private get inputs(): RunInputs {
    const inputs = this.merged?.inputs ?? this.ownInputs;
    if (inputs === undefined) throw this.refusal ?? new Error('The reports of the shards were not read.');
    return inputs;
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    // First, so that no error below leaves a failure that looks like a success.
    restoreFailure(test, result);
    if (this.refusal !== undefined) return;
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
      this.collector ??= this.createCollector(report.target.base_url);
      this.collector.add({ exchanges, uses: report.uses }, report.shard);
      if (this.merged !== undefined) this.checkAddress(report.target.base_url);
    } else if (testCase !== undefined) {
      const [problem = ''] = (result.error?.message ?? 'The test ended without a result.').split('\n');
      this.results.set(id, createUnsentResult(testCase, 'error', toOneLine(problem)));
    }
    if (this.merged === undefined) this.showProgress();
  }

  onStepBegin(test: TestCase, _: TestResult, { category, title }: TestStep): void {
    if (category !== 'test.step' || readCaseId(test) !== explorationCaseId || this.merged !== undefined) return;
    if (getMonotonicMs() - this.progressShownMs < progressIntervalMs) return;
    this.progressShownMs = getMonotonicMs();
    process.stderr.write(joinLines([title]));
  }

  /** Each machine starts a reference deployment of its own; all shards test any other deployment together. */
  private checkAddress(address: string): void {
    const first = this.firstReport?.target.base_url;
    if (address === first || this.inputs.settings.target.kind === 'reference') return;
    const message = `the shards are of different targets: ${first} and ${address}`;
    const at = { setting: this.options.merge ?? '' };
    this.refusal = new UnusableInput([{ at, message, hint: 'Use the same base URL for all shards.' }]);
  }

  private showProgress(): void {
    const now = getMonotonicMs();
    if (now - this.progressShownMs < (this.isLive ? liveIntervalMs : progressIntervalMs)) return;
    this.progressShownMs = now;
    this.plan ??= this.createPlan();
    this.requestBudget ??= findSession()?.requestBudget;
    if (this.requestBudget === undefined) return;
    const { openedAt } = this.requestBudget;
    const sent = this.requestBudget.countSpent();
    const line = renderProgress(this.plan, { ended: this.results.size, sent, elapsedMs: now - openedAt });
    // Other reporters write to the standard output for programs.
    process.stderr.write(this.isLive ? clearLine + line.slice(0, process.stderr.columns - 1) : joinLines([line]));
  }

  private createPlan(): Plan {
    const { suite, settings } = this.inputs;
    const plan = createPlan(selectFromSuite(suite, settings), settings);
    const isSelected = (id: string) => this.selected?.has(id) ?? true;
    return {
      ...plan,
      cases: plan.cases.filter(({ id }) => isSelected(id)),
      samples: isSelected(sampleId) ? plan.samples : { ...plan.samples, requests: 0 },
    };
  }

  onError({ message = '' }: TestError): void {
    if (!this.isListed) process.stderr.write(joinLines(message.replace(/^UnusableInput: /, '').split('\n')));
    if (this.merged !== undefined)
      this.shardErrors.add(toOneLine(message.split('\n')[0]?.replace(/^Error: /, '') ?? ''));
  }

  async onEnd(result: FullResult): Promise<{ status: FullResult['status'] }> {
    disableExpectedFailures();
    if (this.isLive) process.stderr.write(clearLine);
    const session = findSession();
    try {
      const refusal = this.refusal ?? findSavedFailure();
      if (refusal !== undefined) throw refusal;
      if (this.merged === undefined && !this.hasBegun(result, session)) {
        saveEnding({ kind: 'not-begun' });
        return { status: result.status };
      }
      return await this.certify(result, session, await loadWriteResults());
    } catch (error) {
      const isUnwritten = error instanceof UnusableInput;
      saveEnding({ kind: isUnwritten ? 'unwritten' : 'broken-off' });
      if (!isUnwritten) throw error;
      this.printResult = () => process.stderr.write(`${error.message}\n`);
      return { status: 'failed' };
    }
  }

  /** Prints the result last, after the output of all other reporters. */
  async onExit(): Promise<void> {
    this.printResult();
    removeEmptyFolders(this.tracesFolder);
  }

  /** Whether there is anything to certify: no, if tests were only listed or Playwright refused its arguments. */
  private hasBegun({ status }: FullResult, session: Session | undefined): boolean {
    if (this.results.size > 0 || status === 'interrupted') return true;
    return session !== undefined && (status !== 'failed' || session.calibration.unreachable !== undefined);
  }

  private async certify(
    { status, startTime, duration }: FullResult,
    session: Session | undefined,
    { writeResults, certifyResults }: Awaited<ReturnType<typeof loadWriteResults>>,
  ): Promise<{ status: FullResult['status'] }> {
    const { suite, settings, replay, recorded } = this.inputs;
    const { target, calibration } = this.firstReport ?? session ?? {};
    const { base_url: baseUrl = '' } = target ?? {};
    const unreachable = session?.calibration.unreachable;
    const plainResults = this.listResults(unreachable);
    const isCutShort = status === 'interrupted' || status === 'timedout';
    const gaps = [...(this.merged?.gaps ?? []), ...this.shardErrors];
    const { name, version, digest } = suite;
    const origin = {
      suite: { name, version, digest },
      baseUrl,
      ...(replay === undefined ? {} : { isReplay: true as const }),
      inputs: recorded,
      extent: { ...this.createExtent(plainResults, isCutShort, unreachable), gaps },
    };
    if (this.collector === undefined) {
      this.collector = this.createCollector(baseUrl);
      if (session !== undefined) this.collector.add(session.evidence);
    }
    const { archive, index: ownIndex, requestsSent } = this.collector.finish(plainResults, origin);
    const certifyOwn = () => {
      const selected = selectFromSuite(suite, settings).cases;
      const facts = collectRunFacts(plainResults, calibration, settings, selected);
      const isReplay = replay !== undefined;
      const times = { startedAt: this.startedAt, durationMs: getMonotonicMs() - this.startedMs };
      const others = { target: createCertifiedTarget(settings.target, baseUrl), isCutShort, gaps, isReplay, ...times };
      const all = { ...facts, ...(isReplay ? { requestsSent } : {}), ...others };
      return certifyResults(suite, plainResults, ownIndex, all, settings.target);
    };
    const { certificate, results, index } =
      this.merged === undefined
        ? certifyOwn()
        : await certifyMerged(this.merged, archive, plainResults, { startTime, duration });
    // Only the merge of all shards writes a record.
    const { recordTo: _, ...withoutRecord } = settings;
    const destination = {
      ...(settings.shard === undefined ? settings : withoutRecord),
      isPartial: this.isPartial(results, isCutShort || unreachable !== undefined),
      ...omitUndefined({ sign: this.sign }),
      secrets:
        this.merged === undefined && replay === undefined
          ? listSecrets(loadTarget(this.options, process.env).connection)
          : [],
    };
    const written = writeResults(certificate, suite, results, destination, { archive, index });
    const { verdict, drift, selected, own_cases } = certificate;
    const isRecorded = written.record !== undefined && written.record.unwritten === undefined;
    const isReached = results.every(({ verdict }) => verdict !== 'not-run');
    const isDone = !isCutShort && unreachable === undefined && isReached;
    const shard = settings.shard && { current: settings.shard.current, total: settings.shard.total, isDone };
    const page = path.join(path.dirname(written.certificate), 'certificate.html');
    saveEnding({
      kind: 'certified',
      page,
      isRecorded,
      verdict,
      drift,
      ...omitUndefined({ selected, shard, own_cases }),
    });
    const report = addColors(renderRunReport(certificate, written), process);
    const text = reportToGitHub(process.env, certificate, suite, results) + report;
    this.printResult = () => process.stdout.write(text);
    const overall = determineOverallVerdict(certificate);
    // What a finished shard does not determine, another shard does.
    const isGood = shard?.isDone ? overall !== 'does-not-conform' : overall === 'conforms';
    return { status: status === 'passed' && !isGood ? 'failed' : status };
  }

  private createCollector(baseUrl: string): ExchangeCollector {
    const { suite, settings } = this.inputs;
    return createExchangeCollector(baseUrl, createRecognizer(suite.world, settings.target.mentionFilter));
  }

  /** If the target cannot be reached, the calibration judges all cases. */
  private createExtent(
    results: readonly CaseResult[],
    isCutShort: boolean,
    unreachable: string | undefined,
  ): RunExtent {
    const isJudged = ({ id }: CaseResult) => unreachable !== undefined || this.judged.has(id);
    const unjudged = results.filter((result) => !isJudged(result));
    return {
      isCutShort,
      judged: results.filter(isJudged).map(({ id }) => id),
      unjudged: unjudged.map(({ id, verdict, reason }) => (verdict === 'error' ? { id, error: reason } : { id })),
    };
  }

  /** Whether only some of the cases ran, or were selected: the results of a whole run then stay. */
  private isPartial(results: readonly CaseResult[], isCutShort: boolean): boolean {
    const { suite, settings } = this.inputs;
    const { only, shard, profile } = settings;
    if (isCutShort || only !== undefined || shard !== undefined || profile !== undefined || this.selected === undefined)
      return true;
    return isPartialRun(results) || suite.cases.some(({ id }) => !this.selected?.has(id));
  }

  /** All results in the order of the suite, including those of cases that no test reached. */
  private listResults(unreachable: string | undefined): CaseResult[] {
    const { selected, results } = this;
    const { suite, settings } = this.inputs;
    return [
      ...selectFromSuite(suite, settings).cases.flatMap((testCase) => {
        const result = results.get(testCase.id);
        if (result !== undefined) return [result];
        if (unreachable !== undefined) return [createUnsentResult(testCase, 'inconclusive', unreachable)];
        return selected === undefined || selected.has(testCase.id)
          ? [createUnsentResult(testCase, 'not-run', notReachedReason)]
          : [];
      }),
      ...[sampleId, explorationCaseId].flatMap((id) => results.get(id) ?? []),
    ];
  }

  printsToStdio(): boolean {
    return true;
  }
}

async function loadWriteResults() {
  const { writeResults } = await import('../report/write-results.js');
  const { certifyResults } = await import('../report/certify-results.js');
  return { writeResults, certifyResults };
}

/** Playwright creates a folder for each test, even if nothing goes into it. */
function removeEmptyFolders(folder = ''): void {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const within = path.join(folder, name);
    if (statSync(within).isDirectory() && readdirSync(within).length === 0) rmdirSync(within);
  }
}
