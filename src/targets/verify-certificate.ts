import path from 'node:path';
import { loadSuite, suiteFolder } from '../cases/suite.js';
import type { Certificate } from '../report/certificate.js';
import { computeDigest } from '../report/har-archive.js';
import { readCertificate } from '../report/read-certificate.js';
import { isJsonObject, parseJson } from '../support/json.js';
import { refuse } from '../support/problem.js';
import { readInputFile } from '../support/read-input-file.js';
import { shortenPair, toOneLine } from '../support/untrusted-text.js';
import { parseRecordedRun } from './recorded-run.js';
import { rejudgeRun } from './rejudge.js';

export interface Verification {
  readonly certificate: Certificate;
  /** A line for each member of the certificate that differs from what the evidence shows. */
  readonly differences: readonly string[];
  /** For the reader, if another version of the suite wrote the certificate. */
  readonly note?: string;
}

/** Differ from run to run, or are only known to the run itself. */
const ignored = ['started_at', 'duration_ms', 'folder'];
/** Texts of the suite, which other versions may word or place differently. */
const textsOfSuite = ['suite', 'at', 'statement', 'part'];

/**
 * Judges the evidence beside a certificate again, and compares the certificate with what it shows. Nothing is sent.
 *
 * @param cases the folder of the user's own cases, if it is not the one that the certificate names
 * @throws UnusableInput if a file cannot be read
 */
export async function verifyCertificate(file: string, cases?: string): Promise<Verification> {
  const certificate = readCertificate(file);
  const { evidence: stated, own_cases: own, suite: judge } = certificate;
  if (stated === undefined) throw refuse(file, 'names no evidence', 'Name the certificate.json of a run.');
  const evidenceFile = path.join(path.dirname(file), path.basename(stated.file));
  const content = readInputFile(evidenceFile, 'A run writes the evidence beside its certificate.');
  const run = parseRecordedRun(content, evidenceFile);
  const suite = loadSuite(suiteFolder, run.availability, cases ?? own?.folder);
  const shown = (await rejudgeRun(run, suite)).certificate;
  const evidence = { ...stated, digest: computeDigest(content), exchanges: run.evidence.exchanges.length };
  const isSameSuite = suite.digest === judge.digest;
  const note = `The installed suite (${suite.version}, ${suite.digest}) judged the evidence, not that of the certificate (${judge.version}, ${judge.digest}). Differences may come from that.`;
  const skipped = new Set(isSameSuite ? ignored : [...ignored, ...textsOfSuite]);
  // Through JSON, as the certificate comes from a file.
  const members = parseJson(JSON.stringify({ ...shown, evidence }));
  const differences = [...listDifferences(certificate, members, '', skipped)];
  return { certificate, differences, ...(isSameSuite ? {} : { note }) };
}

function* listDifferences(
  stated: unknown,
  shown: unknown,
  place: string,
  skipped: ReadonlySet<string>,
): Generator<string, void, undefined> {
  const [left, right] = [listMembers(stated), listMembers(shown)];
  if (left !== undefined && right !== undefined) {
    for (const name of new Set([...left.keys(), ...right.keys()]))
      if (!skipped.has(name)) yield* listDifferences(left.get(name), right.get(name), `${place}/${name}`, skipped);
  } else if (JSON.stringify(stated) !== JSON.stringify(shown)) {
    const [claim, finding] = shortenPair(renderValue(stated), renderValue(shown));
    yield `${place.slice(1)}: the certificate says ${claim}; the evidence shows ${finding}`;
  }
}

/** Lists the members of an object, or the entries of a list by their ids or numbers. */
function listMembers(value: unknown): Map<string, unknown> | undefined {
  if (Array.isArray(value)) return new Map(value.map((entry, n) => [String(entry?.id ?? n + 1), entry]));
  return isJsonObject(value) ? new Map(Object.entries(value)) : undefined;
}

function renderValue(value: unknown): string {
  return value === undefined ? 'nothing' : toOneLine(JSON.stringify(value));
}
