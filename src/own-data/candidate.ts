import type { Oracle } from '../contract/oracle.js';
import type { HttpRequest } from '../http/exchange.js';
import type { DrawnRequest } from './drawn-request.js';
import type { RequestChange } from './request-changes.js';

/** A request that may be drawn. */
export interface Candidate {
  readonly parts: DrawnRequest;
  readonly request: HttpRequest;
  /** What the documentation says of the request, for the tiers that decide what is drawn. */
  readonly oracle: Oracle;
  /** The order that it varies. Undefined if it is an order itself. */
  readonly base: Candidate | undefined;
  /** How its filters relate to the data. Undefined if it has none. */
  readonly filtering: Filtering | undefined;
  /** What else is changed in the order. Undefined if nothing but the filters is. */
  readonly change: RequestChange | undefined;
}

/** How the filters of a request relate to the data. */
export interface Filtering {
  readonly kind: FilteringKind;
  readonly group: FilteringGroup;
  /** For titles. Two requests with the same one have the same kind of filters. */
  readonly title: string;
}

export type FilteringKind =
  /** One filter with a value of the data. */
  | 'exact'
  /** The same, where so many tiers match that the window cuts them off. */
  | 'many-matches'
  | 'value-of-another-key'
  /** The value is nearly one of the data. */
  | 'near-miss'
  | 'two-filters'
  | 'no-match';

/** Requests of one group are read by the same code of a deployment. */
export type FilteringGroup = 'campaign' | 'metadata' | 'two-filters' | 'no-match';

/** Says in words what a candidate varies; '' for an order. */
export function describeCandidate({ filtering, change }: Candidate): string {
  return [filtering?.title ?? [], change?.title ?? []].flat().join(', ');
}
