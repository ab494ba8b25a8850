/** Causes that an id alone describes, so that a file of known deviations can name them. */

import { knownMistakes, type Mistake } from '../../../reference/model.js';
import type { KnownMistakes } from '../../assertions/row-evidence.js';
import { createOracle } from '../../contract/oracle.js';
import { listAvailableTiers, type NamedWorld } from '../../contract/world.js';
import type { HttpRequest } from '../../http/exchange.js';
import { isSuccessful } from '../../http/response-status.js';
import type { ReturnedTiers } from '../../recognition/returned-tiers.js';
import type { KnownFile } from '../../record/known-deviations.js';
import { remember } from '../../support/caches.js';
import { omitUndefined } from '../../support/collections.js';
import { type Problem, suggest, UnusableInput } from '../../support/problem.js';
import { readYaml } from '../../support/yaml-file.js';
import type { Asked, Observation } from './observation.js';
import { findSizeMistake } from './observed-mistakes.js';
import { createPredictor, type Hypothesis } from './prediction.js';
import { type Feature, findFeatures, isConcerned } from './request-features.js';

export interface KnownCause {
  readonly id: string;
  readonly mistake?: Mistake;
  readonly refusedWith?: number;
  /** Only requests with one of them are concerned. Empty if all are. */
  readonly features: readonly Feature[];
}

export interface KnownCauses {
  readonly causes: readonly KnownCause[];
  /** The requirements that are listed without a cause: any failure is known. */
  readonly requirements: readonly string[];
  readonly emptyStatuses?: KnownFile['emptyStatuses'];
}

/** Reads the id of a cause; undefined if it does not say what a deployment returns. */
export function readCause(id: string, world: NamedWorld): KnownCause | undefined {
  const whole = findMistake(id, world);
  if (whole !== undefined) return { id, mistake: whole, features: [] };
  const [, start = '', name = ''] = /^(.+)\/([^/]+)$/.exec(id) ?? [];
  const features = findFeatures(name, world);
  // Without a feature, it would be every refusal with this status.
  if (features.length === 0) return undefined;
  const [, status] = /^refused\/(\d{3})$/.exec(start) ?? [];
  if (status !== undefined) return { id, refusedWith: Number(status), features };
  const mistake = findMistake(start, world);
  return mistake && { id, mistake, features };
}

/** What a mistake about state does cannot be told from one request. */
function findMistake(id: string, world: NamedWorld): Mistake | undefined {
  return findSizeMistake(id, world) ?? knownMistakes.find((mistake) => mistake.id === id && !mistake.hasState);
}

export function listHypotheses(causes: readonly KnownCause[]): (KnownCause & Hypothesis)[] {
  return causes.flatMap(({ mistake, ...cause }) => (mistake === undefined ? [] : [{ ...cause, mistake }]));
}

export function isKnownRefusal(
  causes: readonly KnownCause[],
  asked: Asked & Pick<Observation, 'refusedWith'>,
): boolean {
  return causes.some((cause) => asked.refusedWith === cause.refusedWith && isConcerned(asked, cause.features));
}

/** Reads the causes that still count. @throws UnusableInput if the file names a cause that cannot be read */
export function readKnownCauses({ file, entries, emptyStatuses }: KnownFile, world: NamedWorld): KnownCauses {
  const problems: Problem[] = [];
  const causes = entries.flatMap(({ cause: id, isExpired, isGone }, n) => {
    if (id === undefined) return [];
    const cause = readCause(id, world);
    if (cause !== undefined) return isExpired || isGone ? [] : [cause];
    const known = knownMistakes.map((mistake) => mistake.id);
    const hint = `${suggest(id, known)} Not every cause of a run is exact enough: leave out 'cause' if it is not.`;
    const at = readYaml(file, file).locate(['deviations', n, 'cause']);
    problems.push({ at, message: `unknown cause '${id}'`, hint });
    return [];
  });
  if (problems.length > 0) throw new UnusableInput(problems);
  const listed = entries.filter(({ cause, isExpired }) => cause === undefined && !isExpired);
  return { causes, requirements: listed.map(({ requirement }) => requirement), ...omitUndefined({ emptyStatuses }) };
}

export function createKnownMistakes({ causes, emptyStatuses }: KnownCauses, world: NamedWorld): KnownMistakes {
  const tiers = listAvailableTiers(world);
  const predictKnown = createPredictor({ tiers, world, history: [], outcomes: {} })(listHypotheses(causes));
  const predict = remember((request: HttpRequest) => {
    const asked: Asked = { request, documented: tiers.map(createOracle(request, world).returned) };
    return { asked, known: tiers.map((_, n) => predictKnown(asked)(n)) };
  });
  return {
    isRefused: (exchange) =>
      'response' in exchange &&
      isKnownRefusal(causes, { ...predict(exchange.request).asked, refusedWith: exchange.response.status }),
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
        if (expected === documented || documented === 'open' || (expected !== 'open' && result.unclear.has(id)))
          continue;
        const isAsDocumented = expected === 'open' || returned.has(id) === (expected === 'required');
        if (isAsDocumented === (documented === 'required')) returned.add(id);
        else returned.delete(id);
      }
      return { ...result, returned: [...returned] };
    },
  };
}
