import { getSubjectId, type TestCase } from '../cases/test-case.js';
import type { Exchange } from '../http/exchange.js';
import type { BodyShape } from '../judge/body-shape.js';
import type { Drift } from '../judge/drift.js';
import type { ResponseTemplates } from '../judge/extract-templates.js';
import type { Verdict } from '../judge/verdict.js';
import type { Location } from '../support/problem.js';

/** What came of one case: all that the certificate needs to know of it, as plain JSON. */
export interface CaseResult {
  readonly id: string;
  /** The requirement or the question that the case speaks of. */
  readonly subject: string;
  readonly verdict: Verdict;
  readonly reason: string;
  readonly at: Location;
  /** For `fail`: what was expected, in words. */
  readonly expected?: string;
  readonly rows: readonly { readonly title: string; readonly verdict: Verdict; readonly reason: string }[];
  /** A case that shows the same, as it could stand in a case file; of what was found by exploring. */
  readonly asCase?: string;
  /** For a question that was answered. */
  readonly outcome?: string;
  /** The exchange that shows it. */
  readonly exchange?: Exchange;
  /** For a case that is unstable: the same request, when the case was sent again. */
  readonly repeatedExchange?: Exchange;
  /** Of all successful bodies, where it is wanted for a record. */
  readonly shape?: BodyShape;
  /** How the target answers, where it shows in this case and is wanted for a record. */
  readonly answers?: ResponseTemplates;
  /** Of a question: the places, as patterns, whose values differ between responses to the same request. */
  readonly volatile?: readonly string[];
  readonly drift: readonly Drift[];
  /** How many exchanges it was judged by. */
  readonly exchangesJudged: number;
  /** How many requests they took: fewer where equal ones had been sent for other cases, more where some were repeated. */
  readonly requestsSent: number;
}

/** How much was sent and judged for some results. */
export function countRequests(results: readonly CaseResult[]): Pick<CaseResult, 'exchangesJudged' | 'requestsSent'> {
  return {
    exchangesJudged: results.reduce((sum, each) => sum + each.exchangesJudged, 0),
    requestsSent: results.reduce((sum, each) => sum + each.requestsSent, 0),
  };
}

/** Results that are of no single case, by their ids: what exploring finds, and cases sent again at the end of a run. */
export const explorationId = 'explore';
export const sampleId = 'sampled-again';

/** Why a case has no verdict of its own, where that says nothing of the target. */
export const notReachedReason = 'Not reached in this run.';
export const notSelectedReason = 'Not selected in this run.';

/** The result of a case that was not sent at all. */
export function createUnsentResult(testCase: TestCase, verdict: Verdict, reason: string): CaseResult {
  const { id, at } = testCase;
  const nothing = { rows: [], drift: [], exchangesJudged: 0, requestsSent: 0 };
  return { id, subject: getSubjectId(testCase), verdict, reason, at, ...nothing };
}
