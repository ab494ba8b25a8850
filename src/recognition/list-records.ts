import { parseJson } from '../support/json.js';
import type { KnownIds } from './known-ids.js';
import { escapePathStep, parseEncodedJson } from './tier-mentions.js';
import { anyStepsWildcard, type TierReading } from './tier-reading.js';

/**
 * Lists everything under the patterns of a reading, once each: the ids of known tiers, and the texts of other values. Keys
 * that are not known ids may be names of fields, so they count only if the target file states the pattern.
 */
export function listRecords(
  body: string,
  reading: Extract<TierReading, { kind: 'stated' | 'agreed' }>,
  { tiers }: KnownIds,
): string[] {
  const value = parseJson(body);
  if (value === undefined) return [];
  const isRecordKey = (key: string) => reading.kind === 'stated' || tiers.findIds(key).ids.length > 0;
  const listUnder = (pattern: string) =>
    listTexts(value, pattern.split('/').slice(1), isRecordKey).flatMap((text) => {
      const { ids } = tiers.findIds(text);
      return ids.length > 0 ? ids : [text];
    });
  if (reading.kind === 'stated') return [...new Set(reading.patterns.flatMap(listUnder))];
  // Agreeing patterns name the same records, so the first one that names any is enough.
  const levels = [...(reading.nestedPaths ?? [])];
  for (const pattern of reading.patterns) {
    const nested = levels.filter(([, normalized]) => normalized === pattern).flatMap(([level]) => listUnder(level));
    const texts = [...listUnder(pattern), ...nested];
    if (texts.length > 0) return [...new Set(texts)];
  }
  return [];
}

/** Lists the strings and numbers under a pattern, and the keys if the pattern ends with a wildcard for a key. */
function listTexts(value: unknown, steps: readonly string[], isRecordKey: (key: string) => boolean): string[] {
  const [step, ...rest] = steps;
  if (step === undefined) return typeof value === 'string' || typeof value === 'number' ? [String(value)] : [];
  if (step === anyStepsWildcard) return [...walk(value)].flatMap((each) => listTexts(each, rest, isRecordKey));
  if (typeof value === 'string') return listTexts(parseEncodedJson(value), steps, isRecordKey);
  if (Array.isArray(value)) return step === '*' ? value.flatMap((item) => listTexts(item, rest, isRecordKey)) : [];
  if (typeof value !== 'object' || value === null) return [];
  const [before = '', after] = step.replaceAll('~1', '/').replaceAll('~0', '~').split('*');
  return Object.entries(value).flatMap(([key, part]) => {
    if (after === undefined) return escapePathStep(key) === step ? listTexts(part, rest, isRecordKey) : [];
    if (!key.startsWith(before) || !key.endsWith(after)) return [];
    if (rest.length > 0) return listTexts(part, rest, isRecordKey);
    return isRecordKey(key) ? [key] : [];
  });
}

/** Yields a value and all values in it. Uses an explicit stack, because a body can be nested deeply. */
function* walk(value: unknown): Generator<unknown> {
  const stack = [value];
  while (stack.length > 0) {
    const each = stack.pop();
    yield each;
    const holder = typeof each === 'string' ? parseEncodedJson(each) : each;
    if (typeof holder === 'object' && holder !== null)
      for (const part of Object.values(holder).reverse()) stack.push(part);
  }
}
