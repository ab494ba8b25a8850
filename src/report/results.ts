import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isOwn, type Suite } from '../cases/suite.js';
import type { Operation } from '../contract/operation.js';
import type { CaseResult } from '../engine/case-result.js';
import type { Evidence } from '../engine/evidence.js';
import { recognizerFor } from '../recognition/recognizer.js';
import { defined } from '../support/defined.js';
import { escapeControlCharacters } from '../support/escape-control.js';
import { UnusableInput } from '../support/problem.js';
import { someOf } from '../support/some-of.js';
import { badgeText } from './badge.js';
import type { Certificate } from './certificate.js';
import { relayedEvidence } from './evidence.js';
import { archiveOf, digestOf, type EvidenceOrigin, type WrittenArchive } from './har.js';
import { junitText } from './junit.js';
import { observedDocument } from './observed.js';
import { openapiDocument } from './openapi.js';
import { type OutputFile, writeTogether } from './output.js';
import { certificatePage } from './page.js';
import { picturedCases } from './pictures.js';
import { formatRecord, parseRecord, readRecord, recordOf, type TargetRecord } from './record.js';
import { filesIn, partialFolder } from './result-files.js';
import type { Sign } from './signature.js';

/** The files of a run, by what they are. */
export interface Written {
  readonly certificate: string;
  readonly page: string;
  readonly observed: string;
  /** Of a whole run. */
  readonly openapi?: string;
  readonly evidence?: string;
  /** Where one was wanted; with the reason, if it was not written. */
  readonly record?: { readonly file: string; readonly unwritten?: string };
}

/** Where the results go. */
export interface Destination {
  /** The folder. */
  readonly out: string;
  /** The file of the record, if one is wanted. */
  readonly recordTo?: string;
  /** Whether only some of the cases were run: the results then stand apart, and leave those of a whole run. */
  readonly isPartial?: boolean;
  /** What is under test, as far as its target file says something of it. */
  readonly target?: {
    /** Where it offers the operation, as far as that is not as documented. */
    readonly operation?: Operation;
    /** The patterns under which returned tiers are named. */
    readonly tierPatterns?: readonly string[];
  };
  /** Signs certificate and evidence, where that is wanted. */
  readonly sign?: Sign;
}

/**
 * Writes everything that a run leaves behind.
 *
 * @param kept the exchanges of the run, and of what run they are
 * @returns the paths as they were given
 * @throws UnusableInput where one of the files cannot be written: then none is
 */
export function writeResults(
  judged: Certificate,
  suite: Suite,
  results: readonly CaseResult[],
  { out: whole, recordTo, isPartial = false, target, sign }: Destination,
  kept?: Evidence & { readonly origin: EvidenceOrigin },
): Written {
  const out = isPartial ? path.join(whole, partialFolder) : whole;
  const { junit, openapi, badge, evidence: plain, signature, ...files } = filesIn(out);
  const { name } = judged.target;
  const pictured = picturedCases(suite);
  const relayed = kept && relayedEvidence(kept, recognizerFor(suite.world), (id) => pictured.has(id));
  const archive = kept === undefined || relayed === undefined ? undefined : archiveOf(relayed.evidence, kept.origin);
  const sources = defined({ evidence: relayed?.shown(), tierPatterns: target?.tierPatterns });
  const evidence = archive?.isCompressed ? `${plain}.gz` : plain;
  const certificate: Certificate = { ...judged, ...(archive === undefined ? {} : evidenceEntry(evidence, archive)) };
  const text = escapeControlCharacters(`${JSON.stringify(certificate, null, 2)}\n`);
  const signed =
    archive === undefined ? undefined : sign?.({ certificate: Buffer.from(text), evidence: archive.content });
  // What this target does where the documentation is silent is found out with the data that others have, too.
  const ofSuite = results.filter((result) => !isOwn(result));
  let record: RecordOutput | undefined;
  const compose = (): OutputFile[] => {
    record = recordTo === undefined ? undefined : recordOutput(recordTo, recordOf(suite, ofSuite, name), suite);
    return [
      { file: files.page, text: certificatePage(certificate, suite, results, sources) },
      { file: files.observed, text: observedDocument(suite, ofSuite, name) },
      { file: files.certificate, text },
      // Of a few answers, the operation would look as if it had no others.
      ...(isPartial ? [] : [{ file: openapi, text: openapiDocument(certificate, suite, ofSuite, target?.operation) }]),
      { file: junit, text: junitText(certificate, suite, results) },
      { file: badge, text: badgeText(certificate) },
      ...(archive === undefined ? [] : [{ file: evidence, text: archive.content }]),
      ...(signed === undefined ? [] : [{ file: signature, text: signed }]),
      ...(record !== undefined && 'text' in record ? [record] : []),
    ];
  };
  writeTogether(out, compose);
  // What is left of an earlier run would be taken for that of this one.
  const isWritten = (file: string) => (file === signature ? signed !== undefined : archive && file === evidence);
  for (const file of [plain, `${plain}.gz`, signature]) if (!isWritten(file)) rmSync(file, { force: true });
  const written = { ...files, ...(isPartial ? {} : { openapi }), ...(archive === undefined ? {} : { evidence }) };
  if (record === undefined) return written;
  const { file } = record;
  return { ...written, record: 'unwritten' in record ? { file, unwritten: record.unwritten } : { file } };
}

function evidenceEntry(file: string, { content, count }: WrittenArchive): Pick<Certificate, 'evidence'> {
  return { evidence: { file: path.basename(file), digest: digestOf(content), exchanges: count } };
}

type RecordOutput = OutputFile | { readonly file: string; readonly unwritten: string };

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
