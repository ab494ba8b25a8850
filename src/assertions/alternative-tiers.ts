import type { Obligation, Oracle } from '../contract/oracle.js';
import type { World } from '../world/world.js';
import type { AlternativeTiers } from './assertion.js';

/** The alternatives of an oracle, each with what it requires and forbids where it differs from the others. */
export function listAlternativeTiers(
  { alternatives }: Pick<Oracle, 'alternatives'>,
  { tiers }: World,
): AlternativeTiers[] {
  const differing = tiers.filter((tier) => new Set(alternatives.map(({ returned }) => returned(tier))).size > 1);
  return alternatives.map(({ window, returned }) => {
    const thatAre = (obligation: Obligation) =>
      differing.filter((tier) => returned(tier) === obligation).map(({ id }) => id);
    return { window, required: thatAre('required'), forbidden: thatAre('forbidden') };
  });
}
