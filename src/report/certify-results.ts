import type { Suite } from '../cases/suite.js';
import { attachExchanges, type CaseResult, type ResultWithExchanges } from '../engine/case-result.js';
import { type Certificate, createCertificate, type RunFacts } from './certificate.js';
import { diagnoseRun } from './diagnosis/diagnose-run.js';
import type { ExchangeIndex } from './exchange-index.js';
import { measureResponseTimes } from './response-times.js';

/** The certificate of a run, and what outputs show beside it. */
export interface CertifiedResults {
  readonly certificate: Certificate;
  readonly results: readonly ResultWithExchanges[];
  readonly index: ExchangeIndex;
}

/**
 * Certifies results with the exchanges that they refer to.
 *
 * @param stated by the target file
 */
export function certifyResults(
  suite: Suite,
  plain: readonly CaseResult[],
  index: ExchangeIndex,
  facts: Omit<RunFacts, 'causes' | 'responseTimes'>,
  stated: { readonly tierPatterns?: readonly string[]; readonly concurrency: number },
): CertifiedResults {
  const results = attachExchanges(plain, index.find);
  const causes = diagnoseRun(suite, results, index, stated.tierPatterns);
  const responseTimes = measureResponseTimes(suite, index, stated.concurrency);
  return { certificate: createCertificate(suite, results, { ...facts, causes, responseTimes }), results, index };
}
