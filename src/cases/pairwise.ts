/**
 * Combines axes pairwise (all-pairs testing): any two places of two axes meet in a row. All combinations would be hundreds.
 * Rows of axes that end in the same axes end in the same combinations, so cases share these requests.
 *
 * @param sizes the number of places of each axis, at least one
 * @returns rows with one place of each axis; one empty row if there is no axis
 */
export function combinePairwise([first, ...rest]: readonly number[]): number[][] {
  if (first === undefined) return [[]];
  const ends = combinePairwise(rest);
  const unmet = new Set(ends.flatMap(listPairs));
  const rows: number[][] = [];
  const add = (place: number, end: readonly number[]) => {
    rows.push([place, ...end]);
    for (const pair of listPairs(end)) unmet.delete(pair);
  };
  for (let place = 0; place < first; place += 1) for (const end of coverPlaces(ends, unmet)) add(place, end);
  // If the first axis has few places, some pairs of the others need further rows.
  for (let n = 0; unmet.size > 0; n += 1)
    add(
      n % first,
      findBest(ends, (end) => countIn(unmet, listPairs(end))),
    );
  return rows.sort((row, next) => row.map((place, n) => place - (next[n] as number)).find((apart) => apart !== 0) ?? 0);
}

/** Chooses few rows with every place of every axis and many unmet pairs: the best of several greedy choices. */
function coverPlaces(rows: readonly number[][], unmet: ReadonlySet<string>): number[][] {
  const choices = rows.map((_, n) => chooseGreedily([...rows.slice(n), ...rows.slice(0, n)], unmet));
  return findBest(choices, (choice) => countIn(unmet, choice.flatMap(listPairs)) - choice.length * (unmet.size + 1));
}

function chooseGreedily(rows: readonly number[][], unmet: ReadonlySet<string>): number[][] {
  const absent = new Set(rows.flatMap(listPlaces));
  const choice: number[][] = [];
  while (absent.size > 0) {
    const next = findBest(
      rows,
      (row) => countIn(absent, listPlaces(row)) * (unmet.size + 1) + countIn(unmet, listPairs(row)),
    );
    choice.push(next);
    for (const place of listPlaces(next)) absent.delete(place);
  }
  return choice.length === 0 ? rows.slice(0, 1) : choice;
}

function listPlaces(row: readonly number[]): string[] {
  return row.map((place, axis) => `${axis}:${place}`);
}

function listPairs(row: readonly number[]): string[] {
  const places = listPlaces(row);
  return places.flatMap((place, n) => places.slice(n + 1).map((next) => `${place} ${next}`));
}

function countIn(set: ReadonlySet<string>, some: readonly string[]): number {
  return new Set(some.filter((text) => set.has(text))).size;
}

function findBest<T>(candidates: readonly T[], score: (candidate: T) => number): T {
  const scores = candidates.map(score);
  return candidates[scores.indexOf(Math.max(...scores))] as T;
}
