import type { Certificate } from '../certificate/certificate.js';
import { determineOverallVerdict, hasChanged } from '../certificate/overall-verdict.js';
import { InternalError } from '../support/internal-error.js';
import { readOwnPackage } from '../support/package-root.js';
import type { Ending } from '../target/ending.js';

/** The exit statuses of all commands. */
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

/** Returns the exit status of several runs. */
function findWorstStatus(statuses: readonly number[]): number {
  const { internalError, unusableInput, drift, incomplete } = exitStatus;
  const severity = [internalError, unusableInput, exitStatus['does-not-conform'], drift, incomplete];
  return severity.find((status) => statuses.includes(status)) ?? exitStatus.conforms;
}

/**
 * Determines the exit status of a run, and prints why there is no certificate.
 *
 * @param endings of its projects
 * @param code the exit status of Playwright
 */
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
    return typeof ending === 'string' || ending.isUnusable ? exitStatus.unusableInput : determineExitStatus(ending);
  });
  return findWorstStatus(statuses);
}

/** Prints an error that is a bug in the suite. @returns the exit status */
export function reportInternalError(error: unknown): number {
  process.stderr.write(`${new InternalError(error).message}\n`);
  return exitStatus.internalError;
}
