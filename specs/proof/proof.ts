import { createDeployment } from '../../reference/deployment.js';
import type { Collateral, Fault } from '../../reference/faults/fault.js';
import type { Assertion } from '../../src/assertions/assertion.js';
import { findResponseKind } from '../../src/assertions/registry.js';
import type { Suite } from '../../src/cases/suite.js';
import type { RequirementCase } from '../../src/cases/test-case.js';
import { judgeCase } from '../../src/judge/judge-case.js';
import type { Verdict } from '../../src/judge/verdict.js';
import { createRecognizer } from '../../src/recognition/recognizer.js';
import { formatLocation } from '../../src/support/problem.js';
import { type DeploymentJudgement, inProcessCredentials, judgeDeployment, listVerdicts } from './judge-deployment.js';

/** How the suite sees every fault, and what each of its expectations is there for. */
export interface Proof {
  readonly suite: Pick<Suite, 'name' | 'version' | 'digest'>;
  readonly faults: readonly FaultProof[];
  readonly expectations: readonly ExpectationProof[];
}

export interface FaultProof {
  readonly id: string;
  readonly breaks: string;
  readonly story: string;
  /** Whether the requirement that it breaks fails. */
  readonly killed: boolean;
  readonly verdicts: Readonly<Record<string, Verdict>>;
  /** The rows that fail, by the id of their case. */
  readonly refuted: Readonly<Record<string, readonly string[]>>;
  readonly collateral: Collateral | 'depends-on-order';
  /** Requirements that do not pass although its definition does not say so. */
  readonly undeclared: readonly string[];
  /** Requirements that pass although its definition says that they do not. */
  readonly untouched: readonly string[];
}

/** Something that a case expects of one exchange, in all its rows. */
export interface ExpectationProof {
  readonly case: string;
  readonly at: string;
  readonly of: string;
  readonly kind: string;
  /** The faults that this case would not catch without it. */
  readonly needed_by: readonly string[];
}

/** Runs every fault over all requirement cases of a suite. */
export async function prove(suite: Suite, faults: readonly Fault[]): Promise<Proof> {
  const neededBy = new Map(expectationsOf(suite).map((expectation) => [expectation, [] as string[]]));
  // Faults leave most responses as they are, so what these name is worked out once.
  const recognizer = createRecognizer(suite.world);
  const proofs: FaultProof[] = [];
  for (const fault of faults) {
    const judged = await judgeDeployment(
      suite,
      createDeployment({ world: suite.world, credentials: inProcessCredentials, faults: [fault] }),
      { recognizer },
    );
    proofs.push({ ...proofOf(fault, listVerdicts(judged), suite), refuted: refutedIn(judged) });
    for (const [expectation, needing] of neededBy) {
      if (isDecisive(expectation, judged)) needing.push(fault.id);
    }
  }
  const expectations = [...neededBy].map(
    ([{ testCase, assertion }, needed_by]): ExpectationProof => ({
      case: testCase.id,
      at: formatLocation(assertion.at),
      of: exchangeOf(assertion),
      kind: assertion.kind,
      needed_by,
    }),
  );
  const { name, version, digest } = suite;
  return { suite: { name, version, digest }, faults: proofs, expectations };
}

function proofOf(
  { id, breaks, story, collateral = {} }: Fault,
  verdicts: ReadonlyMap<string, Verdict>,
  { contract: ledger }: Suite,
): Omit<FaultProof, 'refuted'> {
  const requirements = ledger.requirements.map((requirement) => requirement.id);
  const verdictOf = (requirement: string): Verdict => verdicts.get(requirement) ?? 'not-applicable';
  const touched = requirements.filter((requirement) => requirement !== breaks && verdictOf(requirement) !== 'pass');
  const declared: readonly string[] = collateral === 'depends-on-order' ? touched : Object.keys(collateral);
  return {
    id,
    breaks,
    story,
    killed: verdictOf(breaks) === 'fail',
    verdicts: Object.fromEntries(requirements.map((requirement) => [requirement, verdictOf(requirement)])),
    collateral,
    undeclared: touched.filter((requirement) => !declared.includes(requirement)),
    untouched: declared.filter((requirement) => !touched.includes(requirement)),
  };
}

function refutedIn({ cases }: DeploymentJudgement): FaultProof['refuted'] {
  const entries = cases.map(({ testCase, sent }) => {
    const refuted = sent.judgement.rows.filter(({ verdict }) => verdict === 'fail');
    return [testCase.id, refuted.map(({ title }) => title)] as const;
  });
  return Object.fromEntries(entries.filter(([, titles]) => titles.length > 0));
}

