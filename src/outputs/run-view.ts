import { isOwnCase, type Suite } from '../cases/suite.js';
import type { Certificate } from '../certificate/certificate.js';
import type { ExchangeIndex } from '../certificate/exchange-index.js';
import type { EvidenceArchive } from '../certificate/har-archive.js';
import type { ResultWithExchanges } from '../run/case-result.js';

/** Everything that the outputs of a run are rendered from. Results and exchanges have their durations in milliseconds. */
export interface RunView {
  readonly certificate: Certificate;
  readonly suite: Suite;
  /** The results of all cases that were selected. */
  readonly results: readonly ResultWithExchanges[];
  /** The results without those of the user's own cases. */
  readonly suiteResults: readonly ResultWithExchanges[];
  /** The exchanges of the run; undefined if they were not kept. */
  readonly exchanges?: ExchangeIndex;
  /** The archive of these exchanges. */
  readonly archive?: EvidenceArchive;
  /** The patterns under which, by the target file, returned tiers are named. */
  readonly tierPatterns?: readonly string[];
}

/** Creates a view. @param more what is known beside the results */
export function createRunView(
  certificate: Certificate,
  suite: Suite,
  results: readonly ResultWithExchanges[],
  more: Partial<Omit<RunView, 'certificate' | 'suite' | 'results' | 'suiteResults'>> = {},
): RunView {
  const suiteResults = results.filter((result) => !isOwnCase(result));
  return { certificate, suite, results, suiteResults, ...more };
}
