import type { Fault, Requirement } from '../../reference/faults/fault.js';
import { findWorstVerdict, type Verdict } from '../../src/judge/verdict.js';
import type { FaultJudge } from './judge-fault.js';

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
}

type RowTitles = Readonly<Record<string, readonly string[]>>;

/** Whether the requirement that a fault breaks fails. */
export function isKilled({ breaks, verdicts }: Pick<FaultProof, 'breaks' | 'verdicts'>): boolean {
  return verdicts[breaks] === 'fail';
}

/** Finds out how the suite sees a fault. */
export async function proveFault(fault: Fault, judge: FaultJudge): Promise<FaultProof> {
  const judged = await judge.judge(fault);
  const verdicts: Record<string, Verdict> = {};
  const failedRows: Record<string, string[]> = {};
  const failedAlone: Record<string, string[]> = {};
  for (const faulty of judged) {
    const { testCase, judgement } = faulty;
    const { verifies, id } = testCase;
    if (judgement.verdict !== 'pass')
      verdicts[verifies] = findWorstVerdict([verdicts[verifies] ?? 'pass', judgement.verdict]);
    const failed = judgement.rows.filter(({ verdict }) => verdict === 'fail');
    if (failed.length === 0) continue;
    failedRows[id] = failed.map(({ title }) => title);
    failedAlone[id] = await judge.listRowsThatFailAlone(fault, faulty);
  }
  const { id, breaks, story } = fault;
  return { id, breaks, story, verdicts, failedRows, failedAlone };
}

export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}
