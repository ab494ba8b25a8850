/** Causes that an id alone describes, so that a file of known deviations can name them. */

import { knownMistakes } from '../../reference/model.js';
import type { KnownMistakes } from '../assertions/row-evidence.js';
import { createOracle } from '../contract/oracle.js';
import { listAvailableTiers, type NamedWorld } from '../contract/world.js';
import type { HttpRequest } from '../http/exchange.js';
import { isSuccessful } from '../http/response-status.js';
import type { ReturnedTiers } from '../recognition/returned-tiers.js';
import type { KnownFile } from '../record/known-deviations.js';
import { remember } from '../support/caches.js';
import { omitUndefined } from '../support/collections.js';
import { refuse, suggest } from '../support/problem.js';
import { readYaml } from '../support/yaml-file.js';
import type { Asked } from './observation.js';
import { createSizeMistake } from './observed-mistakes.js';
import { createPredictor, type Hypothesis, isRefusal } from './prediction.js';
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
    const hint = `${suggest(id, known)} Not every cause of a run is exact enough: leave out 'cause' if it is not.`;
    throw refuse(readYaml(file, file).locate(['deviations', n, 'cause']), `unknown cause '${id}'`, hint);
  });
  // Without a cause, any failure is known.
  const listed = entries.filter(({ cause, isExpired }) => cause === undefined && !isExpired);
  return { causes, requirements: listed.map(({ requirement }) => requirement), ...omitUndefined({ emptyStatuses }) };
}

export function createKnownMistakes(
  { causes, emptyStatuses }: KnownCauses,
  world: NamedWorld,
): KnownMistakes | undefined {
  if (causes.length === 0) return undefined;
  const tiers = listAvailableTiers(world);
  const predictKnown = createPredictor({ tiers, world, history: [], outcomes: {} })(causes);
  const predict = remember((request: HttpRequest) => {
    const asked: Asked = { request, documented: tiers.map(createOracle(request, world).returned) };
    return { asked, known: tiers.map((_, n) => predictKnown(asked)(n)) };
  });
  return {
    isRefused: (exchange) =>
      'response' in exchange && isRefusal(causes, predict(exchange.request).asked, exchange.response.status),
    correctExchange(exchange) {
      if (isSuccessful(exchange.response)) return exchange;
      const { asked, known } = predict(exchange.request);
      const mayBeEmpty = emptyStatuses?.includes(exchange.response.status) !== false;
      const isEmpty = mayBeEmpty && asked.documented.includes('required') && !known.includes('required');
      return isEmpty ? { ...exchange, response: { ...exchange.response, status: 200, body: '' } } : exchange;
    },
    correctResult(result, request): ReturnedTiers {
      const { asked, known } = predict(request);
      const returned = new Set(result.returned);
      for (const [n, { id }] of tiers.entries()) {
        const [documented, expected] = [asked.documented[n], known[n]];
        const isUnclear = expected !== 'open' && result.unclear.has(id);
        if (expected === documented || documented === 'open' || isUnclear) continue;
        const isAsDocumented = expected === 'open' || returned.has(id) === (expected === 'required');
        if (isAsDocumented === (documented === 'required')) returned.add(id);
        else returned.delete(id);
      }
      const removed = new Set(result.returned.filter((id) => !returned.has(id)));
      return {
        ...result,
        returned: [...returned],
        isNamedElsewhere: (id) => !removed.has(id) && result.isNamedElsewhere(id),
      };
    },
  };
}
