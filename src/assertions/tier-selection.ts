import type { NamedWorld } from '../contract/named-world.js';
import type { Obligation, Oracle } from '../contract/oracle.js';
import type { Tier } from '../contract/world.js';
import { suggest } from '../support/suggest.js';

/** Selects tiers: one of the keywords below, a name, or several names. */
export type TierSelection = string | readonly string[];

/** Keywords that select tiers by what the documentation says about them for the request. */
const selectionKeywords = {
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

/**
 * Finds the tiers that a selection selects for a request.
 *
 * @param report gets each name that is not a tier of the world, with the path from the selection to the name
 * @returns says whether a tier is certainly selected (`required`), certainly not (`forbidden`), or `open`
 */
export function resolveSelection(
  selection: TierSelection,
  oracle: Oracle,
  { ids }: NamedWorld,
  report: (at: readonly number[], message: string, hint: string) => void,
): (tier: Tier) => Obligation {
  if (isKeyword(selection)) return selectionKeywords[selection](oracle);
  const names = [selection].flat();
  const known = [...ids.tier.keys(), ...Object.keys(selectionKeywords)];
  for (const [n, name] of names.entries()) {
    const at = typeof selection === 'string' ? [] : [n];
    if (ids.tier.has(name)) continue;
    if (isKeyword(name)) report(at, `the keyword '${name}' cannot be part of a list`, 'Write two checks.');
    else report(at, `there is no tier '${name}' in the world`, suggest(name, known));
  }
  return ({ id }) => (names.some((name) => ids.tier.get(name) === id) ? 'required' : 'forbidden');
}

function isKeyword(selection: TierSelection): selection is keyof typeof selectionKeywords {
  return typeof selection === 'string' && Object.hasOwn(selectionKeywords, selection);
}

function negateObligation(obligation: Obligation): Obligation {
  if (obligation === 'open') return 'open';
  return obligation === 'required' ? 'forbidden' : 'required';
}
