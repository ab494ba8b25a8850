import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Suite } from '../cases/suite.js';
import type { Certificate } from '../certificate/certificate.js';
import { createRecord, renderRecord } from '../record/create-record.js';
import { readRecord } from '../record/target-record.js';
import type { ResultWithExchanges } from '../run/case-result.js';
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
  { out, recordTo }: ResultsDestination,
  evidence: Pick<RunView, 'archive' | 'exchanges'> = {},
): WrittenResults {
  const view = createRunView(certificate, suite, results, evidence);
  const files = [...outputs].flatMap(([name, render]): FileToWrite[] => {
    const content = render(view);
    return content === undefined ? [] : [{ file: path.join(out, name), text: encodeContent(content) }];
  });
  // UI mode runs several times in one process.
  removeResults(out);
  const certified = { certificate: path.join(out, 'certificate.json'), files: files.map(({ file }) => file) };
  if (recordTo === undefined) {
    writeFiles(files);
    return certified;
  }
  const { text, ...record } = createRecordOutput(recordTo, view);
  writeFiles(text === undefined ? files : [...files, { file: recordTo, text }]);
  return { ...certified, record };
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
