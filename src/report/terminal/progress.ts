import type { Plan } from '../../engine/plan.js';

/** Milliseconds between two progress lines. A shorter run prints none. */
export const progressIntervalMs = 10_000;
/** The same on a terminal, where each line replaces the one before. */
export const liveIntervalMs = 100;

/**
 * Renders what is left of a run.
 *
 * @param ended ids of the cases that have ended
 * @param elapsedMs milliseconds since the first case began
 */
export function renderProgress({ cases, samples }: Plan, ended: ReadonlySet<string>, elapsedMs: number): string {
  const countRequests = (some: Plan['cases']) => some.reduce((sum, { requests }) => sum + requests.length, 0);
  const endedCases = cases.filter(({ id }) => ended.has(id));
  const sent = countRequests(endedCases);
  const left = countRequests(cases) + samples.requests - sent;
  const time = sent === 0 ? '' : `, at this pace ${Math.ceil((left * elapsedMs) / sent / 1_000)} s`;
  return `${endedCases.length} of ${cases.length} cases; about ${left} requests are left${time}.`;
}
