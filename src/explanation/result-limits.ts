/**
 * Says that results have a limit on the number of promotions, of all or of one campaign, where no order says which of them are
 * returned. In: what was observed. Out: a cause, with the rows that it explains. Pure.
 */

import type { Tier } from '../contract/world.js';
import { groupBy } from '../support/collections.js';
import type { CauseWithRows } from './cause-with-rows.js';
import type { Observations } from './observation.js';
import { findLimitOfParts, findSeenLimit, type ResultPart, type SeenLimit } from './seen-limits.js';

/** What results may be divided by, so that each part has a limit of its own. */
const divisions: readonly (readonly [id: string, things: string, read: (tier: Tier) => string])[] = [
  ['campaign', 'promotions of one campaign', ({ campaign_id }) => campaign_id],
  ['name', 'promotions with one name', ({ name }) => name],
];

/** Finds a limit on results that no order explains, or on a part of them. */
export function findResultLimit(run: Pick<Observations, 'compared' | 'tiers'>): CauseWithRows | undefined {
  const { compared, tiers } = run;
  const ofAll = findSeenLimit(run);
  if (ofAll !== undefined) return createCause(`result-limit/${ofAll.size}`, 'promotions', ofAll, compared.length);
  for (const [id, things, read] of divisions) {
    const groups = [...groupBy([...tiers.keys()], (position) => read(tiers[position] as Tier)).values()];
    const parts = compared.flatMap((shown) => groups.map((positions): ResultPart => ({ shown, positions })));
    const limit = findLimitOfParts(parts);
    if (limit !== undefined) return createCause(`result-limit/${limit.size}/${id}`, things, limit, compared.length);
  }
  return undefined;
}

function createCause(id: string, things: string, { size, cutOff }: SeenLimit, compared: number): CauseWithRows {
  return {
    id,
    sentence: `A response has at most ${size} ${things}: a page, or a limit on the result.`,
    evidence: [
      `${cutOff.length} responses have exactly ${size}, and lack others. None of ${compared} has more, and none with fewer lacks one.`,
    ],
    rows: new Set(cutOff.flatMap(({ rows }) => [...rows])),
  };
}
