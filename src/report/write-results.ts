import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isOwnCase, type Suite } from '../cases/suite.js';
import type { Operation } from '../contract/relocation.js';
import type { ShownResult } from '../engine/case-result.js';
import type { RunEvidence } from '../engine/evidence-keeper.js';
import { createRecognizer } from '../recognition/recognizer.js';
import { escapeControlCharacters } from '../support/escape-control-characters.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { UnusableInput } from '../support/problem.js';
import { renderShortList } from '../support/render-short-list.js';
import type { Certificate } from './certificate.js';
import { computeDigest, createArchive, type EvidenceArchive, type EvidenceOrigin } from './har-archive.js';
import { renderBadge } from './outputs/badge-json.js';
import { renderJunit } from './outputs/junit-xml.js';
import { renderObserved } from './outputs/observed-md.js';
import { renderOpenapi } from './outputs/openapi-yaml.js';
import { renderCertificatePage } from './page/certificate-page.js';
import { listPicturedCases } from './page/figures.js';
import { listResultFiles, partialFolder } from './result-files.js';
import { relayEvidence } from './shown-evidence.js';
import type { Signer } from './signature.js';
import { createRecord, parseRecord, readRecord, renderRecord, type TargetRecord } from './target-record.js';
import { type FileToWrite, writeFilesTogether } from './write-files-together.js';

/** The files of a run, by what they are. */
export interface WrittenResults {
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
export interface ResultsDestination {
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
  readonly sign?: Signer;
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
  results: readonly ShownResult[],
  { out: whole, recordTo, isPartial = false, target, sign }: ResultsDestination,
  kept?: RunEvidence & { readonly origin: EvidenceOrigin },
): WrittenResults {
  const out = isPartial ? path.join(whole, partialFolder) : whole;
  const { junit, openapi, badge, evidence: plain, signature, ...files } = listResultFiles(out);
  const { name } = judged.target;
  const pictured = listPicturedCases(suite);
  const relayed = kept && relayEvidence(kept, createRecognizer(suite.world), (id) => pictured.has(id));
  const archive =
    kept === undefined || relayed === undefined ? undefined : createArchive(relayed.evidence, kept.origin);
  const sources = omitUndefined({ evidence: relayed?.shown(), tierPatterns: target?.tierPatterns });
  const evidence = archive?.isCompressed ? `${plain}.gz` : plain;
  const certificate: Certificate = { ...judged, ...(archive === undefined ? {} : evidenceEntry(evidence, archive)) };
  const text = escapeControlCharacters(`${JSON.stringify(certificate, null, 2)}\n`);
  const signed =
    archive === undefined ? undefined : sign?.({ certificate: Buffer.from(text), evidence: archive.content });
  // What this target does where the documentation is silent is found out with the data that others have, too.
  const ofSuite = results.filter((result) => !isOwnCase(result));
  let record: RecordOutput | undefined;
  const compose = (): FileToWrite[] => {
    record = recordTo === undefined ? undefined : recordOutput(recordTo, createRecord(suite, ofSuite, name), suite);
    return [
      { file: files.page, text: renderCertificatePage(certificate, suite, results, sources) },
      { file: files.observed, text: renderObserved(suite, ofSuite, name) },
      { file: files.certificate, text },
      // Of a few answers, the operation would look as if it had no others.
      ...(isPartial ? [] : [{ file: openapi, text: renderOpenapi(certificate, suite, ofSuite, target?.operation) }]),
      { file: junit, text: renderJunit(certificate, suite, results) },
      { file: badge, text: renderBadge(certificate) },
      ...(archive === undefined ? [] : [{ file: evidence, text: archive.content }]),
      ...(signed === undefined ? [] : [{ file: signature, text: signed }]),
      ...(record !== undefined && 'text' in record ? [record] : []),
    ];
  };
  writeFilesTogether(out, compose);
  // What is left of an earlier run would be taken for that of this one.
  const isWritten = (file: string) => (file === signature ? signed !== undefined : archive && file === evidence);
  for (const file of [plain, `${plain}.gz`, signature]) if (!isWritten(file)) rmSync(file, { force: true });
  const written = { ...files, ...(isPartial ? {} : { openapi }), ...(archive === undefined ? {} : { evidence }) };
  if (record === undefined) return written;
  const { file } = record;
  return { ...written, record: 'unwritten' in record ? { file, unwritten: record.unwritten } : { file } };
}

function evidenceEntry(file: string, { content, count }: EvidenceArchive): Pick<Certificate, 'evidence'> {
  return { evidence: { file: path.basename(file), digest: computeDigest(content), exchanges: count } };
}

type RecordOutput = FileToWrite | { readonly file: string; readonly unwritten: string };

/** A record to write, unless an older one would lose answers by it. */
function recordOutput(file: string, record: TargetRecord, { contract: ledger }: Suite): RecordOutput {
  const older = existsSync(file) ? readRecord(file).questions : {};
  const isLost = ({ id }: { id: string }) => Object.hasOwn(older, id) && !Object.hasOwn(record.questions, id);
  const lost = ledger.questions.filter(isLost).map(({ id }) => id);
  if (lost.length > 0)
    return { file, unwritten: `left as it was: this run has no answer to ${renderShortList(lost)}, and it has` };
  if (Object.keys(record.questions).length === 0) return { file, unwritten: 'not written: no question was answered' };
  const text = renderRecord(record);
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
