import type { Fault } from '../../reference/faults/fault.js';
import { provableMistakes } from '../../src/explanation/provable-mistakes.js';

/**
 * What the first cause of a run says of the fault of its deployment, the only thing that is wrong with it: the fault
 * itself; the requirement that it breaks; nothing; something else.
 */
export type CauseGrade = 'exact' | 'requirement' | 'absent' | 'wrong';

/** The same mistake under another id: `$1` is what the pattern found in the id of the fault. */
const synonyms: readonly (readonly [fault: RegExp, cause: string])[] = [
  [/^window(?:-|\/)(?:of-)?(\d+)$/, 'window-size/$1'],
  [/^(?:.*[-/])?page-of-(\d+)$|^valid-tiers\/first-(\d+)-only$/, 'page-size/$1$2'],
];

/** The requirements that causes with sizes are about; those of other causes are named by the mistake. */
const requirements: readonly (readonly [cause: RegExp, requirement: string])[] = [
  [/^window/, 'limit.newest-150'],
  [/^(?:page-size|result-limit)/, 'result.all-valid'],
];

/** @param cause the id of the first cause of a run */
export function gradeCause(fault: Pick<Fault, 'id' | 'breaks' | 'hasState'>, cause = 'unknown'): CauseGrade {
  // What no proved cause explains is narrowed: that is measured on deployments that others wrote.
  if (cause === 'unknown' || cause.startsWith('unexplained')) return 'absent';
  // What all refused requests have, and no other one, is a fact.
  if (/^(refused|every-status)\//.test(cause)) return 'exact';
  if (/^(?:changing-results$|kept-results\/)/.test(cause)) return fault.hasState ? 'requirement' : 'wrong';
  const isId = (id: string) => cause === id || cause.startsWith(`${id}/`);
  if (isId(fault.id)) return 'exact';
  const [pattern, id = ''] = synonyms.find(([pattern]) => pattern.test(fault.id)) ?? [];
  if (pattern !== undefined && isId(fault.id.replace(pattern, id))) return 'exact';
  // A size is right or wrong.
  if (pattern !== undefined && /-size\//.test(cause)) return 'wrong';
  const found = provableMistakes.filter(({ id }) => isId(id)).map(({ breaks }) => breaks);
  const stated = requirements.find(([pattern]) => pattern.test(cause))?.[1] ?? cause.replace('one-of-several/', '');
  // A fault that loses all filters loses one of the other kind, too.
  const broken = fault.id.endsWith('/filters-lost') ? ['filter.promotion-id', 'filter.tier-metadata'] : [fault.breaks];
  return [...found, stated].some((requirement) => broken.includes(requirement)) ? 'requirement' : 'wrong';
}
