import { isJsonObject, NumberText } from '../support/json.js';
import type { IdFinder } from './id-finder.js';
import { matchesPathPatterns } from './path-patterns.js';
import type { Mention } from './tier-mentions.js';
import { type BodyPosition, escapePathStep } from './walk-texts.js';

/** Which of the mentioned tiers were returned: those with certain values beside them, or under certain indices. */
export interface MentionFilter {
  /** Name → values, such as `valid: true`. All names must match. Empty if every mention counts, whatever is beside it. */
  readonly where: Readonly<Record<string, readonly string[]>>;
  /** Patterns with indices, such as `/groups/0/ids/*`. Empty if the index does not matter. */
  readonly patterns: readonly string[];
}

export interface ResponseReadingSettings {
  readonly tier?: string | readonly string[];
  readonly where?: Readonly<Record<string, unknown>>;
}

/** Creates the filter that a target file states; undefined if it states none. */
export function createMentionFilter({ tier = [], where }: ResponseReadingSettings): MentionFilter | undefined {
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

/** Whether a mention counts, by what is beside it and by the indices around it. */
export function matchesMentionFilter(
  mention: Omit<Mention, 'id' | 'pattern'>,
  { where, patterns }: MentionFilter,
  tiers: IdFinder,
): boolean {
  const steps = patterns.length === 0 ? [] : listLevels(mention.position).map(({ step }) => step);
  const path = steps.map((step) => `/${escapePathStep(step)}`).join('');
  if (patterns.length > 0 && !matchesPathPatterns(path, patterns)) return false;
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
  const found: NamedValue[] = [
    ...(template === undefined ? [] : [['text', template] as const]),
    ...(isKey ? listValuesOfKey(position?.member) : []),
    ...listNearestLevels(position).flatMap((level, n, levels) => listValuesAt(level, levels[n - 1], tiers)),
  ];
  const values = new Map<string, string>();
  for (const [name, value] of found) if (!values.has(name)) values.set(name, renderValue(value) ?? otherValue);
  return values;
}

type NamedValue = readonly [name: string, value: unknown];

/** Lists what a mentioned id has if it is a key: the members of its record, or a single value. */
function listValuesOfKey(keyed: unknown): NamedValue[] {
  if (!isJsonObject(keyed)) return [['value', keyed]];
  const members = Object.entries(keyed);
  return members.length > maxMembers ? [] : members.flatMap(openMember);
}

/** Lists the values of one array or object around a mention. @param inner the one inside of it that has the mention */
function listValuesAt(level: BodyPosition, inner: BodyPosition | undefined, tiers: IdFinder): NamedValue[] {
  const { value, size, isList, next } = level;
  if (size > (isList ? maxColumns : maxMembers)) return [];
  const beside = Object.entries(value).filter((_, at) => at !== next);
  if (isList) return beside.filter(([, column]) => isColumn(column, inner, tiers));
  return [...listColumnValues(beside, inner), ...beside.flatMap(openMember)];
}

/** Whether a value beside a mention in a list belongs to its row. Otherwise it is a row or a tier of its own. */
function isColumn(value: unknown, inner: BodyPosition | undefined, tiers: IdFinder): boolean {
  if (isJsonObject(value)) return false;
  return inner !== undefined || tiers.findIds(String(value)).ids.length === 0;
}

/** Two lists of equal length are columns of a table: lists the values in the row of the mention. */
function listColumnValues(beside: readonly NamedValue[], inner: BodyPosition | undefined): NamedValue[] {
  if (!inner?.isList) return [];
  const { size, next } = inner;
  return beside.flatMap(([name, column]): NamedValue[] =>
    Array.isArray(column) && column.length === size ? [[name, column[next]]] : [],
  );
}

/** Lists a member of an object, or the members of the object that it is. */
function openMember([name, value]: NamedValue): NamedValue[] {
  if (!isJsonObject(value)) return [[name, value]];
  const members = Object.entries(value).slice(0, maxMembers);
  return members.filter(([, member]) => !isJsonObject(member)).map(([inner, member]) => [`${name}/${inner}`, member]);
}

/** Lists the nearest arrays and objects around a mention, from the inside out. */
function listNearestLevels(position: BodyPosition | undefined): BodyPosition[] {
  const levels: BodyPosition[] = [];
  for (let level = position; level !== undefined && levels.length < maxLevels; level = level.parent) levels.push(level);
  return levels;
}

/** Lists the indices of the lists around a mention, by the position of the step in its pattern. */
export function listIndicesAroundMention({ position }: Pick<Mention, 'position'>): ReadonlyMap<number, string> {
  const steps = listLevels(position).map((level, n) => [n + 1, level.isList ? level.step : ''] as const);
  return new Map(steps.filter(([, index]) => index !== ''));
}

/** Lists the arrays and objects around a mention, from the outside in. */
function listLevels(position: BodyPosition | undefined): BodyPosition[] {
  const levels: BodyPosition[] = [];
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
