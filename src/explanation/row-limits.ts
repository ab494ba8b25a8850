/** Counts what promotion tiers have several of. A deployment may limit these where it should limit promotion tiers. Pure. */

import type { Tier } from '../contract/world.js';

/** What a tier has several of, such as rows of a table, and how many of them. */
export interface CountableParts {
  readonly name: string;
  readonly count: (tier: Tier) => number;
}

const listCustomers = (rule: Tier['rules'][number]) => (rule.kind === 'customer' ? rule.any_of : []);

export const countableParts: readonly CountableParts[] = [
  { name: 'rules', count: ({ rules }) => rules.length },
  { name: 'entries of metadata', count: ({ metadata }) => Object.keys(metadata).length },
  {
    name: 'rows of a join of rules, their customers and the metadata of the promotion',
    count: ({ rules, metadata }) => {
      const entries = Math.max(1, Object.keys(metadata).length);
      return rules.reduce((sum, rule) => sum + Math.max(1, listCustomers(rule).length) * entries, 0);
    },
  },
];

export function countParts(count: CountableParts['count'], tiers: readonly Tier[]): number {
  return tiers.reduce((sum, tier) => sum + count(tier), 0);
}

/** Sizes that people choose for a page, a block or a limit. Any other number may be a coincidence. */
const usualLimits: readonly number[] = [100, 128, 200, 250, 256, 500, 512, 1000, 1024, 2000, 2048];

/**
 * Finds what reaches a usual limit before the first tier from which on something is wrong.
 *
 * @param rank of that tier, from 1
 * @param tiers the newest first
 * @returns sentences
 */
export function listLimitsReachedBefore(rank: number, tiers: readonly Tier[]): string[] {
  return countableParts.flatMap(({ name, count }) => {
    const [before, after] = [countParts(count, tiers.slice(0, rank - 1)), countParts(count, tiers.slice(0, rank))];
    const limit = usualLimits.find((size) => before <= size && size < after);
    return limit === undefined
      ? []
      : [`Before rank ${rank}, the test data has ${before} ${name}: ${limit} may be a limit.`];
  });
}
