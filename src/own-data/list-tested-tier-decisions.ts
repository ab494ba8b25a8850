import type { RequirementTopic } from '../contract/contract.js';
import type { DocumentedRequestBody, ObligationReason, Oracle } from '../contract/oracle.js';
import type { ItemRule, Tier } from '../contract/world.js';
import { parseRequest } from '../http/decoded-request.js';
import type { HttpRequest } from '../http/exchange.js';
import { cacheByObject } from '../support/caches.js';

/** What a request shows of a tier: it is returned, or it is not, because of what one requirement says. */
export interface TierDecision {
  readonly tier: Tier;
  /** A response that contradicts `expects` breaks the requirement of this topic. */
  readonly topic: RequirementTopic;
  readonly expects: 'required' | 'forbidden';
  readonly reason: ObligationReason;
  /** The number of the reason among those for the tier, such as that of its second rule. */
  readonly decision: number;
  /** Whether nothing else decides about the tier. */
  readonly isAlone: boolean;
}

/**
 * Lists what a request shows of tiers. A forbidden tier shows something if it is forbidden for one reason only.
 *
 * @param isAnyShown whether required tiers are listed about which several kinds of rules decide
 */
export function listTestedTierDecisions(
  tiers: readonly Tier[],
  oracle: Oracle,
  request: HttpRequest,
  isAnyShown = true,
): TierDecision[] {
  const count = createItemCounter(request);
  return tiers.flatMap((tier) => {
    const expects = oracle.returned(tier);
    if (expects === 'open') return [];
    const isAlone = expects === 'forbidden' || hasRulesOfOneKind(tier);
    if (!isAlone && !isAnyShown) return [];
    const reasons = oracle.listReasons(tier);
    return selectReasons(reasons, expects).flatMap((reason) => {
      const decision = reasons.indexOf(reason);
      return listTopics(reason, expects, count).map((topic) => ({ tier, topic, expects, reason, decision, isAlone }));
    });
  });
}

const hasRulesOfOneKind = cacheByObject(
  ({ rules }: Tier): boolean => new Set(rules.map(({ kind }) => kind)).size === 1,
);

/** Selects the reasons that decide: all for a required tier, and the only one for a forbidden tier. */
function selectReasons(reasons: readonly ObligationReason[], expects: TierDecision['expects']) {
  if (expects === 'required') return reasons;
  const decisive = reasons.filter(({ obligation }) => obligation === 'forbidden');
  return decisive.length === 1 ? decisive : [];
}

/** Counts the items of an order that name a product or a SKU. */
type ItemCounter = (kind: 'product' | 'sku', id: string) => number;

function createItemCounter(request: HttpRequest): ItemCounter {
  const { order } = parseRequest(request).body as DocumentedRequestBody;
  const counts = new Map<string, number>();
  for (const { product_id, sku_id } of order?.items ?? []) {
    const key = product_id === undefined ? `sku ${sku_id}` : `product ${product_id}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return (kind, id) => counts.get(`${kind} ${id}`) ?? 0;
}

function listTopics(
  reason: ObligationReason,
  expects: TierDecision['expects'],
  count: ItemCounter,
): RequirementTopic[] {
  const topic = findTopic(reason, count);
  if (topic !== 'quantity' || expects === 'forbidden') return [topic];
  // A quantity that is met shows that the item counts, too.
  return reason.is === 'rule' && 'id' in reason.rule ? [topic, `${reason.rule.kind}-rule`] : [topic];
}

/** Finds the topic of a reason: a response that contradicts it breaks the requirement of that topic. */
function findTopic(reason: ObligationReason, count: ItemCounter): RequirementTopic {
  if (reason.is === 'rank') return 'rank';
  if (reason.is === 'filter') return `filter-by-${reason.subject.on}`;
  const { rule, obligation } = reason;
  if (rule.kind === 'order_metadata') return 'order-metadata';
  // A rule that the format cannot express never decides.
  if (rule.kind === 'other') return 'validity';
  if (!('id' in rule)) return `${rule.kind}-rule`;
  return findItemTopic(rule, obligation === 'required', count(rule.kind, rule.id));
}

/** @param items how many items of the order name what the rule asks for */
function findItemTopic({ kind, at_least }: ItemRule, isRequired: boolean, items: number): RequirementTopic {
  if (isRequired && items > 1 && kind === 'product') return 'repeated-item';
  // A quantity decides if it is too small, or if one unit would be too few.
  const doesQuantityDecide = items > 0 && (!isRequired || at_least > 1);
  return doesQuantityDecide ? 'quantity' : `${kind}-rule`;
}
