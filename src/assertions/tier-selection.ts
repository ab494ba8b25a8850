import type { Obligation, Oracle } from '../contract/oracle.js';
import { suggest } from '../support/suggest.js';
import type { NamedWorld } from '../world/named-world.js';
import type { Tier } from '../world/world.js';

/** Which tiers are meant: one of the words below, a name, or names. See `schemas/assertions.schema.json`. */
export type TierSelection = string | readonly string[];

/** The words for tiers of which the documentation says something for the request. */
export const selectionKeywords = {
  required: (oracle: Oracle) => (tier: Tier) => oracle.returned(tier),
  forbidden: (oracle: Oracle) => (tier: Tier) => opposite(oracle.returned(tier)),
  valid: (oracle: Oracle) => oracle.valid,
  matching: (oracle: Oracle) => oracle.matching,
  'newest-150': (oracle: Oracle) => oracle.checked,
} as const satisfies Record<string, (oracle: Oracle) => (tier: Tier) => Obligation>;

/** The piece of JSON Schema that describes a selection. */
export const selectionSchema = {
  description:
    'Names of tiers, or one word: `required` and `forbidden`, what the documentation requires or forbids to be returned for the request; `valid` for its customer and order; `matching` its filter; `newest-150`, those that are checked.',
  type: ['string', 'array'],
  items: { type: 'string' },
  minItems: 1,
};

/** A name of a selection that is no tier of the world. */
export interface UnknownTier {
  /** Steps from the selection. */
  readonly at: readonly number[];
  readonly message: string;
  readonly hint: string;
}

/**
 * Finds the tiers that a selection means for a request.
 *
 * @returns whether a tier is certainly meant (`required`), certainly not (`forbidden`), or left `open`
 */
export function resolveSelection(
  selection: TierSelection,
  oracle: Oracle,
  { ids }: NamedWorld,
): { meant(tier: Tier): Obligation; unknown: readonly UnknownTier[] } {
  if (isWord(selection)) return { meant: selectionKeywords[selection](oracle), unknown: [] };
  const names = [selection].flat();
  const known = [...ids.tier.keys(), ...Object.keys(selectionKeywords)];
  return {
    meant: ({ id }) => (names.some((name) => ids.tier.get(name) === id) ? 'required' : 'forbidden'),
    unknown: names.flatMap((name, n) => {
      if (ids.tier.has(name)) return [];
      const at = typeof selection === 'string' ? [] : [n];
      if (isWord(name)) return [{ at, message: `'${name}' stands by itself, in no list`, hint: 'Write two checks.' }];
      return [{ at, message: `there is no tier '${name}' in the world`, hint: suggest(name, known) }];
    }),
  };
}

function isWord(selection: TierSelection): selection is keyof typeof selectionKeywords {
  return typeof selection === 'string' && Object.hasOwn(selectionKeywords, selection);
}

function opposite(obligation: Obligation): Obligation {
  if (obligation === 'open') return 'open';
  return obligation === 'required' ? 'forbidden' : 'required';
}
