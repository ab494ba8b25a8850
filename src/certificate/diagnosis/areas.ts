import { combineWithAnd, type Obligation, requireIf } from '../../contract/oracle.js';
import type { Rule, Tier } from '../../contract/world.js';
import type { Deviation } from './finding.js';
import type { Compared, Observations } from './observation.js';
import { type Change, type Mistake, type Predictor, type ReadRequest, remember } from './prediction.js';

/**
 * A part of the documentation that a deployment may implement wrongly in a way that the suite has no name for. What is
 * decided depends on a part of the promotion and on a part of the request alone.
 */
interface Area {
  readonly id: string;
  readonly sentence: string;
  /** Undefined if the area decides nothing about this promotion, or this request. */
  readonly ofTier: (tier: Tier) => string | undefined;
  readonly ofRequest: (request: ReadRequest) => string | undefined;
  /** Puts other decisions in the place of the documented ones. */
  readonly decide: (decision: (tier: Tier, request: ReadRequest) => Obligation | undefined) => Change;
}

type RulePart = (request: ReadRequest) => unknown;

function ruleArea(id: string, name: string, kinds: readonly Rule['kind'][], part: RulePart): Area {
  const isMeant = ({ kind }: Rule) => kinds.includes(kind);
  return {
    id: `${id}-rules`,
    sentence: `Rules about ${name} are evaluated wrongly.`,
    ofTier: remember(({ rules }: Tier) => (rules.some(isMeant) ? JSON.stringify(rules.filter(isMeant)) : undefined)),
    ofRequest: (request) => JSON.stringify(part(request) ?? ''),
    decide: (decision) => (before) => ({
      ...before,
      valid: (tier, request, judge) => {
        const decided = decision(tier, request);
        if (decided === undefined) return before.valid(tier, request, judge);
        const others = tier.rules.filter((rule) => !isMeant(rule));
        return combineWithAnd([decided, before.valid({ ...tier, rules: others }, request, judge)]);
      },
    }),
  };
}

function filterArea(id: string, name: string, on: 'campaign' | 'metadata'): Area {
  return {
    id: `${id}-filter`,
    sentence: `The filter by ${name} compares wrongly.`,
    ofTier: remember(({ campaign_id, metadata }: Tier) => (on === 'campaign' ? campaign_id : JSON.stringify(metadata))),
    ofRequest: ({ filters }) => (filters.length === 1 && filters[0]?.on === on ? JSON.stringify(filters) : undefined),
    decide: (decision) => (before) => ({
      ...before,
      matching: (tier, request) => decision(tier, request) ?? before.matching(tier, request),
    }),
  };
}

const areas: readonly Area[] = [
  ruleArea('customer', 'the customer', ['customer'], ({ customer }) => customer),
  ruleArea('product', 'products', ['product'], ({ items }) => items),
  ruleArea('sku', 'SKUs', ['sku'], ({ items }) => items),
  ruleArea('item', 'order items', ['product', 'sku'], ({ items }) => items),
  ruleArea('metadata', 'metadata', ['metadata'], ({ metadata }) => metadata),
  filterArea('promotion-id', 'promotion_id', 'campaign'),
  filterArea('tier-metadata', 'tier metadata', 'metadata'),
  {
    id: 'window',
    sentence:
      'The window has other promotion tiers than the newest 150: some are never returned, or older ones are, whatever else the request asks for.',
    ofTier: ({ id }) => id,
    ofRequest: ({ filters }) => filters.map(({ on }) => on).join(' '),
    decide: (decision) => (before) => ({
      ...before,
      checked: (tier, request) => decision(tier, request) ?? before.checked(tier, request),
    }),
  },
];

/** A mistake in an area, as the responses show it. */
export interface AreaMistake extends Mistake {
  /** The number of decisions that differ from the documented ones. */
  readonly decisions: number;
}

/**
 * Finds the areas in which wrong decisions explain all deviations. Other responses may contradict them.
 *
 * @param changes the mistakes that are known
 */
export function findAreaMistakes(
  { tiers }: Observations,
  deviations: ReadonlyMap<Compared, readonly Deviation[]>,
  { predict, read }: Predictor,
  changes: readonly Change[],
): AreaMistake[] {
  return areas.flatMap(({ id, sentence, ofTier, ofRequest, decide }): AreaMistake[] => {
    const meetArea = [...changes, decide(() => 'required')];
    /** What the area decides of each promotion, by the part of the request and that of the promotion. */
    const decided = new Map<string, Map<string, boolean>>();
    for (const [{ exchange, returned }, list] of deviations) {
      const part = ofRequest(read(exchange.request));
      if (part === undefined) return [];
      const isMet = predict(meetArea, exchange.request);
      const ofPart = decided.get(part) ?? new Map<string, boolean>();
      decided.set(part, ofPart);
      for (const { position } of list) {
        const held = ofTier(tiers[position] as Tier);
        const isReturned = returned[position] === true;
        // Where a part of the request is open, what the area permits may be returned.
        const isDecisive = isMet(position) === 'required' || (isReturned && isMet(position) === 'open');
        if (held === undefined || !isDecisive || ofPart.get(held) === !isReturned) return [];
        ofPart.set(held, isReturned);
      }
    }
    const change = decide((tier, request) => {
      const isReturned = decided.get(ofRequest(request) ?? '')?.get(ofTier(tier) ?? '');
      // Where a part of the request is open, other decisions may be made.
      const isKnown = isReturned !== undefined && (isReturned || request.oracle.openReason === undefined);
      return isKnown ? requireIf(isReturned) : undefined;
    });
    const count = [...decided.values()].reduce((sum, { size }) => sum + size, 0);
    // What is seen of one promotion in several requests is one decision of the window, and several of any other area.
    return [{ id, sentence, change, decisions: id === 'window' ? 2 * count : count }];
  });
}
