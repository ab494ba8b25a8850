import { explainExceededSize, isSuccessful, measureRefusedSize } from '../../http/response-status.js';
import { groupBy } from '../../support/group-by.js';
import { createCauseId, createEqualSymptoms, type Finding, hedge, renderFeatures } from './finding.js';
import { noResponse, type Observation } from './observation.js';
import { findCommonFeatures } from './request-features.js';

/** Groups documented requests that were refused, by status, and finds what they have in common. */
export function findRefusals(all: readonly Observation[]): Finding[] {
  const refused = all.filter(({ refusedWith }) => refusedWith !== undefined);
  const successful = all.filter(({ exchange }) => 'response' in exchange && isSuccessful(exchange.response));
  const documented = successful.filter(({ oracle }) => oracle.accepted);
  return [...groupBy(refused, ({ refusedWith = 0 }) => refusedWith)].map(([status, alike]): Finding => {
    if (status === noResponse) return describeLost(alike);
    // A request of a question may be refused for another reason.
    const judged = alike.filter(({ rows }) => rows.size > 0);
    const group = judged.length === 0 ? alike : judged;
    const tooLong = describeTooLong(status, group, successful);
    if (tooLong !== undefined) return tooLong;
    const common = findCommonFeatures(group, successful);
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

/** Only long responses that do not arrive fail a requirement. */
function describeLost(group: readonly Observation[]): Finding {
  return {
    id: 'long-responses-lost',
    sentence: 'Only long responses do not arrive: the connection breaks before they are complete.',
    evidence: [`${group.length} requests got no complete response. Shorter responses arrived.`],
    symptoms: createEqualSymptoms(group),
  };
}

/** The documentation limits no size, so the deployment may: no kind of requests is refused, but long ones. */
function describeTooLong(
  status: number,
  group: readonly Observation[],
  successful: readonly Observation[],
): Finding | undefined {
  const measure = ({ exchange }: Observation) => measureRefusedSize(exchange.request, status)?.bytes ?? 0;
  const [shortest] = group.toSorted((left, right) => measure(left) - measure(right));
  const sentence = shortest && 'response' in shortest.exchange && explainExceededSize(shortest.exchange);
  if (!sentence) return undefined;
  const longest = Math.max(0, ...successful.map(measure));
  const evidence = [`The longest that was accepted has ${longest} bytes.`];
  return { id: `too-long/${status}`, sentence, evidence, symptoms: createEqualSymptoms(group) };
}

/** @param which requests are meant, in words @param accepted the number of such requests that were accepted */
function createFinding(
  status: number,
  features: readonly string[],
  group: readonly Observation[],
  which: string,
  accepted: number,
): Finding {
  const count = group.length === 1 ? 'One request' : `${group.length} requests`;
  const id = createCauseId(`refused/${status}`, features);
  const symptoms = createEqualSymptoms(group);
  if (features.length === 0)
    return {
      id,
      sentence: `The deployment answers ${status} to some documented requests.`,
      evidence: [
        `${count} got ${status}. The suite knows nothing that they have in common and the ${accepted} accepted requests lack.`,
      ],
      symptoms,
    };
  const words = renderFeatures(features);
  return {
    id,
    sentence: hedge(`The deployment answers ${status} to ${which} ${words}.`, group.length),
    evidence: [`${count} ${words} got ${status}; none of the ${accepted} accepted requests is one.`],
    symptoms,
  };
}
