import { maxDepth } from '../record/body-shape.js';
import { volatilePattern } from '../record/exchange-text.js';
import type { ResultWithExchanges } from '../run/case-result.js';
import { parseJson } from '../support/json.js';
import { truncate } from '../support/untrusted-text.js';

const maxText = 120;
/** The length of a sample as JSON. A longer one shows nothing at a glance. */
const maxSample = 6_000;
/** A larger number is a point in time or an identifier. */
const minVolatileNumber = 1e9;

/** Shortens a body. @returns undefined if it is not JSON, or has no short sample */
export type BodyShortener = (body: string) => unknown;

/** The result is the same if the target answers the same. Cuts lists and objects with ids as keys to one entry. */
export function createBodyShortener(results: readonly ResultWithExchanges[]): BodyShortener {
  const volatile = new Set(results.flatMap((result) => result.volatile ?? []));
  const createSample = (value: unknown, path: string, depth = 0, isWithin = false): unknown => {
    const isVolatile = isWithin || volatile.has(path);
    if (typeof value === 'string') return isVolatile ? '…' : stabilizeText(value);
    if (typeof value === 'number') return isVolatile || Math.abs(value) >= minVolatileNumber ? 0 : value;
    if (typeof value === 'boolean') return value && !isVolatile;
    if (typeof value !== 'object' || value === null) return value;
    if (depth > maxDepth) return '…';
    if (Array.isArray(value))
      return isVolatile ? [] : value.slice(0, 1).map((item) => createSample(item, `${path}/*`, depth + 1));
    const members = Object.entries(value);
    const firstId = members.find(([key]) => isId(key))?.[0];
    return Object.fromEntries(
      members
        .filter(([key]) => key === firstId || !isId(key))
        .map(([key, member]) => [key, createSample(member, `${path}/${key}`, depth + 1, isVolatile)]),
    );
  };
  return (body) => {
    const value = parseJson(body);
    if (value === undefined) return undefined;
    const sample = createSample(value, '');
    return JSON.stringify(sample).length > maxSample ? undefined : sample;
  };
}

function isId(text: string): boolean {
  return stabilizeText(text) === '…';
}

function stabilizeText(text: string): string {
  // Cut first: on a long run of letters, the pattern takes quadratic time.
  const stable = truncate(text, maxText).replaceAll(volatilePattern, '…');
  return text.length > maxText ? `${stable}…` : stable;
}
