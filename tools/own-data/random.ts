/** Random numbers that a seed repeats. */
export interface Random {
  /** From 0 to 1, without 1. */
  next(): number;
  /** A whole number from 0 to `limit`, without `limit`. */
  below(limit: number): number;
  /** @param share the probability, from 0 to 1 */
  chance(share: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** Picks several items, each at most once, in random order. */
  sample<T>(items: readonly T[], count: number): T[];
}

/** Creates random numbers (mulberry32): the same seed gives the same numbers. */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    chance: (share) => next() < share,
    pick: <T>(items: readonly T[]) => items[below(items.length)] as T,
    sample: <T>(items: readonly T[], count: number) => {
      const left = [...items];
      return Array.from({ length: Math.min(count, left.length) }, () => left.splice(below(left.length), 1)[0] as T);
    },
  };
}
