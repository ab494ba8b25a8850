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
const severity = [exitStatus.internalError, exitStatus.unusableInput, exitStatus['does-not-conform'], exitStatus.drift];

/** Determines the exit status of a run, and prints why there is no certificate. @param code that of Playwright */
export function determineEndStatus(endings: readonly Ending[], code: number): number {
  if (endings.length === 0) {
    const hint = `If your config names reporters, name '${readOwnPackage().name}/reporter' as the first of them.`;
    process.stderr.write(`Playwright ended with status ${code} and left no certificate. ${hint}\n`);
    return exitStatus.unusableInput;
  }
  if (endings.includes('not-begun'))
    process.stderr.write('Nothing was sent. The results of the run before are kept.\n');
  const statuses = endings.map((ending) => {
    if (ending === 'broken-off') return exitStatus.internalError;
    if (typeof ending === 'string' || ending.isUnusable) return exitStatus.unusableInput;
    return determineExitStatus(ending.certificate);
  });
  return severity.find((status) => statuses.includes(status)) ?? Math.max(...statuses);
}

export function reportInternalError(error: unknown): number {
  process.stderr.write(`${new InternalError(error).message}\n`);
  return exitStatus.internalError;
}
