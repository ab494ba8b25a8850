import type { Obligation } from '../contract/oracle.js';
import type { AssertionFlaw, AssertionFlawContext } from './assertion.js';

/** Says why the documentation leaves the response open. */
export function renderOpenReason({ oracle }: Pick<AssertionFlawContext, 'oracle'>): string {
  return oracle.openReason === undefined ? '' : `: ${oracle.openReason}`;
}

export const questionCaseHint = "Let the case answer a question: 'answers:' in place of 'verifies:'.";

/** Finds a request that the documentation does not describe. A requirement can expect no result of it. */
export function findUndocumentedRequestFlaw(context: AssertionFlawContext): AssertionFlaw | undefined {
  if (context.oracle.accepted) return undefined;
  const message = `the documentation does not say that this is accepted${renderOpenReason(context)}`;
  return { message, hint: questionCaseHint };
}

/** The documentation names no status for an empty result. */
export function findNoRequiredTierFlaw(context: AssertionFlawContext): AssertionFlaw | undefined {
  if (context.world.tiers.some((tier) => context.oracle.returned(tier) === 'required')) return undefined;
  return {
    message: `no promotion is required for this request, and an empty result may have any status${renderOpenReason(context)}`,
    hint: "Send a request that requires one, or write 'accepted: { or-empty-like: … }'.",
  };
}

/** Finds the first tier for which the documentation does not require what the assertion expects. */
export function findUndocumentedExpectation(
  ids: readonly string[],
  wanted: Obligation,
  context: AssertionFlawContext,
): AssertionFlaw | undefined {
  const { tiers } = context.world;
  const wrong = tiers.find((tier) => ids.includes(tier.id) && context.oracle.returned(tier) !== wanted);
  if (wrong === undefined) return undefined;
  const what = wanted === 'required' ? 'is returned' : 'is not returned';
  const message = `the documentation does not say that '${wrong.name}' ${what}${renderOpenReason(context)}`;
  return { message, hint: 'Expect what it says.' };
}
