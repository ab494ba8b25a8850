import { determineOverallVerdict } from '../certificate/overall-verdict.js';
import type { RunEnding } from '../certify/reported-run.js';
import { readOwnPackage } from '../support/package-root.js';
import { InternalError } from '../support/problem.js';

/** From the worst one: several targets end with that of the worst. */
export const exitStatus = {
  /** A bug in the suite (EX_SOFTWARE of sysexits.h), so that no crash looks like a verdict. */
  internalError: 70,
  unusableInput: 2,
  'does-not-conform': 1,
  drift: 3,
  incomplete: 4,
  conforms: 0,
} as const;

export function determineExitStatusOfCertificate(certificate: Parameters<typeof determineOverallVerdict>[0]): number {
  return exitStatus[determineOverallVerdict(certificate)];
}

/** Determines the exit status of a run, and prints why there is no certificate. @param code that of Playwright */
export function determineExitStatusOfRuns(endings: readonly RunEnding[], code: number): number {
  if (endings.length === 0) {
    const hint = `If your config names reporters, name '${readOwnPackage().name}/reporter' as the first of them.`;
    process.stderr.write(`Playwright ended with status ${code} and left no certificate. ${hint}\n`);
    return exitStatus.unusableInput;
  }
  if (endings.includes('not-begun')) process.stderr.write('Nothing was sent. Results of an earlier run are kept.\n');
  const statuses: number[] = endings.map((ending) => {
    if (typeof ending === 'object' && !ending.isUnusable) return determineExitStatusOfCertificate(ending.certificate);
    return ending === 'bug' ? exitStatus.internalError : exitStatus.unusableInput;
  });
  return Object.values(exitStatus).find((status) => statuses.includes(status)) ?? exitStatus.conforms;
}

export function reportInternalError(error: unknown): number {
  process.stderr.write(`${new InternalError(error).message}\n`);
  return exitStatus.internalError;
}
