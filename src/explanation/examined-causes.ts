/**
 * Repeats as causes what the examination found out before the first case. In: the rows that did not pass. Out: causes. Pure.
 */

import { groupBy } from '../support/collections.js';
import { renderReason } from '../support/reason.js';
import type { CauseWithRows } from './cause-with-rows.js';
import type { ObservationsWithPredictor } from './prediction.js';

/** The codes of what the examination finds out before the cases. */
const examinedCodes: readonly string[] = [
  'web-pages',
  'alike',
  'alike-over-https',
  'body-refused',
  'part-refused',
  'empty-part-refused',
  'part-perhaps-unknown',
  'part-perhaps-refused',
];

/** Lists the refusals that the examination found. They explain what else fails in the same requirement. */
export function findExamined({ rows }: ObservationsWithPredictor): CauseWithRows[] {
  const shown = rows.filter(({ reason }) => examinedCodes.includes(reason?.code ?? ''));
  return [...groupBy(shown, ({ reason }) => renderReason(reason))].map(([sentence, alike]) => {
    const broken = alike.filter((row) => row.isFailing).map(({ requirement }) => requirement);
    const explained = rows.filter((row) => alike.includes(row) || broken.includes(row.requirement));
    return { id: alike[0].reason?.code ?? '', sentence, evidence: [], rows: new Set(explained) };
  });
}
