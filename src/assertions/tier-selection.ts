import type { Obligation, Oracle } from '../contract/oracle.js';
import { suggest } from '../support/suggest.js';
import type { NamedWorld } from '../world/named-world.js';
import type { Tier } from '../world/world.js';

/** Selects tiers: one of the keywords below, a name, or several names. */
export type TierSelection = string | readonly string[];

/** Keywords that select tiers by what the documentation says about them for the request. */
export const selectionKeywords = {
  required: (oracle: Oracle) => (tier: Tier) => oracle.returned(tier),
  forbidden: (oracle: Oracle) => (tier: Tier) => negateObligation(oracle.returned(tier)),
  valid: (oracle: Oracle) => oracle.valid,
  matching: (oracle: Oracle) => oracle.matching,
  'newest-150': (oracle: Oracle) => oracle.checked,
} as const satisfies Record<string, (oracle: Oracle) => (tier: Tier) => Obligation>;

/** The piece of JSON Schema that describes a selection. */
export const selectionSchema = {
  description:
    'Names of tiers, or one keyword: `required` or `forbidden` (the documentation requires or forbids to return them), `valid` (for the customer and the order), `matching` (the filter), `newest-150` (the tiers that are checked).',
  type: ['string', 'array'],
  items: { type: 'string' },
  minItems: 1,
};

/** A name in a selection that is not a tier of the world. */
export interface UnknownTier {
  /** The path from the selection to the name. */
  readonly at: readonly number[];
  readonly message: string;
  readonly hint: string;
}

/**
 * Finds the tiers that a selection selects for a request.
 *
 * @returns `selects` says whether a tier is certainly selected (`required`), certainly not (`forbidden`), or `open`
 */
export function resolveSelection(
  selection: TierSelection,
  oracle: Oracle,
  { ids }: NamedWorld,
): { selects(tier: Tier): Obligation; unknown: readonly UnknownTier[] } {
  if (isKeyword(selection)) return { selects: selectionKeywords[selection](oracle), unknown: [] };
  const names = [selection].flat();
  const known = [...ids.tier.keys(), ...Object.keys(selectionKeywords)];
  return {
    selects: ({ id }) => (names.some((name) => ids.tier.get(name) === id) ? 'required' : 'forbidden'),
    unknown: names.flatMap((name, n) => {
      if (ids.tier.has(name)) return [];
      const at = typeof selection === 'string' ? [] : [n];
      if (isKeyword(name))
        return [{ at, message: `the keyword '${name}' cannot be part of a list`, hint: 'Write two checks.' }];
      return [{ at, message: `there is no tier '${name}' in the world`, hint: suggest(name, known) }];
    }),
  };
}

function isKeyword(selection: TierSelection): selection is keyof typeof selectionKeywords {
  return typeof selection === 'string' && Object.hasOwn(selectionKeywords, selection);
}

function negateObligation(obligation: Obligation): Obligation {
  if (obligation === 'open') return 'open';
  return obligation === 'required' ? 'forbidden' : 'required';
}