/** One of the assertions that an expectation is made of: it has one in each row of its case. */
interface Expectation {
  readonly testCase: RequirementCase;
  readonly assertion: Assertion;
}

function expectationsOf({ cases }: Suite): Expectation[] {
  return cases.flatMap((testCase) => {
    if (testCase.kind === 'question') return [];
    const assertions = testCase.rows.flatMap(({ expect }) => expect);
    return assertions
      .filter((assertion, n) => assertions.findIndex((other) => isSame(assertion, other)) === n)
      .map((assertion) => ({ testCase, assertion }));
  });
}

function isSame(one: Assertion, other: Assertion): boolean {
  return formatLocation(one.at) === formatLocation(other.at) && exchangeOf(one) === exchangeOf(other);
}

/** Empty for alternatives, which may speak of several. */
function exchangeOf(assertion: Assertion): string {
  return 'of' in assertion ? assertion.of : '';
}

/** Whether the case of an expectation catches the fault, and would not without it. */
function isDecisive({ testCase, assertion }: Expectation, { cases, background }: DeploymentJudgement): boolean {
  const caught: readonly Verdict[] = canBeViolated(assertion) ? ['fail'] : ['fail', 'inconclusive'];
  const judged = cases.find((each) => each.testCase === testCase);
  if (judged === undefined || !caught.includes(judged.sent.judgement.verdict)) return false;
  const { first, repeats: again } = judged.sent;
  const rows = testCase.rows.map((row) => ({
    ...row,
    expect: row.expect.filter((other) => !isSame(assertion, other)),
  }));
  const without = judgeCase(
    { ...testCase, rows },
    first.exchanges,
    background,
    ...again.map(({ exchanges }) => exchanges),
  );
  return !caught.includes(without.verdict);
}

/** Where little is known of the data, an expectation may be there to raise a doubt and no more. */
function canBeViolated(assertion: Assertion): boolean {
  return 'lists' in assertion || (findResponseKind(assertion).canBeViolated?.(assertion.data) ?? true);
}

/** What is wrong with a proof, one line each: nothing, where the suite catches all there is to catch and no more. */
export function listFlaws({ faults, expectations }: Proof): string[] {
  return [
    ...faults.filter(({ killed }) => !killed).map(({ id, breaks }) => `${id} survives: ${breaks} does not fail`),
    ...faults.flatMap(({ id, undeclared, verdicts }) =>
      undeclared.map((requirement) => `${id}: ${requirement} is undeclared collateral (${verdicts[requirement]})`),
    ),
    ...faults.flatMap(({ id, untouched }) =>
      untouched.map((requirement) => `${id}: ${requirement} is declared as collateral, and passes`),
    ),
    ...expectations
      .filter(({ needed_by }) => needed_by.length === 0)
      .map(({ at, of, kind }) => `${at}: no fault needs '${kind}'${of === '' ? '' : ` of '${of}'`}`),
  ];
}

const marks: Readonly<Record<Verdict, string>> = {
  pass: '',
  fail: '✗',
  inconclusive: '?',
  error: '!',
  'not-applicable': '–',
};

/** A proof for people: a table of faults and requirements, and one of what each expectation is there for. */
export function renderProof(proof: Proof): string {
  const requirements = Object.keys(proof.faults[0]?.verdicts ?? {});
  const flaws = listFlaws(proof);
  const faultRows = proof.faults.map(({ id, breaks, verdicts }) => [
    id,
    ...requirements.map((requirement) => {
      const mark = marks[verdicts[requirement] ?? 'not-applicable'];
      return requirement === breaks ? `**${mark}**` : mark;
    }),
  ]);
  const expectationRows = proof.expectations.map(({ case: id, at, of, kind, needed_by }) => [
    id,
    `${of}: ${kind}`,
    at,
    String(needed_by.length),
    needed_by[0] ?? '',
  ]);
  return [
    '# What the suite catches',
    '',
    `${proof.faults.length} faults, ${proof.expectations.length} expectations. ✗ fails, ? is inconclusive, the rest passes; the requirement that a fault breaks is in bold.`,
    '',
    ...(flaws.length === 0 ? ['Nothing is wrong.'] : flaws.map((flaw) => `- ${flaw}`)),
    '',
    '## Faults',
    '',
    ...markdown(['fault', ...requirements], faultRows),
    '',
    '## Expectations',
    '',
    ...markdown(['case', 'expectation', 'place', 'faults that need it', 'such as'], expectationRows),
    '',
  ].join('\n');
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}
