import path from 'node:path';
import type { Certificate } from '../certificate/certificate.js';
import { createArchiver } from '../certificate/har-archive.js';
import { isTraffic } from '../certificate/read-traffic.js';
import { appendJobSummary } from '../outputs/files/summary.md.js';
import { findRunFile } from '../outputs/result-files.js';
import { addColors } from '../outputs/terminal/colors.js';
import { renderRunReport } from '../outputs/terminal/run-report.js';
import { writeResults } from '../outputs/write-results.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { readInputFile } from '../support/read-input-file.js';
import { rejudgeRun } from '../target/certify-run.js';
import { completeRunOptions } from '../target/run-options.js';
import { loadTraffic } from '../target/traffic.js';
import { type CertifyFlags, readCertifyOptions } from './flags.js';

/** Judges exchanges of real callers, without Playwright. @returns undefined if the file is the evidence of a run */
export async function certifyTrafficFile(
  flags: CertifyFlags,
): Promise<{ readonly certificate: Certificate; readonly folder: string } | undefined> {
  const { replay = '' } = flags;
  const file = findRunFile(replay, 'evidence.har');
  const content = readInputFile(file, 'Name an HTTP Archive, or the evidence.har of a run.');
  if (!isTraffic(content)) return undefined;
  const target = flags.target?.[0];
  const options = completeRunOptions({ ...readCertifyOptions(flags), ...omitUndefined({ target }) }, process.env);
  const traffic = loadTraffic(content, file, options, process.env);
  const { certificate, results, index, suite, recorded } = await rejudgeRun(traffic.recorded, traffic.suite);
  const { evidence, origin, settings } = recorded;
  const archiver = createArchiver(origin.baseUrl);
  for (const kept of evidence.exchanges) archiver.add(kept);
  const archive = archiver.finish(evidence.uses, origin);
  const written = writeResults(certificate, suite, results, settings.destination, { archive, exchanges: index });
  process.stdout.write(appendJobSummary(written.files, process.env.GITHUB_STEP_SUMMARY));
  process.stdout.write(addColors(renderRunReport(certificate, written), process));
  return { certificate, folder: path.dirname(written.certificate) };
}
