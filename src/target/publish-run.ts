import path from 'node:path';
import type { Suite } from '../cases/suite.js';
import type { CertifiedResults } from '../certificate/certify-results.js';
import { createArchiver, type EvidenceArchive } from '../certificate/har-archive.js';
import { renderRunReport } from '../outputs/terminal/run-report.js';
import { writeResults } from '../outputs/write-results.js';
import type { RecordedRun } from './inputs.js';
import type { RunSettings } from './settings.js';

export type PublishedRun = ReturnType<typeof publishRun>;

export function archiveRun({ evidence, origin }: RecordedRun): EvidenceArchive {
  const archiver = createArchiver(origin.baseUrl);
  for (const kept of evidence.exchanges) archiver.add(kept);
  return archiver.finish(evidence.uses, origin);
}

/** Writes the results of a run. @throws UnusableInput if a file cannot be written */
export function publishRun(
  { certificate, results, newDeviations }: CertifiedResults,
  suite: Suite,
  { destination }: RunSettings,
  archive: EvidenceArchive,
) {
  const written = writeResults(certificate, suite, results, destination, archive, newDeviations);
  return {
    certificate,
    folder: path.dirname(written.certificate),
    isRecorded: written.record !== undefined && written.record.unwritten === undefined,
    report: renderRunReport(certificate, written),
  };
}
