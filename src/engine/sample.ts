import type { Suite } from '../cases/suite.js';
import { type TestCase, tag } from '../cases/test-case.js';
import { findWorstVerdict } from '../judge/verdict.js';
import { type CaseResult, countRequests, sampleId } from './case-result.js';

/** The cases that are sent once more at the end of a run. */
export function listSampleCases({ cases }: Suite): readonly TestCase[] {
  return cases.filter(({ tags }) => tags.includes(tag.sample));
}

/**
 * What came of the cases that were sent once more, as one result. It speaks of a requirement where that was refuted,
 * though it may have passed at the beginning; whatever else they came to was said at the beginning.
 *
 * @param results of at least one case
 */
export function combineSampleResults(results: readonly CaseResult[]): CaseResult {
  const sums = countRequests(results);
  const refuted =
    results.find(({ verdict }) => verdict === 'fail') ??
    results.find(({ repeatedExchange: again }) => again !== undefined);
  const [first] = results;
  if (first === undefined) throw new Error('No case is sent once more.');
  if (refuted !== undefined) {
    const reason = `When ${refuted.id} was sent once more at the end of the run: ${refuted.reason}`;
    return { ...refuted, id: sampleId, reason, drift: [], ...sums };
  }
  const verdict = findWorstVerdict(results.map((result) => result.verdict));
  return { id: sampleId, subject: sampleId, verdict, reason: '', at: first.at, rows: [], drift: [], ...sums };
}
