import type { Location, Problem } from '../support/problem.js';

/** Lists of equal length, by the names that the texts of an entry refer to. */
export type Each = Readonly<Record<string, readonly (string | number | boolean)[]>>;

/** What an entry of a world file stands for: several things that differ in the values of `{name}`, or as many equal ones. */
interface Series {
  readonly each?: Each;
  readonly repeat?: number;
}

/**
 * Lists the things that an entry stands for: the entry with a value for each `{name}`, and with 1, 2, 3 … for `{n}`.
 *
 * @param locate returns the location of a member
 * @returns the entry itself if it stands for one thing
 */
export function expandSeries<Entry extends Series>(
  { each, repeat, ...entry }: Entry,
  locate: (...steps: string[]) => Location,
  problems: Problem[],
): Omit<Entry, keyof Series>[] {
  if (each === undefined && repeat === undefined) return [entry];
  const lists = Object.entries(each ?? {});
  const lengths = lists.map(([, values]) => values.length);
  const count = repeat ?? Math.max(...lengths);
  if (lengths.some((length) => length !== count))
    problems.push({
      at: locate('each'),
      message: `the lists of 'each' have ${lengths.join(', ')} values`,
      hint: 'Give each list as many values.',
    });
  const used = new Set<string>();
  const filled = Array.from({ length: count }, (_, n) => {
    const values = new Map<string, string>([['n', String(n + 1)]]);
    for (const [name, list] of lists) values.set(name, String(list[n] ?? ''));
    return fillTexts(entry, values, used) as typeof entry;
  });
  for (const [name] of lists)
    if (!used.has(name))
      problems.push({
        at: locate('each', name),
        message: `no text of the entry contains '{${name}}'`,
        hint: 'Refer to it, or remove the list.',
      });
  return filled;
}

/** Puts values for `{name}` into all texts of a value, keys included. Other words in braces stay. */
function fillTexts(value: unknown, values: ReadonlyMap<string, string>, used: Set<string>): unknown {
  if (typeof value === 'string')
    return value.replace(/\{([a-z]+)\}/g, (whole, name: string) => {
      used.add(name);
      return values.get(name) ?? whole;
    });
  if (Array.isArray(value)) return value.map((item) => fillTexts(item, values, used));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [
    fillTexts(key, values, used),
    fillTexts(member, values, used),
  ]);
  return Object.fromEntries(entries);
}
