import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Suite } from '../contract/suite.js';
import type { CaseResult } from '../run.js';
import type { Settings } from '../target/settings.js';
import type { Certificate } from './certificate.js';
import { certificatePage } from './html.js';
import { observedDocument } from './observed.js';
import { formatRecord, recordOf } from './record.js';

/** The files of a run, by what they are. */
export interface Written {
  readonly certificate: string;
  readonly page: string;
  readonly observed: string;
  /** Only where one was asked for, and any question was answered. */
  readonly record?: string;
}

/** Writes everything that a run leaves behind. @returns the paths as they were given */
export function writeResults(
  certificate: Certificate,
  suite: Suite,
  results: readonly CaseResult[],
  { out, recordTo }: Pick<Settings, 'out' | 'recordTo'>,
): Written {
  const files = {
    certificate: path.join(out, 'certificate.json'),
    page: path.join(out, 'certificate.html'),
    observed: path.join(out, 'observed.md'),
  };
  const { name } = certificate.target;
  write(files.certificate, `${JSON.stringify(certificate, null, 2)}\n`);
  write(files.page, certificatePage(certificate, suite));
  write(files.observed, observedDocument(suite, results, name));
  // A record without answers would only destroy an older one.
  if (recordTo === undefined || results.every(({ outcome }) => outcome === undefined)) return files;
  write(recordTo, formatRecord(recordOf(suite, results, name)));
  return { ...files, record: recordTo };
}

function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
