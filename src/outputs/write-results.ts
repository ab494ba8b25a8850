import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { CertifiedRun } from '../certificate/certificate.js';
import type { EvidenceArchive } from '../certificate/har-archive.js';
import type { Contract } from '../contract/contract.js';
import { addDeviations } from '../record/add-deviations.js';
import { addScopeEntries } from '../record/declared-scope.js';
import { listLostData } from '../record/drift.js';
import { createRecord, readRecord, renderRecord, type TargetRecord } from '../record/target-record.js';
import type { Suite } from '../suite/suite.js';
import { createReason, type Reason, renderReason } from '../support/reason.js';
import { readTextFile } from '../support/text-file.js';
import { createRunView, encodeOutput } from './output.js';
import { outputRenderers } from './renderers.js';
import {
  type FileToWrite,
  type ResultsDestination,
  removeResults,
  type WrittenResults,
  writeFiles,
} from './result-files.js';

/** Replaces the results of the run before. @throws UnusableInput if one of the files cannot be written */
export function writeResults(
  run: CertifiedRun,
  suite: Suite,
  { out, recordTo, recordKnownTo, recordScopeTo }: ResultsDestination,
  archive?: EvidenceArchive,
): WrittenResults {
  const { certificate, showExchange, newDeviations } = run;
  const view = createRunView(run, suite, archive);
  const files = Object.entries(outputRenderers).flatMap(([name, render]): FileToWrite[] => {
    const content = render(view);
    return content === undefined ? [] : [{ file: path.join(out, name), text: encodeOutput(name, content) }];
  });
  const written: WrittenResults = { certificate: path.posix.join(out, 'certificate.json') };
  if (recordTo !== undefined) {
    const record = createRecord(suite, { results: view.suiteResults, showExchange }, certificate.target.name);
    const isOfWrongLoad = certificate.load?.is_certain === true;
    const unwritten = explainUnwritten(record, recordTo, suite.contract, isOfWrongLoad);
    if (unwritten === undefined) files.push({ file: followLink(recordTo), text: renderRecord(record) });
    written.record = { file: recordTo, unwritten: unwritten && renderReason(unwritten) };
  }
  if (recordKnownTo !== undefined) {
    const older = existsSync(recordKnownTo) ? readTextFile(recordKnownTo, 'Name a file of known deviations.') : '';
    const { text, ...changes } = addDeviations(older, newDeviations);
    if (newDeviations.length > 0) files.push({ file: followLink(recordKnownTo), text });
    written.known = { file: recordKnownTo, ...changes };
  }
  const { undeclared = [] } = certificate.scope ?? {};
  if (recordScopeTo !== undefined && undeclared.length > 0) {
    const text = addScopeEntries(readTextFile(recordScopeTo, 'Name a target file.'), undeclared);
    files.push({ file: followLink(recordScopeTo), text });
    written.scope = { file: recordScopeTo, added: undeclared.length };
  }
  // UI mode runs several times in one process.
  removeResults(out);
  writeFiles(files);
  return written;
}

/** The link of a user stays: what it leads to is replaced. */
function followLink(file: string): string {
  return existsSync(file) ? realpathSync(file) : file;
}

/** Explains why a record must not be written: it would lose data or answers, or has none. Undefined if it may. */
function explainUnwritten(
  { questions, data }: TargetRecord,
  file: string,
  contract: Contract,
  isOfWrongLoad: boolean,
): Reason | undefined {
  const older = existsSync(file) ? readRecord(file) : undefined;
  const lostData = data && listLostData(older, data);
  if (lostData !== undefined) return createReason('record-lacks-data', { names: lostData });
  if (isOfWrongLoad) return createReason('record-of-wrong-load');
  const answered = older?.questions ?? {};
  const ids = contract.questions.map(({ id }) => id);
  const lost = ids.filter((id) => Object.hasOwn(answered, id) && !Object.hasOwn(questions, id));
  if (lost.length > 0) return createReason('record-lacks-answers', { questions: lost });
  return Object.keys(questions).length === 0 ? createReason('record-without-answers') : undefined;
}
