import { explainExceededSize, isSuccessful } from '../../http/response-status.js';
import { groupBy } from '../../support/group-by.js';
import { type Finding, hedge } from './cause.js';
import type { Observation, Observations } from './observation.js';
import { createCauseId, findCommonFeatures, renderFeatures } from './request-features.js';

/** Groups documented requests that were refused, by status, and finds what they have in common. */
export function findRefusals(refused: readonly Observation[], { all, world }: Observations): Finding[] {
  const accepted = all.filter(
    ({ exchange, isDocumented }) => isDocumented && 'response' in exchange && isSuccessful(exchange.response),
  );
  return [...groupBy(refused, ({ refusedWith = 0 }) => refusedWith)].map(([status, alike]): Finding => {
    // A request of a question may be refused for another reason.
    const judged = alike.filter(({ rows }) => rows.size > 0);
    const group = judged.length === 0 ? alike : judged;
    const features = findCommonFeatures(group, accepted, world);
    const createFinding = (id: string, sentence: string, more = ''): Finding => ({
      id,
      sentence,
      evidence: [`${group.length} requests got ${status}, and ${accepted.length} were accepted.${more}`],
      rows: new Set(group.flatMap(({ rows }) => [...rows])),
    });
    const [shortest] = group.toSorted((left, right) => measure(left) - measure(right));
    const tooLong = shortest && 'response' in shortest.exchange && explainExceededSize(shortest.exchange);
    if (tooLong) return createFinding(`too-long/${status}`, tooLong);
    const answers = `The deployment answers ${status} to`;
    if (accepted.length === 0) return createFinding(`every-status/${status}`, `${answers} every request.`);
    if (features.length > 0) {
      const sentence = `${answers} every documented request ${renderFeatures(features)}.`;
      return createFinding(createCauseId(`refused/${status}`, features), hedge(sentence, group.length));
    }
    const unknown = ' The suite knows nothing that only the refused ones have in common.';
    return createFinding(`refused/${status}`, `${answers} some documented requests.`, unknown);
  });
}

function measure({ request }: Observation): number {
  return request.path.length + (request.body?.length ?? 0);
}
