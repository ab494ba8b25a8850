import { countPlannedRequests, type Plan } from '../../run/plan.js';

/** Milliseconds between two progress lines. A shorter run prints none. */
export const progressIntervalMs = 10_000;
/** The same on a terminal, where each line replaces the one before. */
export const liveIntervalMs = 200;

/** How far a run is. */
export interface Progress {
  readonly ended: number;
  /** The number of requests sent: some are sent ahead of their cases. */
  readonly sent: number;
  /** Milliseconds since the first request. */
  readonly elapsedMs: number;
}

/** Renders what is left of a run. @param plan of the cases that will run */
export function renderProgress(plan: Plan, { ended, sent, elapsedMs }: Progress): string {
  const left = Math.max(0, countPlannedRequests(plan) - sent);
  const time = sent === 0 || left === 0 ? '' : `, at this pace ${Math.ceil((left * elapsedMs) / sent / 1_000)} s`;
  // At the end, some requests are repeated, which counts as a case.
  const cases = plan.cases.length + (plan.samples.requests > 0 ? 1 : 0);
  return `${ended} of ${cases} cases; about ${left} requests are left${time}.`;
}
