import { type Certificate, verdictOfRun } from '../report/certificate.js';
import { Mistake } from '../support/foreign-error.js';

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

/** A failure is worse than drift, and drift than what could not be determined. */
export function statusOf(certificate: Pick<Certificate, 'verdict' | 'drift' | 'selected' | 'own_cases'>): number {
  const verdict = verdictOfRun(certificate);
  return verdict !== 'does-not-conform' && certificate.drift.length > 0 ? exitStatus.drift : exitStatus[verdict];
}

/** Of one of several machines that share a run: the others may hold what this one does not determine. */
export function statusOfShard(certificate: Pick<Certificate, 'verdict' | 'selected' | 'own_cases'>): number {
  const verdict = verdictOfRun(certificate);
  return verdict === 'does-not-conform' ? exitStatus[verdict] : exitStatus.conforms;
}

/** Of a command that broke off. Says so. */
export function statusOfMistake(error: unknown): number {
  process.stderr.write(`${new Mistake(error).message}\n`);
  return exitStatus.mistake;
}
