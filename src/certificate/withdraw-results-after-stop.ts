import type { Cause } from '../explanation/diagnose-run.js';
import type { DeploymentStop } from '../judge/find-deployment-stop.js';
import type { Verdict } from '../judge/verdict.js';
import type { ExchangeUse } from '../run/case-report.js';
import { type CaseResult, repetitionCaseId } from '../run/case-result.js';
import { createDeploymentStopResult } from '../run/repeat-and-recheck-at-end.js';
import type { Suite } from '../suite/suite.js';
import { renderReason } from '../support/reason.js';
import type { CaseEntry } from './case-entry.js';

/**
 * Withdraws what only exchanges after a stop show: they say nothing more of the deployment than that it stopped. A question
 * whose requests were refused like all others has no answer.
 */
export function withdrawResultsAfterStop(
  results: readonly CaseResult[],
  stop: DeploymentStop | undefined,
  uses: readonly ExchangeUse[],
  suite: Pick<Suite, 'contract' | 'cases'>,
): readonly CaseResult[] {
  if (stop === undefined) return results;
  const touched = new Set(uses.filter(({ id }) => stop.exchanges.has(id)).map((use) => use.case));
  const withdrawn = results
    .filter(({ id }) => id !== repetitionCaseId)
    .map((result) => (isOnlyShownBy(stop, result, touched) ? withdraw(result, stop) : result));
  return [...withdrawn, { ...createDeploymentStopResult(stop, suite), exchangeId: stop.shownBy }];
}

function isOnlyShownBy({ exchanges }: DeploymentStop, result: CaseResult, touched: ReadonlySet<string>): boolean {
  const { id, verdict, outcome, exchangeId = '' } = result;
  if (outcome !== undefined) return touched.has(id);
  return ['fail', 'inconclusive', 'not-run'].includes(verdict) && exchanges.has(exchangeId);
}

function withdraw(
  { outcome: _, expected: __, apart_from_known: ___, ...result }: CaseResult,
  { reason }: DeploymentStop,
): CaseResult {
  return { ...result, verdict: 'inconclusive', reason, rows: [], drift: [] };
}

interface JudgedRequirement {
  readonly id: string;
  readonly verdict: Verdict;
  readonly cases: readonly Pick<CaseEntry, 'id'>[];
}

/**
 * The first cause of a run whose deployment stopped working: whatever else is wrong, this comes first.
 *
 * @param before sentences about what was accepted before
 */
export function createStopCause(
  stop: DeploymentStop | undefined,
  before: readonly string[],
  requirements: readonly JudgedRequirement[],
): Cause[] {
  if (stop === undefined) return [];
  const failing = requirements.filter(({ cases }) => cases.some(({ id }) => id === repetitionCaseId));
  const isAll = stop.exchanges.size > 0;
  const unjudged = requirements.filter(({ verdict }) => isAll && ['inconclusive', 'not-run'].includes(verdict));
  return [
    {
      id: isAll ? 'stopped' : 'request-stopped',
      sentence: renderReason(stop.reason),
      evidence: [renderReason(stop.advice), ...before],
      // No row of a case fails.
      failures: [],
      requirements: failing.map(({ id }) => id),
      cases: failing.length === 0 ? [] : [repetitionCaseId],
      follows: unjudged.map(({ id }) => id),
    },
  ];
}
