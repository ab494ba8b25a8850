/** Predicts what deployments with mistakes return, so that the results of a target can be compared with theirs. */

import type { Tier, World } from '../src/contract/world.js';
import type { HttpRequest } from '../src/http/exchange.js';
import { closedQuestions, completeBehaviours, convertOutcomesToBehaviours } from './behaviours.js';
import { createCatalogue } from './catalogue.js';
import { computeOnce } from './compute-once.js';
import { applyChanges, createHandlers, createParser } from './deployment.js';
import { createEligibilityHandlers } from './eligibility.js';
import { listGeneratedFaults } from './faults/generated-faults.js';
import { faults, type Requirement } from './faults/index.js';
import { createFilterHandlers } from './filters.js';
import type { Change, DeploymentFacts, Handlers, TierTest } from './handlers.js';
import type { ParsedRequest } from './parsed-request.js';
import { referenceCredentials } from './reference-credentials.js';

/** A mistake that a deployment may make, and how a user recognises it. */
export interface Mistake {
  /** Stable, with the size that it has, such as `window-size/100`. */
  readonly id: string;
  readonly sentence: string;
  /** The requirement that it breaks. */
  readonly breaks: Requirement;
  readonly change: Change;
  /** Whether what it does to a request depends on the requests before it. */
  readonly hasState?: boolean;
  /** Whether a developer may make it for requests of some kind alone. */
  readonly isSimple?: boolean;
}

/** Generated faults that are as plain as those with a story of their own. */
const simpleFaults: readonly string[] = ['rules/lost', 'product-id/lost'];

/** The faults that a user can recognise as mistakes, the simplest first. */
export const knownMistakes: readonly Mistake[] = [
  ...faults.map((fault) => ({ ...fault, isSimple: true })),
  ...listGeneratedFaults()
    .filter(({ invisibility }) => invisibility === undefined)
    .map((fault) => ({ ...fault, isSimple: simpleFaults.includes(fault.id) })),
].flatMap(({ sentence, ...fault }) => (sentence === undefined ? [] : [{ ...fault, sentence }]));

/** Another window than the newest 150 tiers. */
export function createWindowMistake(id: string, sentence: string, newest: Handlers['newest']): Mistake {
  return { id, sentence, breaks: 'limit.newest-150', change: () => ({ newest }), isSimple: true };
}

/** A limit on the result. */
export function createPageMistake(id: string, sentence: string, page: Handlers['page']): Mistake {
  return { id, sentence, breaks: 'result.all-valid', change: () => ({ page }), isSimple: true };
}

/** Selects no tier, as the request is refused. */
export const refused: TierTest = () => false;

/**
 * What a deployment returns for a request, in each reading of what the documentation leaves open: what a filter does to the
 * window, and the effect of audienceRulesOnly.
 */
export type Selections = readonly TierTest[];

/** What a target does with audienceRulesOnly: no other answer decides which promotions a documented request gets. */
const effectQuestion = 'audience-rules-only-effect';

/**
 * Creates deployments of a world.
 *
 * @param outcomes the observed answers to questions
 * @returns starts a deployment with mistakes
 */
export function createModel(
  world: World,
  outcomes: Readonly<Record<string, string>> = {},
): (mistakes: readonly Mistake[]) => (request: HttpRequest) => Selections {
  const catalogue = createCatalogue(world);
  const [usual] = closedQuestions[effectQuestion];
  const { [effectQuestion]: observed = usual } = convertOutcomesToBehaviours(outcomes).behaviours;
  const models = [...new Set([usual, observed])].flatMap((effect) =>
    ['window-first', 'filter-first'].map((reading) =>
      createSelectors({
        catalogue,
        credentials: referenceCredentials,
        behaviours: completeBehaviours({ [effectQuestion]: effect, 'filter-beyond-window': reading }),
      }),
    ),
  );
  return (mistakes) => {
    const hasState = mistakes.some((mistake) => mistake.hasState);
    const selectors: ReturnType<(typeof models)[number]>[] = [];
    return (request) => {
      // Without a query, the readings agree.
      const differing = hasState || request.path.includes('?') ? models : models.slice(0, 1);
      return differing.map((createSelector, n) => {
        selectors[n] ??= createSelector(mistakes.map(({ change }) => change));
        return selectors[n](request);
      });
    };
  };
}

/**
 * Selects tiers as deployments with changes do: without a look at credentials, and without a response. Thousands of
 * deployments are tried, so what they decide like the documented one is decided once.
 */
function createSelectors(facts: DeploymentFacts): (changes: readonly Change[]) => (request: HttpRequest) => TierTest {
  const lookup = () => current;
  const stated: Handlers = { ...createHandlers(facts, lookup), authenticate: () => {} };
  const ofCandidates = ['newest', 'candidates', ...Object.keys(createFilterHandlers(lookup, facts))];
  const { select, ...ofEligibility } = createEligibilityHandlers(lookup, facts);
  const ofTiers = [...ofCandidates, ...Object.keys(ofEligibility)] as readonly (keyof Handlers)[];
  const selectOnce = computeOnce(stated.select);
  const isAsStated = (name: keyof Handlers) => current[name] === stated[name];
  const documented: Handlers = {
    ...stated,
    select: (read) => (ofTiers.every(isAsStated) ? selectOnce(read) : stated.select(read)),
  };
  let current = documented;
  const parseOnce = computeOnce(createParser(documented, facts));
  const findCandidatesOnce = computeOnce((read: ParsedRequest) => testWhether(documented.candidates(read)));
  const testOnce = computeOnce((read: ParsedRequest) => computeOnce(documented.validity(read)));
  return (changes) => {
    const handlers = applyChanges(documented, changes, facts);
    const names = Object.keys(handlers) as (keyof Handlers)[];
    const changed = names.filter((name) => handlers[name] !== documented[name]);
    const isSelectedApart = changed.includes('select') || changed.includes('page');
    const isReadAlike = changed.every((name) => [...ofTiers, 'select', 'page'].includes(name));
    const hasOtherCandidates = !isReadAlike || changed.some((name) => ofCandidates.includes(name));
    const isTestedAlike = changed.every((name) => ofCandidates.includes(name));
    const readRequest = isReadAlike ? parseOnce : createParser(handlers, facts);
    return (request) => {
      current = handlers;
      try {
        const read = readRequest(request);
        if (isSelectedApart) return testWhether(handlers.page(handlers.select(read)));
        const isCandidate = hasOtherCandidates ? testWhether(handlers.candidates(read)) : findCandidatesOnce(read);
        const isValid = isTestedAlike ? testOnce(read) : handlers.validity(read);
        return (tier) => {
          current = handlers;
          return isCandidate(tier) && isValid(tier);
        };
      } catch {
        return refused;
      }
    };
  };
}

/** Tests whether a tier is one of some. Few are asked for, so that a set is worth its time for thousands of tiers alone. */
function testWhether(tiers: readonly Tier[]): TierTest {
  const found = tiers.length > 200 ? new Set(tiers) : undefined;
  return (tier) => found?.has(tier) ?? tiers.includes(tier);
}
