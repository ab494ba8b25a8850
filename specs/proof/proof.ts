import { createDeployment } from '../../reference/deployment.js';
import type { Fault, Requirement } from '../../reference/faults/fault.js';
import type { Assertion } from '../../src/assertions/assertion.js';
import { findResponseKind } from '../../src/assertions/registry.js';
import type { Suite } from '../../src/cases/suite.js';
import type { RequirementCase } from '../../src/cases/test-case.js';
import { judgeCase } from '../../src/judge/judge-case.js';
import { findWorstVerdict, type Verdict } from '../../src/judge/verdict.js';
import { createRecognizer } from '../../src/recognition/recognizer.js';
import { formatLocation } from '../../src/support/problem.js';
import { type DeploymentJudgement, inProcessCredentials, judgeDeployment } from './judge-deployment.js';

/** What the suite finds out about one fault, as plain data. */
export interface FaultProof {
  readonly id: string;
  readonly breaks: Requirement;
  /** The verdicts of requirements that do not pass. */
  readonly verdicts: Readonly<Record<string, Verdict>>;
  /** The rows that fail, by case. */
  readonly failedRows: RowTitles;
  /** The rows that fail when nothing else is sent, by case. */
  readonly failedAlone: RowTitles;
  /** Positions of the expectations without which their case would miss the fault. */
  readonly needs: readonly number[];
}

type RowTitles = Readonly<Record<string, readonly string[]>>;

/** An assertion of a case about one exchange. It is the same one in every row of the case. */
export interface Expectation {
  readonly testCase: RequirementCase;
  readonly assertion: Assertion;
}

/** Whether the requirement that a fault breaks fails. */
export function isKilled({ breaks, verdicts }: Pick<FaultProof, 'breaks' | 'verdicts'>): boolean {
  return verdicts[breaks] === 'fail';
}

/** Finds out how the suite sees a fault. */
export async function proveFault(
  fault: Fault,
  suite: Suite,
  recognizer = createRecognizer(suite.world),
): Promise<FaultProof> {
  const judge = (own: Suite) => {
    const deployment = createDeployment({ world: suite.world, credentials: inProcessCredentials, faults: [fault] });
    return judgeDeployment(own, deployment, { recognizer });
  };
  const judged = await judge(suite);
  const verdicts: Record<string, Verdict> = {};
  const failedRows: Record<string, string[]> = {};
  const failedAlone: Record<string, string[]> = {};
  for (const { testCase, sent } of judged.cases) {
    const { verifies, id } = testCase;
    const { judgement, first } = sent;
    if (judgement.verdict !== 'pass')
      verdicts[verifies] = findWorstVerdict([verdicts[verifies] ?? 'pass', judgement.verdict]);
    for (const [n, row] of testCase.rows.entries()) {
      if (judgement.rows[n]?.verdict !== 'fail') continue;
      failedRows[id] = [...(failedRows[id] ?? []), row.title];
      const alone: RequirementCase = { ...testCase, rows: [row] };
      // Without state, a response does not depend on what else is sent.
      const verdict = fault.hasState
        ? (await judge({ ...suite, cases: [alone] })).cases[0]?.sent.judgement.verdict
        : judgeCase(alone, first.exchanges.slice(n, n + 1), judged.background).verdict;
      if (verdict === 'fail') failedAlone[id] = [...(failedAlone[id] ?? []), row.title];
    }
  }
  const needs = listExpectations(suite).flatMap((expectation, n) => (isDecisive(expectation, judged) ? [n] : []));
  return { id: fault.id, breaks: fault.breaks, verdicts, failedRows, failedAlone, needs };
}

/** The expectations of all requirement cases, in the order of the suite. */
export function listExpectations({ cases }: Suite): Expectation[] {
  return cases.flatMap((testCase) => {
    if (testCase.kind === 'question') return [];
    const byKey = new Map(
      testCase.rows.flatMap(({ expect }) => expect).map((assertion) => [getExpectationKey(assertion), assertion]),
    );
    return [...byKey.values()].map((assertion) => ({ testCase, assertion }));
  });
}

function getExpectationKey(assertion: Assertion): string {
  return `${formatLocation(assertion.at)} ${getExchangeName(assertion)}`;
}

/** Empty for alternatives, which may be about several exchanges. */
function getExchangeName(assertion: Assertion): string {
  return 'of' in assertion ? assertion.of : '';
}

/** Whether the case of an expectation catches the fault, and would miss it without the expectation. */
function isDecisive({ testCase, assertion }: Expectation, { cases, background }: DeploymentJudgement): boolean {
  const caught: readonly Verdict[] = canBeViolated(assertion) ? ['fail'] : ['fail', 'inconclusive'];
  const sent = cases.find((each) => each.testCase === testCase)?.sent;
  if (sent === undefined || !caught.includes(sent.judgement.verdict)) return false;
  const key = getExpectationKey(assertion);
  const rows = testCase.rows.map((row) => ({
    ...row,
    expect: row.expect.filter((other) => getExpectationKey(other) !== key),
  }));
  const repeats = sent.repeats.map(({ exchanges }) => exchanges);
  const without = judgeCase({ ...testCase, rows }, sent.first.exchanges, background, ...repeats);
  return !caught.includes(without.verdict);
}

/** An assertion that cannot be violated is there to make a case inconclusive. */
function canBeViolated(assertion: Assertion): boolean {
  return 'lists' in assertion || (findResponseKind(assertion).canBeViolated?.(assertion.data) ?? true);
}

const marks: Readonly<Record<Verdict, string>> = {
  pass: '',
  fail: '✗',
  inconclusive: '?',
  error: '!',
  'not-run': '–',
  'not-applicable': '–',
};

/** A table of faults and requirements, and a table of expectations with the faults that need them. */
export function renderProof(suite: Suite, proofs: readonly FaultProof[]): string {
  const requirements = suite.contract.requirements.map(({ id }) => id);
  const expectations = listExpectations(suite);
  const survivors = proofs.filter((proof) => !isKilled(proof));
  const faultRows = proofs.map(({ id, breaks, verdicts }) => [
    id,
    ...requirements.map((requirement) => {
      const mark = marks[verdicts[requirement] ?? 'pass'];
      return requirement === breaks ? `**${mark}**` : mark;
    }),
  ]);
  const expectationRows = expectations.map(({ testCase, assertion }, n) => {
    const needed = proofs.filter(({ needs }) => needs.includes(n));
    const what = `${getExchangeName(assertion)}: ${assertion.kind}`;
    return [testCase.id, what, formatLocation(assertion.at), String(needed.length), needed[0]?.id ?? ''];
  });
  const needless = expectationRows.filter(([, , , count]) => count === '0');
  return [
    '# Faults with a story of their own',
    '',
    `${proofs.length} faults, ${expectations.length} expectations. ✗ fails, ? is inconclusive, the rest passes. The requirement that a fault breaks is in bold.`,
    '',
    ...(survivors.length === 0 ? ['Every fault is killed.'] : survivors.map(({ id }) => `- Survives: ${id}`)),
    ...needless.map(([id, what, at]) => `- No fault needs this expectation: ${id}, ${what} (${at})`),
    '',
    '## Faults',
    '',
    ...renderTable(['fault', ...requirements], faultRows),
    '',
    '## Expectations',
    '',
    ...renderTable(['case', 'expectation', 'location', 'faults that need it', 'for example'], expectationRows),
    '',
  ].join('\n');
}

export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}
