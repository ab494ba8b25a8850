/**
 * The body of one test of many rows, since a test of its own takes longer than most of them. Every row is tried; the
 * error names those that fail, with what was expected of them.
 *
 * @param rows each begins with what it is about
 */
export function checkEachRow<Rest extends unknown[]>(
  rows: readonly (readonly [what: string, ...Rest])[],
  check: (what: string, ...rest: Rest) => void,
): () => void {
  return () => {
    const failures = rows.flatMap((row) => {
      try {
        check(...row);
        return [];
      } catch (error) {
        return [`${row[0]}:\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}`];
      }
    });
    if (failures.length > 0) throw new Error(`${failures.length} of ${rows.length} rows\n\n${failures.join('\n\n')}`);
  };
}
