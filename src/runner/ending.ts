import type { Certificate } from '../certificate/certificate.js';

/**
 * How a run ended: with a certificate, before anything was sent (`not-begun`), with results that could not be written
 * (`unwritten`), or because of a bug in the suite (`broken-off`).
 */
export type Ending = CertifiedRun | 'not-begun' | 'unwritten' | 'broken-off';

export interface CertifiedRun extends Pick<Certificate, 'verdict' | 'drift' | 'selected' | 'own_cases'> {
  readonly page: string;
  /** Whether a record was asked for and written. */
  readonly isRecorded: boolean;
  /** Whether nothing could be judged because of unusable input. */
  readonly isUnusable: boolean;
}

let ending: Ending | undefined;

/** Tells the command how its run ended: the reporter is in the same process. */
export function saveEnding(value: Ending): void {
  ending = value;
}

/** Undefined if Playwright ended before the reporter did. */
export function getEnding(): Ending | undefined {
  return ending;
}
