import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Suite } from '../cases/suite.js';
import type { CaseResult } from '../engine/case-result.js';
import { someOf } from '../support/some-of.js';
import type { Certificate } from './certificate.js';
import { observedDocument } from './observed.js';
import { certificatePage } from './page.js';
import { formatRecord, readRecord, recordOf, type TargetRecord } from './record.js';

/** The files of a run, by what they are. */
export interface Written {
  readonly certificate: string;
  readonly page: string;
  readonly observed: string;
  /** Where one was wanted; with the reason, if it was not written. */
  readonly record?: { readonly file: string; readonly unwritten?: string };
}

/** Where the results go. */
export interface Destination {
  /** The folder. */
  readonly out: string;
  /** The file of the record, if one is wanted. */
  readonly recordTo?: string;
}

/** Writes everything that a run leaves behind. @returns the paths as they were given */
export function writeResults(
  certificate: Certificate,
  suite: Suite,
  results: readonly CaseResult[],
  { out, recordTo }: Destination,
): Written {
  const files = {
    certificate: path.join(out, 'certificate.json'),
    page: path.join(out, 'certificate.html'),
    observed: path.join(out, 'observed.md'),
  };
  const { name } = certificate.target;
  write(files.page, certificatePage(certificate, suite));
  write(files.observed, observedDocument(suite, results, name));
  const record = recordTo === undefined ? undefined : recorded(recordTo, recordOf(suite, results, name), suite);
  // The last, since the command line takes it for the end of a run in which everything was written.
  write(files.certificate, `${JSON.stringify(certificate, null, 2)}\n`);
  return { ...files, ...(record === undefined ? {} : { record }) };
}

/** Writes a record, unless an older one would lose answers by it. */
function recorded(file: string, record: TargetRecord, { ledger }: Suite): NonNullable<Written['record']> {
  const older = existsSync(file) ? readRecord(file).questions : {};
  const isLost = ({ id }: { id: string }) => Object.hasOwn(older, id) && !Object.hasOwn(record.questions, id);
  const lost = ledger.questions.filter(isLost).map(({ id }) => id);
  if (lost.length > 0)
    return { file, unwritten: `left as it was: this run has no answer to ${someOf(lost)}, and it has` };
  if (Object.keys(record.questions).length === 0) return { file, unwritten: 'not written: no question was answered' };
  write(file, formatRecord(record));
  return { file };
}

function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
