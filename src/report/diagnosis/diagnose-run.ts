import type { Suite } from '../../cases/suite.js';
import type { ResultWithExchanges } from '../../engine/case-result.js';
import type { HttpRequest } from '../../http/exchange.js';
import type { FailureCondition } from '../../judge/judge-case.js';
import type { ExchangeIndex } from '../exchange-index.js';
import { groupBy } from '../group-by.js';
import type { Cause, CauseKind } from './cause.js';
import { describeChanging, listChanging } from './changing-results.js';
import { findDeploymentCause } from './deployment-cause.js';
import { explainResults } from './explain-results.js';
import type { Finding } from './finding.js';
import { groupByFeature } from './group-by-feature.js';
import { formatRow, getRequestKey, type Observations, observe } from './observation.js';
import { findRefusals } from './refusals.js';

interface Row {
  readonly key: string;
  readonly case: string;
  readonly requirement: string;
  readonly title: string;
  readonly isFailing: boolean;
  readonly condition?: FailureCondition | undefined;
  /** For a result that is of no single case: the request that shows it. */
  readonly request?: HttpRequest | undefined;
}

/**
 * Finds what most likely is wrong with a deployment, the cause of most failures first. Every failing row belongs to a
 * cause. Changes no verdict. Pure.
 *
 * @param statedPatterns the patterns under which, by the target file, returned tiers are named
 * @returns nothing if no requirement fails or is inconclusive
 */
export function diagnoseRun(
  suite: Suite,
  results: readonly ResultWithExchanges[],
  index: ExchangeIndex,
  statedPatterns?: readonly string[],
): Cause[] {
  const rows = listRows(suite, results);
  if (rows.length === 0) return [];
  const observations = observe(suite, index, statedPatterns);
  const whole = findDeploymentCause(observations, index);
  const failing = rows.filter(({ isFailing }) => isFailing);
  const explain = (some: Observations) => [
    ...findRefusals(some.all),
    ...explainResults(some, suite.world, new Set(failing.map(({ key }) => key))),
    ...describeConditions(failing),
  ];
  const findings = whole === undefined ? explainOrDescribeChanging(observations, explain) : [whole];
  // What fails for no other reason fails because results change.
  const changing = findings.find(({ kind }) => kind === 'changing-results');
  const owners = groupBy(failing, (row) => whole ?? findOwner(findings, row, observations) ?? changing);
  const unexplained = groupByFeature(observations, owners.get(undefined) ?? []);
  const unjudged = rows.filter(({ isFailing }) => !isFailing);
  const failingRequirements = new Set(failing.map(({ requirement }) => requirement));
  const causes = [...findings, ...unexplained.keys()].flatMap((finding): (Cause & { readonly weight: number })[] => {
    const own = owners.get(finding) ?? unexplained.get(finding) ?? [];
    // Several mistakes may show in one row: it counts for the one that explains most of it.
    const explained = failing.filter(
      (row) => own.includes(row) || (row.condition === undefined && (finding.symptoms.get(row.key)?.size ?? 0) > 0),
    );
    const following = unjudged.filter(({ key }) => finding === whole || finding.symptoms.has(key));
    const shown = explained.length > 0 ? explained : following;
    const sizeOf = ({ key }: Row) => finding.symptoms.get(key)?.size ?? 0;
    // Among equals, the requirement that fails most.
    const countOf = ({ requirement }: Row) => shown.filter((row) => row.requirement === requirement).length;
    const [largest] = shown.toSorted((one, other) => sizeOf(other) - sizeOf(one) || countOf(other) - countOf(one));
    if (largest === undefined) return [];
    const isBeside = ({ requirement }: Row) => failingRequirements.has(requirement);
    const listed = [...explained, ...following.filter(isBeside)];
    const follows = following.filter((row) => !isBeside(row));
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
        requirements: distinct(listed.map(({ requirement }) => requirement)),
        cases: distinct(listed.map((row) => row.case)),
        follows: distinct(follows.map(({ requirement }) => requirement)),
        // What can be named comes first.
        weight: own.length * 1_000 + following.length - (finding.kind === 'unexplained' ? 1_000_000 : 0),
      },
    ];
  });
  return causes.toSorted((one, other) => other.weight - one.weight).map(({ weight: _, ...cause }) => cause);
}

