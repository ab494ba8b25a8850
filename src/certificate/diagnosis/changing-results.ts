import { serializeWithoutRepetition } from '../../http/exchange.js';
import { groupBy } from '../../support/group-by.js';
import { createEqualSymptoms, createSymptoms, type Finding, findDeviations } from './finding.js';
import type { Observation, Observations } from './observation.js';

/** The minimum number of requests with changing results: one may be an accident. */
const minRequests = 3;

/** Lists the observations of requests that had different results when they were sent more than once. */
export function listChanging({ all }: Observations): readonly Observation[] {
  const clear = all.filter(({ returned, refusedWith }) => returned !== undefined || refusedWith !== undefined);
  const groups = [...groupBy(clear, ({ exchange }) => serializeWithoutRepetition(exchange.request)).values()];
  const changing = groups.filter((group) => group.length > 1);
  return changing.length < minRequests ? [] : changing.flat();
}

/** Describes results that change although nothing else does. @param changing is not empty */
export function describeChanging(changing: readonly Observation[], observations: Observations): Finding {
  const requests = new Set(changing.map(({ exchange }) => serializeWithoutRepetition(exchange.request)));
  const refused = changing.filter(({ refusedWith }) => refusedWith !== undefined);
  return {
    id: 'changing-results',
    sentence:
      'Equal requests have different results. One of several servers behind the address may have other data or another version, or data of another request is used.',
    evidence: [`${requests.size} requests that were sent more than once had different results.`],
    symptoms: new Map([
      ...createEqualSymptoms(refused),
      ...createSymptoms(findDeviations(changing, observations), observations),
    ]),
  };
}
