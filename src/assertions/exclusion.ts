import type { NeedContext, ResponseKind } from './assertion.js';
import { judgeNoneReturned, judgeResult } from './judge-result.js';
import { findUndocumented } from './requirement-flaws.js';

/** Tiers that must not be returned. */
export interface ExcludedTiers {
  readonly tiers: readonly string[];
}

/** What is the same of every kind that excludes tiers, however they are written. */
export const exclusionKind: Pick<
  ResponseKind<never, ExcludedTiers>,
  'shows' | 'describe' | 'judge' | 'listNeededIds' | 'findFlaw'
> = {
  shows: 'absence',
  describe: ({ tiers }, namesOf) => `does not return ${namesOf(tiers)}`,
  judge: ({ tiers }, context) => judgeResult(context, true, (result) => judgeNoneReturned(tiers, result, context)),
  listNeededIds({ tiers }, { possibleTiers, addWindow: withWindow }: NeedContext) {
    // What a deployment cannot have is certainly not returned, so the others show as much without it.
    const possible = tiers.filter((id) => possibleTiers.includes(id));
    return withWindow(possible.length > 0 ? possible : tiers);
  },
  findFlaw: ({ tiers }, context) => findUndocumented(tiers, 'forbidden', context),
};
