import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Suite } from '../cases/suite.js';
import type { Certificate } from '../certificate/certificate.js';
import type { EvidenceArchive } from '../certificate/har-archive.js';
import { addDeviations, type NewDeviation } from '../record/add-deviations.js';
import { createRecord, renderRecord } from '../record/create-record.js';
import { readRecord } from '../record/target-record.js';
import type { ResultWithExchanges } from '../run/case-result.js';
import { omitUndefined, renderShortList } from '../support/collections.js';
import { createRunView, encodeContent, loadOutputs, type RunView } from './output.js';
import { type FileToWrite, type ResultsDestination, removeResults, writeFiles } from './result-files.js';

// Loaded once, ahead of the first write.
const outputs = await loadOutputs();

export interface WrittenResults {
  readonly certificate: string;
  readonly files: readonly string[];
  readonly record?: { readonly file: string; readonly unwritten?: string };
  readonly known?: { readonly file: string; readonly added: number };
}

/** Replaces the results of the run before. @throws UnusableInput if one of the files cannot be written */
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
  const record = recordTo === undefined ? undefined : addRecord(files, recordTo, view);
  const known = recordKnownTo === undefined ? undefined : { file: recordKnownTo, added: newDeviations.length };
  if (known !== undefined && known.added > 0) {
    const older = existsSync(known.file) ? readFileSync(known.file, 'utf8') : '';
    files.push({ file: known.file, text: addDeviations(older, newDeviations) });
  }
  writeFiles(files);
  return { ...certified, ...omitUndefined({ record, known }) };
}

function addRecord(
  files: FileToWrite[],
  file: string,
  { suite, suiteResults, certificate: { target } }: RunView,
): Exclude<WrittenResults['record'], undefined> {
  const record = createRecord(suite, suiteResults, target.name);
  const older = existsSync(file) ? readRecord(file).questions : {};
  const lost = suite.contract.questions
    .map(({ id }) => id)
    .filter((id) => Object.hasOwn(older, id) && !Object.hasOwn(record.questions, id));
  if (lost.length > 0)
    return { file, unwritten: `not changed: it has answers that this run lacks, to ${renderShortList(lost)}` };
  if (Object.keys(record.questions).length === 0) return { file, unwritten: 'not written: no question was answered' };
  files.push({ file, text: renderRecord(record) });
  return { file };
}
