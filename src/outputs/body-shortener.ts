import type { World } from '../contract/world.js';
import { getIdFinders } from '../recognition/known-ids.js';
import { volatilePattern } from '../record/exchange-text.js';
import type { ResultWithExchanges } from '../run/case-result.js';
import { parseJson } from '../support/json.js';
import { truncate } from '../support/untrusted-text.js';

/** The number of kept entries of a list, or of an object whose keys are ids. */
const maxEntries = 1;
/** Characters of a text in a body. */
const maxText = 120;
const maxDepth = 20;
/** Characters of a sample. A longer one shows nothing at a glance. */
const maxSample = 6_000;
/** A larger number is a point in time or an identifier. */
const minVolatileNumber = 1e9;

/** Shortens a body. @returns undefined if it is not JSON, is nested too deeply, or has no short sample */
export type BodyShortener = (body: string) => unknown;

/**
 * Creates a function that shortens JSON bodies; the result is the same if the target answers the same. It cuts lists to
 * their first entry, and replaces what changes from response to response by `…` or 0.
 *
 * @param results of which repeated requests show what changes
 */
export function createBodyShortener(world: World, results: readonly ResultWithExchanges[]): BodyShortener {
  const ids = getIdFinders(world);
  const times = new Set(world.tiers.map(({ created_at }) => created_at));
  const isId = (text: string) => [ids.tiers, ids.keys].some((known) => known.findExact(text) !== undefined);
  const isOfWorld = (text: string) => times.has(text) || isId(text);
  const volatile = new Set(results.flatMap((result) => result.volatile ?? []));
  return (body) => {
    const value = parseJson(body);
    if (value === undefined || isDeeper(value, maxDepth)) return undefined;
    const sample = createSample(value, '', { isId, isOfWorld, volatile });
    return JSON.stringify(sample).length > maxSample ? undefined : sample;
  };
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((member) => isDeeper(member, depth - 1));
}

interface Sampling {
  isId(text: string): boolean;
  isOfWorld(text: string): boolean;
  /** Patterns of places whose values change. */
  readonly volatile: ReadonlySet<string>;
}

/** Creates a sample of a value, with the same types and the same members. */
function createSample(value: unknown, path: string, sampling: Sampling, isWithin = false): unknown {
  const { isId, volatile } = sampling;
  const isVolatile = isWithin || volatile.has(path);
  if (typeof value === 'string') return isVolatile ? '…' : stabilizeText(value, sampling);
  if (typeof value === 'number') return isVolatile || Math.abs(value) >= minVolatileNumber ? 0 : value;
  if (typeof value === 'boolean') return value && !isVolatile;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value))
    return isVolatile ? [] : value.slice(0, maxEntries).map((item) => createSample(item, `${path}/*`, sampling));
  let entries = 0;
  const shown = Object.entries(value).filter(([key]) => {
    if (!isId(key)) return true;
    entries += 1;
    return entries <= maxEntries;
  });
  return Object.fromEntries(
    shown.map(([key, member]) => [key, createSample(member, `${path}/${key}`, sampling, isVolatile)]),
  );
}

function stabilizeText(text: string, { isOfWorld }: Sampling): string {
  if (isOfWorld(text)) return text;
  // Cut first: on a long run of letters, the pattern takes quadratic time.
  const stable = truncate(text, maxText).replaceAll(volatilePattern, (found) => (isOfWorld(found) ? found : '…'));
  return text.length > maxText ? `${stable}…` : stable;
}
