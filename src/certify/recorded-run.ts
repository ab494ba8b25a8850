/** Judges the exchanges of a recorded run again. Nothing is sent. */

import { statSync } from 'node:fs';
import path from 'node:path';
import { parseEvidenceArchive } from '../certificate/har-archive.js';
import { replayNotice } from '../certificate/notices.js';
import { findRecordToWrite, type RunSettings } from '../config/run-inputs.js';
import type { RunOptions } from '../config/run-options.js';
import { readSelection } from '../config/selection.js';
import { prepareResultsFolder } from '../outputs/result-files.js';
import { describeSuiteChangeSinceRecord, replaceBaselineRecord } from '../record/drift.js';
import { readKnownDeviations } from '../record/known-deviations.js';
import { readRecord } from '../record/target-record.js';
import { repetitionCaseId } from '../run/case-result.js';
import { selectCases } from '../suite/case-selection.js';
import { loadSuite, packageCasesFolder, type Suite } from '../suite/suite.js';
import { createInputError, readInputFile } from '../support/problem.js';
import { fileSizeLimits } from '../support/read-bytes.js';
import { judgeEvidence, type RunToRejudge } from './certify-run.js';
import { ReportedRun } from './reported-run.js';

/** Parses evidence. @param dataFile where the data file of the run is now @throws UnusableInput */
export function parseRunToRejudge(content: Buffer, file: string, dataFile?: string): RunToRejudge {
  const { evidence, origin } = parseEvidenceArchive(content, file);
  const { suite: _, baseUrl: __, inputs, ...run } = origin;
  const settings = inputs as Omit<RunSettings, 'destination'>;
  const { availability } = settings;
  const data = availability.data && { ...availability.data, movedTo: dataFile };
  const moved = { ...availability, data };
  return { ...run, evidence, settings: { ...settings, availability: moved, destination: { out: '' } } };
}

/** @param suite with the ids of the target */
export async function rejudgeRun(recorded: RunToRejudge, suite: Suite): Promise<ReportedRun> {
  const { settings, extent } = recorded;
  const inputs = { suite, settings };
  const selected = [...extent.judged, ...extent.unjudged.map(({ id }) => id)];
  const reported = new ReportedRun(new Set(selected), inputs, recorded);
  return reported.addAll(await judgeEvidence(inputs, recorded));
}

/** Whether two paths lead to one file or folder, such as through a link. Windows has numbers of files above 2^53. */
function isSame(left: string, right: string): boolean {
  const [a, b] = [left, right].map((named) => statSync(named, { throwIfNoEntry: false, bigint: true }));
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev;
}

/** Judges the evidence of a run, and writes to another folder. The options may select other cases. */
export async function replayEvidenceFile(file: string, options: RunOptions): Promise<ReportedRun> {
  const content = readInputFile(file, 'Name the evidence.har of a run.', { limit: fileSizeLimits.evidence });
  const recorded = parseRunToRejudge(content, file, options.data);
  const recordTo = findRecordToWrite(options);
  const suite = loadSuite(packageCasesFolder, recorded.settings.availability, options.cases);
  const folder = path.dirname(file);
  const { out = path.join(folder, 'replay') } = options;
  if (isSame(out, folder) || isSame(path.join(out, 'evidence.har'), file))
    throw createInputError(
      '--out',
      'is the folder of the evidence, which the results would replace',
      'Name another folder.',
    );
  prepareResultsFolder(out);
  const known = options.known === undefined ? undefined : readKnownDeviations(options.known, suite.contract);
  const { against } = options;
  const record = against ? readRecord(against) : undefined;
  const { expected } = recorded.settings;
  const selection = readSelection(options, suite, recorded.settings);
  // What no option of the replay names is as it was in the run.
  const settings = {
    ...recorded.settings,
    expected:
      against === undefined ? expected : replaceBaselineRecord(expected, record, against || undefined, suite.basis),
    quick: selection.quick ?? recorded.settings.quick,
    only: selection.only ?? recorded.settings.only,
    notes: [
      ...new Set([
        replayNotice,
        ...recorded.settings.notes,
        ...(record ? describeSuiteChangeSinceRecord(record, suite) : []),
      ]),
    ],
    cases: options.cases ?? recorded.settings.cases,
    known: known ?? recorded.settings.known,
    destination: { out, recordTo },
  };
  const samples = recorded.extent.judged.filter((id) => id === repetitionCaseId);
  const judged = [...selectCases(suite, settings).map(({ id }) => id), ...samples];
  const extent = { isCutShort: false, judged, unjudged: [] };
  return await rejudgeRun({ ...recorded, settings, extent }, suite);
}
