/** Predicts what deployments with mistakes return, so that the results of a target can be compared with theirs. */

import type { Tier, World } from '../../src/contract/world.js';
import type { HttpRequest } from '../../src/http/exchange.js';
import { closedQuestions, completeBehaviours, convertOutcomesToBehaviours } from '../deployment/behaviours.js';
import { createBodyHandlers } from '../deployment/body.js';
import { createCatalogue } from '../deployment/catalogue.js';
import { applyChanges, createHandlers, createParser } from '../deployment/deployment.js';
import { createEligibilityHandlers } from '../deployment/eligibility.js';
import { createFilterHandlers } from '../deployment/filters.js';
import type { Change, DeploymentFacts, Handlers, TierTest } from '../deployment/handlers.js';
import { createOrderHandlers } from '../deployment/order.js';
import { emptyRequest, type ParsedRequest } from '../deployment/parsed-request.js';
import { createQueryHandlers } from '../deployment/query.js';
import { referenceCredentials } from '../deployment/reference-credentials.js';
import { computeOnce } from './compute-once.js';
import { faults, type Requirement } from './index.js';
import { remember } from './remember.js';

/** A mistake that a whole deployment may make, and how a user recognises it. */
export interface StructuralMistake {
  /** Stable, with the size that it has, such as `window-size/100`. */
  readonly id: string;
  readonly sentence: string;
  /** The requirement that it breaks. */
  readonly breaks: Requirement;
  readonly change: Change;
  /** What the deployment cuts off of each result. A prediction applies it to what the changes leave. */
  readonly limit?: ResultLimit;
}

/** A limit on the number of promotions in a response. */
export interface ResultLimit {
  readonly size: number;
  /** Sorts tiers, which come newest first: those that stay come first. */
  readonly sort: (tiers: readonly Tier[]) => readonly Tier[];
}

/** The structural mistakes: the faults that have a sentence, and that no earlier request decides. */
export const knownMistakes: readonly StructuralMistake[] = faults.flatMap(({ sentence, ...fault }) =>
  sentence === undefined || fault.hasState ? [] : [{ ...fault, sentence }],
);

/** Another window than the newest 150 tiers. */
export function createWindowMistake(id: string, sentence: string, newest: Handlers['newest']): StructuralMistake {
  return { id, sentence, breaks: 'limit.newest-150', change: () => ({ newest }) };
}

/** A mistake of a filter. */
export function createFilterMistake(
  id: string,
  sentence: string,
  field: 'promotion_id' | 'metadata',
  change: Change,
): StructuralMistake {
  return { id, sentence, breaks: field === 'metadata' ? 'filter.tier-metadata' : 'filter.promotion-id', change };
}

/** A mistake about rules: promotions that are not valid are returned. It may concern every request. */
export function createMistakeOfEveryRequest(id: string, sentence: string, change: Change): StructuralMistake {
  return { id, sentence, breaks: 'result.valid-only', change };
}

/** A mistake that loses promotions which are valid. */
export function createLossMistake(id: string, sentence: string, change: Change): StructuralMistake {
  return { id, sentence, breaks: 'result.all-valid', change };
}

