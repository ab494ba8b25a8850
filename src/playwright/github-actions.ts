import { appendFileSync } from 'node:fs';
import type { Suite } from '../cases/suite.js';
import type { ResultWithExchanges } from '../engine/case-result.js';
import type { Certificate } from '../report/certificate.js';
import { renderAnnotations } from '../report/terminal/github-annotations.js';
import { renderJobSummary } from '../report/terminal/job-summary.js';
import { joinLines } from '../support/untrusted-text.js';
import type { Environment } from '../targets/run-options.js';

/**
 * Reports a run to GitHub Actions, if it runs there: appends the job summary to the file that the environment names.
 *
 * @returns what to print: annotations, and why the job summary could not be written
 */
export function reportToGitHub(
  environment: Environment,
  certificate: Certificate,
  suite: Suite,
  results: readonly ResultWithExchanges[],
): string {
  const { GITHUB_ACTIONS, GITHUB_STEP_SUMMARY: file, GITHUB_WORKSPACE } = environment;
  const notes: string[] = [];
  if (file) {
    try {
      appendFileSync(file, renderJobSummary(certificate));
    } catch (error) {
      notes.push(`The job summary could not be written to ${file} (${(error as NodeJS.ErrnoException).code}).`);
    }
  }
  const place = { suite, certificate, workspace: GITHUB_WORKSPACE || process.cwd() };
  return joinLines(notes) + (GITHUB_ACTIONS === 'true' ? renderAnnotations(results, place) : '');
}
