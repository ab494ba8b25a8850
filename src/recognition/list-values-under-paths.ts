import { isJsonContainer, parseJsonExactly } from '../support/json.js';
import type { IdFinders } from './id-finders.js';
import { matchesPathPatterns } from './path-patterns.js';
import { type MentionFilter, matchesMentionFilter } from './sibling-values.js';
import { type BodyPosition, escapePathStep, getPathOfPosition, walkTexts } from './walk-texts.js';

/** Lists everything under path patterns, once each: the ids of known tiers, and the texts of other values and keys. */
export function listValuesUnderPaths(
  body: string,
  patterns: readonly string[],
  ids: IdFinders,
  filter: MentionFilter | undefined,
): string[] {
  const { tiers } = ids;
  const records: string[] = [];
  const renderKey = (position: BodyPosition) => escapePathStep(position.step);
  walkTexts(parseJsonExactly(body), (text, position, isKey) => {
    const path = position === undefined ? '' : getPathOfPosition(position, renderKey);
    const pattern = patterns.find((stated) => matchesPathPatterns(path, [stated]));
    if (pattern === undefined || (position?.name !== undefined && isKey !== isNamedByKey(position, pattern, ids)))
      return;
    const found = tiers.findIds(text);
    const template = found.ids.length === 0 || found.isWhole ? undefined : tiers.replaceIds(text, '*');
    if (filter !== undefined && !matchesMentionFilter({ position, isKey, template }, filter, tiers)) return;
    records.push(...(found.ids.length > 0 ? found.ids : [text]));
  });
  return [...new Set(records)];
}

/** Whether the key of a member is the record, and not the value. */
function isNamedByKey(position: BodyPosition, pattern: string, { tiers, tiersInWords }: IdFinders): boolean {
  const last = pattern.slice(pattern.lastIndexOf('/') + 1);
  if (last === '**' || !last.includes('*')) return false;
  const key = position.step;
  if (!position.isList || [tiers, tiersInWords].some((finder) => finder.findIds(key).ids.length > 0)) return true;
  const { member } = position;
  return isJsonContainer(member) || member === null || typeof member === 'boolean';
}
