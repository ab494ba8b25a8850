/**
 * The test-verdict terms of ISO/IEC 9646 and TTCN-3, worst first. `not-run`: not selected, or not reached.
 * `not-applicable`: the target lacks what the case needs.
 */
export const verdicts = ['fail', 'error', 'inconclusive', 'not-run', 'pass', 'not-applicable'] as const;
export type Verdict = (typeof verdicts)[number];

/** The code of the reason of what is `not-applicable` because the target lacks what it needs. */
export const lackingCode = 'lacking';

/** Returns `not-applicable` if there are none. */
export function findWorstVerdict(all: readonly Verdict[]): Verdict {
  return verdicts.find((verdict) => all.includes(verdict)) ?? 'not-applicable';
}
