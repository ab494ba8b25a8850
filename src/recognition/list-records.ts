import { parseJson } from '../support/json.js';
import type { KnownIds } from './known-ids.js';
import { escapePathStep, parseEncodedJson } from './tier-mentions.js';
import { anyStepsWildcard, type TierReading } from './tier-reading.js';

/**
 * Whatever stands where promotions are named: the id of each known tier, and the text of each other thing, once. Keys of
 * objects that are no known ids may be names of fields, so they count only where the target file states the pattern.
 */
export function listRecords(
  body: string,
  reading: Extract<TierReading, { kind: 'stated' | 'agreed' }>,
  { tiers }: KnownIds,
): string[] {
  const value = parseJson(body);
  if (value === undefined) return [];
  const isTaken = (key: string) => reading.kind === 'stated' || tiers.findIds(key).ids.length > 0;
  const foundUnder = (pattern: string) =>
    textsAt(value, pattern.split('/').slice(1), isTaken).flatMap((text) => {
      const { ids } = tiers.findIds(text);
      return ids.length > 0 ? ids : [text];
    });
  // Those that are stated may each name some.
  if (reading.kind === 'stated') return [...new Set(reading.patterns.flatMap(foundUnder))];
  const levels = [...(reading.folds ?? [])];
  // Those that agree name the same things, and there may be a thousand.
  for (const pattern of reading.patterns) {
    const further = levels.filter(([, place]) => place === pattern).flatMap(([level]) => foundUnder(level));
    const texts = [...foundUnder(pattern), ...further];
    if (texts.length > 0) return [...new Set(texts)];
  }
  return [];
}

/** The texts under a pattern: strings and numbers, and keys where the pattern ends with a wildcard for one. */
function textsAt(value: unknown, steps: readonly string[], isTaken: (key: string) => boolean): string[] {
  const [step, ...rest] = steps;
  if (step === undefined) return typeof value === 'string' || typeof value === 'number' ? [String(value)] : [];
  if (step === anyStepsWildcard) return [...descendants(value)].flatMap((each) => textsAt(each, rest, isTaken));
  if (typeof value === 'string') return textsAt(parseEncodedJson(value), steps, isTaken);
  if (Array.isArray(value)) return step === '*' ? value.flatMap((item) => textsAt(item, rest, isTaken)) : [];
  if (typeof value !== 'object' || value === null) return [];
  const [before = '', after] = step.replaceAll('~1', '/').replaceAll('~0', '~').split('*');
  return Object.entries(value).flatMap(([key, part]) => {
    if (after === undefined) return escapePathStep(key) === step ? textsAt(part, rest, isTaken) : [];
    if (!key.startsWith(before) || !key.endsWith(after)) return [];
    if (rest.length > 0) return textsAt(part, rest, isTaken);
    return isTaken(key) ? [key] : [];
  });
}

/** A value with all that is in it, however deep that is. */
function* descendants(value: unknown): Generator<unknown> {
  const open = [value];
  while (open.length > 0) {
    const each = open.pop();
    yield each;
    const holder = typeof each === 'string' ? parseEncodedJson(each) : each;
    if (typeof holder === 'object' && holder !== null)
      for (const part of Object.values(holder).reverse()) open.push(part);
  }
}
