import { notReachedReason, notSelectedReason } from '../engine/case-result.js';
import type { Certificate } from './certificate.js';

/**
 * Lists the cases that did not pass in the last run that had them, and questions that drifted or have no answer.
 *
 * @param certificates of the same target, the oldest first
 */
export function listUnpassedCases(certificates: readonly Certificate[]): string[] {
  const unpassed = new Map<string, boolean>();
  for (const { requirements, questions, own_cases: own, drift, profile } of certificates) {
    const drifted = new Set(drift.map((entry) => entry.case));
    const added = own?.cases ?? [];
    const cases = [...requirements.flatMap((each) => each.cases), ...added.filter((each) => 'verifies' in each)];
    for (const { id, verdict, reason } of cases) {
      // A profile sends some rows of a case, which say nothing about the others.
      if (reason === notSelectedReason || (profile !== undefined && verdict === 'pass')) continue;
      // A case that does not apply to the target will not apply next time.
      const isUnjudged = verdict !== 'pass' && (verdict !== 'not-applicable' || reason === notReachedReason);
      unpassed.set(id, isUnjudged || drifted.has(id));
    }
    for (const { id, outcome, reason } of [...questions, ...added.filter((each) => 'answers' in each)]) {
      if (reason === notSelectedReason) continue;
      unpassed.set(id, outcome === null || drifted.has(id));
    }
  }
  return [...unpassed].filter(([, isUnpassed]) => isUnpassed).map(([id]) => id);
}
