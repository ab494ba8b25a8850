import type { Suite } from '../cases/suite.js';
import { attachExchanges, type CaseResult, type ResultWithExchanges } from '../run/case-result.js';
import { type Certificate, createCertificate, type RunFacts } from './certificate.js';
import type { ExchangeIndex } from './exchange-index.js';

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
export async function certifyResults(
  suite: Suite,
  plain: readonly CaseResult[],
  index: ExchangeIndex,
  facts: Omit<RunFacts, 'causes'>,
  stated: { readonly tierPatterns?: readonly string[] },
): Promise<CertifiedResults> {
  const results = attachExchanges(plain, index.find);
  const causes = await findCauses();
  return { certificate: createCertificate(suite, results, { ...facts, causes }), results, index };

  async function findCauses() {
    if (results.every(({ verdict }) => verdict !== 'fail' && verdict !== 'inconclusive')) return [];
    // The mistakes of the reference deployment are loaded only where something is to be explained.
    const { diagnoseRun } = await import('./diagnosis/diagnose-run.js');
    return diagnoseRun(suite, results, index, stated.tierPatterns);
  }
}
