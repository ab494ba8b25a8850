import { findById, type World } from '../contract/world.js';
import type { CandidateRequest, FilterVariation } from './candidate-request.js';
import { type DecisionFacet, listDecisionFacets } from './decision-facets.js';
import { listTestedTierDecisions, type TierDecision } from './list-tested-tier-decisions.js';
import { rateMisreadRisk } from './rate-misread-risk.js';

/** Something that a request can show. Two requests that show the same reach a goal with the same key. */
export interface CoverageGoal {
  readonly key: string;
  /** What a request is worth that shows this for the first time. */
  readonly worth: number;
}

/** The kinds of goals, and what each is worth by default. */
const worth = {
  /** A tier is in a result. */
  tier: 60,
  /** What one requirement says: a tier is returned, or it is not. */
  topic: 100,
  /** What a change does for a requirement. */
  'topic-by-change': 8,
  /** How a filter restricts, alone and in a request that is changed otherwise. */
  'topic-by-filter': 60,
  'topic-by-changed-filter': 20,
  /** What one of the rules of a tier, or the window, does, and what a change does for it. */
  decision: 6,
  'decision-by-change': 0.1,
  /** What one value of a filter does, and what one kind of filter does with it. */
  'filter-value': 6,
  'filter-value-by-kind': 1,
  /** What a filter does with a value that the data has only nearly, or for another key. */
  'inexact-filter-value': 2,
  /** A detail decides that a deployment may get wrong: for the first time, and in the rule of another tier. */
  facet: 40,
  /** The same for what a text has that must be equal: few requests show it. */
  'facet-of-text': 120,
  'facet-of-tier': 1,
  /** The same for a text with some sign. */
  'facet-of-sign': 3,
  /** A text with some sign must be equal to one of the data. */
  'sign-of-text': 60,
  /** A group of filters, or none, is read in a request of some form. */
  reading: 40,
  /** The same, where what is left out of the body has nothing to do with the filters. */
  'reading-of-less': 12,
  /** Tiers are expanded whose campaign has some number of categories. */
  'expanded-categories': 60,
  /** An exact filter with `options.expand`, or without. */
  'filter-with-expand': 60,
  /** Two properties of requests together. */
  pair: 0.4,
} as const;

/** Lists what a request shows of some data. */
export function listCoverageGoals(candidate: CandidateRequest, { tiers, campaigns }: World): CoverageGoal[] {
  const { filtering } = candidate;
  const goals = [
    ...(filtering === undefined ? listRuleGoals(candidate, tiers) : listFilterGoals(candidate, filtering, tiers)),
    ...listExpandGoals(candidate, tiers, campaigns),
    ...listReadingGoals(candidate),
    ...listPairGoals(candidate),
  ];
  // Each rule of a tier shows the tier.
  return [...keepFirst(goals, ({ key }) => key)];
}

function createGoal(kind: keyof typeof worth, parts: readonly string[], value: number = worth[kind]): CoverageGoal {
  return { key: [kind, ...parts].join('\n'), worth: value };
}

/** Lists what a request without filters shows of the window and of the rules of tiers. */
function listRuleGoals(candidate: CandidateRequest, tiers: World['tiers']): CoverageGoal[] {
  const { oracle, request, change, base } = candidate;
  const exercises = listTestedTierDecisions(tiers, oracle, request, base === undefined);
  // Most tiers show what another one shows.
  const firsts = keepFirst(
    exercises.filter(({ isAlone }) => isAlone),
    ({ topic, expects }) => `${topic} ${expects}`,
  );
  const changed = change?.title ?? '';
  return exercises.flatMap((exercise) => {
    const { tier, topic, expects } = exercise;
    const isNewTier = expects === 'required' && base === undefined;
    return [
      ...(isNewTier ? [createGoal('tier', [tier.id])] : []),
      ...(firsts.has(exercise) ? listTopicGoals(topic, expects, changed) : []),
      ...(expects === 'forbidden' ? listDecisionGoals(exercise, changed) : []),
      ...listFacetGoals(exercise, candidate),
    ];
  });
}

/** Lists the details that decide, each for the tier and for all tiers. */
function listFacetGoals(decision: TierDecision, candidate: CandidateRequest): CoverageGoal[] {
  return listDecisionFacets(decision, candidate).flatMap((facet) => {
    const parts = listFacetParts(facet);
    const ofSigns = listSignGoals(decision, facet, parts);
    const kind = facet.is === 'text' ? 'facet-of-text' : 'facet';
    return [createGoal(kind, parts), createGoal('facet-of-tier', [...parts, decision.tier.id]), ...ofSigns];
  });
}

function listSignGoals(decision: TierDecision, facet: DecisionFacet, parts: readonly string[]): CoverageGoal[] {
  const { reason } = decision;
  if (facet.is === 'text') {
    const text = reason.is === 'filter' ? reason.value : readRuleText(decision);
    return listSigns(text).map((sign) => createGoal('sign-of-text', [facet.of, sign]));
  }
  return facet.is === 'near'
    ? listSigns(readRuleText(decision)).map((sign) => createGoal('facet-of-sign', [...parts, sign]))
    : [];
}

/** Reads the text that a tier needs; '' if its rule has none. */
function readRuleText({ reason }: TierDecision): string {
  return reason.is === 'rule' && reason.rule.kind === 'metadata' ? reason.rule.is : '';
}

/** Lists the signs of a text, and whether it is long: software ends texts at a sign, or cuts them. */
function listSigns(text: string): string[] {
  return [...new Set(text.match(/[^\p{L}\p{N}\p{M}]/gu) ?? []), ...(text.length > longText ? ['long'] : [])];
}

