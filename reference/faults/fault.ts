import type { Change, DeploymentFacts } from '../deployment/handlers.js';
import { type ParsedBody, type ParsedRequest, type Waivable, waived } from '../deployment/parsed-request.js';
import { remember } from './remember.js';

/** The requirements of the contract, so that the compiler finds a fault that names another. */
export const requirements = [
  'request.get-with-body',
  'request.content-type',
  'request.credentials',
  'customer.by-id',
  'order.product-item',
  'order.sku-item',
  'order.quantity',
  'order.repeated-product',
  'order.metadata',
  'options.expand-category',
  'metadata.promotion-rules',
  'query.audience-rules-only',
  'filter.promotion-id',
  'filter.tier-metadata',
  'limit.newest-150',
  'result.valid-only',
  'result.all-valid',
] as const;

export type Requirement = (typeof requirements)[number];

/** A deliberate violation of one requirement. */
export interface Fault {
  readonly id: string;
  readonly breaks: Requirement;
  /** How a developer makes this mistake. */
  readonly story: string;
  /** How a user recognises it. Without one, no run is said to show it. */
  readonly sentence?: string;
  /** Questions that can hide the fault when their outcome is unusual: the request is refused, for example. */
  readonly hiddenBy?: readonly string[];
  readonly change: Change;
  /** Whether its effect on a request depends on the requests before it. */
  readonly hasState?: boolean;
}

/** A part of a request; `supposed` when the part is waived. */
export function unlessWaived<T>(value: Waivable<T>, supposed: T): T {
  return value === waived ? supposed : value;
}

/** Caches results under a key that lacks a part of the request. */
export function createCacheChange(keyOf: (request: ParsedRequest) => unknown): Change {
  return (handlers) => ({
    // The tally says again what the items say.
    select: remember(handlers.select, (request) => keyOf({ ...request, tally: waived })),
  });
}

/** Whether metadata has any entry. Waived metadata has none. */
export function hasEntries(metadata: ParsedBody['metadata']): boolean {
  return Object.keys(unlessWaived(metadata, {})).length > 0;
}

/** Whether a tier is reserved for a customer, alone or among others. */
export function isReservedForSome({ catalogue }: DeploymentFacts, customer: Waivable<string | undefined>): boolean {
  const id = unlessWaived(customer, undefined);
  return catalogue.tiers.some(({ rules }) =>
    rules.some((rule) => rule.kind === 'customer' && id !== undefined && rule.any_of.includes(id)),
  );
}
