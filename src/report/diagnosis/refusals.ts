import { isSuccessful } from '../../http/response-status.js';
import type { CauseKind } from './cause.js';
import type { Finding, Symptom } from './finding.js';
import type { Observation } from './observation.js';
import { expand, repeatedProduct } from './request-features.js';

/** Groups documented requests that were refused by status and by what they have in common. */
export function findRefusals(all: readonly Observation[]): Finding[] {
  const refused = all.filter(({ refusedWith }) => refusedWith !== undefined);
  const accepted = all.filter(
    ({ exchange, oracle }) => oracle.accepted && 'response' in exchange && isSuccessful(exchange.response),
  );
  const statuses = [...new Set(refused.map(({ refusedWith }) => refusedWith))];
  return statuses.flatMap((status): Finding[] => {
    let rest = refused.filter(({ refusedWith }) => refusedWith === status);
    const findings: Finding[] = [];
    while (rest.length > 0) {
      const common = findCommonFeature(rest, accepted);
      const group = common === undefined ? rest : rest.filter(({ features }) => features.has(common));
      findings.push(createFinding(status ?? 0, common, group, accepted.length));
      rest = rest.filter((each) => !group.includes(each));
    }
    return findings;
  });
}

/** Finds the feature that most of some requests have and that none of the others has. */
export function findCommonFeature(some: readonly Observation[], others: readonly Observation[]): string | undefined {
  const isFree = (feature: string) => others.every(({ features }) => !features.has(feature));
  const counts = new Map<string, number>();
  for (const { features } of some) for (const each of features) counts.set(each, (counts.get(each) ?? 0) + 1);
  const [best] = [...counts].filter(([feature]) => isFree(feature)).toSorted(([, one], [, other]) => other - one);
  return best?.[0];
}

const kinds: Readonly<Record<string, CauseKind>> = {
  [repeatedProduct]: 'repeated-product-refused',
  [expand]: 'expand-refused',
};

function createFinding(
  status: number,
  feature: string | undefined,
  group: readonly Observation[],
  accepted: number,
): Finding {
  const symptoms = new Map<string, Symptom>(
    group.flatMap(({ rows }) => [...rows].map((row) => [row, { words: `answered ${status}`, size: 1 }] as const)),
  );
  const count = group.length === 1 ? 'One request' : `${group.length} requests`;
  return {
    kind: (feature === undefined ? undefined : kinds[feature]) ?? 'refused',
    sentence:
      feature === undefined
        ? `The deployment answers ${status} to some documented requests.`
        : `The deployment answers ${status} to every request ${feature}.`,
    evidence: [
      feature === undefined
        ? `${count} got ${status}. They have nothing in common that the ${accepted} accepted requests lack.`
        : `${count} ${feature} got ${status}; none of the ${accepted} accepted requests is one.`,
    ],
    symptoms,
  };
}
