import { isJsonObject, parseJson } from '../support/json.js';
import { shortenPair, toOneLine } from '../support/untrusted-text.js';
import type { Certificate } from './certificate.js';

/** Members that differ from run to run. */
const ignored = ['started_at', 'duration_ms'];
/** Texts of the suite: another version may word them otherwise. */
const textsOfSuite = ['at', 'statement', 'part'];

/**
 * Lists the differences between a certificate and what its exchanges show, a line each, which begins with the location.
 *
 * @param shown the certificate that the exchanges lead to
 * @param isSameSuite whether both were judged by the same cases; otherwise texts and locations of cases are ignored
 */
export function listCertificateDifferences(stated: Certificate, shown: Certificate, isSameSuite: boolean): string[] {
  const skipped = new Set(isSameSuite ? ignored : [...ignored, ...textsOfSuite]);
  // Through JSON, as the stated certificate comes from a file.
  return [...listDifferences(stated, parseJson(JSON.stringify(shown)), '', skipped)];
}

function* listDifferences(
  stated: unknown,
  shown: unknown,
  location: string,
  skipped: ReadonlySet<string>,
): Generator<string, void, undefined> {
  const [one, other] = [listMembers(stated), listMembers(shown)];
  if (one === undefined || other === undefined) {
    if (JSON.stringify(stated) === JSON.stringify(shown)) return;
    const [claim, evidence] = shortenPair(renderValue(stated), renderValue(shown));
    yield `${location}: the certificate says ${claim}; the evidence shows ${evidence}`;
    return;
  }
  for (const name of new Set([...one.keys(), ...other.keys()]))
    if (!skipped.has(name))
      yield* listDifferences(one.get(name), other.get(name), `${location}${location && '/'}${name}`, skipped);
}

/** Lists the members of an object, or the entries of a list by their ids, or else by their numbers. */
function listMembers(value: unknown): Map<string, unknown> | undefined {
  if (isJsonObject(value)) return new Map(Object.entries(value));
  if (!Array.isArray(value)) return undefined;
  const ids = value.map((entry) => (isJsonObject(entry) ? entry.id : undefined));
  const haveIds = ids.every((id) => typeof id === 'string') && new Set(ids).size === ids.length;
  return new Map(value.map((entry, n) => [haveIds ? String(ids[n]) : String(n + 1), entry]));
}

function renderValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  return toOneLine(typeof value === 'string' && /^[\w.-]+$/.test(value) ? value : JSON.stringify(value));
}
