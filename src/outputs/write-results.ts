import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Suite } from '../cases/suite.js';
import type { Certificate } from '../certificate/certificate.js';
import type { EvidenceArchive } from '../certificate/har-archive.js';
import { addDeviations, type NewDeviation } from '../record/add-deviations.js';
import { createRecord, renderRecord } from '../record/create-record.js';
import { readRecord } from '../record/target-record.js';
import type { ResultWithExchanges } from '../run/case-result.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { renderShortList } from '../support/render-short-list.js';
import { encodeContent, loadOutputs } from './output.js';
import { type FileToWrite, type ResultsDestination, removeResults, writeFiles } from './result-files.js';
import { createRunView, type RunView } from './run-view.js';

// Loaded once, ahead of the first write.
const outputs = await loadOutputs();

/** The files that a run wrote. */
export interface WrittenResults {
  readonly certificate: string;
  readonly files: readonly string[];
  /** The record, if one was wanted, or the reason why it was not written. */
  readonly record?: { readonly file: string; readonly unwritten?: string };
  /** The file of known deviations to which some were added, and their number. */
  readonly known?: { readonly file: string; readonly added: number };
}

/**
 * Writes the results of a run, all outputs and the record, in place of those of the run before.
 *
 * @throws UnusableInput if one of the files cannot be written
 */
export function writeResults(
  certificate: Certificate,
  suite: Suite,
  results: readonly ResultWithExchanges[],
  { out, recordTo, recordKnownTo }: ResultsDestination,
  archive?: EvidenceArchive,
  newDeviations: readonly NewDeviation[] = [],
): WrittenResults {
  const view = createRunView(certificate, suite, results, archive);
  const files = [...outputs].flatMap(([name, render]): FileToWrite[] => {
    const content = render(view);
    return content === undefined ? [] : [{ file: path.join(out, name), text: encodeContent(content) }];
  });
  // UI mode runs several times in one process.
  removeResults(out);
  const certified = { certificate: path.join(out, 'certificate.json'), files: files.map(({ file }) => file) };
  const { text: recordText, ...record } = recordTo === undefined ? {} : createRecordOutput(recordTo, view);
  if (recordTo !== undefined && recordText !== undefined) files.push({ file: recordTo, text: recordText });
  const known = recordKnownTo === undefined ? undefined : { file: recordKnownTo, added: newDeviations.length };
  if (known !== undefined && known.added > 0)
    files.push({ file: known.file, text: extendKnown(known.file, newDeviations) });
  writeFiles(files);
  return { ...certified, ...omitUndefined({ record: 'file' in record ? record : undefined, known }) };
}

/** Adds what the run shows to be wrong to the file of known deviations. */
function extendKnown(file: string, added: readonly NewDeviation[]): string {
  return addDeviations(existsSync(file) ? readFileSync(file, 'utf8') : '', added);
}

interface RecordOutput {
  readonly file: string;
  readonly text?: string;
  readonly unwritten?: string;
}

/** Creates a record to write, unless an older one would lose answers. */
function createRecordOutput(file: string, { suite, suiteResults, certificate: { target } }: RunView): RecordOutput {
  const record = createRecord(suite, suiteResults, target.name);
  const older = existsSync(file) ? readRecord(file).questions : {};
  const lost = suite.contract.questions
    .map(({ id }) => id)
    .filter((id) => Object.hasOwn(older, id) && !Object.hasOwn(record.questions, id));
  if (lost.length > 0)
    return { file, unwritten: `not changed: it has answers that this run lacks, to ${renderShortList(lost)}` };
  if (Object.keys(record.questions).length === 0) return { file, unwritten: 'not written: no question was answered' };
  return { file, text: renderRecord(record) };
}
