import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { FullResult, Reporter, TestCase, TestResult } from '@playwright/test/reporter';
import { type Certificate, certify } from '../certificate/certificate.js';
import { summaryOf } from '../certificate/summary.js';
import type { CaseResult } from '../run.js';
import { unsent } from '../run.js';
import { loadTarget } from '../target/target.js';
import { caseIdOf, type Report, reportOf } from './attachment.js';
import { outVariable, resultsFolder } from './results.js';
import { suiteOfRun } from './shared-suite.js';

/** Assembles the certificate from the results of all tests, and ends the run as failed unless the target conforms. */
export default class CertificateReporter implements Reporter {
  private readonly startedAt = new Date();
  private readonly results = new Map<string, CaseResult>();
  private readonly suite = suiteOfRun();
  private report: Report | undefined;

  onTestEnd(test: TestCase, result: TestResult): void {
    const case_ = this.suite.cases.find(({ id }) => id === caseIdOf(test));
    if (case_ === undefined) return;
    const report = reportOf(result);
    this.report ??= report;
    const [problem] = (result.error?.message ?? 'The test ended without a result.').split('\n');
    this.results.set(case_.id, report?.result ?? unsent(case_, 'error', problem ?? ''));
  }

  async onEnd({ status }: FullResult): Promise<{ status: FullResult['status'] }> {
    const { results, report } = this;
    const target = report?.target ?? { name: loadTarget(process.env).name, base_url: '' };
    const certificate = certify(this.suite, [...results.values()], {
      target,
      requestsSent: [...results.values()].reduce(
        (sum, { requestsSent }) => sum + requestsSent,
        report?.calibrationRequests ?? 0,
      ),
      startedAt: this.startedAt,
      durationMs: Date.now() - this.startedAt.getTime(),
    });
    const file = writeCertificate(certificate, process.env[outVariable]);
    process.stdout.write(summaryOf(certificate, file));
    return { status: status === 'passed' && certificate.verdict !== 'conforms' ? 'failed' : status };
  }

  printsToStdio(): boolean {
    return true;
  }
}

/** @returns the path of the certificate, relative to the current folder */
function writeCertificate(certificate: Certificate, out = resultsFolder(certificate.target.name)): string {
  mkdirSync(out, { recursive: true });
  const file = path.join(out, 'certificate.json');
  writeFileSync(file, `${JSON.stringify(certificate, null, 2)}\n`);
  return file;
}
