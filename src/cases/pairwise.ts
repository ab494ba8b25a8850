/**
 * Rows of places on axes, in which any two places of two axes meet: what two choices do to each other shows in a few
 * rows, where all combinations would be hundreds.
 *
 * The rows are the same each time, and those of axes that end as others do are made of the others' rows. So the same
 * customers and orders are sent with a campaign filter, with a metadata filter and with none, and a request that two
 * matrices have in common goes out once.
 *
 * @param sizes how many places each axis has, at least one
 * @returns a single empty row where there is no axis
 */
export function combinePairwise([first, ...rest]: readonly number[]): number[][] {
  if (first === undefined) return [[]];
  const ends = combinePairwise(rest);
  const unmet = new Set(ends.flatMap(pairsOf));
  const rows: number[][] = [];
  const add = (place: number, end: readonly number[]) => {
    rows.push([place, ...end]);
    for (const pair of pairsOf(end)) unmet.delete(pair);
  };
  for (let place = 0; place < first; place += 1) for (const end of everyPlace(ends, unmet)) add(place, end);
  // A first axis with few places leaves some pairs of the others for further rows.
  for (let n = 0; unmet.size > 0; n += 1)
    add(
      n % first,
      bestOf(ends, (end) => countIn(unmet, pairsOf(end))),
    );
  return rows.sort(
    (one, other) => one.map((place, n) => place - (other[n] as number)).find((apart) => apart !== 0) ?? 0,
  );
}

/**
 * As few rows as can be found in which each place of each axis stands, and as many pairs as can be that have not met:
 * the best of several greedy choices, each of which begins elsewhere.
 */
function everyPlace(rows: readonly number[][], unmet: ReadonlySet<string>): number[][] {
  const choices = rows.map((_, n) => greedyChoice([...rows.slice(n), ...rows.slice(0, n)], unmet));
  return bestOf(choices, (choice) => countIn(unmet, choice.flatMap(pairsOf)) - choice.length * (unmet.size + 1));
}

function greedyChoice(rows: readonly number[][], unmet: ReadonlySet<string>): number[][] {
  const absent = new Set(rows.flatMap(placesOf));
  const choice: number[][] = [];
  while (absent.size > 0) {
    const next = bestOf(
      rows,
      (row) => countIn(absent, placesOf(row)) * (unmet.size + 1) + countIn(unmet, pairsOf(row)),
    );
    choice.push(next);
    for (const place of placesOf(next)) absent.delete(place);
  }
  return choice.length === 0 ? rows.slice(0, 1) : choice;
}

function placesOf(row: readonly number[]): string[] {
  return row.map((place, axis) => `${axis}:${place}`);
}

function pairsOf(row: readonly number[]): string[] {
  const places = placesOf(row);
  return places.flatMap((one, n) => places.slice(n + 1).map((other) => `${one} ${other}`));
}

function countIn(set: ReadonlySet<string>, some: readonly string[]): number {
  return new Set(some.filter((each) => set.has(each))).size;
}

/** The first of those that score the most. */
function bestOf<T>(candidates: readonly T[], score: (candidate: T) => number): T {
  const scores = candidates.map(score);
  return candidates[scores.indexOf(Math.max(...scores))] as T;
}
