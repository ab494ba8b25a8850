/**
 * Mistakes of a deployment that keeps what it knows of a rule under a key that lacks a part of the rule, such as its threshold. So
 * one rule decides for all with the same key. They are proved like those of the reference deployment. Pure.
 */

import type { Change } from '../../reference/deployment/handlers.js';
import { createMistakeOfEveryRequest, type StructuralMistake } from '../../reference/faults/model.js';
import { type Tier, type TierRule, windowSize } from '../contract/world.js';
import { computeOnce } from '../support/caches.js';

/** A key that lacks a part of a rule. */
interface IncompleteKey {
  readonly id: string;
  /** The rules that share a key. */
  readonly words: string;
  /** Whether it lacks the threshold of rules about items. */
  readonly isOfItems?: true;
  /** Undefined if rules of this kind are not concerned. */
  readonly read: (rule: TierRule) => string | undefined;
}

/** What a rule about order metadata does is open, so none of these keys is about it. */
const keys: readonly IncompleteKey[] = [
  {
    id: 'item',
    isOfItems: true,
    words: 'rules about one product or SKU',
    read: (rule) => ('id' in rule ? `${rule.kind} ${rule.id}` : undefined),
  },
  {
    id: 'product',
    isOfItems: true,
    words: 'rules about one product',
    read: (rule) => (rule.kind === 'product' ? rule.id : undefined),
  },
  {
    id: 'sku',
    isOfItems: true,
    words: 'rules about one SKU',
    read: (rule) => (rule.kind === 'sku' ? rule.id : undefined),
  },
  {
    id: 'metadata',
    words: 'rules about one key of metadata',
    read: (rule) => (rule.kind === 'metadata' ? rule.key : undefined),
  },
  { id: 'kind', words: 'rules of one kind', read: ({ kind }) => (kind === 'order_metadata' ? undefined : kind) },
];

/** Decides tiers one after another. What was found of a rule counts for all later ones of the request with the same key. */
function createMemoChange(key: IncompleteKey, sort: (tiers: readonly Tier[]) => readonly Tier[]): Change {
  return (handlers) => {
    const known = new Map<string, boolean>();
    return {
      holds(rule, request) {
        const of = key.read(rule);
        if (of === undefined) return handlers.holds(rule, request);
        const result = known.get(of) ?? handlers.holds(rule, request);
        known.set(of, result);
        return result;
      },
      select(request) {
        known.clear();
        return sort(handlers.candidates(request)).filter(handlers.validity(request));
      },
    };
  };
}

/** Evaluates one rule, that of the first tier, in place of all with the same key. */
function createKeptRuleChange(key: IncompleteKey, sort: (tiers: readonly Tier[]) => readonly Tier[]): Change {
  return (handlers, { catalogue }) => {
    const getKept = computeOnce(() => {
      const rules = sort(catalogue.tiers).flatMap((tier) => tier.rules);
      return new Map(rules.toReversed().map((rule) => [key.read(rule), rule]));
    });
    return {
      holds(rule, request) {
        const of = key.read(rule);
        return handlers.holds((of === undefined ? undefined : getKept().get(of)) ?? rule, request);
      },
    };
  };
}

const newestFirst = (tiers: readonly Tier[]): readonly Tier[] => tiers;
const oldestFirst = (tiers: readonly Tier[]): readonly Tier[] => tiers.toReversed();
const oldestOfWindowFirst = (tiers: readonly Tier[]): readonly Tier[] => tiers.slice(0, windowSize).toReversed();

/** The orders in which the rules of a request are evaluated. */
const evaluationOrders = [
  ['newest', 'that of the newest promotion', newestFirst],
  ['oldest', 'that of the oldest promotion', oldestFirst],
] as const;

/** The promotion whose rule is kept. The newest one about an item mostly asks for one piece: then all thresholds seem to be ignored. */
const keptChoices = [
  ['newest', 'the newest promotion', newestFirst],
  ['oldest', 'the oldest promotion', oldestFirst],
  ['oldest-of-window', `the oldest of the newest ${windowSize} promotions`, oldestOfWindowFirst],
] as const;

export const sharedRuleMistakes: readonly StructuralMistake[] = keys.flatMap((key) => [
  ...evaluationOrders.map(([order, words, sort]) =>
    createMistakeOfEveryRequest(
      `shared-${key.id}-result-${order}`,
      `Within a request, all ${key.words} get the result of the one that is evaluated first, ${words}.`,
      createMemoChange(key, sort),
    ),
  ),
  ...keptChoices
    .filter(([choice]) => choice !== 'newest' || !key.isOfItems)
    .map(([choice, words, sort]) =>
      createMistakeOfEveryRequest(
        `shared-${key.id}-rule-${choice}`,
        `In place of all ${key.words}, the one of ${words} is evaluated.`,
        createKeptRuleChange(key, sort),
      ),
    ),
]);
