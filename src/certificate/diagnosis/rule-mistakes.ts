/** Mistakes about the rules of promotions. */

import { windowSize } from '../../contract/named-world.js';
import { combineWithAnd, type Obligation } from '../../contract/oracle.js';
import type { Rule } from '../../contract/world.js';
import { groupBy } from '../../support/group-by.js';
import { type Change, combineWithOr, decideRules, type Mistake, remember } from './prediction.js';

export const ruleKinds: Readonly<Record<string, readonly [name: string, kinds: readonly Rule['kind'][]]>> = {
  customer: ['the customer', ['customer']],
  product: ['products', ['product']],
  sku: ['SKUs', ['sku']],
  item: ['order items', ['product', 'sku']],
  metadata: ['metadata', ['metadata']],
};

export const ruleMistakes: readonly Mistake[] = [
  ...Object.entries(ruleKinds).flatMap(([id, [name, kinds]]): Mistake[] => {
    const decideKinds = (obligation: Obligation) =>
      decideRules(({ kind }) => (kinds.includes(kind) ? obligation : undefined));
    return [
      {
        id: `${id}-rules-ignored`,
        sentence: `The deployment ignores rules about ${name}: promotions are returned although these rules do not hold.`,
        change: decideKinds('required'),
      },
      {
        id: `${id}-rules-unmet`,
        sentence: `Promotions with rules about ${name} are never returned, although their rules hold.`,
        change: decideKinds('forbidden'),
      },
    ];
  }),
  {
    id: 'rules-joined-by-or',
    sentence: 'A promotion is returned as soon as one of its rules holds: the rules are joined by "or", not by "and".',
    change: joinWithOr(() => ''),
  },
  {
    id: 'rules-of-a-kind-joined-by-or',
    sentence: 'Of several rules of one kind, one is enough: they are joined by "or", not by "and".',
    change: joinWithOr(({ kind }) => kind),
  },
  {
    id: 'first-rule-only',
    sentence: 'Only the first rule of a promotion is evaluated.',
    change: chooseRules((rules) => rules.slice(0, 1)),
  },
  {
    id: 'last-rule-only',
    sentence: 'Only the last rule of a promotion is evaluated.',
    change: chooseRules((rules) => rules.slice(-1)),
  },
  {
    id: 'first-rule-lost',
    sentence: 'The first rule of a promotion is not evaluated.',
    change: chooseRules((rules) => rules.slice(1)),
  },
  {
    id: 'last-rule-lost',
    sentence: 'The last rule of a promotion is not evaluated.',
    change: chooseRules((rules) => rules.slice(0, -1)),
  },
  {
    id: 'first-customer-only',
    sentence: 'Of the customers that a promotion is reserved for, only the first one gets it.',
    change: changeCustomers(0, 1),
  },
  {
    id: 'last-customer-only',
    sentence: 'Of the customers that a promotion is reserved for, only the last one gets it.',
    change: changeCustomers(-1),
  },
  {
    id: 'rules-ignored',
    sentence: 'The deployment ignores rules: promotions are returned although these rules do not hold.',
    change: decideRules(() => 'required'),
  },
  {
    id: 'body-unread',
    sentence: 'The body of the request is not read: only promotions without rules are returned.',
    change: decideRules(() => 'forbidden'),
  },
];

/** They explain much, so they come last. */
export const carelessMistakes: readonly Mistake[] = [
  {
    id: 'window-returned',
    sentence: `The newest ${windowSize} promotion tiers are returned, whatever the request asks for.`,
    change: (before) => ({ ...before, matching: () => 'required', rule: () => 'required' }),
  },
  {
    id: 'everything-returned',
    sentence: 'Every promotion is returned, whatever the request asks for.',
    change: (before) => ({ ...before, checked: () => 'required', matching: () => 'required', rule: () => 'required' }),
  },
];

function chooseRules(choose: (rules: readonly Rule[]) => readonly Rule[]): Change {
  return (before) => ({
    ...before,
    valid: (tier, request, judge) => before.valid({ ...tier, rules: choose(tier.rules) }, request, judge),
  });
}

/** Keeps some of the customers of a rule. @param range as of `slice` */
function changeCustomers(...range: readonly [start: number, end?: number]): Change {
  const changeRule = remember((rule: Rule) =>
    rule.kind === 'customer' ? { ...rule, any_of: rule.any_of.slice(...range) } : rule,
  );
  return (before) => ({ ...before, rule: (rule, request) => before.rule(changeRule(rule), request) });
}

function joinWithOr(groupOf: (rule: Rule) => string): Change {
  return (before) => ({
    ...before,
    valid: (tier, request, judge) => {
      if (tier.rules.length < 2) return before.valid(tier, request, judge);
      const groups = [...groupBy(tier.rules, groupOf).values()];
      return combineWithAnd(groups.map((group) => combineWithOr(group.map(judge))));
    },
  });
}
