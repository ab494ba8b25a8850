/** Judges the parts of a row, one after the other: whether it can be judged at all, and which of its assertions is violated first. */

import type { Assertion } from '../assertions/assertion.js';
import { judgeAssertion } from '../assertions/registry.js';
import type { RowEvidence } from '../assertions/row-evidence.js';
import type { CaseRow } from '../cases/test-case.js';
import type { Exchange } from '../http/exchange.js';
import type { Location } from '../support/problem.js';
import { createReason, type Reason } from '../support/reason.js';
import type { Judgement } from './judgement.js';
import { lackingCode } from './verdict.js';

/** Finds the first exchange that shows nothing. @param explain says why */
export function findUnusable({ exchanges }: RowEvidence, explain: (exchange: Exchange) => Reason | undefined) {
  for (const [exchange, received] of exchanges) {
    const reason = explain(received);
    if (reason !== undefined) return { reason, exchange };
  }
  return undefined;
}

/** Returns undefined if the row can be judged. @param explain why a request is not applicable */
export function judgePreconditions(
  { unavailable, given }: CaseRow,
  at: Location,
  evidence: RowEvidence,
  explain: (exchange: Exchange) => Reason | undefined,
): Judgement | undefined {
  const inapplicable = findUnusable(evidence, explain);
  if (inapplicable !== undefined) return { verdict: 'not-applicable', at, ...inapplicable };
  if (unavailable.length > 0)
    return { verdict: 'not-applicable', reason: createReason(lackingCode, { things: unavailable }), at };
  const unmet = findFirst(given, evidence)?.explanation;
  if (unmet === undefined) return undefined;
  return { verdict: 'inconclusive', ...unmet, reason: createReason('precondition', { reason: unmet.reason }) };
}

/** An assertion that is violated, or of which the exchanges do not show whether it holds. */
export interface RowFinding {
  readonly is: 'violated' | 'unclear';
  readonly explanation: Omit<Judgement, 'verdict'> & { readonly reason: Reason };
}

/** Finds the first violation, or else the first doubt. Its reason has the other violations by the response, too. */
export function findFirst(assertions: readonly Assertion[], evidence: RowEvidence): RowFinding | undefined {
  const findings = assertions.flatMap((assertion) => {
    const result = judgeAssertion(assertion, evidence, 'requirement');
    return result.is === 'holds' ? [] : [{ ...result, assertion }];
  });
  const first = findings.find(({ is }) => is === 'violated') ?? findings[0];
  if (first === undefined) return undefined;
  const { is, assertion, reason, shownBy: exchange } = first;
  const finding = { reason, at: assertion.at, exchange };
  if (is === 'unclear') return { is, explanation: finding };
  const violations = findings.filter((found) => found.is === is);
  const together = violations.filter(({ shownBy }) => shownBy === exchange);
  const reasons = [...new Map(together.map((found) => [JSON.stringify(found.reason), found.reason])).values()];
  const all = reasons.reduce((before, next) => createReason('and', { reason: before, next }));
  const shownBy = [...new Set(violations.flatMap((found) => found.shownBy ?? []))];
  return { is, explanation: { ...finding, reason: all, expected: assertion, shownBy } };
}
