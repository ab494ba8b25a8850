import { existsSync } from 'node:fs';
import path from 'node:path';
import { quote } from 'shlex';
import { loadSuite, suiteFolder } from '../cases/suite.js';
import type { Certificate } from '../report/certificate.js';
import { listCertificateDifferences } from '../report/certificate-differences.js';
import { computeDigest, maxArchiveBytes } from '../report/har-archive.js';
import { parseCertificate } from '../report/read-certificate.js';
import { getSignaturePath } from '../report/result-files.js';
import type { SignatureChecker } from '../report/signature.js';
import { readForeignFile } from '../support/foreign-file.js';
import { renderSafeStack } from '../support/internal-error.js';
import { formatProblem, UnusableInput } from '../support/problem.js';
import { renderShortList } from '../support/render-short-list.js';
import { toOneLine } from '../support/untrusted-text.js';
import { parseRecordedRun, type RecordedRun } from './recorded-run.js';
import { rejudgeRun } from './rejudge.js';

export interface Verification {
  /** What is broken, one line each, which begins with the location; empty if the certificate is whole. */
  readonly broken: readonly string[];
  /** Notes for the reader. */
  readonly notes: readonly string[];
  /** Undefined if it could not be parsed. */
  readonly certificate?: Certificate | undefined;
}

const hint = 'Name the certificate.json of a run.';

/**
 * Verifies a certificate: it matches its schema, the evidence file is present and unchanged, and judging the evidence
 * again gives the same certificate. Nothing is sent.
 *
 * @param cases the folder of the user's own cases, if the run had some
 * @param checkSignature checks the signature, if given
 * @throws UnusableInput if the certificate cannot be read
 */
export async function verifyCertificate(
  file: string,
  {
    cases,
    checkSignature,
  }: { readonly cases?: string | undefined; readonly checkSignature?: SignatureChecker | undefined } = {},
): Promise<Verification> {
  const content = readForeignFile(file, hint);
  const broken: string[] = [];
  const notes: string[] = [];
  const certificate = parse(content, file, broken);
  const evidence = certificate && readEvidence(certificate, file, broken);
  const signatureFile = getSignaturePath(file);
  const signature = existsSync(signatureFile) ? readForeignFile(signatureFile, hint) : undefined;
  if (checkSignature === undefined) {
    if (signature !== undefined)
      notes.push(`${signatureFile} was not checked: name the signer's public key with --key.`);
  } else if (signature === undefined) broken.push(`signature: there is no ${signatureFile}.`);
  else
    broken.push(...checkSignature(signature, { certificate: content, evidence: evidence?.content ?? Buffer.alloc(0) }));
  if (certificate === undefined || evidence === undefined) return { broken, notes, certificate };
  try {
    const found = await compareWithRun(certificate, parseRecordedRun(evidence.content, evidence.file), cases);
    broken.push(...found.broken);
    notes.push(...found.notes);
  } catch (error) {
    const reason = error instanceof UnusableInput ? error.message : renderSafeStack(error);
    broken.push(`evidence: cannot be judged again: ${reason}`);
  }
  return { broken, notes, certificate };
}

async function compareWithRun(
  certificate: Certificate,
  run: RecordedRun,
  cases: string | undefined,
): Promise<Verification> {
  const { own_cases: own, causes } = certificate;
  if (own !== undefined && cases === undefined)
    return {
      broken: [`own_cases: name the folder of these cases: --cases ${quote(toOneLine(own.folder))}.`],
      notes: [],
    };
  const { suite: recorded } = run.origin;
  const loaded = loadSuite(suiteFolder, run.availability, own === undefined ? undefined : cases);
  // The folder may have been moved.
  const suite =
    own === undefined || loaded.own === undefined ? loaded : { ...loaded, own: { ...loaded.own, folder: own.folder } };
  const isSameSuite = suite.digest === recorded.digest;
  const { certificate: shown, unused } = await rejudgeRun(run, suite, causes !== undefined);
  const exchanges = run.evidence.exchanges.length;
  // The installed suite knows its own name and version.
  const { name, version, digest } = isSameSuite ? suite : recorded;
  const evidence = certificate.evidence && { ...certificate.evidence, exchanges };
  const broken = listCertificateDifferences(
    certificate,
    { ...shown, suite: { name, version, digest }, ...(evidence === undefined ? {} : { evidence }) },
    isSameSuite,
  );
  if (isSameSuite && unused.length > 0)
    broken.push(`evidence: no result rests on ${unused.length} exchanges: ${toOneLine(renderShortList(unused))}.`);
  const note = `The installed suite (${suite.version}, ${suite.digest}) is not the one of the certificate (${recorded.version}, ${recorded.digest}). It judged the evidence, so differences may come from that.`;
  return { broken, notes: isSameSuite ? [] : [note] };
}

function parse(content: Buffer, file: string, broken: string[]): Certificate | undefined {
  try {
    return parseCertificate(content.toString('utf8'), file);
  } catch (error) {
    if (!(error instanceof UnusableInput)) throw error;
    broken.push(...error.problems.map((problem) => `certificate: ${formatProblem(problem)}`));
    return undefined;
  }
}

/** Reads the evidence, which must be in the folder of the certificate. */
function readEvidence(
  { evidence: stated }: Certificate,
  certificateFile: string,
  broken: string[],
): { file: string; content: Buffer } | undefined {
  if (stated === undefined || !/^evidence\.har(\.gz)?$/.test(stated.file)) {
    broken.push('evidence/file: must be evidence.har or evidence.har.gz beside the certificate.');
    return undefined;
  }
  const file = path.join(path.dirname(certificateFile), stated.file);
  if (!existsSync(file)) {
    broken.push(`evidence/file: cannot read ${file}.`);
    return undefined;
  }
  const content = readForeignFile(file, hint, { maxBytes: maxArchiveBytes });
  const digest = computeDigest(content);
  if (digest !== stated.digest)
    broken.push(`evidence/digest: the certificate says ${stated.digest}; ${file} has ${digest}.`);
  return { file, content };
}
