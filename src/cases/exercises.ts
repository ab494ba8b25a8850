import type { Topic } from '../contract/contract.js';
import { createReasonReader } from '../contract/find-topic.js';
import type { ObligationReason, Oracle } from '../contract/oracle.js';
import type { Tier } from '../contract/world.js';
import type { HttpRequest } from '../http/exchange.js';

/** What a request shows of one tier: it is returned, or it is not, because of what one requirement says. */
export interface Exercise {
  readonly tier: Tier;
  readonly topic: Topic;
  readonly expects: 'required' | 'forbidden';
  readonly reason: ObligationReason;
  /** The decision about the tier, such as that of its second rule. */
  readonly decision: number;
  /** Whether nothing else decides about the tier. */
  readonly isAlone: boolean;
}

/** Lists what a request shows of tiers. A forbidden tier shows something if it is forbidden for one reason only. */
export function listExercises(tiers: readonly Tier[], oracle: Oracle, request: HttpRequest): Exercise[] {
  const readReason = createReasonReader(request);
  return tiers.flatMap((tier): Exercise[] => {
    const expects = oracle.returned(tier);
    if (expects === 'open') return [];
    const reasons = oracle.listReasons(tier);
    const decisive = reasons.filter(({ obligation }) => obligation === 'forbidden');
    if (expects === 'forbidden' && decisive.length !== 1) return [];
    const isAlone = expects === 'forbidden' || new Set(tier.rules.map(({ kind }) => kind)).size === 1;
    return (expects === 'forbidden' ? decisive : reasons).flatMap((reason) =>
      listTopics(readReason(reason), reason).map((topic) => {
        return { tier, topic, expects, reason, decision: reasons.indexOf(reason), isAlone };
      }),
    );
  });
}

/** A quantity that is met shows that the item counts, too. */
function listTopics(topic: Topic, reason: ObligationReason): Topic[] {
  const isMet = topic === 'quantity' && reason.obligation === 'required' && reason.is === 'rule';
  const [kind] = isMet ? [reason.rule.kind] : [];
  return kind === 'product' || kind === 'sku' ? [topic, `${kind}-rule`] : [topic];
}
