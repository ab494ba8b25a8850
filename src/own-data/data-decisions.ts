import { findById, type Tier, type TierRule, type World, windowSize } from '../contract/world.js';
import { groupBy } from '../support/collections.js';
import type { CandidateRequest } from './candidate-request.js';
import {
  type ComparedSubject,
  comparedSubjects,
  type DecisionFacet,
  listDecisionFacets,
  quantityFacets,
  textFacets,
} from './decision-facets.js';
import { listTestedTierDecisions, type TierDecision } from './list-tested-tier-decisions.js';
import { nearnesses } from './nearness.js';

/** A detail that a deployment decides by, and for which subjects requests of the run depend on it. */
export interface DataDecision {
  /** `templates/data-decisions.yaml` has its words. */
  readonly decision: string;
  readonly shown_for: readonly DecisionSubject[];
  readonly not_shown_for: readonly DecisionSubject[];
}

export type DecisionSubject = ComparedSubject | 'quantity' | 'result';

/** More promotions than an ordinary page of results has. */
const ordinaryPage = 50;

/** Lists which details the results of the drawn requests depend on, and which not: a mistake in those does not show. */
export function listDataDecisions(world: World, drawn: readonly CandidateRequest[]): DataDecision[] {
  const newest = world.tiers.slice(0, windowSize);
  const decided = drawn.flatMap((candidate) => {
    const decisions = listTestedTierDecisions(newest, candidate.oracle, candidate.request);
    return decisions.map((decision) => ({ decision, candidate }));
  });
  const facets = decided.flatMap(({ decision, candidate }) => listDecisionFacets(decision, candidate));
  const shown = new Set(facets.map(identifyFacet));
  const subjects = comparedSubjects.filter((subject) => isCompared(subject, world));
  const hasQuantities = newest.some(({ rules }) => rules.some((rule) => 'id' in rule));
  return [
    ...nearnesses.map((by) => {
      // Whether letter case counts in metadata is open.
      const compared = subjects.filter((of) => by !== 'letter-case' || !isMetadata(of));
      return divide(by, compared, (of) => shown.has(identifyFacet({ is: 'near', of, by })));
    }),
    ...quantityFacets.map((by) =>
      divide(`quantity-${by}`, hasQuantities ? ['quantity'] : [], () =>
        shown.has(identifyFacet({ is: 'quantity', by })),
      ),
    ),
    ...textFacets.map((has) =>
      divide(`text-${has}`, subjects.filter(isMetadata), (of) => shown.has(identifyFacet({ is: 'text', of, has }))),
    ),
    ...listResultDecisions(
      world,
      newest,
      drawn,
      decided.map(({ decision }) => decision),
    ),
  ].filter(({ shown_for, not_shown_for }) => shown_for.length + not_shown_for.length > 0);
}

function divide<Subject extends DecisionSubject>(
  decision: string,
  subjects: readonly Subject[],
  isShown: (subject: Subject) => boolean,
): DataDecision {
  return {
    decision,
    shown_for: subjects.filter(isShown),
    not_shown_for: subjects.filter((subject) => !isShown(subject)),
  };
}

function identifyFacet(facet: DecisionFacet): string {
  return Object.values(facet).join(' ');
}

function isMetadata(subject: ComparedSubject): subject is 'metadata-rule' | 'filter-by-metadata' {
  return subject === 'metadata-rule' || subject === 'filter-by-metadata';
}

/** Whether requests can name different things of this kind. */
function isCompared(subject: ComparedSubject, { campaigns, tiers }: World): boolean {
  const newest = tiers.slice(0, windowSize);
  if (subject === 'campaign') return campaigns.length > 1;
  if (subject === 'filter-by-metadata') return newest.some(({ metadata }) => Object.keys(metadata).length > 0);
  const kind = subject === 'metadata-rule' ? 'metadata' : subject;
  return newest.some(({ rules }) => rules.some((rule) => rule.kind === kind));
}

function listResultDecisions(
  { tiers, campaigns }: World,
  newest: readonly Tier[],
  drawn: readonly CandidateRequest[],
  decisions: readonly TierDecision[],
): DataDecision[] {
  const results = drawn.map(({ oracle, parts }) => {
    return { parts, returned: newest.filter((tier) => oracle.returned(tier) === 'required') };
  });
  const lacksCategories = ({ campaign_id }: Tier) => findById(campaigns, campaign_id)?.category_ids.length === 0;
  const decide = (decision: string, isShown: boolean) => divide(decision, ['result'], () => isShown);
  return [
    decide('edge-of-window', tiers.length > windowSize && shows(drawn, tiers[windowSize])),
    decide('edge-within-a-second', isWithinSecond(tiers)),
    decide(
      'long-result',
      results.some(({ returned }) => returned.length > ordinaryPage),
    ),
    decide(
      'same-name',
      results.some(({ returned }) => groupBy(returned, ({ name }) => name).size < returned.length),
    ),
    decide('rules-of-one-kind', decisions.some(isAmongRulesOfOneKind)),
    decide(
      'expanded-without-category',
      results.some(({ parts, returned }) => parts.expand === true && returned.some(lacksCategories)),
    ),
  ];
}

/** Whether some request would return a tier if it was checked. */
function shows(drawn: readonly CandidateRequest[], tier: Tier | undefined): boolean {
  return (
    tier !== undefined &&
    drawn.some(({ oracle }) => oracle.valid(tier) === 'required' && oracle.returned(tier) === 'forbidden')
  );
}

function isWithinSecond(tiers: readonly Tier[]): boolean {
  const [last, next] = [tiers[windowSize - 1], tiers[windowSize]];
  const cut = (tier: Tier) => tier.created_at.slice(0, 'yyyy-mm-ddThh:mm:ss'.length);
  return last !== undefined && next !== undefined && cut(last) === cut(next);
}

/** Whether one of several rules of a kind keeps a tier from the result: a deployment may check another one alone. */
function isAmongRulesOfOneKind({ reason, expects, tier }: TierDecision): boolean {
  if (expects !== 'forbidden' || reason.is !== 'rule') return false;
  const isAlike = (rule: TierRule) => rule.kind === reason.rule.kind;
  return tier.rules.filter(isAlike).length > 1;
}
