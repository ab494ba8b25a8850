import { isJsonObject, parseJson } from '../support/json.js';
import { readInputFile, refuse } from '../support/problem.js';
import { loadValidator } from '../support/schema-validation.js';
import { shortenPair, toOneLine } from '../support/untrusted-text.js';
import type { Certificate } from './certificate.js';

/** Reads a certificate. @throws UnusableInput with the first problem of the file */
export function readCertificate(file: string): Certificate {
  const hint = 'Name the certificate.json of a run: results/<target>/certificate.json.';
  const certificate = parseJson(readInputFile(file, hint).toString('utf8'));
  const validate = loadValidator('certificate');
  if (validate(certificate)) return certificate as Certificate;
  const [{ instancePath = '', message = '' } = {}] = validate.errors ?? [];
  const problem = certificate === undefined ? 'it is not JSON' : toOneLine(`${instancePath} ${message}`);
  throw refuse(file, `is not a certificate: ${problem}`, hint);
}

/** Differ from run to run, or are only known to the run itself. */
const ignored = ['started_at', 'duration_ms', 'folder'];
/** Texts of the suite, which other versions may word or place differently. */
const textsOfSuite = ['suite', 'at', 'statement', 'part'];

/** Compares a certificate with that of its evidence, judged again. Returns a line for each difference. */
export function verifyCertificate(stated: Certificate, shown: Certificate, isSameSuite: boolean): string[] {
  const skipped = new Set(isSameSuite ? ignored : [...ignored, ...textsOfSuite]);
  // Through JSON, as the certificate comes from a file.
  return [...listDifferences(stated, parseJson(JSON.stringify(shown)), '', skipped)];
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

function listMembers(value: unknown): Map<string, unknown> | undefined {
  if (Array.isArray(value)) return new Map(value.map((entry, n) => [String(entry?.id ?? n + 1), entry]));
  return isJsonObject(value) ? new Map(Object.entries(value)) : undefined;
}

function renderValue(value: unknown): string {
  return value === undefined ? 'nothing' : toOneLine(JSON.stringify(value));
}
