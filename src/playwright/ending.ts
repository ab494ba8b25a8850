import type { Shard } from '../engine/shard.js';
import type { Certificate } from '../report/certificate.js';
import { readRunJson, writeRunJson } from './run-folder.js';

/**
 * How a run ended: with a certificate, before any case was judged (`not-begun`), with results that could not be written
 * (`unwritten`), or because of a bug in the suite (`broken-off`).
 */
export type Ending =
  | ({
      readonly kind: 'certified';
      readonly page: string;
      /** Whether a record was asked for and written. */
      readonly isRecorded: boolean;
      /** The shard of the run, and whether it judged all of its cases. */
      readonly shard?: Shard & { readonly isDone: boolean };
    } & Pick<Certificate, 'verdict' | 'drift' | 'selected' | 'own_cases'>)
  | { readonly kind: 'not-begun' }
  | { readonly kind: 'unwritten' }
  | { readonly kind: 'broken-off' };

const file = 'ending.json';

/** Tells the process that started the run how it ended. */
export function saveEnding(ending: Ending): void {
  writeRunJson(file, ending);
}

/** Undefined if Playwright ended before the reporter did. */
export function readEnding(): Ending | undefined {
  return readRunJson<Ending>(file);
}
