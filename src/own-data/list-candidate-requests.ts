import { createOracle } from '../contract/oracle.js';
import type { World } from '../contract/world.js';
import type { CandidateRequest, FilterVariationGroup } from './candidate-request.js';
import { createProductIndex, type ProductIndex } from './compose-order.js';
import { assembleDrawnRequest } from './drawn-request-draft.js';
import { pairFiltersWithOrders } from './pair-filters-with-orders.js';
import { proposeOrders } from './propose-orders.js';
import { nearMissesOfAll, type RequestVariation, requestVariations } from './request-variations.js';
import { type SelectedCustomers, selectCustomers } from './select-customers.js';
import { takeEveryNth } from './take-every-nth.js';

/** In characters. Larger requests may exceed the limits of a deployment. */
const [maxPath, maxBody] = [7_000, 60_000];

/**
 * Lists requests that may be drawn for some data: orders that meet as many rules as possible, the same orders with filters,
 * and variations of both.
 *
 * @param world the data, from which the texts and ids come
 * @param drawn the same data with the tiers that decide what is drawn
 */
export function listCandidateRequests(world: World, drawn: World): CandidateRequest[] {
  const catalog = createProductIndex(world);
  const customers = selectCustomers(world);
  const create = (varied: Omit<CandidateRequest, 'request' | 'oracle'>): CandidateRequest => {
    const request = assembleDrawnRequest(varied.parts);
    return { ...varied, request, oracle: createOracle(request, drawn) };
  };
  const orders = proposeOrders(customers.members, drawn, catalog).map((parts) =>
    create({ parts, base: undefined, filtering: undefined, change: undefined }),
  );
  const filtered = pairFiltersWithOrders(orders, world).map(({ base, filters, filtering }) =>
    create({ parts: { ...base.parts, filters }, base, filtering, change: undefined }),
  );
  const vary = (planned: readonly PlannedChange[]) => planned.map((change) => create(applyChange(change, catalog)));
  const ofOrders = vary(planOrderChanges(orders, customers));
  const ofFilters = vary(planFilterChanges(filtered));
  return [...orders, ...ofOrders, ...filtered, ...ofFilters].filter(isUsable);
}

interface PlannedChange {
  readonly start: CandidateRequest;
  readonly change: RequestVariation;
}

/** Repetitions show something together: of one request, all are sent. */
const isSampled = ({ kind }: RequestVariation) => kind !== 'repetition';
const sampledVariations = requestVariations.filter(isSampled);

/** Varies the first order in each way, and others in some ways, so that each change is tried with two or three orders. */
function planOrderChanges(orders: readonly CandidateRequest[], customers: SelectedCustomers): PlannedChange[] {
  const every = Math.ceil(orders.length / 2) + 1;
  return orders.flatMap((start, n) => {
    const sampled = n === 0 ? requestVariations : [...takeEveryNth(sampledVariations, every, n), ...nearMissesOfAll];
    return [...new Set(sampled), ...customers.listChanges(start.parts.customer)].map((change) => ({ start, change }));
  });
}

/** Larger than the number of changes for filters, so that each further request with a filter has one of them at most. */
const everyFiltered = 64;

/** Varies the first request of each group of filters in each way, and others in one way or none. */
function planFilterChanges(filtered: readonly CandidateRequest[]): PlannedChange[] {
  const changes = requestVariations.filter(({ group }) => group !== 'comparison');
  const tried = new Set<FilterVariationGroup>();
  // Where nothing matches, nothing but the filter decides.
  const starts = filtered.filter(({ filtering }) => filtering?.kind !== 'no-match');
  return starts.flatMap((start, n) => {
    const group = start.filtering?.group;
    const isFirst = group !== undefined && !tried.has(group);
    if (group !== undefined) tried.add(group);
    const sampled = isFirst ? changes : takeEveryNth(changes, everyFiltered, n).filter(isSampled);
    return sampled.map((change) => ({ start, change }));
  });
}

function applyChange(
  { start, change }: PlannedChange,
  catalog: ProductIndex,
): Omit<CandidateRequest, 'request' | 'oracle'> {
  const { parts, filtering, base = start } = start;
  return { parts: { ...parts, ...change.apply(parts, catalog) }, base, filtering, change };
}

/** Whether a request is documented and of ordinary size. Not each text of the data can be a text of JSON. */
function isUsable({ oracle, request: { path, body = '' } }: CandidateRequest): boolean {
  return oracle.undocumentedReason === undefined && path.length < maxPath && body.length < maxBody;
}
