import { isJsonObject, NumberText } from '../support/json.js';
import type { IdFinder } from './id-finder.js';
import { matchesPatterns } from './path-patterns.js';
import type { Mention } from './tier-mentions.js';
import { escapePathStep, type Position } from './walk-texts.js';

/** Which of the mentioned tiers were returned: those with certain values beside them, or under certain indices. */
export interface MentionFilter {
  /** Name → values, such as `valid: true`. All names must match. Empty if every mention counts, whatever is beside it. */
  readonly where: Readonly<Record<string, readonly string[]>>;
  /** Patterns with indices, such as `/groups/0/ids/*`. Empty if the index does not matter. */
  readonly patterns: readonly string[];
}

export interface ResponseSettings {
  readonly tier?: string | readonly string[];
  readonly where?: Readonly<Record<string, unknown>>;
}

/** Creates the filter that a target file states; undefined if it states none. */
export function createMentionFilter({ tier = [], where }: ResponseSettings): MentionFilter | undefined {
  const patterns = [tier].flat();
  const hasIndex = patterns.some((pattern) => /\/\d+(\/|$)/.test(pattern));
  if (where === undefined && !hasIndex) return undefined;
  const renderValues = (value: unknown) =>
    (Array.isArray(value) && value.length > 0 ? value : [value]).map((member) => renderValue(member) ?? '');
  return {
    where: Object.fromEntries(Object.entries(where ?? {}).map(([name, value]) => [name, renderValues(value)])),
    patterns: hasIndex ? patterns : [],
  };
}

export function isSelected(
  mention: Omit<Mention, 'id' | 'pattern'>,
  { where, patterns }: MentionFilter,
  tiers: IdFinder,
): boolean {
  const steps = patterns.length === 0 ? [] : listLevels(mention.position).map(({ step }) => step);
  const path = steps.map((step) => `/${escapePathStep(step)}`).join('');
  if (patterns.length > 0 && !matchesPatterns(path, patterns)) return false;
  const wanted = Object.entries(where);
  if (wanted.length === 0) return true;
  const values = listSiblingValues(mention, tiers);
  return wanted.every(([name, allowed]) => allowed.includes(values.get(name) ?? absentValue));
}

/** The value of a name that some mentions have and others do not. */
export const absentValue = 'null';

/** A value that is not compared: a list, an object or a long text. */
const otherValue = '\0';

/** A larger object is a map and not a record, a longer list is no row, and what is farther away says nothing of a mention. */
const [maxMembers, maxColumns, maxLevels] = [64, 4, 16];
const maxText = 100;

/**
 * Lists the values beside a mention by name, the nearest first: members of the objects around it (`kind`, or `result/valid`
 * one level deeper), the columns of its row (`1`), and `value` for the value of a key. A `text` is the text around the id.
 *
 * @param tiers recognizes ids of tiers: a list of tiers is no row
 */
export function listSiblingValues(
  { position, isKey, template }: Omit<Mention, 'id' | 'pattern'>,
  tiers: IdFinder,
): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  const add = (name: string, value: unknown) => {
    if (!values.has(name)) values.set(name, renderValue(value) ?? otherValue);
  };
  const addMembers = (members: readonly (readonly [name: string, value: unknown])[]) => {
    for (const [name, value] of members) {
      if (!isJsonObject(value)) add(name, value);
      else
        for (const [inner, member] of Object.entries(value).slice(0, maxMembers))
          if (!isJsonObject(member)) add(`${name}/${inner}`, member);
    }
  };
  if (template !== undefined) add('text', template);
  const keyed = isKey ? position?.member : undefined;
  if (!isJsonObject(keyed)) addMembers(isKey ? [['value', keyed]] : []);
  else if (Object.keys(keyed).length <= maxMembers) addMembers(Object.entries(keyed));
  let inner: Position | undefined;
  let level = position;
  for (let n = 0; level !== undefined && n < maxLevels; n += 1) {
    const { value, size, isList, next } = level;
    const isSmall = size <= (isList ? maxColumns : maxMembers);
    const beside = (isSmall ? Object.entries(value) : []).filter((_, at) => at !== next);
    const isTier = (value: unknown) => inner === undefined && tiers.findIds(String(value)).ids.length > 0;
    if (isList) addMembers(beside.filter(([, value]) => !isJsonObject(value) && !isTier(value)));
    else {
      // Two lists of equal length are columns of a table.
      for (const [name, column] of inner?.isList ? beside : [])
        if (Array.isArray(column) && column.length === inner?.size) add(name, column[inner.next]);
      addMembers(beside);
    }
    inner = level;
    level = level.parent;
  }
  return values;
}

/** Lists the indices of the lists around a mention, by the position of the step in its pattern. */
export function listIndices({ position }: Pick<Mention, 'position'>): ReadonlyMap<number, string> {
  const steps = listLevels(position).map((level, n) => [n + 1, level.isList ? level.step : ''] as const);
  return new Map(steps.filter(([, index]) => index !== ''));
}

/** Lists the arrays and objects around a mention, from the outside in. */
function listLevels(position: Position | undefined): Position[] {
  const levels: Position[] = [];
  for (let level = position; level !== undefined; level = level.parent) levels.push(level);
  return levels.reverse();
}

/** Renders a value, in the same way in JSON and YAML. Returns undefined for what is not compared. */
function renderValue(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.length === 0 ? '[]' : undefined;
  const isText = typeof value === 'string' || value instanceof NumberText;
  const text = isText ? String(value) : (JSON.stringify(value) ?? absentValue);
  return isJsonObject(value) || text.length > maxText ? undefined : text;
}
