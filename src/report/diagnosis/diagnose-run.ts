import type { Suite } from '../../cases/suite.js';
import type { ShownResult } from '../../engine/case-result.js';
import { omitUndefined } from '../../support/omit-undefined.js';
import type { ExchangeIndex } from '../exchange-index.js';
import type { Cause } from './cause.js';
import { findDeploymentCause } from './deployment-cause.js';
import { explainResults } from './explain-results.js';
import type { Finding } from './finding.js';
import { groupByFeature } from './group-by-feature.js';
import { formatRow, observe } from './observation.js';
import { findRefusals } from './refusals.js';

/** A failing or unjudged row of a case. */
interface Row {
  readonly key: string;
  readonly case: string;
  readonly requirement: string;
  readonly title: string;
  readonly isFailing: boolean;
}

/**
 * Finds what most likely is wrong with a deployment, the cause of most failures first. Every failing row belongs to one
 * cause. Changes no verdict. Pure.
 *
 * @param statedPatterns the patterns under which, by the target file, returned tiers are named
 * @returns nothing if no requirement fails or is inconclusive
 */
export function diagnoseRun(
  suite: Suite,
  results: readonly ShownResult[],
  index: ExchangeIndex,
  statedPatterns?: readonly string[],
): Cause[] {
  const rows = listRows(suite, results);
  if (rows.length === 0) return [];
  const observations = observe(suite, index, statedPatterns);
  const whole = findDeploymentCause(observations, index);
  const findings: Finding[] =
    whole === undefined
      ? [
          ...findRefusals(observations.all),
          ...explainResults(
            observations,
            suite.world,
            new Set(rows.filter(({ isFailing }) => isFailing).map(({ key }) => key)),
          ),
        ]
      : [whole];
  const failing = rows.filter(({ isFailing }) => isFailing);
  const owners = new Map<Finding, Row[]>();
  const unexplained: Row[] = [];
  for (const row of failing) {
    const owner = whole ?? findOwner(findings, row.key);
    if (owner === undefined) unexplained.push(row);
    else owners.set(owner, [...(owners.get(owner) ?? []), row]);
  }
  for (const { finding, keys } of groupByFeature(observations, unexplained, suite.world)) {
    findings.push(finding);
    owners.set(
      finding,
      unexplained.filter(({ key }) => keys.has(key)),
    );
  }
  const unjudged = rows.filter(({ isFailing }) => !isFailing);
  const failingRequirements = new Set(failing.map(({ requirement }) => requirement));
  const causes = findings.flatMap((finding): (Cause & { readonly weight: number })[] => {
    const own = owners.get(finding) ?? [];
    const following = unjudged.filter(({ key }) => finding === whole || finding.symptoms.has(key));
    const shown = own.length > 0 ? own : following;
    const sizeOf = ({ key }: Row) => finding.symptoms.get(key)?.size ?? 0;
    // Among equals, the requirement that fails most.
    const countOf = ({ requirement }: Row) => shown.filter((row) => row.requirement === requirement).length;
    const [largest] = shown.toSorted((one, other) => sizeOf(other) - sizeOf(one) || countOf(other) - countOf(one));
    if (largest === undefined) return [];
    const follows = following.map(({ requirement }) => requirement);
    return [
      {
        kind: finding.kind,
        sentence: finding.sentence,
        evidence: finding.evidence,
        example: {
          requirement: largest.requirement,
          case: largest.case,
          ...(largest.title === '' ? {} : { row: largest.title }),
          shows: finding.symptoms.get(largest.key)?.words ?? '',
        },
        requirements: distinct(own.map(({ requirement }) => requirement)),
        cases: distinct(own.map((row) => row.case)),
        follows: distinct(follows).filter((id) => !failingRequirements.has(id)),
        ...omitUndefined({ picture: finding.picture }),
        weight: own.length * 1_000 + following.length + (finding.kind === 'unexplained' ? 0 : 0.5),
      },
    ];
  });
  return causes.toSorted((one, other) => other.weight - one.weight).map(({ weight: _, ...cause }) => cause);
}

function distinct(list: readonly string[]): string[] {
  return [...new Set(list)];
}

/** Finds the finding that explains most of a row. */
function findOwner(findings: readonly Finding[], key: string): Finding | undefined {
  const sizeOf = ({ symptoms }: Finding) => symptoms.get(key)?.size ?? 0;
  const [best] = findings
    .filter(({ symptoms }) => symptoms.has(key))
    .toSorted((one, other) => sizeOf(other) - sizeOf(one));
  return best;
}

/** Lists the rows of requirement cases that fail or are inconclusive. */
function listRows({ cases }: Suite, results: readonly ShownResult[]): Row[] {
  const byId = new Map(results.map((result) => [result.id, result]));
  return cases.flatMap((testCase): Row[] => {
    const result = byId.get(testCase.id);
    if (testCase.kind !== 'requirement' || result === undefined) return [];
    const own = { case: testCase.id, requirement: testCase.verifies };
    if (result.rows.length === 0)
      return isOpen(result.verdict)
        ? [{ ...own, key: formatRow(testCase.id, 0), title: '', isFailing: result.verdict === 'fail' }]
        : [];
    return result.rows.flatMap(({ title, verdict }, n) =>
      isOpen(verdict) ? [{ ...own, key: formatRow(testCase.id, n), title, isFailing: verdict === 'fail' }] : [],
    );
  });
}

function isOpen(verdict: string): boolean {
  return verdict === 'fail' || verdict === 'inconclusive';
}
