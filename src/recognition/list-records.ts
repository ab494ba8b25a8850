import { parseJson } from '../support/json.js';
import type { IdFinder } from './id-finder.js';
import type { KnownIds } from './known-ids.js';
import { advance, anyStepsWildcard, getInitialState, type PatternState } from './path-patterns.js';
import { isSelected, type MentionFilter } from './sibling-values.js';
import { escapePathStep } from './tier-mentions.js';
import { type Position, walkTexts } from './walk-texts.js';

/** Lists everything under path patterns, once each: the ids of known tiers, and the texts of other values and keys. */
export function listRecords(
  body: string,
  patterns: readonly string[],
  { tiers, tiersInWords }: KnownIds,
  filter: MentionFilter | undefined,
): string[] {
  const value = parseJson(body);
  const listUnder = (pattern: string): string[] => {
    const wanted = pattern.split('/').slice(1);
    const start = getInitialState(wanted);
    const descend = (position: Position<PatternState>) => {
      const next = advance(position.state, wanted, (step) => matchesMember(step, position));
      return next.size === 0 ? undefined : next;
    };
    const isRecord = (position: Position<PatternState> | undefined, isKey: boolean) =>
      (position === undefined ? start : descend(position))?.has(wanted.length) === true &&
      (position?.names === undefined || isKey === isNamedByKey(position, wanted, [tiers, tiersInWords]));
    const records: string[] = [];
    walkTexts(value, start, descend, (text, position, isKey) => {
      if (!isRecord(position, isKey)) return;
      const found = tiers.findIds(text);
      const template = found.ids.length === 0 || found.isWhole ? undefined : tiers.replaceIds(text, '*');
      if (filter !== undefined && !isSelected({ position, isKey, template }, filter, tiers)) return;
      records.push(...(found.ids.length > 0 ? found.ids : [text]));
    });
    return records;
  };
  return [...new Set(patterns.flatMap(listUnder))];
}

/** Whether a step of a pattern matches a member. `*` within a step stands for an id in a key. */
function matchesMember(step: string, { names, isList, next }: Position): boolean {
  const key = names?.[next];
  if (isList && (step === '*' || step === (key ?? String(next)))) return true;
  if (key === undefined) return false;
  const [before = '', after] = step.replaceAll('~1', '/').replaceAll('~0', '~').split('*');
  return after === undefined ? escapePathStep(key) === step : key.startsWith(before) && key.endsWith(after);
}

/** Whether the key of a member is the record, and not the value. */
function isNamedByKey(
  { names = [], isList, members, next }: Position,
  wanted: readonly string[],
  ids: readonly IdFinder[],
): boolean {
  const last = wanted.at(-1) ?? '';
  if (last === anyStepsWildcard || !last.includes('*')) return false;
  if (!isList || ids.some((finder) => finder.findIds(names[next] ?? '').ids.length > 0)) return true;
  return !['string', 'number'].includes(typeof members[next]);
}
