import { parseJson } from '../support/json.js';
import type { KnownIds } from './known-ids.js';
import { advance, anyStepsWildcard, getInitialState, type PatternState } from './path-patterns.js';
import type { Recognizer } from './recognizer.js';
import { isSelected } from './sibling-values.js';
import { escapePathStep } from './tier-mentions.js';
import type { TierReading } from './tier-reading.js';
import { type PlacedText, type Position, walkTexts } from './walk-texts.js';

/**
 * Lists everything under the patterns of a reading, once each: the ids of known tiers, and the texts of other values. Keys
 * that are not known ids may be names of fields, so they count only if the target file states the pattern.
 */
export function listRecords(
  body: string,
  reading: Extract<TierReading, { kind: 'stated' | 'agreed' }>,
  { ids, filter: ofTarget }: Pick<Recognizer, 'ids' | 'filter'>,
): string[] {
  const { tiers } = ids;
  const filter = reading.filter ?? ofTarget;
  const value = parseJson(body);
  const listUnder = (pattern: string): string[] => {
    const wanted = pattern.split('/').slice(1);
    const start = getInitialState(wanted);
    const descend = (position: Position<PatternState>) => {
      const next = advance(position.state, wanted, (step) => matchesMember(step, position));
      return next.size === 0 ? undefined : next;
    };
    const isRecord = ({ position, isKey }: PlacedText<PatternState>) =>
      (position === undefined ? start : descend(position))?.has(wanted.length) === true &&
      (position?.names === undefined || isKey === isNamedByKey(position, wanted, reading.kind === 'stated', ids));
    const records: string[] = [];
    for (const placed of walkTexts(value, start, descend)) {
      if (!isRecord(placed)) continue;
      const found = tiers.findIds(placed.text);
      const template = found.ids.length === 0 || found.isWhole ? undefined : tiers.replaceIds(placed.text, '*');
      if (filter !== undefined && !isSelected({ ...placed, template }, filter, tiers)) continue;
      records.push(...(found.ids.length > 0 ? found.ids : [placed.text]));
    }
    return records;
  };
  if (reading.kind === 'stated') return [...new Set(reading.patterns.flatMap(listUnder))];
  // Agreeing patterns name the same records, so the first one that names any is enough.
  const levels = [...(reading.nestedPaths ?? [])];
  for (const pattern of reading.patterns) {
    const nested = levels.filter(([, normalized]) => normalized === pattern).map(([level]) => level);
    const texts = [pattern, ...nested].flatMap(listUnder);
    if (texts.length > 0) return [...new Set(texts)];
  }
  return [];
}

/** Whether a step of a pattern matches a member. `*` within a step stands for an id in a key. */
function matchesMember(step: string, { names, isList, next }: Position): boolean {
  const key = names?.[next];
  if (isList && (step === '*' || step === (key ?? String(next)))) return true;
  if (key === undefined) return false;
  const [before = '', after] = step.replaceAll('~1', '/').replaceAll('~0', '~').split('*');
  return after === undefined ? escapePathStep(key) === step : key.startsWith(before) && key.endsWith(after);
}

/** Whether the key of a member is the record, and not the value. @param areStated whether unknown keys are records, too */
function isNamedByKey(
  { names = [], isList, members, next }: Position,
  wanted: readonly string[],
  areStated: boolean,
  { tiers, tiersInWords }: KnownIds,
): boolean | undefined {
  const last = wanted.at(-1) ?? '';
  if (last === anyStepsWildcard || !last.includes('*')) return false;
  if ([tiers, tiersInWords].some((finder) => finder.findIds(names[next] ?? '').ids.length > 0)) return true;
  // Neither is a record if an unknown key may be the name of a field.
  if (!isList) return areStated ? true : undefined;
  return areStated && !['string', 'number'].includes(typeof members[next]);
}
