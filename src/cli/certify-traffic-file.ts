import { isTraffic } from '../certificate/read-traffic.js';
import { appendJobSummary } from '../outputs/files/summary.md.js';
import { findRunFile } from '../outputs/result-files.js';
import { addColors } from '../outputs/terminal/colors.js';
import { renderRunReport } from '../outputs/terminal/run-report.js';
import { readInputFile } from '../support/read-input-file.js';
import { certifyTraffic } from '../target/traffic-run.js';
import { determineExitStatus } from './exit-status.js';
import { type CertifyFlags, readCertifyOptions, readTargetOptions } from './flags.js';
import { openPage } from './open-page.js';

/**
 * Judges exchanges of real callers, without Playwright: there is no case to select and nothing to send.
 *
 * @returns the exit status; undefined if the file is the evidence of a run, or is for the replay to refuse
 * @throws UnusableInput if the file or a flag cannot be used
 */
export async function certifyTrafficFile(flags: CertifyFlags): Promise<number | undefined> {
  const { replay = '' } = flags;
  const file = findRunFile(replay, 'evidence.har');
  const content = readInputFile(file, 'Name an HTTP Archive, or the evidence.har of a run.');
  if (!isTraffic(content)) return undefined;
  const options = { ...readTargetOptions(flags), ...readCertifyOptions(flags), replay };
  const { certificate, written } = await certifyTraffic(content, options, process.env);
  process.stdout.write(appendJobSummary(written.files, process.env.GITHUB_STEP_SUMMARY));
  process.stdout.write(addColors(renderRunReport(certificate, written)));
  if (flags.open) openPage(written.certificate.replace(/json$/, 'html'));
  return determineExitStatus(certificate);
}
