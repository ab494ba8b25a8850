import { existsSync, mkdirSync, readdirSync, rmdirSync, statSync } from 'node:fs';
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
  attachExchanges,
  type CaseResult,
  createUnsentResult,
  explorationId,
  notReachedReason,
  sampleId,
} from '../engine/case-result.js';
import { createPlan, type Plan } from '../engine/plan.js';
import type { Profile } from '../engine/profile.js';
import type { Shard } from '../engine/shard.js';
import { collectRunFacts, createCertificate, determineOverallVerdict } from '../report/certificate.js';
import type { RunExtent } from '../report/har-archive.js';
import { createSigner, type Signer } from '../report/signature.js';
import { progressIntervalMs, renderProgress } from '../report/terminal/progress.js';
import { renderSummary } from '../report/terminal/summary.js';
import { getMonotonicMs } from '../support/monotonic-clock.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { UnusableInput } from '../support/problem.js';
import { joinLines, toOneLine } from '../support/untrusted-text.js';
import { runVariables } from '../targets/environment.js';
import { createCertifiedTarget } from '../targets/target.js';
import { createEvidenceStore } from './evidence-store.js';
import { disableExpectedFailures, enableExpectedFailures, restoreFailure } from './expected-failure.js';
import { reportToGitHub } from './github-actions.js';
import { combineShardStarts, type MergedRun, readMergedRun } from './merged-run.js';
import { ignoreClosedOutput, watchForShutdown } from './parent-watch.js';
import { hasSelectingFlag } from './playwright-flags.js';
import { findSession, loadRunInputs, type RunInputs, type Session, saveEnding, savePlannedCases } from './run-state.js';
import { readCaseId, readTestReport, removeTestReport, type TestReport } from './test-report.js';

/** Assembles the certificate from the results of all tests, and ends the run as failed unless the target conforms. */
export default class CertificateReporter implements Reporter {
  private readonly startedAt = new Date();
  private readonly startedMs = getMonotonicMs();
  /** Of a merge there are none before the reports of its shards are read. */
  private readonly ownInputs = process.env[runVariables.merge] ? undefined : loadRunInputs();
  private readonly results = new Map<string, CaseResult>();
  private readonly sign = signerOf(process.env[runVariables.sign]);
  /** The ids of the results that came of judging. */
  private readonly judged = new Set<string>();
  private readonly evidence = createEvidenceStore();
  private selected: ReadonlySet<string> | undefined;
  private report: TestReport | undefined;
  private merged: MergedRun | undefined;
  private refusal: UnusableInput | undefined;
  private shard: Shard | null = null;
  /** What ended shards before their cases. */
  private readonly ended = new Set<string>();
  /** The first report of each shard. */
  private readonly shards = new Map<number, TestReport>();
  private shownMs = getMonotonicMs();
  private plan: Plan | undefined;
  private endsEarly = false;
  private tracesFolder: string | undefined;
  private printResult: () => void = () => undefined;

  constructor() {
    ignoreClosedOutput();
    // As Ctrl-C does, so that the certificate says what was judged by then.
    watchForShutdown(() => process.kill(process.pid, 'SIGINT'));
  }

  onBegin(config: FullConfig, tests: Suite): void {
    enableExpectedFailures(config, import.meta.filename);
    this.endsEarly = config.maxFailures > 0;
    this.tracesFolder = config.projects[0]?.outputDir;
    const ids = tests.allTests().flatMap((test) => readCaseId(test) ?? []);
    // A run that came to no tests begins, too, when it ends.
    if (ids.length > 0) this.selected = new Set(ids);
    this.shard = this.ownInputs?.settings.shard ?? config.shard;
    this.beginMerge(config.metadata, ids);
    // A run that ends with its first failure sends nothing that it may not come to.
    if (!this.endsEarly) savePlannedCases(new Set(ids));
    // Loaded while the worker starts: it is wanted when all has ended, and somebody waits.
    void loadWriting();
  }

  /** What is merged brings its inputs along, or is refused when the run ends. */
  private beginMerge(metadata: FullConfig['metadata'], ids: readonly string[]): void {
    try {
      this.merged = readMergedRun(metadata, ids, process.env);
      const { recordTo } = this.merged?.inputs.settings ?? {};
      if (recordTo !== undefined) mkdirSync(path.dirname(path.resolve(recordTo)), { recursive: true });
    } catch (error) {
      if (!(error instanceof UnusableInput)) throw error;
      this.refusal = error;
    }
    // Of cases that were in nobody's share nothing is known.
    if (this.merged !== undefined && this.merged.gaps.length > 0)
      this.selected = new Set([
        ...selectFromSuite(this.inputs.suite, this.inputs.settings).cases.map(({ id }) => id),
        ...ids,
      ]);
  }

