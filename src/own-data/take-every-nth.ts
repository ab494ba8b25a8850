/** Takes every n-th item of a list, from the one at `offset` modulo n on: lists with other offsets share none of them. */
export function takeEveryNth<T>(items: readonly T[], every: number, offset = 0): T[] {
  return items.filter((_, at) => at % every === offset % every);
}
