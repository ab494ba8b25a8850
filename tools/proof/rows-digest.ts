import { createHash } from 'node:crypto';
import type { Suite } from '../../src/cases/suite.js';

/**
 * Computes a digest of everything that decides which rows are chosen, except what is expected of the responses: the
 * rows of the requirement cases with their requests, and the known faults.
 *
 * @param faults their ids
 */
export function computeRowsDigest({ cases, calibration }: Suite, faults: readonly string[]): string {
  const ofCases = cases.flatMap((testCase) => {
    if (testCase.kind === 'question') return [];
    return [[testCase.id, testCase.verifies, testCase.tags, testCase.rows.map((row) => [row.title, ...row.requests])]];
  });
  const text = JSON.stringify([calibration, ofCases, faults]);
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
