import type { Fault, Requirement } from '../../reference/faults/fault.js';
import type { Assertion } from '../../src/assertions/assertion.js';
import { findResponseKind } from '../../src/assertions/registry.js';
import type { Suite } from '../../src/cases/suite.js';
import type { RequirementCase } from '../../src/cases/test-case.js';
import { collectEvidence, judgeCase } from '../../src/judge/judge-case.js';
import { findWorstVerdict, type Verdict } from '../../src/judge/verdict.js';
import { formatLocation } from '../../src/support/problem.js';
import type { FaultJudge, FaultyCase } from './judge-fault.js';

/** What the suite finds out about one fault, as plain data. */
export interface FaultProof {
  readonly id: string;
  readonly breaks: Requirement;
  readonly story: string;
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
export async function proveFault(fault: Fault, judge: FaultJudge, suite: Suite): Promise<FaultProof> {
  const judged = await judge.judge(fault);
  const verdicts: Record<string, Verdict> = {};
  const failedRows: Record<string, string[]> = {};
  const failedAlone: Record<string, string[]> = {};
  for (const each of judged) {
    const { testCase, judgement } = each;
    const { verifies, id } = testCase;
    if (judgement.verdict !== 'pass')
      verdicts[verifies] = findWorstVerdict([verdicts[verifies] ?? 'pass', judgement.verdict]);
    const failed = judgement.rows.filter(({ verdict }) => verdict === 'fail');
    if (failed.length === 0) continue;
    failedRows[id] = failed.map(({ title }) => title);
    failedAlone[id] = await judge.listRowsThatFailAlone(fault, each);
  }
  const needs = listExpectations(suite).flatMap((expectation, n) => (isDecisive(expectation, judged) ? [n] : []));
  const { id, breaks, story } = fault;
  return { id, breaks, story, verdicts, failedRows, failedAlone, needs };
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
function isDecisive({ testCase, assertion }: Expectation, cases: readonly FaultyCase[]): boolean {
  const caught: readonly Verdict[] = canBeViolated(assertion) ? ['fail'] : ['fail', 'inconclusive'];
  const judged = cases.find((each) => each.testCase === testCase);
  if (judged === undefined || !caught.includes(judged.judgement.verdict)) return false;
  const key = getExpectationKey(assertion);
  const rows = testCase.rows.map((row) => ({
    ...row,
    expect: row.expect.filter((other) => getExpectationKey(other) !== key),
  }));
  const without = judgeCase({ ...testCase, rows }, collectEvidence(judged.exchanges, judged.context));
  return !caught.includes(without.verdict);
}

/** An assertion that cannot be violated is there to make a case inconclusive. */
function canBeViolated(assertion: Assertion): boolean {
  return 'lists' in assertion || (findResponseKind(assertion).canBeViolated?.(assertion.data) ?? true);
}

/** A table of expectations with the faults that need them. `kill-matrix.md` has the verdicts. */
export function renderProof(suite: Suite, proofs: readonly FaultProof[]): string {
  const survivors = proofs.filter((proof) => !isKilled(proof));
  const rows = listExpectations(suite).map(({ testCase, assertion }, n) => {
    const needed = proofs.filter(({ needs }) => needs.includes(n));
    const what = `${getExchangeName(assertion)}: ${assertion.kind}`;
    return [testCase.id, what, formatLocation(assertion.at), String(needed.length), needed[0]?.id ?? ''];
  });
  const needless = rows.filter(([, , , count]) => count === '0');
  return [
    '# Faults with a story of their own',
    '',
    `${proofs.length} faults, ${rows.length} expectations.`,
    '',
    ...(survivors.length === 0 ? ['Every fault is killed.'] : survivors.map(({ id }) => `- Survives: ${id}`)),
    ...needless.map(([id, what, at]) => `- No fault needs this expectation: ${id}, ${what} (${at})`),
    '',
    ...renderTable(['case', 'expectation', 'location', 'faults that need it', 'for example'], rows),
    '',
  ].join('\n');
}

export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}
