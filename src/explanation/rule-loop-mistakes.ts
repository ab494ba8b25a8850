/**
 * Mistakes of the loop over the rules of a promotion tier: a rule of some kind ends it, or the first or the last rule is not reached.
 * They are proved like those of the reference deployment, which has some of them. Pure.
 */

import type { Handlers } from '../../reference/deployment/handlers.js';
import { createMistakeOfEveryRequest, type StructuralMistake } from '../../reference/faults/model.js';
import type { TierRule } from '../contract/world.js';

type Rules = readonly TierRule[];
type RuleTest = (rule: TierRule) => boolean;

/** Kinds of rules, and what they are about. What a rule about order metadata does is open. */
const kinds = [
  ['customer', 'customers'],
  ['product', 'a product'],
  ['sku', 'a SKU'],
  ['metadata', 'metadata'],
] as const;

/** Creates a mistake that decides otherwise whether the rules of a tier hold. */
function createLoopMistake(
  id: string,
  sentence: string,
  decide: (rules: Rules, holds: RuleTest) => boolean,
): StructuralMistake {
  return createMistakeOfEveryRequest(id, sentence, (handlers: Handlers) => ({
    isValid: ({ rules }, request) => decide(rules, (rule) => handlers.holds(rule, request)),
  }));
}

export const ruleLoopMistakes: readonly StructuralMistake[] = [
  ...kinds.flatMap(([kind, words]): StructuralMistake[] => {
    const isOfKind: RuleTest = (rule) => rule.kind === kind;
    return [
      createLoopMistake(
        `rules-after-${kind}-unread`,
        `Once a rule about ${words} holds, the rules after it in the same promotion are not evaluated.`,
        (rules, holds) => {
          const end = rules.findIndex((rule) => isOfKind(rule) && holds(rule));
          return (end < 0 ? rules : rules.slice(0, end)).every(holds);
        },
      ),
      createLoopMistake(
        `rules-before-${kind}-unread`,
        `If a promotion has a rule about ${words}, the rules before it are not evaluated.`,
        (rules, holds) => rules.slice(Math.max(0, rules.findLastIndex(isOfKind))).every(holds),
      ),
      createLoopMistake(
        `rules-beside-${kind}-unread`,
        `If a promotion has a rule about ${words}, its rules of other kinds are not evaluated.`,
        (rules, holds) => {
          const ofKind = rules.filter(isOfKind);
          return (ofKind.length > 0 ? ofKind : rules).every(holds);
        },
      ),
      createLoopMistake(
        `${kind}-among-others-unread`,
        `A rule about ${words} is not evaluated if the promotion has rules of other kinds, too.`,
        (rules, holds) => {
          const others = rules.filter((rule) => !isOfKind(rule));
          return (others.length > 0 ? others : rules).every(holds);
        },
      ),
      createLoopMistake(
        `one-rule-about-${kind}-enough`,
        `Of several rules about ${words}, one is enough: the others need not hold.`,
        (rules, holds) => {
          const ofKind = rules.filter(isOfKind);
          return (ofKind.length === 0 || ofKind.some(holds)) && rules.every((rule) => isOfKind(rule) || holds(rule));
        },
      ),
    ];
  }),
  createLoopMistake('last-rule-unread', 'The last rule of a promotion is not evaluated.', (rules, holds) =>
    rules.slice(0, -1).every(holds),
  ),
  createLoopMistake('first-rule-unread', 'The first rule of a promotion is not evaluated.', (rules, holds) =>
    rules.slice(1).every(holds),
  ),
  ...[2, 3].map((count) =>
    createLoopMistake(
      `first-rules-only/${count}`,
      `Only the first ${count} rules of a promotion are evaluated.`,
      (rules, holds) => rules.slice(0, count).every(holds),
    ),
  ),
];
