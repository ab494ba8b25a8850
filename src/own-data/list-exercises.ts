import type { Topic } from '../contract/contract.js';
import type { DocumentedBody, ObligationReason, Oracle } from '../contract/oracle.js';
import type { Tier } from '../contract/world.js';
import type { HttpRequest } from '../http/exchange.js';
import { parseRequest } from '../http/request-content.js';
import { remember } from '../support/caches.js';

/** Finds the topic of a reason: a response that contradicts it breaks the requirement of that topic. */
function createReasonReader(request: HttpRequest) {
  const { order } = parseRequest(request).body as DocumentedBody;
  const counts = new Map<string, number>();
  for (const { product_id, sku_id } of order?.items ?? []) {
    const key = product_id === undefined ? `sku ${sku_id}` : `product ${product_id}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return (reason: ObligationReason): Topic => {
    if (reason.is === 'rank') return 'rank';
    if (reason.is === 'filter') return `filter-by-${reason.subject.on}`;
    const { rule, obligation } = reason;
    if (rule.kind === 'order_metadata') return 'order-metadata';
    // It never decides.
    if (rule.kind === 'other') return 'validity';
    if (!('id' in rule)) return `${rule.kind}-rule`;
    const count = counts.get(`${rule.kind} ${rule.id}`) ?? 0;
    const isRequired = obligation === 'required';
    if (isRequired && count > 1 && rule.kind === 'product') return 'repeated-item';
    // A quantity decides if it is too small, or if one unit would be too few.
    return count > 0 && (!isRequired || rule.at_least > 1) ? 'quantity' : `${rule.kind}-rule`;
  };
}

const hasRulesOfOneKind = remember(({ rules }: Tier): boolean => new Set(rules.map(({ kind }) => kind)).size === 1);

/**
 * Lists what a request shows of tiers: each is returned, or it is not, because of what one requirement says. A forbidden tier
 * shows something if it is forbidden for one reason only.
 *
 * @param isAnyShown whether required tiers are listed about which several kinds of rules decide
 */
export function listExercises(tiers: readonly Tier[], oracle: Oracle, request: HttpRequest, isAnyShown = true) {
  const readReason = createReasonReader(request);
  return tiers.flatMap((tier) => {
    const expects = oracle.returned(tier);
    /** Whether nothing else decides about the tier. */
    const isAlone = expects === 'forbidden' || hasRulesOfOneKind(tier);
    if (expects === 'open' || (!isAlone && !isAnyShown)) return [];
    const reasons = oracle.listReasons(tier);
    const decisive = reasons.filter(({ obligation }) => obligation === 'forbidden');
    if (expects === 'forbidden' && decisive.length !== 1) return [];
    return (expects === 'forbidden' ? decisive : reasons).flatMap((reason) => {
      const topic = readReason(reason);
      /** `decision` is the number of the decision about the tier, such as that of its second rule. */
      const exercise = { tier, topic, expects, reason, decision: reasons.indexOf(reason), isAlone };
      if (topic !== 'quantity' || expects === 'forbidden' || reason.is !== 'rule') return [exercise];
      // A quantity that is met shows that the item counts, too.
      return [exercise, { ...exercise, topic: `${reason.rule.kind as 'product' | 'sku'}-rule` as const }];
    });
  });
}
