import { groupBy } from '../support/collections.js';
import { isJsonObject, parseJson } from '../support/json.js';
import { parseBoundedJson } from '../support/json-bounds.js';
import { createInputError } from '../support/problem.js';
import { fileSizeLimits } from '../support/read-bytes.js';
import { findSchemaProblem } from '../support/schema-validation.js';
import { readTextFile } from '../support/text-file.js';
import { shortenAroundDifference, toOneLine } from '../support/untrusted-text.js';
import type { Certificate } from './certificate.js';

/** Reads a certificate. @throws UnusableInput with the first problem of the file */
export function readCertificate(file: string): Certificate {
  const hint = 'Name the certificate.json of a run: results/<target>/certificate.json.';
  const text = readTextFile(file, hint, { limit: fileSizeLimits.json });
  const certificate = parseBoundedJson(text, file, hint);
  const problem = findSchemaProblem('certificate', certificate);
  if (problem === undefined) return certificate as Certificate;
  throw createInputError(file, `is not a certificate: ${problem}`, hint);
}

/** What differs from run to run, is only known to the run itself, or may be worded or placed differently by other versions. */
const ignored: readonly string[] = [
  'started_at',
  'duration_ms',
  'folder',
  'suite',
  'at',
  'statement',
  'part',
  'written_by',
];

/** Compares a certificate with that of its evidence, judged again. Returns a line for each difference. */
export function findCertificateMismatches(stated: Certificate, shown: Certificate): string[] {
  // Through JSON, as the certificate comes from a file.
  return listDifferences(stated, parseJson(JSON.stringify(shown)), '');
}

function listDifferences(stated: unknown, shown: unknown, place: string): string[] {
  const [left, right] = [listMembers(stated), listMembers(shown)];
  if (left !== undefined && right !== undefined)
    return [...new Set([...left.keys(), ...right.keys()])]
      .filter((name) => !ignored.includes(name))
      .flatMap((name) => listDifferences(left.get(name), right.get(name), `${place}/${name}`));
  const [claim, finding] = [stated, shown].map((value) => JSON.stringify(value) ?? 'nothing') as [string, string];
  if (claim === finding) return [];
  const [shownClaim, shownFinding] = shortenAroundDifference(toOneLine(claim), toOneLine(finding));
  return [`${place.slice(1)}: the certificate says ${shownClaim}; the evidence shows ${shownFinding}`];
}

/** Lists the members of an object, or the entries of a list: by their ids, and entries with the same id by their order, too. */
function listMembers(value: unknown): Map<string, unknown> | undefined {
  if (Array.isArray(value)) {
    const byId = groupBy(value.entries(), ([n, entry]) => String(entry?.id ?? n + 1));
    const named = [...byId].flatMap(([id, alike]) =>
      alike.map(([, entry], n) => [n === 0 ? id : `${id} (${n + 1})`, entry] as const),
    );
    return new Map(named);
  }
  return isJsonObject(value) ? new Map(Object.entries(value)) : undefined;
}
