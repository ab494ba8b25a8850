import type { Plan } from '../../engine/plan.js';

/** How often a run says what is left, in milliseconds: one that is over sooner says nothing. */
export const progressIntervalMs = 10_000;

/**
 * What is left of a run, in one line.
 *
 * @param ended the ids of the cases that are over
 * @param elapsedMs since the first of them began, in milliseconds
 */
export function renderProgress({ cases, samples: again }: Plan, ended: ReadonlySet<string>, elapsedMs: number): string {
  const requestsOf = (of: Plan['cases']) => of.reduce((sum, { requests }) => sum + requests.length, 0);
  const sent = requestsOf(cases.filter(({ id }) => ended.has(id)));
  const left = requestsOf(cases) + again.requests - sent;
  const seconds = sent === 0 ? undefined : Math.ceil((left * elapsedMs) / sent / 1_000);
  const time = seconds === undefined ? '' : `, at this pace ${seconds} s`;
  return `${cases.filter(({ id }) => ended.has(id)).length} of ${cases.length} cases; about ${left} requests are left${time}.`;
}
