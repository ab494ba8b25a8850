import type { ObligationReason } from '../contract/oracle.js';
import type { ItemRule, Tier } from '../contract/world.js';
import type { CandidateRequest } from './candidate-request.js';
import type { TierDecision } from './list-tested-tier-decisions.js';
import { findNearness, type Nearness } from './nearness.js';

/** What is compared when a deployment decides about a tier. */
export const comparedSubjects = [
  'customer',
  'product',
  'sku',
  'campaign',
  'metadata-rule',
  'filter-by-metadata',
] as const;

export type ComparedSubject = (typeof comparedSubjects)[number];

/** What a quantity shows. */
export const quantityFacets = [
  'one-less',
  'exact',
  'other-digits',
  'above-9999',
  'above-32767',
  'above-65535',
] as const;

export type QuantityFacet = (typeof quantityFacets)[number];

/** What a text has that software may read wrongly. */
export const textFacets = [
  'beyond-ascii',
  'signs',
  'outer-blanks',
  'boolean',
  'number',
  'over-64',
  'over-128',
  'over-255',
] as const;

export type TextFacet = (typeof textFacets)[number];

/** A detail that decides about a tier, and that a deployment may get wrong: only a request in which it decides shows that. */
export type DecisionFacet =
  /** The request has an id or a text that is easily taken for the one that the tier needs. */
  | { readonly is: 'near'; readonly of: ComparedSubject; readonly by: Nearness }
  | { readonly is: 'quantity'; readonly by: QuantityFacet }
  /** A text must be equal to one with this property. */
  | { readonly is: 'text'; readonly of: 'metadata-rule' | 'filter-by-metadata'; readonly has: TextFacet };

/** Lists the facets of a decision: why the tier is in the result of the request, or why it is not. */
export function listDecisionFacets(
  { reason, expects, tier }: TierDecision,
  candidate: CandidateRequest,
): DecisionFacet[] {
  if (reason.is === 'rank') return [];
  if (reason.is === 'filter') return listFilterFacets(reason, tier, expects);
  const { rule } = reason;
  const { customer, metadata } = candidate.parts;
  if (rule.kind === 'customer') return expects === 'required' ? [] : listNearest('customer', rule.any_of, [customer]);
  if (rule.kind === 'metadata') {
    if (expects === 'required') return listTextFacets('metadata-rule', rule.is);
    return listNearest(
      'metadata-rule',
      [rule.is],
      metadata.flatMap(([key, value]) => (key === rule.key ? value : [])),
    );
  }
  return 'id' in rule ? listItemFacets(rule, candidate, expects) : [];
}

function listFilterFacets(
  { subject, value }: Extract<ObligationReason, { is: 'filter' }>,
  { campaign_id, metadata }: Tier,
  expects: TierDecision['expects'],
): DecisionFacet[] {
  if (subject.on === 'campaign') return expects === 'required' ? [] : listNearest('campaign', [campaign_id], [value]);
  if (expects === 'required') return listTextFacets('filter-by-metadata', value);
  const stored = Object.hasOwn(metadata, subject.key) ? [String(metadata[subject.key])] : [];
  return listNearest('filter-by-metadata', stored, [value]);
}

function listItemFacets(
  rule: ItemRule,
  { parts }: CandidateRequest,
  expects: TierDecision['expects'],
): DecisionFacet[] {
  const named = parts.items.filter(({ kind, id }) => kind === rule.kind && id === rule.id);
  if (named.length > 0)
    return listQuantityFacets(
      named.map(({ quantity }) => quantity),
      rule.at_least,
      expects,
    );
  const ordered = parts.items.flatMap(({ kind, id }) => (kind === rule.kind ? id : []));
  return listNearest(rule.kind, [rule.id], ordered);
}

function listQuantityFacets(
  quantities: readonly number[],
  atLeast: number,
  expects: TierDecision['expects'],
): DecisionFacet[] {
  const [quantity = 0] = quantities;
  if (quantities.length !== 1) return [];
  const isEnoughAsText = String(quantity) >= String(atLeast);
  const shown: Readonly<Record<QuantityFacet, boolean>> = {
    'one-less': quantity === atLeast - 1,
    exact: quantity === atLeast && atLeast > 1,
    'other-digits': isEnoughAsText !== quantity >= atLeast,
    'above-9999': expects === 'required' && atLeast > 9_999,
    'above-32767': expects === 'required' && quantity > 32_767,
    'above-65535': expects === 'required' && quantity > 65_535,
  };
  return quantityFacets.flatMap((by) => (shown[by] ? { is: 'quantity' as const, by } : []));
}

function listTextFacets(of: 'metadata-rule' | 'filter-by-metadata', text: string): DecisionFacet[] {
  return getTextFacets(text).map((has) => ({ is: 'text', of, has }));
}

const textFacetsOf = new Map<string, readonly TextFacet[]>();

export function getTextFacets(text: string): readonly TextFacet[] {
  const known = textFacetsOf.get(text);
  if (known !== undefined) return known;
  const shown: Readonly<Record<TextFacet, boolean>> = {
    'beyond-ascii': /[^\0-\x7f]/.test(text),
    signs: /[^\p{L}\p{N}\p{M}\s_]/u.test(text),
    'outer-blanks': /^\s|\s$/.test(text),
    boolean: /^(?:true|false)$/i.test(text),
    number: /^[+-]?\d+(?:\.\d+)?(?:e\d+)?$/i.test(text),
    'over-64': text.length > 64,
    'over-128': text.length > 128,
    'over-255': text.length > 255,
  };
  const facets = textFacets.filter((facet) => shown[facet]);
  textFacetsOf.set(text, facets);
  return facets;
}

/** Lists how one of the texts that a tier needs is taken for one that the request has. */
function listNearest(of: ComparedSubject, needed: readonly string[], sent: readonly string[]): DecisionFacet[] {
  const ways = new Set(needed.flatMap((wanted) => sent.flatMap((text) => getNearness(wanted, text) ?? [])));
  return [...ways].map((by) => ({ is: 'near', of, by }));
}

const nearnessOf = new Map<string, Map<string, Nearness | undefined>>();

/** The same texts are compared for each candidate. */
function getNearness(text: string, other: string): Nearness | undefined {
  const known = nearnessOf.get(text) ?? new Map<string, Nearness | undefined>();
  nearnessOf.set(text, known);
  if (!known.has(other)) known.set(other, findNearness(text, other));
  return known.get(other);
}
