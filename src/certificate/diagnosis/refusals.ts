import { isSuccessful } from '../../http/response-status.js';
import { groupBy } from '../../support/group-by.js';
import { createCauseId, createEqualSymptoms, type Finding, hedge, renderFeatures } from './finding.js';
import { noResponse, type Observation } from './observation.js';
import { findCommonFeatures } from './request-features.js';

type Refusal = NonNullable<Observation['refusedWith']>;

/** Groups documented requests that were refused, by status, and finds what they have in common. */
export function findRefusals(all: readonly Observation[]): Finding[] {
  const refused = all.filter(({ refusedWith }) => refusedWith !== undefined);
  const successful = all.filter(({ exchange }) => 'response' in exchange && isSuccessful(exchange.response));
  const documented = successful.filter(({ oracle }) => oracle.accepted);
  return [...groupBy(refused, ({ refusedWith = 0 }) => refusedWith)].map(([status, group]): Finding => {
    const common = findCommonFeatures(group, successful);
    const ofLength = common.filter((feature) => status === noResponse && feature.startsWith('with a long response'));
    if (ofLength.length > 0)
      return createFinding(status, ofLength.slice(0, 1), group, 'every request', successful.length);
    if (common.length > 0) return createFinding(status, common, group, 'every request', successful.length);
    return createFinding(
      status,
      findCommonFeatures(group, documented),
      group,
      'every documented request',
      documented.length,
    );
  });
}

/** @param which requests are meant, in words @param accepted the number of such requests that were accepted */
function createFinding(
  refusal: Refusal,
  features: readonly string[],
  group: readonly Observation[],
  which: string,
  accepted: number,
): Finding {
  const count = group.length === 1 ? 'One request' : `${group.length} requests`;
  const id = createCauseId(`refused/${refusal}`, features);
  const [does, got] =
    refusal === noResponse
      ? ['breaks the connection instead of an answer', 'no complete response']
      : [`answers ${refusal}`, String(refusal)];
  const symptoms = createEqualSymptoms(group);
  if (features.length === 0)
    return {
      id,
      sentence: `The deployment ${does} to some documented requests.`,
      evidence: [`${count} got ${got}. They have nothing in common that the ${accepted} accepted requests lack.`],
      symptoms,
    };
  const words = renderFeatures(features);
  return {
    id,
    sentence: hedge(`The deployment ${does} to ${which} ${words}.`, group.length),
    evidence: [`${count} ${words} got ${got}; none of the ${accepted} accepted requests is one.`],
    symptoms,
  };
}
