import type { FullResult, Reporter, TestCase, TestResult } from '@playwright/test/reporter';
import { type CaseResult, explored, sampled, unsent } from '../engine/case-result.js';
import { certificateOf } from '../report/certificate.js';
import { writeResults } from '../report/results.js';
import { summaryOf } from '../report/summary.js';
import { oneLine } from '../support/foreign-text.js';
import { monotonicMs } from '../support/monotonic-clock.js';
import { UnusableInput } from '../support/problem.js';
import { certifiedTarget } from '../targets/target.js';
import { caseIdOf, type Report, reportOf } from './attachment.js';
import { onceDismissed, outliveReaders } from './dismissal.js';
import { inputsOfRun, saveEnding } from './run-state.js';

/** Assembles the certificate from the results of all tests, and ends the run as failed unless the target conforms. */
export default class CertificateReporter implements Reporter {
  private readonly startedAt = new Date();
  private readonly startedMs = monotonicMs();
  private readonly inputs = inputsOfRun();
  private readonly results = new Map<string, CaseResult>();
  private report: Report | undefined;

  constructor() {
    outliveReaders();
    // As Ctrl-C does, so that the certificate says what was judged by then.
    onceDismissed(() => process.kill(process.pid, 'SIGINT'));
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    const report = reportOf(result);
    this.report ??= report;
    const id = caseIdOf(test) ?? '';
    const testCase = this.inputs.suite.cases.find((each) => each.id === id);
    const [problem] = (result.error?.message ?? 'The test ended without a result.').split('\n');
    if (report !== undefined) this.results.set(id, report.result);
    else if (testCase !== undefined) this.results.set(id, unsent(testCase, 'error', oneLine(problem ?? '')));
  }

  async onEnd(result: FullResult): Promise<{ status: FullResult['status'] }> {
    try {
      return this.certified(result);
    } catch (error) {
      const isUnwritten = error instanceof UnusableInput;
      saveEnding({ kind: isUnwritten ? 'unwritten' : 'broken-off' });
      if (!isUnwritten) throw error;
      process.stderr.write(`${error.message}\n`);
      return { status: 'failed' };
    }
  }

  private certified({ status }: FullResult): { status: FullResult['status'] } {
    const { report } = this;
    const { suite, settings } = this.inputs;
    const calibration = report?.calibration;
    // In the order of the suite, whatever the order in which shards came in.
    const results = [...suite.cases.map(({ id }) => id), sampled, explored].flatMap((id) => this.results.get(id) ?? []);
    const certificate = certificateOf(suite, results, {
      target: report?.target ?? certifiedTarget(settings.target, ''),
      requestsSent: results.reduce((sum, { requestsSent }) => sum + requestsSent, calibration?.requestsSent ?? 0),
      isCutShort: status === 'interrupted' || status === 'timedout',
      notes: [...(calibration?.note === undefined ? [] : [calibration.note]), ...settings.notes],
      startedAt: this.startedAt,
      durationMs: monotonicMs() - this.startedMs,
    });
    const written = writeResults(certificate, suite, results, settings);
    saveEnding({ kind: 'certified', verdict: certificate.verdict, drift: certificate.drift });
    process.stdout.write(summaryOf(certificate, written));
    return { status: status === 'passed' && certificate.verdict !== 'conforms' ? 'failed' : status };
  }

  printsToStdio(): boolean {
    return true;
  }
}
