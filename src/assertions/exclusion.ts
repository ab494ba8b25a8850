import type { ResponseKind } from './assertion.js';
import { judgeNoneReturned, judgeResult } from './judge-result.js';
import { findUndocumentedId } from './requirement-flaws.js';

/** Tiers that must not be returned. */
export interface ExcludedTiers {
  readonly tiers: readonly string[];
}

/** The members that all kinds share that exclude tiers. */
export const exclusionKind: Pick<
  ResponseKind<never, ExcludedTiers>,
  'shows' | 'describe' | 'judge' | 'listNeededIds' | 'findFlaw'
> = {
  shows: 'absence',
  describe: ({ tiers }, namesOf) => `does not return ${namesOf(tiers)}`,
  judge: ({ tiers }, context) => judgeResult(context, true, (result) => judgeNoneReturned(tiers, result, context)),
  listNeededIds({ tiers }, { possibleTiers, addWindow }) {
    // A deployment cannot return the tiers that it cannot have, so the other ones are enough.
    const possible = tiers.filter((id) => possibleTiers.includes(id));
    return addWindow(possible.length > 0 ? possible : tiers);
  },
  findFlaw: ({ tiers }, context) => findUndocumentedId(tiers, 'forbidden', context),
};
