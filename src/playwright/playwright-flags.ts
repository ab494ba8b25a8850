const selectingFlag =
  /^(-g|--grep|--grep-invert|-gv|--shard|--last-failed|--only-changed|--test-list|--test-list-invert)(=|$)/;

/** Whether a command line of Playwright selects some of the tests. */
export function hasSelectingFlag(argv: readonly string[]): boolean {
  return argv.some((argument) => selectingFlag.test(argument));
}
