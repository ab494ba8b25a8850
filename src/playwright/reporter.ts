import { existsSync, readdirSync, rmdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { FullConfig, FullResult, Reporter, Suite, TestCase, TestResult } from '@playwright/test/reporter';
import { selectedSuite } from '../cases/selection.js';
import { type CaseResult, explored, notReached, sampled, unsent } from '../engine/case-result.js';
import type { Evidence } from '../engine/evidence.js';
import { type Plan, planOf } from '../engine/plan.js';
import { certificateOf, factsOf, verdictOfRun } from '../report/certificate.js';
import { progressEveryMs, progressText } from '../report/progress.js';
import { writeResults } from '../report/results.js';
import { summaryOf } from '../report/summary.js';
import { defined } from '../support/defined.js';
import { asLines, oneLine } from '../support/foreign-text.js';
import { monotonicMs } from '../support/monotonic-clock.js';
import { UnusableInput } from '../support/problem.js';
import { certifiedTarget } from '../targets/target.js';
import { caseIdOf, type PackedEvidence, type Report, reportOf, unpackedExchanges } from './attachment.js';
import { onceDismissed, outliveReaders } from './dismissal.js';
import { announceRestoring, endRestoring, restoreFailure } from './failing.js';
import { inputsOfRun, type Session, saveComing, saveEnding, sessionOfRun } from './run-state.js';
import { selectsCases } from './selection.js';

/** Assembles the certificate from the results of all tests, and ends the run as failed unless the target conforms. */
export default class CertificateReporter implements Reporter {
  private readonly startedAt = new Date();
  private readonly startedMs = monotonicMs();
  private readonly inputs = inputsOfRun();
  private readonly results = new Map<string, CaseResult>();
  private readonly evidence: PackedEvidence[] = [];
  private selected: ReadonlySet<string> | undefined;
  private report: Report | undefined;
  private shownMs = monotonicMs();
  private plan: Plan | undefined;
  private endsEarly = false;
  private tracesFolder: string | undefined;
  private printResult: () => void = () => undefined;

  constructor() {
    outliveReaders();
    // As Ctrl-C does, so that the certificate says what was judged by then.
    onceDismissed(() => process.kill(process.pid, 'SIGINT'));
  }

  onBegin(config: FullConfig, tests: Suite): void {
    announceRestoring(config, import.meta.filename);
    this.endsEarly = config.maxFailures > 0;
    this.tracesFolder = config.projects[0]?.outputDir;
    const ids = tests.allTests().flatMap((test) => caseIdOf(test) ?? []);
    // A run that came to no tests begins, too, when it ends.
    if (ids.length > 0) this.selected = new Set(ids);
    // A run that ends with its first failure sends nothing that it may not come to.
    if (!this.endsEarly) saveComing(new Set(ids));
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    // First of all, so that whatever else happens here leaves no failure that looks like a success.
    restoreFailure(test, result);
    const report = reportOf(result);
    this.report ??= report;
    // One that the end of the run came upon was not reached: its requests may have been broken off.
    if (result.status === 'interrupted') return;
    const id = caseIdOf(test) ?? '';
    const testCase = this.inputs.suite.cases.find((each) => each.id === id);
    const [problem] = (result.error?.message ?? 'The test ended without a result.').split('\n');
    if (report !== undefined) {
      this.results.set(id, report.result);
      this.evidence.push(report.evidence);
    } else if (testCase !== undefined) this.results.set(id, unsent(testCase, 'error', oneLine(problem ?? '')));
    this.showProgress();
  }

  private showProgress(): void {
    const now = monotonicMs();
    if (now - this.shownMs < progressEveryMs) return;
    this.shownMs = now;
    const { suite, settings } = this.inputs;
    this.plan ??= planOf(selectedSuite(suite, settings.only), settings);
    // Not where other reporters write what programs read.
    process.stderr.write(asLines([progressText(this.plan, new Set(this.results.keys()), now - this.startedMs)]));
  }

  async onEnd(result: FullResult): Promise<{ status: FullResult['status'] }> {
    endRestoring();
    const session = sessionOfRun();
    if (!this.isBegun(result, session)) {
      saveEnding({ kind: 'not-begun' });
      return { status: result.status };
    }
    try {
      return this.certified(result, session);
    } catch (error) {
      const isUnwritten = error instanceof UnusableInput;
      saveEnding({ kind: isUnwritten ? 'unwritten' : 'broken-off' });
      if (!isUnwritten) throw error;
      this.printResult = () => process.stderr.write(`${error.message}\n`);
      return { status: 'failed' };
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

  private certified({ status }: FullResult, session: Session | undefined): { status: FullResult['status'] } {
    const { suite, settings } = this.inputs;
    const { target = certifiedTarget(settings.target, ''), calibration } = this.report ?? session ?? {};
    const results = this.resultsInOrder(session);
    const certificate = certificateOf(suite, results, {
      target,
      ...factsOf(results, calibration, settings),
      ...(this.inputs.replay === undefined ? {} : { isReplay: true }),
      isCutShort: status === 'interrupted' || status === 'timedout',
      startedAt: this.startedAt,
      durationMs: monotonicMs() - this.startedMs,
    });
    const { name, version, digest } = suite;
    const origin = { suite: { name, version, digest }, baseUrl: target.base_url, inputs: this.inputs.recorded };
    const destination = { ...settings, isPartial: this.isPartial(results) };
    const written = writeResults(certificate, suite, results, destination, {
      ...this.evidenceOfAll(session),
      origin,
    });
    const { verdict, drift, selected, own_cases: own } = certificate;
    const isRecorded = written.record !== undefined && written.record.unwritten === undefined;
    saveEnding({ kind: 'certified', isRecorded, verdict, drift, ...defined({ selected, own_cases: own }) });
    this.printResult = () => process.stdout.write(summaryOf(certificate, written));
    return { status: status === 'passed' && verdictOfRun(certificate) !== 'conforms' ? 'failed' : status };
  }

  /** Unpacked bit by bit: it may be more than fits into memory. */
  private evidenceOfAll(session: Session | undefined): Evidence {
    if (this.evidence.length === 0) return session?.evidence ?? { exchanges: [], uses: [] };
    const packed = this.evidence;
    const seen = new Set<string>();
    function* exchanges() {
      for (const part of packed)
        for (const kept of unpackedExchanges(part)) {
          // Workers that follow each other begin with the same calibration.
          if (!seen.has(kept.id)) yield kept;
          seen.add(kept.id);
        }
    }
    return { exchanges: exchanges(), uses: packed.flatMap(({ uses }) => uses) };
  }

  /**
   * Whether only some of the cases were to be run, as far as is known: without tests, by the command line. A run that
   * was to end with the first failure, and did, is one of some cases too.
   */
  private isPartial(results: readonly CaseResult[]): boolean {
    const { selected } = this;
    const { suite, settings } = this.inputs;
    if (settings.only !== undefined) return true;
    if (this.endsEarly && results.some(({ reason }) => reason === notReached)) return true;
    return selected === undefined ? selectsCases(process.argv) : suite.cases.some(({ id }) => !selected.has(id));
  }

  /** In the order of the suite, whatever the order in which shards came in; with those that no test came to. */
  private resultsInOrder(session: Session | undefined): CaseResult[] {
    const { selected, results } = this;
    const unreachable = session?.calibration.unreachable;
    const { suite, settings } = this.inputs;
    return [
      ...selectedSuite(suite, settings.only).cases.flatMap((testCase) => {
        const result = results.get(testCase.id);
        if (result !== undefined) return [result];
        if (unreachable !== undefined) return [unsent(testCase, 'inconclusive', unreachable)];
        return selected === undefined || selected.has(testCase.id)
          ? [unsent(testCase, 'not-applicable', notReached)]
          : [];
      }),
      ...[sampled, explored].flatMap((id) => results.get(id) ?? []),
    ];
  }

  printsToStdio(): boolean {
    return true;
  }
}

/** Playwright makes a folder for each test, whether or not there is something to put into it. */
function removeEmptyFolders(folder = ''): void {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const within = path.join(folder, name);
    if (statSync(within).isDirectory() && readdirSync(within).length === 0) rmdirSync(within);
  }
}
