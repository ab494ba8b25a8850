import type { Suite } from '../cases/suite.js';
import type { NewDeviation } from '../record/known-deviations.js';
import { attachExchanges, type CaseResult, type ResultWithExchanges } from '../run/case-result.js';
import { type Certificate, createCertificate, type RunFacts } from './certificate.js';
import type { KnownCauses } from './diagnosis/known-causes.js';
import type { ExchangeIndex } from './exchange-index.js';

/** The certificate of a run, and what outputs show beside it. */
export interface CertifiedResults {
  readonly certificate: Certificate;
  readonly results: readonly ResultWithExchanges[];
  readonly index: ExchangeIndex;
  /** What fails and no file of known deviations lists. */
  readonly newDeviations: readonly NewDeviation[];
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
  facts: Omit<RunFacts, 'diagnosis'>,
  stated: { readonly tierPatterns?: readonly string[]; readonly known?: KnownCauses },
): Promise<CertifiedResults> {
  const results = attachExchanges(plain, index.find);
  const isWrong = results.some(({ verdict }) => verdict === 'fail' || verdict === 'inconclusive');
  if (!isWrong) return { certificate: createCertificate(suite, results, facts), results, index, newDeviations: [] };
  // The mistakes of the reference deployment are loaded only where something is to be explained.
  const { diagnoseRun } = await import('./diagnosis/diagnose-run.js');
  const { listNewDeviations } = await import('./new-deviations.js');
  const diagnosis = diagnoseRun(suite, results, index, stated.tierPatterns, stated.known);
  const certificate = createCertificate(suite, results, { ...facts, diagnosis });
  return { certificate, results, index, newDeviations: listNewDeviations(certificate, suite.world) };
}
