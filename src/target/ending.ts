import type { Certificate } from '../certificate/certificate.js';

/**
 * How the run of a project ended: with a certificate, before anything was sent (`not-begun`), with results that could not
 * be written (`unwritten`), or because of a bug in the suite (`broken-off`).
 */
export type Ending = RunOutcome | 'not-begun' | 'unwritten' | 'broken-off';

export interface RunOutcome
  extends Pick<Certificate, 'verdict' | 'drift' | 'selected' | 'known_deviations' | 'own_cases'> {
  /** Of the results. */
  readonly folder: string;
  /** Whether a record was asked for and written. */
  readonly isRecorded: boolean;
  /** Whether nothing could be judged because of unusable input. */
  readonly isUnusable: boolean;
}

const endings: Ending[] = [];

/** Tells the command how a project ended: the reporter is in the same process. */
export function saveEnding(ending: Ending): void {
  endings.push(ending);
}

/** None if Playwright ended before the reporter did. */
export function listEndings(): readonly Ending[] {
  return endings;
}
