import { parseJson } from '../support/json.js';
import { anyStepsWildcard } from './path-patterns.js';
import type { Recognizer } from './recognizer.js';
import { isSelected } from './sibling-values.js';
import { escapePathStep, openContainer, type Position, parseNestedJson } from './tier-mentions.js';
import type { TierReading } from './tier-reading.js';

/**
 * Lists everything under the patterns of a reading, once each: the ids of known tiers, and the texts of other values. Keys
 * that are not known ids may be names of fields, so they count only if the target file states the pattern.
 */
export function listRecords(
  body: string,
  reading: Extract<TierReading, { kind: 'stated' | 'agreed' }>,
  { ids: { tiers, tiersInWords = tiers }, filter: ofTarget }: Pick<Recognizer, 'ids' | 'filter'>,
): string[] {
  const filter = reading.filter ?? ofTarget;
  const value = parseJson(body);
  if (value === undefined) return [];
  const keys: KeyRules = {
    isKnown: (key) => [tiers, tiersInWords].some((finder) => finder.findIds(key).ids.length > 0),
    areStated: reading.kind === 'stated',
  };
  const listUnder = (pattern: string) =>
    listTexts(value, pattern.split('/').slice(1), keys).flatMap(({ text, position, isKey }) => {
      const { ids, isWhole } = tiers.findIds(text);
      const template = ids.length === 0 || isWhole ? {} : { template: tiers.replaceIds(text, '*') };
      if (filter !== undefined && !isSelected({ position, isKey, ...template }, filter, tiers)) return [];
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

/** A text under a pattern. */
interface Listed {
  readonly text: string;
  readonly position: Position | undefined;
  readonly isKey: boolean;
}

/** Which keys count: those that are known ids, or all if the target file states a pattern that ends with a key. */
interface KeyRules {
  isKnown(key: string): boolean;
  readonly areStated: boolean;
}

/** Lists the strings and numbers under a pattern, and the keys if the pattern ends with a wildcard for a key. */
function listTexts(value: unknown, steps: readonly string[], keys: KeyRules, position?: Position): Listed[] {
  const [step, ...rest] = steps;
  if (step === undefined)
    return typeof value === 'string' || typeof value === 'number'
      ? [{ text: String(value), position, isKey: false }]
      : [];
  if (step === anyStepsWildcard)
    return [...walk(value, position)].flatMap((each) => listTexts(each.value, rest, keys, each.position));
  const inner = openValue(value);
  if (inner === undefined) return [];
  const { members, names } = inner;
  const [before = '', after] = step.replaceAll('~1', '/').replaceAll('~0', '~').split('*');
  return members.flatMap((part, next) => {
    const at = createPosition(inner, next, position);
    const key = names?.[next];
    if (inner.isList && !(key !== undefined && keys.isKnown(key)) && (step === '*' || step === (key ?? String(next)))) {
      const listed = listTexts(part, rest, keys, at);
      if (listed.length > 0 || rest.length > 0) return listed;
    }
    if (key === undefined) return [];
    if (after === undefined) return escapePathStep(key) === step ? listTexts(part, rest, keys, at) : [];
    if (!key.startsWith(before) || !key.endsWith(after)) return [];
    if (rest.length > 0) return listTexts(part, rest, keys, at);
    return keys.areStated || keys.isKnown(key) ? [{ text: key, position: at, isKey: true }] : [];
  });
}

/** Opens an array or an object, also one that a string contains as JSON. Returns undefined for other values. */
function openValue(value: unknown): ReturnType<typeof openContainer> | undefined {
  const opened = typeof value === 'string' ? parseNestedJson(value) : value;
  return typeof opened === 'object' && opened !== null ? openContainer(opened) : undefined;
}

function createPosition(
  { members, names, isList }: ReturnType<typeof openContainer>,
  next: number,
  parent?: Position,
): Position {
  // Without a spread, which takes five times as long.
  return { members, names, isList, next, parent, depth: (parent?.depth ?? 0) + 1 };
}

/** Yields a value and all values in it. Uses an explicit stack, because a body can be nested deeply. */
function* walk(
  value: unknown,
  position: Position | undefined,
): Generator<{ value: unknown; position: Position | undefined }> {
  const stack = [{ value, position }];
  for (let each = stack.pop(); each !== undefined; each = stack.pop()) {
    yield each;
    const inner = openValue(each.value);
    for (let next = (inner?.members.length ?? 0) - 1; inner !== undefined && next >= 0; next -= 1)
      stack.push({ value: inner.members[next], position: createPosition(inner, next, each.position) });
  }
}
