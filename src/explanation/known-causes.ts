/** Causes that an id alone describes, so that a file of known deviations can name them. */

import { knownMistakes, type StructuralMistake } from '../../reference/faults/model.js';
import type { KnownMistakeCorrections } from '../assertions/row-evidence.js';
import { createOracle, type Obligation } from '../contract/oracle.js';
import { listAvailableTiers, type TargetWorld, type Tier } from '../contract/world.js';
import type { HttpRequest } from '../http/exchange.js';
import { isSuccessful } from '../http/response-status.js';
import type { ReturnedTiers } from '../recognition/returned-tiers.js';
import { createKnownFailureTest, type KnownDeviationsFile } from '../record/known-deviations.js';
import { cacheByObject } from '../support/caches.js';
import { createInputError, suggestName } from '../support/problem.js';
import { readYaml } from '../support/yaml-file.js';
import type { RequestWithObligations } from './observation.js';
import { createWindowOrPageMistake } from './observed-mistakes.js';
import { findRefusedFeatureByCauseId, isKnownRefusal, type RefusedFeature } from './refused-features.js';
import { createPredictorOfAnySum } from './repeated-products.js';

export type KnownCauses = ReturnType<typeof readKnownCauses>;

/** Reads the id of a cause; undefined if it does not say what a deployment returns. */
export function findMistakeByCauseId(id: string, world: TargetWorld): StructuralMistake | undefined {
  return createWindowOrPageMistake(id, world) ?? knownMistakes.find((mistake) => mistake.id === id);
}

/** Reads the causes that still count. @throws UnusableInput for the first cause that cannot be read */
export function readKnownCauses({ file, entries, emptyStatuses }: KnownDeviationsFile, world: TargetWorld) {
  const known = entries.flatMap(({ cause: id, isExpired, isGone }, n): (StructuralMistake | RefusedFeature)[] => {
    if (id === undefined) return [];
    const cause = findMistakeByCauseId(id, world) ?? findRefusedFeatureByCauseId(id);
    if (cause !== undefined) return isExpired || isGone ? [] : [cause];
    const hint = `${suggestName(
      id,
      knownMistakes.map((mistake) => mistake.id),
    )} Not every cause of a run is exact enough: name the rows that fail if it is not.`;
    throw createInputError(readYaml(file, file).locate(['deviations', n, 'cause']), `unknown cause '${id}'`, hint);
  });
  return {
    causes: known.flatMap((cause) => ('change' in cause ? cause : [])),
    refusals: known.flatMap((cause) => ('feature' in cause ? cause : [])),
    isFailureKnown: createKnownFailureTest(entries),
    emptyStatuses,
  };
}

/** Creates what the judge needs to judge as if the known causes were right. Undefined if there is none. */
export function createKnownMistakeCorrections(
  { causes, refusals, emptyStatuses }: Pick<KnownCauses, 'causes' | 'refusals' | 'emptyStatuses'>,
  world: TargetWorld,
): KnownMistakeCorrections | undefined {
  if (causes.length + refusals.length === 0) return undefined;
  const tiers = listAvailableTiers(world);
  const predictKnown = createPredictorOfAnySum({ tiers, world, outcomes: {} })(causes);
  const predict = cacheByObject((request: HttpRequest): Predicted => {
    const asked: RequestWithObligations = { request, documented: tiers.map(createOracle(request, world).returned) };
    const prediction = predictKnown(asked);
    return { asked, known: tiers.map((_, position) => prediction(position)) };
  });
  return {
    isRefused: (exchange) =>
      'response' in exchange && isKnownRefusal(refusals, exchange.request, exchange.response.status),
    correctExchange(exchange) {
      const { status } = exchange.response;
      if (isSuccessful(exchange.response)) return exchange;
      // Without a list of statuses, an empty result may have any status.
      const mayBeEmpty = emptyStatuses === undefined || emptyStatuses.includes(status);
      if (!mayBeEmpty || !isEmptiedByMistake(predict(exchange.request))) return exchange;
      return { ...exchange, response: { ...exchange.response, status: 200, body: '' } };
    },
    correctResult: (result, request) => correctResult(result, tiers, predict(request)),
  };
}

/** What the documentation says of a request, and what the known causes make of it, tier by tier. */
interface Predicted {
  readonly asked: RequestWithObligations;
  readonly known: readonly Obligation[];
}

/** Whether the documentation requires promotions for a request, and with the known causes none is left. */
function isEmptiedByMistake({ asked, known }: Predicted): boolean {
  return asked.documented.includes('required') && !known.includes('required');
}

/** Corrects a result: a tier that the known causes predict as it was returned counts as right, any other one as wrong. */
function correctResult(result: ReturnedTiers, tiers: readonly Tier[], { asked, known }: Predicted): ReturnedTiers {
  const returned = new Set(result.returned);
  for (const [position, { id }] of tiers.entries()) {
    const documented = asked.documented[position];
    const predicted = known[position];
    const isChanged = documented !== 'open' && predicted !== documented;
    const isUnclear = predicted !== 'open' && result.unclear.has(id);
    if (!isChanged || isUnclear) continue;
    const isAsPredicted = predicted === 'open' || returned.has(id) === (predicted === 'required');
    const isRequired = documented === 'required';
    const countsAsReturned = isAsPredicted ? isRequired : !isRequired;
    if (countsAsReturned) returned.add(id);
    else returned.delete(id);
  }
  const removed = new Set(result.returned.filter((id) => !returned.has(id)));
  return {
    ...result,
    returned: [...returned],
    isNamedElsewhere: (id) => !removed.has(id) && result.isNamedElsewhere(id),
  };
}
