import { readFileSync } from 'node:fs';
import path from 'node:path';
import { loadSuite, suiteFolder } from '../cases/suite.js';
import type { Certificate } from '../report/certificate.js';
import { listCertificateDifferences } from '../report/certificate-differences.js';
import { computeDigest } from '../report/har-archive.js';
import { parseCertificate } from '../report/read-certificate.js';
import { getSignatureFile } from '../report/result-files.js';
import type { SignatureChecker } from '../report/signature.js';
import { renderSafeStack } from '../support/internal-error.js';
import { formatProblem, UnusableInput } from '../support/problem.js';
import { parseRecordedRun, type RecordedRun } from './recorded-run.js';
import { rejudgeRun } from './rejudge.js';

/** What there is to say of a certificate. */
export interface Verification {
  /** What is broken, a line each, which begins with the place: nothing where the certificate is whole. */
  readonly broken: readonly string[];
  /** What the reader should know beside that. */
  readonly notes: readonly string[];
  /** Where it could be read. */
  readonly certificate?: Certificate;
}

/**
 * Says whether a certificate is whole: as its schema asks, with the evidence that it names beside it, and with what that
 * comes to when it is judged again. Nothing is sent.
 *
 * @param check checks the signature, where that is wanted
 * @throws UnusableInput where the certificate cannot be read at all
 */
export async function verifyCertificate(file: string, check?: SignatureChecker): Promise<Verification> {
  const content = readFile(file);
  const signatureFile = getSignatureFile(file);
  const signature = contentOf(signatureFile);
  const certificate = certificateIn(content, file);
  const evidenceFile = certificate.is === 'read' ? evidenceFileOf(certificate.value, file) : undefined;
  const evidence = evidenceFile === undefined ? undefined : contentOf(evidenceFile);
  const broken = certificate.is === 'read' ? [] : [...certificate.problems];
  const notes: string[] = [];
  if (check === undefined) {
    if (signature !== undefined)
      notes.push(`${signatureFile} was not checked: name the public key of whoever signed, with --key.`);
  } else if (signature === undefined) broken.push(`signature: there is no ${signatureFile}.`);
  else broken.push(...check(signature, { certificate: content, evidence: evidence ?? Buffer.alloc(0) }));
  if (certificate.is === 'unfit') return { broken, notes };
  const judged = await compared(certificate.value, evidenceFile, evidence);
  return {
    broken: [...broken, ...judged.broken],
    notes: [...notes, ...judged.notes],
    certificate: certificate.value,
  };
}

type Findings = Pick<Verification, 'broken' | 'notes'>;

async function compared(
  certificate: Certificate,
  file: string | undefined,
  content: Buffer | undefined,
): Promise<Findings> {
  const stated = certificate.evidence;
  if (stated === undefined) return nothingBut('evidence: the certificate names none, so nothing shows what it says.');
  if (file === undefined) return nothingBut('evidence/file: names no file beside the certificate.');
  if (content === undefined) return nothingBut(`evidence/file: there is no ${file} that could be read.`);
  const broken: string[] = [];
  const digest = computeDigest(content);
  if (digest !== stated.digest)
    broken.push(`evidence/digest: the certificate says ${stated.digest}; ${file} has ${digest}.`);
  try {
    const run = parseRecordedRun(content, file);
    const found = await judgedAgain(certificate, run);
    return { broken: [...broken, ...found.broken], notes: found.notes };
  } catch (error) {
    return { broken: [...broken, `evidence: ${whyNotJudged(error)}`], notes: [] };
  }
}

function nothingBut(line: string): Findings {
  return { broken: [line], notes: [] };
}

/** Somebody may have changed anything in it. */
function whyNotJudged(error: unknown): string {
  return `cannot be judged again: ${error instanceof UnusableInput ? error.message : renderSafeStack(error)}`;
}

async function judgedAgain(certificate: Certificate, run: RecordedRun): Promise<Findings> {
  const { suite: recorded } = run.origin;
  const suite = loadSuite(suiteFolder, run.availability);
  const isSameSuite = suite.digest === recorded.digest;
  const shown = await rejudgeRun(run, suite);
  const exchanges = run.evidence.exchanges.length;
  return {
    broken: [
      ...(['name', 'version', 'digest'] as const).flatMap((member) => {
        const [said, kept] = [certificate.suite[member], recorded[member]];
        return said === kept ? [] : [`suite/${member}: the certificate says ${said}; the evidence is of ${kept}.`];
      }),
      ...(certificate.evidence?.exchanges === exchanges
        ? []
        : [`evidence/exchanges: the certificate says ${certificate.evidence?.exchanges}; there are ${exchanges}.`]),
      ...listCertificateDifferences(certificate, shown, isSameSuite),
    ],
    notes: isSameSuite
      ? []
      : [
          `The cases here (${suite.version}, ${suite.digest}) are not those of the certificate (${recorded.version}, ${recorded.digest}). It was judged by those here: what differs may be due to that.`,
        ],
  };
}

type Read =
  | { readonly is: 'read'; readonly value: Certificate }
  | { readonly is: 'unfit'; readonly problems: string[] };

function certificateIn(content: Buffer, file: string): Read {
  try {
    return { is: 'read', value: parseCertificate(content.toString('utf8'), file) };
  } catch (error) {
    if (!(error instanceof UnusableInput)) throw error;
    return { is: 'unfit', problems: error.problems.map((problem) => `certificate: ${formatProblem(problem)}`) };
  }
}

/** Beside the certificate and nowhere else, whatever it says. */
function evidenceFileOf({ evidence }: Certificate, certificate: string): string | undefined {
  if (evidence === undefined || !/^evidence\.har(\.gz)?$/.test(evidence.file)) return undefined;
  return path.join(path.dirname(certificate), evidence.file);
}

function readFile(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const message = `cannot be read (${(error as NodeJS.ErrnoException).code})`;
    const hint = 'Name the certificate.json that a run left.';
    throw new UnusableInput([{ at: { setting: file }, message, hint }]);
  }
}

function contentOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
