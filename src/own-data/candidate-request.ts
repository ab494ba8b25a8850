import type { Oracle } from '../contract/oracle.js';
import type { HttpRequest } from '../http/exchange.js';
import type { DrawnRequestDraft } from './drawn-request-draft.js';
import type { RequestVariation } from './request-variations.js';

/** A request that may be drawn. */
export interface CandidateRequest {
  readonly parts: DrawnRequestDraft;
  readonly request: HttpRequest;
  /** What the documentation says of the request, for the tiers that decide what is drawn. */
  readonly oracle: Oracle;
  /** The order that it varies. Undefined if it is an order itself. */
  readonly base: CandidateRequest | undefined;
  /** How its filters relate to the data. Undefined if it has none. */
  readonly filtering: FilterVariation | undefined;
  /** What else is changed in the order. Undefined if nothing but the filters is. */
  readonly change: RequestVariation | undefined;
}

/** How the filters of a request relate to the data. */
export interface FilterVariation {
  readonly kind: FilterVariationKind;
  readonly group: FilterVariationGroup;
  /** For titles. Two requests with the same one have the same kind of filters. */
  readonly title: string;
}

export type FilterVariationKind =
  /** One filter with a value of the data. */
  | 'exact'
  /** The same, where so many tiers match that the window cuts them off. */
  | 'many-matches'
  /** The value is one of the data, and near that of the tiers that the order gets. */
  | 'neighbour'
  | 'value-of-another-key'
  /** The value is nearly one of the data. */
  | 'near-miss'
  | 'two-filters'
  | 'no-match';

/** Requests of one group are read by the same code of a deployment. */
export type FilterVariationGroup = 'campaign' | 'metadata' | 'two-filters' | 'no-match';

/** Says in words what a candidate varies; '' for an order. */
export function describeVariation({ filtering, change }: CandidateRequest): string {
  return [filtering?.title ?? [], change?.title ?? []].flat().join(', ');
}