/** A limit on the result. */
export function createPageMistake(id: string, sentence: string, limit: ResultLimit): StructuralMistake {
  return { id, sentence, breaks: 'result.all-valid', change: () => ({}), limit };
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

/** How the quantities of equal products add up: that is open, and a mistake about quantities depends on it. */
export type RepeatedQuantities = 'summed' | 'each-item-alone' | 'first-item' | 'last-item';

/**
 * Creates deployments of a world.
 *
 * @param outcomes the observed answers to questions
 * @returns starts a deployment with mistakes
 */
export function createModel(
  world: World,
  outcomes: Readonly<Record<string, string>> = {},
  repeated: RepeatedQuantities = 'summed',
): (mistakes: readonly StructuralMistake[]) => (request: HttpRequest) => Selections {
  const catalogue = createCatalogue(world);
  const all = closedQuestions[effectQuestion];
  const observed = convertOutcomesToBehaviours(outcomes).behaviours[effectQuestion];
  // A question that the run left unanswered may have any outcome.
  const effects = observed === undefined ? all : [...new Set([all[0], observed])];
  const models = effects.flatMap((effect) =>
    ['window-first', 'filter-first'].map((reading) =>
      createSelectors({
        catalogue,
        credentials: referenceCredentials,
        behaviours: completeBehaviours({
          [effectQuestion]: effect,
          'filter-beyond-window': reading,
          'repeated-product-quantities': repeated,
        }),
      }),
    ),
  );
  return (mistakes) => {
    const selectors: ReturnType<(typeof models)[number]>[] = [];
    return (request) => {
      // Without a query, the readings agree.
      const differing = request.path.includes('?') ? models : models.slice(0, 1);
      return differing.map((createSelector, n) => {
        selectors[n] ??= createSelector(mistakes.map(({ change }) => change));
        return selectors[n](request);
      });
    };
  };
}

type HandlerName = keyof Handlers;

/** What the documented deployment decides. A deployment with changes asks it where no change matters. */
interface DocumentedSteps {
  readonly handlers: Handlers;
  readonly readBody: Handlers['readBody'];
  readonly readQuery: Handlers['readQuery'];
  readonly parse: (request: HttpRequest) => ParsedRequest;
  readonly select: Handlers['select'];
  readonly findCandidates: (filters: ParsedRequest['filters']) => TierTest;
  readonly validate: (read: ParsedRequest) => TierTest;
  /** The handlers that decide which tiers are checked. */
  readonly ofCandidates: readonly HandlerName[];
  /** Those, and the handlers that decide which tiers are valid. */
  readonly ofTiers: readonly HandlerName[];
}

/**
 * Selects tiers as deployments with changes do: without a look at credentials, and without a response. Thousands of
 * deployments are tried, so what they decide like the documented one is decided once.
 */
function createSelectors(facts: DeploymentFacts): (changes: readonly Change[]) => (request: HttpRequest) => TierTest {
  const documented = createDocumentedSteps(facts);
  return (changes) => createSelector(documented, changes, facts);
}

function createDocumentedSteps(facts: DeploymentFacts): DocumentedSteps {
  const lookup = (): Handlers => handlers;
  const handlers: Handlers = { ...createHandlers(facts, lookup), authenticate: () => {} };
  const { select: _, ...ofValidity } = createEligibilityHandlers(lookup, facts);
  const ofFilters = Object.keys(createFilterHandlers(lookup, facts)) as HandlerName[];
  const ofCandidates: readonly HandlerName[] = ['newest', 'candidates', ...ofFilters];
  return {
    handlers,
    readBody: computeOnce(handlers.readBody),
    readQuery: remember(handlers.readQuery, (query) => query),
    parse: computeOnce(createParser(handlers, facts)),
    select: computeOnce(handlers.select),
    findCandidates: computeOnce((filters: ParsedRequest['filters']) =>
      testWhether(handlers.candidates({ ...emptyRequest, filters })),
    ),
    validate: computeOnce((read: ParsedRequest) => computeOnce(handlers.validity(read))),
    ofCandidates,
    ofTiers: [...ofCandidates, ...(Object.keys(ofValidity) as HandlerName[])],
  };
}

/** Creates the handlers of one deployment, which call each other with its changes, and lists what the changes replace. */
function changeHandlers(documented: DocumentedSteps, changes: readonly Change[], facts: DeploymentFacts) {
  const lookup = (): Handlers => handlers;
  const body = createBodyHandlers(lookup, facts);
  const query = createQueryHandlers(lookup, facts);
  const eligibility = createEligibilityHandlers(lookup, facts);
  const unchanged: Handlers = {
    // No selection needs a response, so the handlers of responses are shared.
    ...documented.handlers,
    ...body,
    ...createOrderHandlers(lookup, facts),
    ...query,
    ...createFilterHandlers(lookup, facts),
    ...eligibility,
    readBody: (request) => (isChanged('readsMediaType') ? body.readBody(request) : documented.readBody(request)),
    readQuery: (text) =>
      isChanged('readFilter') || isChanged('readAudienceRulesOnly')
        ? query.readQuery(text)
        : documented.readQuery(text),
    select: (read) => (areTiersChosenAlike ? documented.select(read) : eligibility.select(read)),
  };
  const handlers = applyChanges(unchanged, changes, facts);
  const names = Object.keys(handlers) as HandlerName[];
  const changed = names.filter((name) => handlers[name] !== unchanged[name]);
  const isChanged = (name: HandlerName) => changed.includes(name);
  const areTiersChosenAlike = !documented.ofTiers.some(isChanged);
  return { handlers, changed };
}

function createSelector(
  documented: DocumentedSteps,
  changes: readonly Change[],
  facts: DeploymentFacts,
): (request: HttpRequest) => TierTest {
  const { ofCandidates, ofTiers } = documented;
  const { handlers, changed } = changeHandlers(documented, changes, facts);
  const isSelectedApart = changed.includes('select');
  const isReadAlike = changed.every((name) => [...ofTiers, 'select'].includes(name));
  const hasOtherCandidates = changed.some((name) => ofCandidates.includes(name));
  const isValidatedAlike = changed.every((name) => ofCandidates.includes(name));
  const readRequest = isReadAlike ? documented.parse : createParser(handlers, facts);
  const findCandidates = hasOtherCandidates
    ? (read: ParsedRequest) => testWhether(handlers.candidates(read))
    : ({ filters }: ParsedRequest) => documented.findCandidates(filters);
  const validate = isValidatedAlike ? documented.validate : handlers.validity;
  return (request) => {
    try {
      const read = readRequest(request);
      if (isSelectedApart) return testWhether(handlers.select(read));
      const isCandidate = findCandidates(read);
      const isValid = validate(read);
      return (tier) => isCandidate(tier) && isValid(tier);
    } catch {
      return refused;
    }
  };
}

/** Tests whether a tier is in a list. Few tiers are asked for, so building a set pays off for long lists alone. */
function testWhether(tiers: readonly Tier[]): TierTest {
  const found = tiers.length > 200 ? new Set(tiers) : undefined;
  return (tier) => found?.has(tier) ?? tiers.includes(tier);
}
