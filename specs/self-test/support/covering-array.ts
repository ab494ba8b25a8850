/** The values that each member of a row may have. */
export type CoveringParameters<Row> = { readonly [Name in keyof Row]: readonly Row[Name][] };

/**
 * Rows in which every value of each parameter meets every value of each other parameter at least once: what two choices
 * do to each other shows in a hundred rows, where trying all combinations would never end.
 *
 * The rows are the same each time. One after another begins with the value that has the most others still to meet and
 * is completed, the parameters with the most values first, with what brings the most further pairs: a greedy search as
 * in AETG (Cohen et al., 1997).
 *
 * @param parameters at least two, none of them without a value
 */
export function createCoveringArray<Row extends object>(parameters: CoveringParameters<Row>): Row[] {
  const choices = (Object.entries(parameters) as [string, readonly unknown[]][])
    .map(([name, values]): Choice[] => values.map((value) => ({ name, value, unmet: new Set() })))
    .sort((one, other) => other.length - one.length);
  const all = choices.flat();
  for (const choice of all) choice.unmet = new Set(all.filter(({ name }) => name !== choice.name));

  const rows: Row[] = [];
  for (let first = bestOf(all, unmetOf); first.unmet.size > 0; first = bestOf(all, unmetOf)) {
    const row = [first];
    const newPairs = ({ unmet }: Choice) => row.filter((other) => unmet.has(other)).length;
    for (const candidates of choices) {
      if (candidates[0]?.name === first.name) continue;
      row.push(bestOf(candidates, (choice) => newPairs(choice) * all.length + unmetOf(choice)));
    }
    for (const { unmet } of row) for (const other of row) unmet.delete(other);
    rows.push(Object.fromEntries(row.map(({ name, value }) => [name, value])) as Row);
  }
  return rows;
}

/** A value of a parameter, and those of the others that it has not met in a row. */
interface Choice {
  readonly name: string;
  readonly value: unknown;
  unmet: Set<Choice>;
}

function unmetOf({ unmet }: Choice): number {
  return unmet.size;
}

/** The first of those that score the most. */
function bestOf(candidates: readonly Choice[], score: (candidate: Choice) => number): Choice {
  const scores = candidates.map(score);
  return candidates[scores.indexOf(Math.max(...scores))] as Choice;
}