  private get inputs(): RunInputs {
    const inputs = this.merged?.inputs ?? this.ownInputs;
    if (inputs === undefined) throw this.refusal ?? new Error('The reports of shards have not been read.');
    return inputs;
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    // First of all, so that whatever else happens here leaves no failure that looks like a success.
    restoreFailure(test, result);
    if (this.refusal !== undefined) return;
    const { report, packed = [] } = readTestReport(result) ?? {};
    // Once all other reporters have seen it: theirs may be merged.
    queueMicrotask(() => removeTestReport(result));
    this.report ??= report;
    // One that the end of the run came upon was not reached: its requests may have been broken off.
    if (result.status === 'interrupted') return;
    const id = readCaseId(test) ?? '';
    const testCase = this.inputs.suite.cases.find((each) => each.id === id);
    const [problem] = (result.error?.message ?? 'The test ended without a result.').split('\n');
    if (report !== undefined) {
      this.results.set(id, report.result);
      this.judged.add(id);
      this.evidence.add(packed, report.uses, report.shard);
      if (report.shard !== undefined && !this.shards.has(report.shard)) this.shards.set(report.shard, report);
    } else if (testCase !== undefined)
      this.results.set(id, createUnsentResult(testCase, 'error', toOneLine(problem ?? '')));
    // What is merged has been sent.
    if (this.merged === undefined) this.showProgress();
  }

  private showProgress(): void {
    const now = getMonotonicMs();
    if (now - this.shownMs < progressIntervalMs) return;
    this.shownMs = now;
    const { suite, settings } = this.inputs;
    this.plan ??= createPlan(selectFromSuite(suite, settings), settings);
    // Not where other reporters write what programs read.
    process.stderr.write(joinLines([renderProgress(this.plan, new Set(this.results.keys()), now - this.startedMs)]));
  }

  onError({ message = '' }: TestError): void {
    if (this.merged !== undefined) this.ended.add(toOneLine(message.split('\n')[0]?.replace(/^Error: /, '') ?? ''));
  }

  async onEnd(result: FullResult): Promise<{ status: FullResult['status'] }> {
    disableExpectedFailures();
    const session = findSession();
    if (this.merged === undefined && this.refusal === undefined && !this.isBegun(result, session)) {
      saveEnding({ kind: 'not-begun' });
      return { status: result.status };
    }
    try {
      if (this.refusal !== undefined) throw this.refusal;
      return this.certified(result, session, await loadWriting());
    } catch (error) {
      const isUnwritten = error instanceof UnusableInput;
      saveEnding({ kind: isUnwritten ? 'unwritten' : 'broken-off' });
      if (!isUnwritten) throw error;
      this.printResult = () => process.stderr.write(`${error.message}\n`);
      return { status: 'failed' };
    } finally {
      this.evidence.remove();
    }
  }

  /** What the run came to is the last that is printed, though this reporter is the first: the others have ended. */
  async onExit(): Promise<void> {
    this.printResult();
    removeEmptyFolders(this.tracesFolder);
  }

  /** Whether there is anything to certify: not where tests were listed, say, or the arguments could not be used. */
  private isBegun({ status }: FullResult, session: Session | undefined): boolean {
    if (this.results.size > 0 || status === 'interrupted') return true;
    return session !== undefined && (status !== 'failed' || session.calibration.unreachable !== undefined);
  }

