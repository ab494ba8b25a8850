import type { Obligation } from '../contract/oracle.js';
import type { Flaw, FlawContext } from './assertion.js';

/** What is added to a flaw where the whole result is open. */
export function renderOpenReason({ oracle }: Pick<FlawContext, 'oracle'>): string {
  return oracle.openReason === undefined ? '' : `: ${oracle.openReason}`;
}

/** That the documentation does not say that the request is accepted. */
export function findNotAccepted(context: FlawContext): Flaw | undefined {
  if (context.oracle.accepted) return undefined;
  const message = `the documentation does not say that this is accepted${renderOpenReason(context)}`;
  return { message, hint: 'Ask a question instead.' };
}

/** That nothing must be returned for the request, so that its result may be empty, which may look like anything. */
export function findNothingRequired(context: FlawContext): Flaw | undefined {
  if (context.world.tiers.some((tier) => context.oracle.returned(tier) === 'required')) return undefined;
  return {
    message: `nothing is required to be returned for this request, and an empty result may have any status${renderOpenReason(context)}`,
    hint: "Send one for which something is, or say 'accepted: { or-empty-like: … }'.",
  };
}

/** That the documentation does not say of some of these tiers what is expected of them. */
export function findUndocumented(ids: readonly string[], wanted: Obligation, context: FlawContext): Flaw | undefined {
  const { tiers } = context.world;
  const wrong = tiers.find((tier) => ids.includes(tier.id) && context.oracle.returned(tier) !== wanted);
  if (wrong === undefined) return undefined;
  const what = wanted === 'required' ? 'is returned' : 'is not returned';
  const message = `the documentation does not say that '${wrong.name}' ${what}${renderOpenReason(context)}`;
  return { message, hint: 'Expect what it says.' };
}
