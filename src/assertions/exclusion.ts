import type { NeedContext, ResponseKind } from './assertion.js';
import { notSaid } from './requirement-flaws.js';
import { noneReturned, withResult } from './result-claim.js';

/** Tiers that must not be returned. */
export interface Excluded {
  readonly tiers: readonly string[];
}

/** What is the same of every kind that excludes tiers, however they are written. */
export const exclusion: Pick<ResponseKind<never, Excluded>, 'shows' | 'words' | 'judge' | 'needs' | 'flaw'> = {
  shows: 'absence',
  words: ({ tiers }, namesOf) => `does not return ${namesOf(tiers)}`,
  judge: ({ tiers }, context) => withResult(context, true, (result) => noneReturned(tiers, result, context)),
  needs({ tiers }, { possibleTiers, withWindow }: NeedContext) {
    // What a deployment cannot have is certainly not returned, so the others show as much without it.
    const possible = tiers.filter((id) => possibleTiers.includes(id));
    return withWindow(possible.length > 0 ? possible : tiers);
  },
  flaw: ({ tiers }, context) => notSaid(tiers, 'forbidden', context),
};
