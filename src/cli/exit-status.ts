import type { Certificate } from '../report/certificate.js';

/** How commands end. */
export const exitStatus = {
  conforms: 0,
  'does-not-conform': 1,
  unusableInput: 2,
  drift: 3,
  incomplete: 4,
  /** A mistake in the suite itself (EX_SOFTWARE of sysexits.h), so that no crash looks like a verdict. */
  mistake: 70,
} as const;

/** A failure is worse than drift, and drift than what could not be determined. Of a selection, it speaks of that. */
export function statusOf({
  verdict: whole,
  drift,
  selected,
}: Pick<Certificate, 'verdict' | 'drift' | 'selected'>): number {
  const verdict = selected?.verdict ?? whole;
  return verdict !== 'does-not-conform' && drift.length > 0 ? exitStatus.drift : exitStatus[verdict];
}

/** Of one of several machines that share a run: the others may hold what this one does not determine. */
export function statusOfShard({ verdict }: Pick<Certificate, 'verdict'>): number {
  return verdict === 'does-not-conform' ? exitStatus[verdict] : exitStatus.conforms;
}
