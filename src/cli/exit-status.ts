import { type Certificate, determineOverallVerdict } from '../report/certificate.js';
import { InternalError } from '../support/internal-error.js';

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
export function determineExitStatus(
  certificate: Pick<Certificate, 'verdict' | 'drift' | 'selected' | 'own_cases'>,
): number {
  const verdict = determineOverallVerdict(certificate);
  return verdict !== 'does-not-conform' && certificate.drift.length > 0 ? exitStatus.drift : exitStatus[verdict];
}

/** Of one of several machines that share a run: the others may hold what this one does not determine. */
export function determineShardExitStatus(certificate: Pick<Certificate, 'verdict' | 'selected' | 'own_cases'>): number {
  const verdict = determineOverallVerdict(certificate);
  return verdict === 'does-not-conform' ? exitStatus[verdict] : exitStatus.conforms;
}

/** Of a command that broke off. Says so. */
export function reportInternalError(error: unknown): number {
  process.stderr.write(`${new InternalError(error).message}\n`);
  return exitStatus.mistake;
}
