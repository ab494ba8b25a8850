import type { MentionWithSiblings } from '../../recognition/recognizer.js';
import { createUnclearResult, createViolationUnless, defineAssertion } from '../assertion.js';
import { createUnclearTiersResult, judgeReturnedTiers } from '../judge-returned-tiers.js';

export default defineAssertion<boolean, { readonly isOnce: boolean }>({
  key: 'returned.once',
  schema: {
    description: 'Whether each promotion is returned once in the response, or one of them more than once.',
    type: 'boolean',
  },
  read: (isOnce) => ({ isOnce }),
  describe: ({ isOnce }) => (isOnce ? 'returns each promotion once' : 'returns a promotion more than once'),
  judge: ({ isOnce }, context) =>
    judgeReturnedTiers(context, false, (result) => {
      if (result.unclear.size > 0) return createUnclearTiersResult(result);
      // Nothing is repeated in an empty result, and nothing shows that a promotion would be returned once.
      if (result.returned.length === 0 && isOnce) return createUnclearResult('nothing-to-count');
      const mentions = context.evidence.recognizer.listLocatedMentions(context.exchange.response.body);
      const isRepeated = result.returned.some((id) => countRecords(id, mentions) > 1);
      return createViolationUnless(isRepeated !== isOnce, isRepeated ? 'returned-repeatedly' : 'returned-once', {});
    }),
  listNeededIds: (_, { allTiers }) => allTiers,
});

/** Counts the records of a tier. A record may name its tier at several paths, so the path that names it least often counts. */
function countRecords(id: string, mentions: readonly MentionWithSiblings[]): number {
  const counts = new Map<string, number>();
  for (const mention of mentions)
    if (mention.id === id) counts.set(mention.pattern, (counts.get(mention.pattern) ?? 0) + 1);
  return Math.min(...counts.values());
}
