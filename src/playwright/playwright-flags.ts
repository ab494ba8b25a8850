/** Flags of Playwright that leave out tests. */
const selecting =
  /^(-g|--grep|--grep-invert|-gv|--shard|--last-failed|--only-changed|--test-list|--test-list-invert)(=|$)/;

/** Whether a command line of Playwright selects some of the tests, for when it ended before it had any. */
export function hasSelectingFlag(argv: readonly string[]): boolean {
  return argv.some((argument) => selecting.test(argument));
}