/** In characters. */
const longText = 60;

function listFacetParts(facet: DecisionFacet): string[] {
  if (facet.is === 'near') return [facet.is, facet.of, facet.by];
  return facet.is === 'text' ? [facet.is, facet.of, facet.has] : [facet.is, facet.by];
}

/** Lists how many categories the campaigns of returned tiers have, if they are expanded. */
function listExpandGoals({ oracle, parts }: CandidateRequest, tiers: World['tiers'], campaigns: World['campaigns']) {
  if (parts.expand !== true) return [];
  const expanded = tiers.filter((tier) => oracle.returned(tier) === 'required');
  return expanded.map(({ campaign_id }) => {
    const count = findById(campaigns, campaign_id)?.category_ids.length ?? 0;
    return createGoal('expanded-categories', [count > 1 ? 'several' : String(count)]);
  });
}

function listTopicGoals(topic: string, expects: string, changed: string): CoverageGoal[] {
  return [createGoal('topic', [topic, expects]), createGoal('topic-by-change', [topic, expects, changed])];
}

function listDecisionGoals({ tier, reason, decision }: TierDecision, changed: string): CoverageGoal[] {
  const text = reason.is === 'rule' && reason.rule.kind === 'metadata' ? reason.rule.key + reason.rule.is : '';
  const byChange = (1 + rateMisreadRisk(text)) * worth['decision-by-change'];
  return [
    createGoal('decision', [tier.id, String(decision)]),
    createGoal('decision-by-change', [tier.id, String(decision), changed], byChange),
  ];
}

/** Lists what a request with filters shows of them. */
function listFilterGoals(
  candidate: CandidateRequest,
  filtering: FilterVariation,
  tiers: World['tiers'],
): CoverageGoal[] {
  const { oracle, request, change, parts } = candidate;
  const [{ subject, nearTo } = {}] = parts.filters ?? [];
  const decisions = listTestedTierDecisions(tiers, oracle, request).filter(({ reason }) => reason.is === 'filter');
  const exercises = decisions.flatMap((exercise) => {
    const { tier, topic, expects, reason } = exercise;
    if (reason.is !== 'filter') return [];
    // A near miss shows something of the tiers that it nearly selects.
    const isMissed = subject?.on === 'metadata' && nearTo !== undefined && tier.metadata[subject.key] !== nearTo;
    return isMissed ? [] : [{ topic, expects, subject: reason.subject, value: reason.value }];
  });
  const firsts = keepFirst(exercises, ({ topic, expects, value }) => `${topic} ${expects} ${value}`);
  const facets = decisions.flatMap((decision) => listFacetGoals(decision, candidate));
  const valueGoals = [...firsts].flatMap(({ topic, expects, subject: on, value }) => {
    const text = JSON.stringify([on, value]);
    return [
      change === undefined
        ? createGoal('topic-by-filter', [topic, expects, filtering.title])
        : createGoal('topic-by-changed-filter', [topic, expects, change.title]),
      createGoal('filter-value', [expects, text], rateFilterValue(filtering, text)),
      createGoal('filter-value-by-kind', [expects, text, filtering.title]),
    ];
  });
  return [...facets, ...valueGoals];
}

function rateFilterValue({ kind }: FilterVariation, text: string): number {
  return kind === 'exact' ? worth['filter-value'] + rateMisreadRisk(text) : worth['inexact-filter-value'];
}

/** Lists how the request is read: its filters in a form, and exact filters beside `options.expand`. */
function listReadingGoals({ filtering, change, parts }: CandidateRequest): CoverageGoal[] {
  const form = change?.group === 'reading' ? change.title : '';
  const isOfLess = filtering !== undefined && change?.kind === 'omission';
  const reading = createGoal(isOfLess ? 'reading-of-less' : 'reading', [filtering?.group ?? '', form]);
  if (filtering === undefined || !readWithExpand.has(filtering.kind)) return [reading];
  return [reading, createGoal('filter-with-expand', [filtering.title, renderExpand(parts)])];
}

/** Filters that are sent with `options.expand` and without. */
const readWithExpand: ReadonlySet<FilterVariation['kind']> = new Set(['exact', 'many-matches', 'no-match']);

/** Lists all pairs of properties of a request: mistakes may need two of them at once. */
function listPairGoals({ filtering, change, parts }: CandidateRequest): CoverageGoal[] {
  const { customer, items, metadata, orderMetadata } = parts;
  const kinds = [...new Set(items.map((item) => item.kind))];
  const properties = [
    `customer ${customer}`,
    `${countRoughly(items)} items`,
    `${kinds.join(' and ')} items`,
    `${countRoughly(metadata)} metadata`,
    `${countRoughly(orderMetadata)} order metadata`,
    `expand ${renderExpand(parts)}`,
    `filter ${filtering?.title ?? ''}`,
    `change ${change?.title ?? ''}`,
  ];
  return properties.flatMap((property, n) =>
    properties.slice(n + 1).map((partner) => createGoal('pair', [property, partner])),
  );
}

function countRoughly(all: readonly unknown[]): string {
  return all.length > 2 ? 'several' : String(all.length);
}

function renderExpand({ expand }: CandidateRequest['parts']): string {
  return String(expand === true);
}

/** Keeps the first item with each key. */
function keepFirst<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlySet<T> {
  const firsts = new Map<string, T>();
  for (const item of items) if (!firsts.has(keyOf(item))) firsts.set(keyOf(item), item);
  return new Set(firsts.values());
}
