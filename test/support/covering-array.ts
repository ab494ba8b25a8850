/** The possible values of each member of a row. */
export type CoveringParameters<Row> = { readonly [Name in keyof Row]: readonly Row[Name][] };

/**
 * Creates rows in which every value of each parameter meets every value of each other parameter at least once.
 *
 * A greedy search as in AETG (Cohen et al., 1997): each row begins with the value that has the most unmet values, and adds
 * the values that bring the most new pairs. The rows are the same each time.
 *
 * @param parameters at least two, each with at least one value
 */
export function createCoveringArray<Row extends object>(parameters: CoveringParameters<Row>): Row[] {
  const choices = (Object.entries(parameters) as [string, readonly unknown[]][])
    .map(([name, values]): Choice[] => values.map((value) => ({ name, value, unmet: new Set() })))
    .sort((one, other) => other.length - one.length);
  const all = choices.flat();
  for (const choice of all) choice.unmet = new Set(all.filter(({ name }) => name !== choice.name));

  const rows: Row[] = [];
  for (let first = findBest(all, countUnmet); first.unmet.size > 0; first = findBest(all, countUnmet)) {
    const row = [first];
    const newPairs = ({ unmet }: Choice) => row.filter((other) => unmet.has(other)).length;
    for (const candidates of choices) {
      if (candidates[0]?.name === first.name) continue;
      row.push(findBest(candidates, (choice) => newPairs(choice) * all.length + countUnmet(choice)));
    }
    for (const { unmet } of row) for (const other of row) unmet.delete(other);
    rows.push(Object.fromEntries(row.map(({ name, value }) => [name, value])) as Row);
  }
  return rows;
}

/** A value of a parameter, and the values of other parameters that it has not met. */
interface Choice {
  readonly name: string;
  readonly value: unknown;
  unmet: Set<Choice>;
}

function countUnmet({ unmet }: Choice): number {
  return unmet.size;
}

/** Finds the first candidate with the best score. */
function findBest(candidates: readonly Choice[], score: (candidate: Choice) => number): Choice {
  const scores = candidates.map(score);
  return candidates[scores.indexOf(Math.max(...scores))] as Choice;
}
