/** Counts what promotion tiers have several of. A deployment may limit these where it should limit promotion tiers. Pure. */

import { type Tier, windowSize } from '../contract/world.js';

/** What a tier has several of, such as rows of a table, and how many of them. */
export interface CountableParts {
  readonly name: string;
  readonly count: (tier: Tier) => number;
}

/** A table that a join adds to the rules, and how many rows of it a rule gets: at least one, since an outer join keeps all rules. */
interface JoinedTable {
  readonly name: string;
  readonly count: (tier: Tier, rule: Tier['rules'][number]) => number;
}

const customers: JoinedTable = {
  name: 'their customers',
  count: (_, rule) => (rule.kind === 'customer' ? Math.max(1, rule.any_of.length) : 1),
};
const metadata: JoinedTable = {
  name: 'tier metadata',
  count: (tier) => Math.max(1, Object.keys(tier.metadata).length),
};

/** Counts the rows of a join of rules with other tables. */
function createJoinOfRules(tables: readonly JoinedTable[]): CountableParts {
  return {
    name: `rows of a join of rules with ${tables.map(({ name }) => name).join(' and ')}`,
    count: (tier) =>
      tier.rules.reduce((sum, rule) => sum + tables.reduce((rows, { count }) => rows * count(tier, rule), 1), 0),
  };
}

export const countableParts: readonly CountableParts[] = [
  { name: 'rules', count: ({ rules }) => rules.length },
  { name: 'entries of metadata', count: (tier) => Object.keys(tier.metadata).length },
  ...[[customers], [metadata], [customers, metadata]].map(createJoinOfRules),
];

export function countParts(count: CountableParts['count'], tiers: readonly Tier[]): number {
  return tiers.reduce((sum, tier) => sum + count(tier), 0);
}

/** Which share of a limit the tier that reaches it may take. */
const maxShareOfLimit = 0.05;

/** Sizes that people choose for a page, a block or a limit. Any other number may be a coincidence. */
const usualLimits: readonly number[] = [100, 128, windowSize, 200, 250, 256, 500, 512, 1000, 1024, 2000, 2048];

/**
 * Finds the simplest thing that reaches a usual limit before the first tier from which on something is wrong.
 *
 * @param rank of that tier, from 1
 * @param tiers the newest first
 * @returns a sentence, or none
 */
export function listLimitsReachedBefore(rank: number, tiers: readonly Tier[]): string[] {
  const found = countableParts.flatMap(({ name, count }) => {
    const [before, after] = [countParts(count, tiers.slice(0, rank - 1)), countParts(count, tiers.slice(0, rank))];
    const limit = usualLimits.find((size) => before <= size && size < after);
    // A tier that takes many rows at once reaches some usual limit by chance.
    if (limit !== undefined && after - before > maxShareOfLimit * limit) return [];
    return limit === undefined
      ? []
      : [`The promotion tiers before rank ${rank} have ${before} ${name}: ${limit} may be a limit.`];
  });
  return found.slice(0, 1);
}
