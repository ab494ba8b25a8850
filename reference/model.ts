/** Predicts what deployments with mistakes return, so that the results of a target can be compared with theirs. */

import type { World } from '../src/contract/world.js';
import type { HttpRequest } from '../src/http/exchange.js';
import { closedQuestions, completeBehaviours, convertOutcomesToBehaviours } from './behaviours.js';
import { createCatalogue } from './catalogue.js';
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
  return { id, sentence, breaks: 'limit.newest-150', change: () => ({ newest }) };
}

/** A limit on the result. */
export function createPageMistake(id: string, sentence: string, page: Handlers['page']): Mistake {
  return { id, sentence, breaks: 'result.all-valid', change: () => ({ page }) };
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
 * Selects tiers as deployments with changes do: without a look at credentials, and without a response. A test decides of
 * each tier, and computes no more than that takes.
 */
function createSelectors(facts: DeploymentFacts): (changes: readonly Change[]) => (request: HttpRequest) => TierTest {
  // Thousands of deployments are tried, and they have most handlers in common.
  const lookup = () => current;
  const documented: Handlers = { ...createHandlers(facts, lookup), authenticate: () => {} };
  let current = documented;
  const decisions = [
    ...Object.keys({ ...createFilterHandlers(lookup, facts), ...createEligibilityHandlers(lookup, facts) }),
    'page',
  ];
  const parse = createParser(documented, facts);
  const parsed = new WeakMap<HttpRequest, ParsedRequest>();
  const parseOnce = (request: HttpRequest): ParsedRequest => {
    const known = parsed.get(request) ?? parse(request);
    parsed.set(request, known);
    return known;
  };
  return (changes) => {
    const handlers = applyChanges(documented, changes, facts);
    const isChanged = (name: keyof Handlers) => handlers[name] !== documented[name];
    const isReadAlike = Object.keys(handlers).every(
      (name) => decisions.includes(name) || !isChanged(name as keyof Handlers),
    );
    const isByTier = !isChanged('select') && !isChanged('page');
    const readRequest = isReadAlike ? parseOnce : createParser(handlers, facts);
    return (request) => {
      current = handlers;
      try {
        const read = readRequest(request);
        const candidates = new Set(isByTier ? handlers.candidates(read) : handlers.page(handlers.select(read)));
        const isValid = isByTier ? handlers.validity(read) : () => true;
        return (tier) => {
          current = handlers;
          return candidates.has(tier) && isValid(tier);
        };
      } catch {
        return refused;
      }
    };
  };
}
