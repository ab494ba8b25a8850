/** Assertions that no case file states: those of requests that are drawn from a data file, and of exchanges of real callers. */

import type { Location } from '../support/problem.js';
import type { Assertion } from './assertion.js';

const at: Location = { file: '', line: 1, column: 1 };

const assertTiers =
  (kind: string) =>
  (of: string, tiers: readonly string[]): Assertion[] =>
    tiers.length === 0 ? [] : [{ kind, of, at, data: { tiers } }];

/** Expects tiers, by their ids, in the response to the request `of`. Nothing is expected of no tiers. */
export const createIncludeAssertions = assertTiers('returned.include');

/** Expects that the response to the request `of` returns none of these tiers. */
export const createExcludeAssertions = assertTiers('returned.exclude');

/** Expects a whole response to the request `of`. */
export const createAnsweredAssertion = (of: string): Assertion => ({ kind: 'answered', of, at, data: {} });

/** Expects that the request `of` is accepted. */
export const createAcceptedAssertion = (of: string): Assertion => ({
  kind: 'status',
  of,
  at,
  data: { patterns: ['2xx'] },
});
