import { isJsonObject } from '../support/json.js';
import type { IdFinder } from './id-finder.js';
import { matchesPatterns } from './path-patterns.js';
import type { Mention } from './tier-mentions.js';
import { escapePathStep, getStep, type Position } from './walk-texts.js';

/**
 * Which of the mentioned tiers were returned: those with certain values beside them, such as `valid: true`, and those
 * under certain indices, such as `/groups/0/ids/*`.
 */
export interface MentionFilter {
  /** Name → values. All names must match. Empty if every mention counts, whatever is beside it. */
  readonly where: Readonly<Record<string, readonly string[]>>;
  /** Patterns with indices. Empty if the index does not matter. */
  readonly patterns: readonly string[];
}

/** What a target file states about returned tiers. */
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

/** Whether a mention passes a filter. @param tiers recognizes ids of tiers */
export function isSelected(
  mention: Omit<Mention, 'id' | 'pattern'>,
  { where, patterns }: MentionFilter,
  tiers: IdFinder,
): boolean {
  if (patterns.length > 0 && !matchesPatterns(renderPath(mention), patterns)) return false;
  const wanted = Object.entries(where);
  if (wanted.length === 0) return true;
  const values = listSiblingValues(mention, tiers);
  return wanted.every(([name, allowed]) => allowed.includes(values.get(name) ?? absentValue));
}

/** The value of a name that some mentions have and others do not. */
export const absentValue = 'null';

/** A value that is not compared: a list, an object or a long text. */
const otherValue = '\0';

/** The maximum number of members of an object that is a record. A larger one is a map. */
const maxMembers = 64;
/** The maximum number of levels around a mention, and of columns of a row. */
const [maxLevels, maxColumns] = [16, 4];
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
  const addMembers = (names: readonly string[], members: readonly unknown[], skipped?: number) => {
    if (names.length > maxMembers) return;
    for (const [n, name] of names.entries()) {
      const value = members[n];
      if (n === skipped) continue;
      if (!isJsonObject(value)) add(name, value);
      else
        for (const [inner, member] of Object.entries(value).slice(0, maxMembers))
          if (!isJsonObject(member)) add(`${name}/${inner}`, member);
    }
  };
  if (template !== undefined) add('text', template);
  const keyed = isKey ? position?.members[position.next] : undefined;
  if (isJsonObject(keyed)) addMembers(Object.keys(keyed), Object.values(keyed));
  else if (isKey) add('value', keyed);
  let list: Position | undefined;
  let level: Position | undefined = position;
  for (let n = 0; level !== undefined && n < maxLevels; n += 1, level = level.parent) {
    const { names, members, isList, next } = level;
    if (names !== undefined && !isList) {
      // Two lists of equal length are columns of a table.
      for (const [at, column] of list === undefined || names.length > maxMembers ? [] : members.entries())
        if (at !== next && Array.isArray(column) && column.length === list?.members.length)
          add(names[at] as string, column[list.next]);
      addMembers(names, members, next);
    } else if (members.length <= maxColumns) {
      const isTier = (column: unknown) => level === position && tiers.findIds(String(column)).ids.length > 0;
      for (const [at, column] of members.entries())
        if (at !== next && !isJsonObject(column) && !isTier(column)) add(String(at), column);
    }
    list = isList ? level : undefined;
  }
  return values;
}

/** Lists the indices of the lists around a mention, by the position of the step in its pattern. */
export function listIndices({ position }: Pick<Mention, 'position'>): ReadonlyMap<number, string> {
  const steps = listLevels(position).map((level, n) => [n + 1, level.isList ? getStep(level) : ''] as const);
  return new Map(steps.filter(([, index]) => index !== ''));
}

/** Renders the path of a mention: all keys and indices. */
function renderPath({ position }: Pick<Mention, 'position'>): string {
  return listLevels(position)
    .map((level) => `/${escapePathStep(getStep(level))}`)
    .join('');
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
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? absentValue);
  return isJsonObject(value) || text.length > maxText ? undefined : text;
}
