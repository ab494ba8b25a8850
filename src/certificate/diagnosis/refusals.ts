import { isSuccessful } from '../../http/response-status.js';
import { groupBy } from '../../support/group-by.js';
import { createEqualSymptoms, type Finding } from './finding.js';
import type { Observation } from './observation.js';

/** Groups documented requests that were refused by status and by what they have in common. */
export function findRefusals(all: readonly Observation[]): Finding[] {
  const refused = all.filter(({ refusedWith }) => refusedWith !== undefined);
  const accepted = all.filter(
    ({ exchange, oracle }) => oracle.accepted && 'response' in exchange && isSuccessful(exchange.response),
  );
  return [...groupBy(refused, ({ refusedWith = 0 }) => refusedWith)].flatMap(([status, ofStatus]): Finding[] => {
    const findings: Finding[] = [];
    let rest: readonly Observation[] = ofStatus;
    while (rest.length > 0) {
      const common = findCommonFeature(rest, accepted);
      const isShown = ({ features }: Observation) => common === undefined || features.has(common);
      findings.push(createFinding(status, common, rest.filter(isShown), accepted.length));
      rest = rest.filter((observation) => !isShown(observation));
    }
    return findings;
  });
}

/** Finds the feature that most of some requests have and that none of the others has. */
function findCommonFeature(some: readonly Observation[], others: readonly Observation[]): string | undefined {
  const isFree = (feature: string) => others.every(({ features }) => !features.has(feature));
  const counts = new Map<string, number>();
  for (const { features } of some) for (const feature of features) counts.set(feature, (counts.get(feature) ?? 0) + 1);
  const [best] = [...counts].filter(([feature]) => isFree(feature)).toSorted(([, left], [, right]) => right - left);
  return best?.[0];
}

function createFinding(
  status: number,
  feature: string | undefined,
  group: readonly Observation[],
  accepted: number,
): Finding {
  const count = group.length === 1 ? 'One request' : `${group.length} requests`;
  const evidence =
    feature === undefined
      ? `${count} got ${status}. They have nothing in common that the ${accepted} accepted requests lack.`
      : `${count} ${feature} got ${status}; none of the ${accepted} accepted requests is one.`;
  return {
    sentence: `The deployment answers ${status} to ${feature === undefined ? 'some documented requests' : `every request ${feature}`}.`,
    evidence: [evidence],
    symptoms: createEqualSymptoms(group),
  };
}