  private certified(
    result: FullResult,
    session: Session | undefined,
    { writeResults, indexForOutputs }: Awaited<ReturnType<typeof loadWriting>>,
  ): { status: FullResult['status'] } {
    const { status } = result;
    const { suite, settings, replay, recorded } = this.inputs;
    const begun = this.merged === undefined ? this.report : combineShardStarts([...this.shards.values()], process.env);
    const { target = createCertifiedTarget(settings.target, ''), calibration } = begun ?? session ?? {};
    const evidence = (this.evidence.isEmpty() ? session?.evidence : undefined) ?? this.evidence.readAll();
    const plainResults = this.resultsInOrder(session);
    const referred = plainResults.flatMap((each) => [each.exchangeId ?? [], each.repeatedExchangeId ?? []].flat());
    const index = indexForOutputs(suite, evidence, new Set(referred));
    const results = attachExchanges(plainResults, index.find);
    const isCutShort = status === 'interrupted' || status === 'timedout';
    const gaps = [...(this.merged?.gaps ?? []), ...this.ended];
    const certificate = createCertificate(suite, results, {
      target,
      ...collectRunFacts(results, calibration, { ...settings, ...this.profile() }),
      ...(replay === undefined ? {} : { isReplay: true }),
      isCutShort,
      gaps,
      ...(this.merged === undefined
        ? { startedAt: this.startedAt, durationMs: getMonotonicMs() - this.startedMs }
        : { startedAt: result.startTime, durationMs: result.duration }),
    });
    const { name, version, digest } = suite;
    const origin = {
      suite: { name, version, digest },
      baseUrl: target.base_url,
      inputs: recorded,
      extent: { ...this.extentOf(results, isCutShort, session), gaps },
    };
    // A record is of a whole run: the merge writes it.
    const { recordTo: _, ...withoutRecord } = settings;
    const destination = {
      ...(this.shard === null ? settings : withoutRecord),
      isPartial: this.isPartial(results),
      ...omitUndefined({ sign: this.sign }),
    };
    const written = writeResults(certificate, suite, results, destination, {
      ...evidence,
      origin,
      index,
    });
    const { verdict, drift, selected, own_cases: own } = certificate;
    const isRecorded = written.record !== undefined && written.record.unwritten === undefined;
    const isWhole = status !== 'interrupted' && status !== 'timedout' && session?.calibration.unreachable === undefined;
    const isDone = isWhole && results.every(({ reason }) => reason !== notReachedReason);
    const shard = this.shard === null ? undefined : { ...this.shard, isDone };
    saveEnding({
      kind: 'certified',
      isRecorded,
      verdict,
      drift,
      ...omitUndefined({ selected, shard, own_cases: own }),
    });
    const text = reportToGitHub(process.env, certificate, suite, results) + renderSummary(certificate, written);
    this.printResult = () => process.stdout.write(text);
    const isConforming = shard?.isDone
      ? determineOverallVerdict(certificate) !== 'does-not-conform'
      : determineOverallVerdict(certificate) === 'conforms';
    return { status: status === 'passed' && !isConforming ? 'failed' : status };
  }

  /** Of a target that cannot be reached, everything is judged by that. */
  private extentOf(results: readonly CaseResult[], isCutShort: boolean, session: Session | undefined): RunExtent {
    const isUnreachable = session?.calibration.unreachable !== undefined;
    const isJudged = ({ id }: CaseResult) => isUnreachable || this.judged.has(id);
    const unjudged = results.filter((result) => !isJudged(result));
    return {
      isCutShort,
      judged: results.filter(isJudged).map(({ id }) => id),
      unjudged: unjudged.map(({ id, verdict, reason }) => ({ id, verdict, reason })),
    };
  }

  /**
   * Whether only some of the cases were to be run, as far as is known: without tests, by the command line. A run that
   * was to end with the first failure, and did, is one of some cases too.
   */
  private isPartial(results: readonly CaseResult[]): boolean {
    const { selected } = this;
    const { suite, settings } = this.inputs;
    if (settings.only !== undefined || this.shard !== null || this.profile().profile !== undefined) return true;
    if (this.endsEarly && results.some(({ reason }) => reason === notReachedReason)) return true;
    return selected === undefined ? hasSelectingFlag(process.argv) : suite.cases.some(({ id }) => !selected.has(id));
  }

  /** As the tests say, where there are any: reports of shards may be merged where no flag says it. */
  private profile(): { profile?: Pick<Profile, 'figures'> } {
    const figures = this.report?.profile ?? this.inputs.settings.profile?.figures;
    return figures === undefined ? {} : { profile: { figures } };
  }

  /** In the order of the suite, whatever the order in which shards came in; with those that no test came to. */
  private resultsInOrder(session: Session | undefined): CaseResult[] {
    const { selected, results } = this;
    const unreachable = session?.calibration.unreachable;
    const { suite, settings } = this.inputs;
    return [
      ...selectFromSuite(suite, settings).cases.flatMap((testCase) => {
        const result = results.get(testCase.id);
        if (result !== undefined) return [result];
        if (unreachable !== undefined) return [createUnsentResult(testCase, 'inconclusive', unreachable)];
        return selected === undefined || selected.has(testCase.id)
          ? [createUnsentResult(testCase, 'not-applicable', notReachedReason)]
          : [];
      }),
      ...[sampleId, explorationId].flatMap((id) => results.get(id) ?? []),
    ];
  }

  printsToStdio(): boolean {
    return true;
  }
}

function loadWriting() {
  return import('../report/write-results.js');
}

function signerOf(key: string | undefined): Signer | undefined {
  return key ? createSigner(key) : undefined;
}

/** Playwright makes a folder for each test, whether or not there is something to put into it. */
function removeEmptyFolders(folder = ''): void {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const within = path.join(folder, name);
    if (statSync(within).isDirectory() && readdirSync(within).length === 0) rmdirSync(within);
  }
}
