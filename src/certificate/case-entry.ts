/** The entry of one case in a certificate: why it has its verdict, what was received, and the command that repeats it. */

import { isDeepStrictEqual } from 'node:util';
import { undeterminedOutcome } from '../cases/test-case.js';
import type { Contract, Question } from '../contract/contract.js';
import { renderCurlCommand } from '../http/curl-command.js';
import type { Exchange } from '../http/exchange.js';
import { explainTransientFailure } from '../http/response-status.js';
import type { Verdict } from '../judge/verdict.js';
import type { ResponseRenderer } from '../record/exchange-text.js';
import type { CaseResult } from '../run/case-result.js';
import type { ExchangeLookup } from '../run/exchange-store.js';
import { isOwnCase } from '../suite/suite.js';
import { formatLocation } from '../support/problem.js';
import { type Reason, renderReason } from '../support/reason.js';
import { joinAndEscapeLines, toOneLine } from '../support/untrusted-text.js';

export interface CaseEntry {
  readonly id: string;
  readonly verdict: Verdict;
  /** The code of the reason. Undefined for `pass` only. */
  readonly code?: string;
  readonly reason: string;
  /** The verdict apart from known deviations, if it is another one. */
  readonly apart_from_known?: Verdict;
  readonly at?: string;
  readonly rows?: readonly {
    readonly title: string;
    readonly verdict: Verdict;
    readonly reason: string;
    readonly known?: true;
  }[];
  readonly expected?: string;
  readonly received?: string;
  readonly repeat_with?: string;
  /** Of an own case: the name of the request that `repeat_with` sends. */
  readonly request?: string;
  /** Of an own case: the requirement that it verifies, or the question that it answers, and the answer. */
  readonly subject?: string;
  readonly outcome?: string;
}

/** Two responses to a case that differ: what differs, in one line, and both in lines for people. */
export interface ResponseDifference {
  readonly case: string;
  readonly text: string;
  readonly before?: string;
  readonly after?: string;
  readonly repeat_with?: string;
}

/** What the entries of a run are rendered with. */
export interface EntryRenderingContext {
  readonly contract: Contract;
  readonly baseUrl: string;
  readonly renderResponse: ResponseRenderer;
  readonly showExchange: ExchangeLookup;
}

export function createCaseEntry(
  result: CaseResult,
  { baseUrl, renderResponse, showExchange }: EntryRenderingContext,
): CaseEntry {
  const { id, verdict, apart_from_known, at, rows, outcome, expected, exchangeId } = result;
  const exchange = verdict === 'pass' ? undefined : showExchange(exchangeId);
  const reason = findReason(result, exchange);
  // The code of several rows is that of the first.
  const ofRow = reason?.code === 'rows' ? (reason.data.reason as Reason) : reason;
  const judged = {
    id,
    verdict,
    reason: renderReason(reason),
    code: ofRow?.code,
    apart_from_known,
    outcome,
  };
  if (verdict === 'pass') return judged;
  const unpassed = rows
    .filter((row) => row.verdict !== 'pass' && row.title !== '')
    .map((row) => ({ ...row, reason: renderReason(row.reason) }));
  return {
    ...judged,
    at: formatLocation(at),
    rows: unpassed.length > 0 ? unpassed : undefined,
    expected: expected && toOneLine(`${expected.replace(/^./, (letter) => letter.toUpperCase())}.`),
    received: isFailingVerdict(verdict) && exchange ? renderResponse(exchange) : undefined,
    repeat_with: exchange && renderCurlCommand(exchange.request, baseUrl),
    // The cases of the suite name their rows. Of an own case, its author looks for the request.
    request: exchange && isOwnCase(result) ? result.request : undefined,
  };
}

/** Finds the reason of a result. Results that have no verdict for the same reason have the same text. */
function findReason({ verdict, reason, rows }: CaseResult, exchange: Exchange | undefined): Reason | undefined {
  if (verdict === 'pass' || isFailingVerdict(verdict)) return reason;
  const isUnsent = verdict === 'not-run' || verdict === 'not-applicable';
  if (isUnsent && exchange !== undefined && 'transportError' in exchange) return explainTransientFailure(exchange);
  const [first, ...others] = rows.filter((row) => row.verdict !== 'pass').map((row) => row.reason);
  return first !== undefined && others.every((found) => isDeepStrictEqual(found, first)) ? first : reason;
}

export function isFailingVerdict(verdict: Verdict): boolean {
  return verdict === 'fail' || verdict === 'error';
}

/** @param commandNotice what is to be known about the command */
export function renderFailure({ reason, expected, received, repeat_with }: CaseEntry, commandNotice?: string): string {
  const command = repeat_with && { 'Send it again with': repeat_with, Note: commandNotice };
  return renderSections(reason, { Expected: expected, Received: received, ...command });
}

/** @param commandNotice what is to be known about the command */
export function renderCaseDifference(
  { text, before, after, repeat_with }: ResponseDifference,
  commandNotice?: string,
): string {
  const command = repeat_with && { 'Send it again with': repeat_with, Note: commandNotice };
  return renderSections(text, { Before: before, After: after, ...command });
}

function renderSections(first: string, sections: Readonly<Record<string, string | undefined>>): string {
  const shown = Object.entries(sections).flatMap(([heading, text]) =>
    text === undefined ? [] : ['', `${heading}:`, ...text.split('\n')],
  );
  return joinAndEscapeLines([first, ...shown]).trimEnd();
}

export function createUnstableEntry(
  { id, reason, exchangeId, repeatedExchangeId }: CaseResult,
  { renderResponse, showExchange }: EntryRenderingContext,
): ResponseDifference[] {
  if (repeatedExchangeId === undefined) return [];
  const [exchange, repeatedExchange] = [showExchange(exchangeId), showExchange(repeatedExchangeId)];
  if (exchange === undefined || repeatedExchange === undefined) return [];
  const [before, after] = [renderResponse(exchange), renderResponse(repeatedExchange)];
  return [{ case: id, text: renderReason(reason), before, after }];
}

/** Renders the answer to a question as a sentence. @param quote renders what a deployment wrote */
export function renderQuestionAnswer({ answer }: Question, outcome: string, quote = (text: string) => text): string {
  if (outcome === undeterminedOutcome) return 'The behaviour could not be determined.';
  if (answer.kind === 'value') return `${answer.describes}: ${quote(outcome)}.`;
  return answer.outcomes.get(outcome) ?? `${quote(outcome)}.`;
}
