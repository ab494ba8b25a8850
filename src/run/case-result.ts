import { getRequirementOrQuestionId, type TestCase } from '../cases/test-case.js';
import type { Exchange } from '../http/exchange.js';
import type { ExchangesByRow } from '../judge/collect-row-evidence.js';
import { findWorstVerdict, type Verdict } from '../judge/verdict.js';
import type { BodyShape } from '../record/body-shape.js';
import type { BodyTemplates } from '../record/body-templates.js';
import type { Drift } from '../record/drift.js';
import type { Location } from '../support/problem.js';
import { createReason, type Reason } from '../support/reason.js';

export interface CaseExchanges {
  readonly exchanges: ExchangesByRow;
  /** The batch that was sent again for a row of the case. */
  readonly batch?: RepeatedExchanges;
}

/**
 * Why requests were sent again: one several times (`series`); those around the request of the row, at the same time (`same-row`), or
 * those before it and then the request, one after another on one connection (`in-order`); or a batch, to see which of its requests are
 * wrong while they overlap (`together`) and which are wrong alone (`alone`).
 */
export type BatchKind = 'series' | 'same-row' | 'in-order' | 'together' | 'alone';

/** All exchanges of a batch that was sent again. */
export interface RepeatedExchanges {
  readonly kind: BatchKind;
  readonly row: number;
  readonly exchanges: readonly Exchange[];
}

/** The result of one case as plain JSON. It refers to exchanges by the ids of the evidence. */
export interface CaseResult {
  readonly id: string;
  readonly subject: string;
  readonly verdict: Verdict;
  /** Undefined for `pass` only. */
  readonly reason?: Reason;
  readonly at: Location;
  readonly expected?: string;
  readonly rows: readonly {
    readonly title: string;
    readonly verdict: Verdict;
    readonly reason?: Reason;
    /** Whether it would pass, were it not for a known deviation. */
    readonly known?: true;
  }[];
  /** The verdict apart from known deviations, if it is another one. */
  readonly apart_from_known?: Verdict;
  readonly outcome?: string;
  /** The exchange that decided the verdict, and the name of its request in the case. */
  readonly exchangeId?: string;
  readonly request?: string;
  /** Of the repetition at the end of a run: the id of the case that was sent again. */
  readonly repeats?: string;
  /** For an unstable case: the same request when the case was repeated. */
  readonly repeatedExchangeId?: string;
  /** The shape of all successful bodies, and bodies for a mock, if a record is wanted. */
  readonly shape?: BodyShape;
  readonly bodies?: BodyTemplates;
  /** For a question: patterns of places whose values differ between responses to the same request. */
  readonly volatile?: readonly string[];
  readonly hasDataChanged?: true;
  /** Whether it only carries exchanges: it is no case of the run. */
  readonly isUncounted?: true;
  /** Whether the reason concerns the whole run: it is said first, and the run does not conform. */
  readonly concernsRun?: true;
  readonly drift: readonly Drift[];
}

/** Determines the verdict of rows apart from what is known; undefined if nothing is. */
export function findVerdictApart(rows: CaseResult['rows']): Verdict | undefined {
  if (!rows.some(({ known }) => known)) return undefined;
  return findWorstVerdict(rows.map((row) => (row.known ? 'pass' : row.verdict)));
}

export function getVerdictApartFromKnown(result: Pick<CaseResult, 'verdict' | 'apart_from_known'>): Verdict {
  return result.apart_from_known ?? result.verdict;
}

/** The id of the result of the sample cases at the end of a run, which belongs to no single case. */
export const repetitionCaseId = 'sampled-again';

export const notReachedReason = createReason('not-reached');
export const notSelectedReason = createReason('not-selected');

/** @param why a reason, or the message of an error */
export function createUnsentResult(testCase: TestCase, verdict: Verdict, why: Reason | string): CaseResult {
  const { id, at } = testCase;
  return { id, subject: getRequirementOrQuestionId(testCase), verdict, reason: toReason(why), at, rows: [], drift: [] };
}

/** The result of the repetition at the end of a run, which belongs to no single case. @param why as for createUnsentResult */
export function createRepetitionResult(verdict: Verdict, why?: Reason | string): CaseResult {
  const at = { file: '', line: 1, column: 1 };
  const common = { id: repetitionCaseId, subject: repetitionCaseId, verdict, at, rows: [], drift: [] };
  return why === undefined ? common : { ...common, reason: toReason(why) };
}

const toReason = (why: Reason | string) => (typeof why === 'string' ? createReason('message', { message: why }) : why);
