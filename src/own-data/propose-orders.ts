import { createOracle } from '../contract/oracle.js';
import { type Tier, type World, windowSize } from '../contract/world.js';
import { acceptsCustomer, composeOrderForTiers, type ProductIndex } from './compose-order.js';
import { assembleDrawnRequest, type DrawnRequestDraft } from './drawn-request-draft.js';

/**
 * Lists orders without filters: each of the newest tiers is met by one of them if some order can meet it, and each customer
 * has one. The last order is the smallest: few tiers are valid for it.
 */
export function proposeOrders(customers: readonly string[], world: World, catalog: ProductIndex): DrawnRequestDraft[] {
  const newest = world.tiers.slice(0, windowSize);
  const older = world.tiers.slice(windowSize);
  const sorted = sortByReach(customers, newest);
  const covering = coverTiers(sorted, world, catalog);
  const [widest] = sorted;
  if (widest === undefined) return [];
  const served = new Set(covering.map(({ customer }) => customer));
  const others = sorted
    .filter((id) => !served.has(id))
    .map((id) => composeOrderForTiers(id, [...newest.toReversed(), ...older].filter(isOrdinary), catalog));
  return [...covering, ...others, { customer: widest, items: [catalog.anyItem], metadata: [], orderMetadata: [] }];
}

/** Larger quantities, and longer texts in characters, are beyond what some software has room for. */
const [ordinaryQuantity, ordinaryText] = [9_999, 100];

function isOrdinary({ rules }: Tier): boolean {
  return rules.every((rule) => {
    if (rule.kind === 'metadata') return Math.max(rule.key.length, rule.is.length) <= ordinaryText;
    return !('id' in rule) || rule.at_least <= ordinaryQuantity;
  });
}

/** Sorts customers by the number of tiers that no rule keeps from them, the largest number first. */
function sortByReach(customers: readonly string[], tiers: readonly Tier[]): string[] {
  const count = (customer: string) => tiers.filter((tier) => acceptsCustomer(tier, customer)).length;
  const reach = new Map(customers.map((customer) => [customer, count(customer)]));
  return customers.toSorted((id, next) => (reach.get(next) ?? 0) - (reach.get(id) ?? 0));
}

/** Creates orders until each of the newest tiers is in the result of one of them, as far as an order can meet it. */
function coverTiers(customers: readonly string[], world: World, catalog: ProductIndex): DrawnRequestDraft[] {
  const newest = world.tiers.slice(0, windowSize);
  const older = world.tiers.slice(windowSize);
  // The oldest ones come first: they show the edge of the window. A deployment may refuse what is out of the ordinary: then
  // nothing would show in its responses, if all orders had something of that kind.
  const oldestFirst = newest.toReversed();
  const isOther = (tier: Tier) => !isOrdinary(tier);
  const uncovered = new Set([...oldestFirst.filter(isOrdinary), ...oldestFirst.filter(isOther)]);
  const orders: DrawnRequestDraft[] = [];
  for (const tier of uncovered) {
    const customer = customers.find((id) => acceptsCustomer(tier, id));
    const all = [tier, ...uncovered, ...newest, ...older];
    const order = composeOrderForTiers(customer ?? '', isOrdinary(tier) ? all.filter(isOrdinary) : all, catalog);
    const { returned } = createOracle(assembleDrawnRequest(order), world);
    const covered = [...uncovered].filter((candidate) => returned(candidate) === 'required');
    if (covered.length === 0) continue;
    for (const found of covered) uncovered.delete(found);
    const isExpanded = orders.length % 2 === 1;
    orders.push(isExpanded ? { ...order, expand: true } : order);
  }
  return orders;
}
