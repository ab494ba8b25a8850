import type { Suite } from '../../cases/suite.js';
import type { ResultWithExchanges } from '../../run/case-result.js';
import { groupBy } from '../../support/group-by.js';
import type { ExchangeIndex } from '../exchange-index.js';
import type { Cause } from './cause.js';
import { describeChanging, listChanging } from './changing-results.js';
import { findDeploymentCause } from './deployment-cause.js';
import { explainResults } from './explain-results.js';
import { describeUnexplained, type Finding } from './finding.js';
import { formatRow, type Observations, observe } from './observation.js';
import { findRefusals } from './refusals.js';

/** A row of a requirement case, or another result about a requirement, that fails or is inconclusive. */
interface Row {
  readonly key: string;
  readonly case: string;
  readonly requirement: string;
  readonly title: string;
  readonly isFailing: boolean;
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
  const observations = observe(suite, results, index, statedPatterns);
  const failing = rows.filter(({ isFailing }) => isFailing);
  const unjudged = rows.filter(({ isFailing }) => !isFailing);
  const whole = findDeploymentCause(observations, index);
  if (whole !== undefined) return [createCause({ finding: whole, explained: failing, following: unjudged }, failing)];
  const known = findKnownCauses(observations, suite, failing);
  const others = failing.filter((row) => findOwner(known, row) === undefined);
  const unexplained = [...groupBy(others, ({ requirement }) => requirement)].map(([requirement, group]) => {
    const keys = group.map(({ key }) => key);
    return describeUnexplained(requirement, keys, observations);
  });
  const findings = [...known, ...unexplained];
  const owners = groupBy(failing, (row) => findOwner(findings, row));
  const countOwn = ({ finding }: ExplainedRows) => owners.get(finding)?.length ?? 0;
  // What can be named comes first.
  const isUnexplained = ({ finding }: ExplainedRows) => Number(finding.kind === 'unexplained');
  return findings
    .map((finding): ExplainedRows => {
      const own: readonly Row[] = owners.get(finding) ?? [];
      // Several mistakes may show in one row.
      const isShown = ({ key }: Row) => sizeOf(finding, key) > 0;
      return {
        finding,
        explained: failing.filter((row) => own.includes(row) || isShown(row)),
        following: unjudged.filter(({ key }) => finding.symptoms.has(key)),
      };
    })
    .filter(({ explained, following }) => explained.length + following.length > 0)
    .toSorted(
      (one, other) =>
        isUnexplained(one) - isUnexplained(other) ||
        countOwn(other) - countOwn(one) ||
        other.following.length - one.following.length,
    )
    .map((each) => createCause(each, failing));
}

/** A finding with the rows that fail because of it, and those that could not be judged because of it. */
interface ExplainedRows {
  readonly finding: Finding;
  readonly explained: readonly Row[];
  readonly following: readonly Row[];
}

function createCause({ finding, explained, following }: ExplainedRows, failing: readonly Row[]): Cause {
  const shown = explained.length > 0 ? explained : following;
  const [example] = shown.toSorted((one, other) => sizeOf(finding, other.key) - sizeOf(finding, one.key)) as [Row];
  const failingRequirements = new Set(failing.map(({ requirement }) => requirement));
  const isBeside = ({ requirement }: Row) => failingRequirements.has(requirement);
  const listed = [...explained, ...following.filter(isBeside)];
  const { kind, sentence, evidence, symptoms } = finding;
  return {
    kind,
    sentence,
    evidence,
    example: {
      requirement: example.requirement,
      case: example.case,
      ...(example.title === '' ? {} : { row: example.title }),
      shows: symptoms.get(example.key)?.words ?? '',
    },
    requirements: distinct(listed.map(({ requirement }) => requirement)),
    cases: distinct(listed.map((row) => row.case)),
    follows: distinct(following.flatMap((row) => (isBeside(row) ? [] : [row.requirement]))),
  };
}

function findKnownCauses(observations: Observations, { world }: Suite, failing: readonly Row[]): Finding[] {
  const keys = new Set(failing.map(({ key }) => key));
  const changing = listChanging(observations);
  const steady = observations.all.filter((each) => !changing.includes(each));
  return [
    ...findRefusals(steady),
    ...explainResults({ ...observations, all: steady }, world, keys),
    ...(changing.length === 0 ? [] : [describeChanging(changing, observations)]),
  ];
}

function distinct(list: readonly string[]): string[] {
  return [...new Set(list)];
}

function sizeOf({ symptoms }: Finding, key: string): number {
  return symptoms.get(key)?.size ?? -1;
}

/** Finds the finding that explains most of a row. What fails for no other reason fails because results change. */
function findOwner(findings: readonly Finding[], { key }: Row): Finding | undefined {
  const [best] = findings
    .filter((finding) => finding.symptoms.has(key))
    .toSorted((one, other) => sizeOf(other, key) - sizeOf(one, key));
  return best ?? findings.find(({ kind }) => kind === 'changing-results');
}

function listRows({ cases, contract }: Suite, results: readonly ResultWithExchanges[]): Row[] {
  const verifying = new Map(cases.flatMap((each) => (each.kind === 'requirement' ? [[each.id, each.verifies]] : [])));
  const requirements = new Set(contract.requirements.map(({ id }) => id));
  return results.flatMap(({ id, subject, verdict, rows }): Row[] => {
    const requirement = verifying.get(id) ?? (requirements.has(subject) ? subject : undefined);
    if (requirement === undefined) return [];
    const judged = rows.length === 0 ? [{ title: '', verdict }] : rows;
    return judged.flatMap(({ title, verdict }, n) => {
      if (verdict !== 'fail' && verdict !== 'inconclusive') return [];
      return [{ key: formatRow(id, n), case: id, requirement, title, isFailing: verdict === 'fail' }];
    });
  });
}
