import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { markdown, renderCodeBlock } from '../../support/markdown.js';
import { describeFileError } from '../../support/problem.js';
import { joinLines } from '../../support/untrusted-text.js';
import { renderHeadline } from '../counts.js';
import type { Output } from '../output.js';
import { renderRunReport } from '../terminal/run-report.js';

export default (({ certificate }) => {
  const report = renderCodeBlock('text', renderRunReport(certificate).trim());
  return markdown`## ${renderHeadline(certificate)}: ${certificate.target.name}\n\n${report}\n`;
}) satisfies Output;

/** Appends the summary to the page of a job of GitHub Actions. @returns why it could not be written, for the terminal */
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
