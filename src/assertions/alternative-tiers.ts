import type { Obligation, Oracle, WindowAlternative } from '../contract/oracle.js';
import type { World } from '../world/world.js';

/** The tiers that one reading of the documentation requires and forbids, and about which the other readings differ. */
export interface AlternativeTiers {
  readonly window: WindowAlternative['window'];
  readonly required: readonly string[];
  readonly forbidden: readonly string[];
}

/** Lists the readings of the documentation for a request. */
export function listAlternativeTiers(
  { alternatives }: Pick<Oracle, 'alternatives'>,
  { tiers }: World,
): AlternativeTiers[] {
  const differing = tiers.filter((tier) => new Set(alternatives.map(({ returned }) => returned(tier))).size > 1);
  return alternatives.map(({ window, returned }) => {
    const idsOf = (obligation: Obligation) =>
      differing.filter((tier) => returned(tier) === obligation).map(({ id }) => id);
    return { window, required: idsOf('required'), forbidden: idsOf('forbidden') };
  });
}
