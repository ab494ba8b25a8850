/** Causes that an id alone describes, so that a file of known deviations can name them. */

import { knownMistakes } from '../../reference/model.js';
import type { KnownMistakes } from '../assertions/row-evidence.js';
import { createOracle, type Obligation } from '../contract/oracle.js';
import { listAvailableTiers, type NamedWorld, type Tier } from '../contract/world.js';
import type { HttpRequest } from '../http/exchange.js';
import { isSuccessful } from '../http/response-status.js';
import type { ReturnedTiers } from '../recognition/returned-tiers.js';
import type { KnownFile } from '../record/known-deviations.js';
import { remember } from '../support/caches.js';
import { refuse, suggestName } from '../support/problem.js';
import { readYaml } from '../support/yaml-file.js';
import type { Asked } from './observation.js';
import { createSizeMistake } from './observed-mistakes.js';
import { createPredictor, type Hypothesis, isRefusalPredicted } from './prediction.js';
import { createCauseId, listFeatures } from './request-features.js';

export type KnownCauses = ReturnType<typeof readKnownCauses>;

/** Reads the id of a cause; undefined if it does not say what a deployment returns. */
export function readCause(id: string, world: NamedWorld): Hypothesis | undefined {
  // What a mistake about state does cannot be told from one request.
  const findMistake = (name: string) =>
    createSizeMistake(name, world) ?? knownMistakes.find((known) => known.id === name && !known.hasState);
  const whole = findMistake(id);
  if (whole !== undefined) return { id, mistake: whole, features: [] };
  const [, start = '', name = ''] = /^(.+)\/([^/]+)$/.exec(id) ?? [];
  const features = listFeatures(world).filter((feature) => createCauseId('', [feature]) === `/${name}`);
  // Without a feature, it would be every refusal with this status.
  if (features.length === 0) return undefined;
  const [, status] = /^refused\/(\d{3})$/.exec(start) ?? [];
  if (status !== undefined) return { id, refusedWith: Number(status), features };
  const mistake = findMistake(start);
  return mistake && { id, mistake, features };
}

/** Reads the causes that still count. @throws UnusableInput for the first cause that cannot be read */
export function readKnownCauses({ file, entries, emptyStatuses }: KnownFile, world: NamedWorld) {
  const causes = entries.flatMap(({ cause: id, isExpired, isGone }, n) => {
    if (id === undefined) return [];
    const cause = readCause(id, world);
    if (cause !== undefined) return isExpired || isGone ? [] : [cause];
    const known = knownMistakes.map((mistake) => mistake.id);
    const hint = `${suggestName(id, known)} Not every cause of a run is exact enough: leave out 'cause' if it is not.`;
    throw refuse(readYaml(file, file).locate(['deviations', n, 'cause']), `unknown cause '${id}'`, hint);
  });
  // Without a cause, any failure is known.
  const listed = entries.filter(({ cause, isExpired }) => cause === undefined && !isExpired);
  return { causes, requirements: listed.map(({ requirement }) => requirement), emptyStatuses };
}

/** Creates what the judge needs to judge as if the known causes were right. Undefined if there is none. */
export function createKnownMistakes(
  { causes, emptyStatuses }: KnownCauses,
  world: NamedWorld,
): KnownMistakes | undefined {
  if (causes.length === 0) return undefined;
  const tiers = listAvailableTiers(world);
  const predictKnown = createPredictor({ tiers, world, history: [], outcomes: {} })(causes);
  const predict = remember((request: HttpRequest): Predicted => {
    const asked: Asked = { request, documented: tiers.map(createOracle(request, world).returned) };
    const prediction = predictKnown(asked);
    return { asked, known: tiers.map((_, position) => prediction(position)) };
  });
  return {
    isRefused: (exchange) =>
      'response' in exchange && isRefusalPredicted(causes, predict(exchange.request).asked, exchange.response.status),
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
  readonly asked: Asked;
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
