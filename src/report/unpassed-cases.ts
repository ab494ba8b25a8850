import { notReachedReason, notSelectedReason } from '../engine/case-result.js';
import type { Certificate } from './certificate.js';

/**
 * The cases that did not pass when they were last run: those that failed or could not be judged, and the questions that
 * drifted or got no answer.
 *
 * @param certificates of the same target, the oldest first: of each case the last one that ran it counts
 */
export function listUnpassedCases(certificates: readonly Certificate[]): string[] {
  const unpassed = new Map<string, boolean>();
  for (const { requirements, questions, own_cases: own, drift, profile } of certificates) {
    const drifted = new Set(drift.map((entry) => entry.case));
    const added = own?.cases ?? [];
    const cases = [...requirements.flatMap((each) => each.cases), ...added.filter((each) => 'verifies' in each)];
    for (const { id, verdict, reason } of cases) {
      // Of a profile some rows of a case are sent: that these pass says nothing of the others.
      if (reason === notSelectedReason || (profile !== undefined && verdict === 'pass')) continue;
      // What does not apply to the target will not apply again.
      const isUnjudged = verdict !== 'pass' && (verdict !== 'not-applicable' || reason === notReachedReason);
      unpassed.set(id, isUnjudged || drifted.has(id));
    }
    for (const { id, outcome, reason } of [...questions, ...added.filter((each) => 'answers' in each)]) {
      if (reason === notSelectedReason) continue;
      unpassed.set(id, outcome === null || drifted.has(id));
    }
  }
  return [...unpassed].filter(([, is]) => is).map(([id]) => id);
}
