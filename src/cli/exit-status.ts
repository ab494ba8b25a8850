import type { Certificate } from '../certificate/certificate.js';
import { determineOverallVerdict, hasChanged } from '../certificate/overall-verdict.js';
import { readOwnPackage } from '../support/package-root.js';
import { InternalError } from '../support/problem.js';
import type { Ending } from '../target/reported-run.js';

export const exitStatus = {
  conforms: 0,
  'does-not-conform': 1,
  unusableInput: 2,
  drift: 3,
  incomplete: 4,
  /** A bug in the suite (EX_SOFTWARE of sysexits.h), so that no crash looks like a verdict. */
  internalError: 70,
} as const;

type Outcome = Pick<Certificate, 'verdict' | 'drift' | 'selected' | 'known_deviations' | 'own_cases'>;

/** A failure is worse than drift or a stale entry, and these are worse than an incomplete run. */
export function determineExitStatus(certificate: Outcome): number {
  const verdict = determineOverallVerdict(certificate);
  return verdict !== 'does-not-conform' && hasChanged(certificate) ? exitStatus.drift : exitStatus[verdict];
}

/** From the worst one. */
const severity = [70, 2, 1, 3, 4];

/** Determines the exit status of a run, and prints why there is no certificate. @param code that of Playwright */
export function determineEndStatus(endings: readonly Ending[], code: number): number {
  if (endings.length === 0) {
    const hint = `If your config names reporters, name '${readOwnPackage().name}/reporter' as the first of them.`;
    process.stderr.write(`Playwright ended with status ${code} and left no certificate. ${hint}\n`);
    return exitStatus.unusableInput;
  }
  const statuses = endings.map((ending) => {
    if (ending === 'bug') return exitStatus.internalError;
    if (ending === 'unusable' || ending.isUnusable) return exitStatus.unusableInput;
    return determineExitStatus(ending.certificate);
  });
  return severity.find((status) => statuses.includes(status)) ?? exitStatus.conforms;
}

export function reportInternalError(error: unknown): number {
  process.stderr.write(`${new InternalError(error).message}\n`);
  return exitStatus.internalError;
}
