/** Splits a list into what is shown and what is folded. A single entry is not worth folding. */
export function splitAtLimit<T>(entries: readonly T[], max: number): [shown: readonly T[], folded: readonly T[]] {
  return entries.length <= max + 1 ? [entries, []] : [entries.slice(0, max), entries.slice(max)];
}
