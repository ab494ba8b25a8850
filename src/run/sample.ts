import type { Suite } from '../cases/suite.js';
import { type TestCase, tag } from '../cases/test-case.js';
import { findWorstVerdict } from '../judge/verdict.js';
import { countRequests, getVerdictApart, type ResultWithExchanges, samplesCaseId } from './case-result.js';

/** How many of the first requests drawn from a data file are sent again. After a failure, all of them are. */
export const watchedRequests = 8;

/** Lists the cases that are sent again at the end of a run. */
export function listSampleCases({ cases }: Suite): readonly TestCase[] {
  return cases.filter(({ tags }) => tags.includes(tag.sample));
}

/**
 * Combines the results of the cases that were sent again. The combined result fails a requirement if a case failed or
 * was unstable this time; everything else is already known from the first time.
 *
 * @param results of at least one case
 */
export function combineSampleResults(results: readonly ResultWithExchanges[]): ResultWithExchanges {
  const counts = {
    ...countRequests(results),
    durationMs: results.reduce((sum, { durationMs }) => sum + durationMs, 0),
  };
  const broken =
    results.find((result) => getVerdictApart(result) === 'fail') ??
    results.find(({ repeatedExchange }) => repeatedExchange !== undefined);
  const [first] = results;
  if (first === undefined) throw new Error('There are no sample cases.');
  if (broken !== undefined) {
    const reason = `When '${broken.id}' was sent again at the end of the run: ${broken.reason}`;
    return { ...broken, id: samplesCaseId, reason, drift: [], ...counts };
  }
  const verdict = findWorstVerdict(results.map(getVerdictApart));
  return {
    id: samplesCaseId,
    subject: samplesCaseId,
    verdict,
    reason: '',
    at: first.at,
    rows: [],
    drift: [],
    ...counts,
  };
}