/** State explains results that change. Nothing else does: what is about each request alone then has no say about them. */
function explainOrDescribeChanging(observations: Observations, explain: (some: Observations) => Finding[]): Finding[] {
  const findings = explain(observations);
  const changing = listChanging(observations);
  if (changing.length === 0 || findings.some(({ kind }) => stateKinds.includes(kind))) return findings;
  const steady = observations.all.filter((each) => !changing.includes(each));
  return [describeChanging(changing, observations), ...explain({ ...observations, all: steady })];
}

function distinct(list: readonly string[]): string[] {
  return [...new Set(list)];
}

/** Finds the finding that explains most of a row. State explains a row best that fails under a condition only. */
function findOwner(findings: readonly Finding[], { key, condition, request }: Row, { all }: Observations) {
  const equal = request && all.find((each) => each.requestKey === getRequestKey(request));
  const keys = equal === undefined ? [key] : [...equal.rows];
  const sizeOf = ({ symptoms }: Finding) => Math.max(...keys.map((each) => symptoms.get(each)?.size ?? -1));
  const [best] = findings
    .filter((finding) => sizeOf(finding) >= 0 && (condition === undefined || stateKinds.includes(finding.kind)))
    .toSorted((one, other) => sizeOf(other) - sizeOf(one));
  return best;
}

const stateKinds: readonly CauseKind[] = ['condition', 'earlier-request', 'cached'];

const conditionSentences: Readonly<Record<FailureCondition['kind'], string>> = {
  overlapping: 'Data leaks between requests that overlap in time',
  after: 'A response depends on the request before it: data is left over',
  'reused-connection': 'A response depends on an earlier request on the same connection: data is left over',
};

function describeConditions(failing: readonly Row[]): Finding[] {
  return (Object.keys(conditionSentences) as FailureCondition['kind'][]).flatMap((kind): Finding[] => {
    const rows = failing.filter(({ condition }) => condition?.kind === kind);
    if (rows.length === 0) return [];
    const parts = distinct(rows.flatMap(({ condition }) => condition?.part ?? []));
    const from = parts.length === 0 ? '' : ` The responses are those to another request: ${parts.join(', ')}.`;
    const count = rows.length === 1 ? 'One row fails' : `${rows.length} rows fail`;
    return [
      {
        kind: 'condition',
        sentence: `${conditionSentences[kind]}.`,
        evidence: [`${count} under this condition, again and again, and pass alone.${from}`],
        symptoms: new Map(rows.map(({ key }) => [key, { words: '', size: 0 }])),
      },
    ];
  });
}

/** Lists the rows of requirement cases, and the other results about requirements, that fail or are inconclusive. */
function listRows({ cases, contract }: Suite, results: readonly ResultWithExchanges[]): Row[] {
  const verifying = new Map(cases.flatMap((each) => (each.kind === 'requirement' ? [[each.id, each.verifies]] : [])));
  const requirements = new Set(contract.requirements.map(({ id }) => id));
  return results.flatMap(({ id, subject, verdict, rows, exchange }): Row[] => {
    const requirement = verifying.get(id) ?? (requirements.has(subject) ? subject : undefined);
    if (requirement === undefined) return [];
    const judged = rows.length === 0 ? [{ title: '', verdict, condition: undefined }] : rows;
    return judged.flatMap(({ title, verdict, condition }, n) => {
      if (verdict !== 'fail' && verdict !== 'inconclusive') return [];
      const request = verifying.has(id) ? undefined : exchange?.request;
      const isFailing = verdict === 'fail';
      return [{ key: formatRow(id, n), case: id, requirement, title, isFailing, condition, request }];
    });
  });
}
