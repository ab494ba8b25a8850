/**
 * Checks all rows in one test, because one test per row takes longer. The error lists all failing rows.
 *
 * @param rows each begins with its name
 */
export function checkEachRow<Rest extends unknown[]>(
  rows: readonly (readonly [what: string, ...Rest])[],
  check: (what: string, ...rest: Rest) => void,
): void {
  const failures = rows.flatMap((row) => {
    try {
      check(...row);
      return [];
    } catch (error) {
      return [`${row[0]}:\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}`];
    }
  });
  if (failures.length > 0) throw new Error(`${failures.length} of ${rows.length} rows\n\n${failures.join('\n\n')}`);
}
