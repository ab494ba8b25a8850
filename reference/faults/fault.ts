import type { Tier } from '../../src/world/world.js';
import type { Change, DeploymentFacts } from '../handlers.js';
import { type ParsedBody, type ParsedRequest, type Waivable, waived } from '../parsed-request.js';

/** The requirements of the ledger, so that the compiler finds a fault that names another. */
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

/** Requirements that do not pass although they are not the one that a fault breaks, each with the reason. */
export type Collateral = Readonly<Partial<Record<Requirement, string>>>;

/** A deliberate violation of one requirement. */
export interface Fault {
  readonly id: string;
  readonly breaks: Requirement;
  /** How a developer gets this wrong. */
  readonly story: string;
  /**
   * All of it: a requirement that is not named here passes. What one request leaves over for the next shows wherever that
   * comes, so it depends on the order in which cases are sent.
   */
  readonly collateral?: Collateral | 'depends-on-order';
  /** Questions of which another outcome than the usual one can hide it: the request is refused then, say. */
  readonly hiddenBy?: readonly string[];
  readonly change: Change;
}

/** Why other requirements do not pass either. */
const reasons = {
  extra: 'something is returned that is not valid',
  omitted: 'something valid is not returned',
  same: 'different requests get the same result',
  control: 'something that it presupposes is not returned',
  refused: 'a request that it needs is refused',
} as const;

type Reason = keyof typeof reasons;

/** The other requirements that a fault touches, by the reason. */
export function also(touched: Readonly<Partial<Record<Reason, readonly Requirement[]>>>): Collateral {
  const entries = Object.entries(touched) as [Reason, readonly Requirement[]][];
  return Object.fromEntries(
    entries.flatMap(([reason, affected]) => affected.map((requirement) => [requirement, reasons[reason]])),
  );
}

/** Every requirement but one: the fault refuses each request. */
export function allBut(broken: Requirement): Collateral {
  return also({ refused: requirements.filter((requirement) => requirement !== broken) });
}

export const bothFilters: readonly Requirement[] = ['filter.promotion-id', 'filter.tier-metadata'];

/** They presuppose that a request gets all that it should before they add something to it. */
export const additions: readonly Requirement[] = [...bothFilters, 'options.expand-category', 'order.metadata'];

/** What a request says of a matter; of a waived one, what is to be supposed. */
export function unlessWaived<T>(said: Waivable<T>, supposed: T): T {
  return said === waived ? supposed : said;
}

/** Results are kept, and found again under a key that leaves out something of the request. */
export function cached(keyOf: (request: ParsedRequest) => unknown): Change {
  return (handlers) => {
    const cache = new Map<string, readonly Tier[]>();
    return {
      select(request) {
        const key = JSON.stringify(keyOf(request), (_, value) => (value === waived ? 'waived' : value));
        const tiers = cache.get(key) ?? handlers.select(request);
        cache.set(key, tiers);
        return tiers;
      },
    };
  };
}

/** Whether there are SKUs in an order and no products. */
export const hasOnlySkus = ({ lines }: ParsedRequest): boolean =>
  lines.length > 0 && lines.every(({ as }) => as === 'sku');

/** Whether metadata has any entry; of waived metadata it is supposed that it has none. */
export function isSaid(metadata: ParsedBody['metadata']): boolean {
  return Object.keys(unlessWaived(metadata, {})).length > 0;
}

/** Whether a tier is reserved for a customer, maybe among others. */
export function isReservedForSome({ catalogue }: DeploymentFacts, customer: Waivable<string | undefined>): boolean {
  const id = unlessWaived(customer, undefined);
  return catalogue.tiers.some(({ rules }) =>
    rules.some((rule) => rule.kind === 'customer' && id !== undefined && rule.any_of.includes(id)),
  );
}
