import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Suite } from '../cases/suite.js';
import type { CaseResult } from '../engine/case-result.js';
import { escapeControlCharacters } from '../support/escape-control.js';
import { UnusableInput } from '../support/problem.js';
import { someOf } from '../support/some-of.js';
import type { Certificate } from './certificate.js';
import { observedDocument } from './observed.js';
import { discard, type OutputFile, removeTogether, writeTogether } from './output.js';
import { certificatePage } from './page.js';
import { formatRecord, parseRecord, readRecord, recordOf, type TargetRecord } from './record.js';

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

/** The files that a run leaves in its folder. */
function filesIn(out: string) {
  return {
    certificate: path.join(out, 'certificate.json'),
    page: path.join(out, 'certificate.html'),
    observed: path.join(out, 'observed.md'),
    junit: path.join(out, 'junit.xml'),
  };
}

/** Where Playwright writes its JUnit file, which comes to its place with the other results. */
export function junitDraft(out: string): string {
  return path.join(out, `.junit.${process.pid}.tmp`);
}

/** Removes the results of an earlier run, so that none is taken for one of this. @throws UnusableInput */
export function removeResults(out: string): void {
  removeTogether(out, Object.values(filesIn(out)));
}

/**
 * Writes everything that a run leaves behind.
 *
 * @returns the paths as they were given
 * @throws UnusableInput where one of the files cannot be written: then none is
 */
export function writeResults(
  certificate: Certificate,
  suite: Suite,
  results: readonly CaseResult[],
  { out, recordTo }: Destination,
): Written {
  const { junit, ...files } = filesIn(out);
  const { name } = certificate.target;
  let record: RecordOutput | undefined;
  const compose = (): OutputFile[] => {
    record = recordTo === undefined ? undefined : recordOutput(recordTo, recordOf(suite, results, name), suite);
    return [
      { file: files.page, text: certificatePage(certificate, suite) },
      { file: files.observed, text: observedDocument(suite, results, name) },
      { file: files.certificate, text: escapeControlCharacters(`${JSON.stringify(certificate, null, 2)}\n`) },
      ...junitOutput(junit, junitDraft(out)),
      ...(record !== undefined && 'text' in record ? [record] : []),
    ];
  };
  try {
    writeTogether(out, compose);
  } finally {
    discard(junitDraft(out));
  }
  if (record === undefined) return files;
  const { file } = record;
  return { ...files, record: 'unwritten' in record ? { file, unwritten: record.unwritten } : { file } };
}

/** What Playwright wrote for continuous integration, unless other reporters were named. */
function junitOutput(file: string, draft: string): OutputFile[] {
  if (!existsSync(draft)) return [];
  if (readFileSync(draft, 'utf8').endsWith('</testsuites>')) return [{ file, draft }];
  const hint = 'Nothing was written. Make room for it, or name another folder.';
  throw new UnusableInput([{ at: { setting: file }, message: 'could not be written whole', hint }]);
}

type RecordOutput = (OutputFile & { readonly text: string }) | { readonly file: string; readonly unwritten: string };

/** A record to write, unless an older one would lose answers by it. */
function recordOutput(file: string, record: TargetRecord, { ledger }: Suite): RecordOutput {
  const older = existsSync(file) ? readRecord(file).questions : {};
  const isLost = ({ id }: { id: string }) => Object.hasOwn(older, id) && !Object.hasOwn(record.questions, id);
  const lost = ledger.questions.filter(isLost).map(({ id }) => id);
  if (lost.length > 0)
    return { file, unwritten: `left as it was: this run has no answer to ${someOf(lost)}, and it has` };
  if (Object.keys(record.questions).length === 0) return { file, unwritten: 'not written: no question was answered' };
  const text = formatRecord(record);
  return readsBack(text, record) ? { file, text } : { file, unwritten: 'not written: it would not load again' };
}

function readsBack(text: string, record: TargetRecord): boolean {
  try {
    return isDeepStrictEqual(parseRecord(text, 'record'), record);
  } catch (error) {
    if (error instanceof UnusableInput) return false;
    throw error;
  }
}
