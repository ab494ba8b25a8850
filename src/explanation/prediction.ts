import type { TierTest } from '../../reference/deployment/handlers.js';
import {
  createModel,
  createWindowMistake,
  type RepeatedQuantities,
  type ResultLimit,
  refused,
  type Selections,
  type StructuralMistake,
} from '../../reference/faults/model.js';
import type { Obligation } from '../contract/oracle.js';
import { countWindowPlaces, type Tier } from '../contract/world.js';
import type { HttpRequest } from '../http/exchange.js';
import { cacheByObject, computeOnce } from '../support/caches.js';
import type { Observations, RequestWithObligations } from './observation.js';

/** What a deployment is to return of one tier, by its position in the list of tiers. */
export type Prediction = (position: number) => Obligation;

/** Predicts what a deployment returns for a request. */
export type Predict = (asked: RequestWithObligations) => Prediction;

export type ObservationsWithPredictor = Observations & { readonly predict: ReturnType<typeof createMistakePredictor> };

/** Selects the tiers of a response, in each reading of what the documentation leaves open. */
type SelectTiers = (request: HttpRequest) => Selections;

/** Deployments of one world, whose responses are predicted. */
interface Deployments {
  readonly tiers: readonly Tier[];
  readonly startWith: (mistakes: readonly StructuralMistake[]) => SelectTiers;
  readonly selectRightly: SelectTiers;
}

/** Creates predictions from mistakes. The documentation decides what no mistake changes, and what it leaves open stays open. */
export function createMistakePredictor(
  facts: Pick<Observations, 'tiers' | 'world' | 'outcomes'>,
  repeated?: RepeatedQuantities,
): (mistakes: readonly StructuralMistake[]) => Predict {
  const deployments = createDeployments(facts, repeated);
  return (mistakes) => cacheByObject(predictWith(mistakes, deployments));
}

function createDeployments(
  { tiers, world, outcomes }: Pick<Observations, 'tiers' | 'world' | 'outcomes'>,
  repeated: RepeatedQuantities | undefined,
): Deployments {
  const startModel = createModel({ ...world, tiers }, outcomes, repeated);
  const start = (mistakes: readonly StructuralMistake[]): SelectTiers => {
    if (world.ownPromotions === undefined) return startModel(mistakes);
    // Promotions that the deployment has of its own take places of the window.
    const smallerWindow = createWindowMistake('', '', (all) => all.slice(0, countWindowPlaces(world)));
    return startModel([smallerWindow, ...mistakes]);
  };
  return {
    tiers,
    startWith: start,
    selectRightly: cacheByObject(start([])),
  };
}

function predictWith(mistakes: readonly StructuralMistake[], deployments: Deployments): Predict {
  const changing = mistakes.filter(({ limit }) => limit === undefined);
  const limits = mistakes.flatMap(({ limit }) => limit ?? []);
  return limits.reduce<Predict>(
    (predict, limit) => limitPrediction(predict, limit, deployments.tiers),
    predictUnlimited(changing, deployments),
  );
}

function predictUnlimited(mistakes: readonly StructuralMistake[], deployments: Deployments): Predict {
  if (mistakes.length === 0) return predictDocumented;
  const select = deployments.startWith(mistakes);
  return (asked) => predictChanged(asked, select(asked.request), deployments);
}

/** Predicts a result that is cut off. */
function limitPrediction(predict: Predict, { size, sort }: ResultLimit, tiers: readonly Tier[]): Predict {
  const positions = new Map(tiers.map((tier, position) => [tier, position]));
  const sorted = sort(tiers).map((tier) => positions.get(tier) ?? 0);
  return (asked) => {
    const unlimited = predict(asked);
    const limitAll = computeOnce(() => {
      const obligations = tiers.map((_, position) => unlimited(position));
      return limitObligations(obligations, asked.returned, sorted, size);
    });
    return (position) => limitAll()[position] ?? 'open';
  };
}

/**
 * Forbids what is cut off. A tier of which it is open whether it is valid takes a place if it was returned. If it is not known what was
 * returned, it may take a place or not.
 *
 * @param sorted the positions of the tiers: those that stay come first
 */
function limitObligations(
  unlimited: readonly Obligation[],
  returned: readonly boolean[] | undefined,
  sorted: readonly number[],
  size: number,
): Obligation[] {
  const limited = [...unlimited];
  let [certain, possible] = [0, 0];
  for (const position of sorted) {
    const stated = unlimited[position];
    if (stated === 'required' && possible >= size) limited[position] = certain >= size ? 'forbidden' : 'open';
    const isCertain = stated === 'required' || (stated === 'open' && returned?.[position] === true);
    if (isCertain) certain += 1;
    if (isCertain || (stated === 'open' && returned === undefined)) possible += 1;
  }
  return limited;
}

function predictDocumented({ documented }: RequestWithObligations): Prediction {
  return (position) => documented[position] ?? 'open';
}

/** Predicts the tiers of one response, each when it is asked for. */
function predictChanged(
  { request, documented }: RequestWithObligations,
  selections: Selections,
  { tiers, selectRightly }: Deployments,
): Prediction {
  const known: Obligation[] = [];
  return (position) => {
    const stated = documented[position] ?? 'open';
    if (stated === 'open') return 'open';
    known[position] ??= predictTier(stated, tiers[position] as Tier, selections, () => selectRightly(request));
    return known[position];
  };
}

/** Predicts one tier. Where the readings disagree, it stays open. */
function predictTier(
  stated: Obligation,
  tier: Tier,
  selections: Selections,
  selectRightly: () => Selections,
): Obligation {
  const predicted = selections.map((selected, reading) =>
    predictInReading(stated, tier, selected, () => selectRightly()[reading]),
  );
  const first = predicted[0] ?? stated;
  return predicted.every((obligation) => obligation === first) ? first : 'open';
}

/** @param getRight selects without a mistake; undefined for readings of which none was needed, as they agree without a query */
function predictInReading(
  stated: Obligation,
  tier: Tier,
  selected: TierTest,
  getRight: () => TierTest | undefined,
): Obligation {
  const isSelected = selected(tier);
  const changed = isSelected ? 'required' : 'forbidden';
  if (changed === stated && selected !== refused) return stated;
  const right = getRight();
  // What a mistake does to a request that the target does not refuse is not known.
  if (selected === refused && right === refused) return 'open';
  return isSelected === right?.(tier) ? stated : changed;
}
