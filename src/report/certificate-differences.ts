import { isJsonObject } from '../support/json.js';
import { toOneLine } from '../support/untrusted-text.js';
import type { Certificate } from './certificate.js';

/** What differs each time, or is looked at by itself. */
const passedOver = ['suite', 'evidence', 'is_replay', 'started_at', 'duration_ms'];
/** What the suite says of itself: other cases may say it otherwise, and judge alike. */
const ofTheSuite = ['at', 'statement', 'part'];

/**
 * What a certificate says otherwise than the exchanges show, a line each, which begins with the place.
 *
 * @param shown the certificate that they come to
 * @param isSameSuite whether both were judged by the same cases; otherwise the words and places of cases do not count
 */
export function listCertificateDifferences(said: Certificate, shown: Certificate, isSameSuite: boolean): string[] {
  const skipped = new Set(isSameSuite ? [] : ofTheSuite);
  // As it is read back from a file.
  const whole = JSON.parse(JSON.stringify(shown)) as Certificate;
  const without = (certificate: Certificate) =>
    Object.fromEntries(Object.entries(certificate).filter(([name]) => !passedOver.includes(name)));
  return [...differences(without(said), without(whole), '', skipped)];
}

function* differences(
  said: unknown,
  shown: unknown,
  place: string,
  skipped: ReadonlySet<string>,
): Generator<string, void, undefined> {
  const [one, other] = [membersOf(said), membersOf(shown)];
  if (one === undefined || other === undefined) {
    if (JSON.stringify(said) !== JSON.stringify(shown)) yield `${place}: ${inWords(said, shown)}`;
    return;
  }
  for (const name of new Set([...one.keys(), ...other.keys()]))
    if (!skipped.has(name))
      yield* differences(one.get(name), other.get(name), `${place}${place && '/'}${name}`, skipped);
}

/** The members of an object, or the entries of a list by their ids; by their numbers where they have none. */
function membersOf(value: unknown): Map<string, unknown> | undefined {
  if (isJsonObject(value)) return new Map(Object.entries(value));
  if (!Array.isArray(value)) return undefined;
  const ids = value.map((entry) => (isJsonObject(entry) ? entry.id : undefined));
  const areNamed = ids.every((id) => typeof id === 'string') && new Set(ids).size === ids.length;
  return new Map(value.map((entry, n) => [areNamed ? String(ids[n]) : String(n + 1), entry]));
}

function inWords(said: unknown, shown: unknown): string {
  const [one, other] = [textOf(said), textOf(shown)];
  const same = [...one].findIndex((character, n) => character !== other[n]);
  const from = Math.max(0, (same === -1 ? one.length : same) - before);
  return `the certificate says ${excerpt(one, from)}; the evidence shows ${excerpt(other, from)}`;
}

/** Of long texts, how many characters are shown before the first that differs, and in all. */
const before = 20;
const maxShown = 160;

function excerpt(text: string, from: number): string {
  if (text.length <= maxShown) return text;
  const end = from + maxShown;
  return `${from > 0 ? '…' : ''}${text.slice(from, end)}${end < text.length ? '…' : ''}`;
}

/** A word as it is; what has spaces, or is none, so that its end shows. */
function textOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  return toOneLine(typeof value === 'string' && /^[\w.-]+$/.test(value) ? value : JSON.stringify(value));
}
