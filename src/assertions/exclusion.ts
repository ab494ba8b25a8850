import { defineAssertion, type ReadContext, type ResponseKind } from './assertion.js';
import { judgeNoneReturned, judgeResult } from './judge-result.js';
import { findUndocumentedId } from './requirement-flaws.js';
import { selectionSchema, type TierSelection } from './tier-selection.js';

/** Creates a kind that excludes tiers. @param select the tiers that must not be returned */
export function createExclusionKind(
  key: string,
  description: string,
  select: (selection: TierSelection, context: ReadContext) => readonly string[],
): ResponseKind<TierSelection, { readonly tiers: readonly string[] }> {
  return defineAssertion({
    key,
    schema: { ...selectionSchema, description: `${description} ${selectionSchema.description}` },
    shows: 'absence',
    read(selection, context) {
      const tiers = select(selection, context);
      return tiers.length === 0 ? undefined : { tiers };
    },
    describe: ({ tiers }, namesOf) => `does not return ${namesOf(tiers)}`,
    judge: ({ tiers }, context) => judgeResult(context, true, (result) => judgeNoneReturned(tiers, result, context)),
    listNeededIds: ({ tiers }, { addWindow }) => addWindow(tiers),
    findFlaw: ({ tiers }, context) => findUndocumentedId(tiers, 'forbidden', context),
  });
}
