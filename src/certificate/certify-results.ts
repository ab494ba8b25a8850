import type { Suite } from '../cases/suite.js';
import type { NewDeviation } from '../record/add-deviations.js';
import { attachExchanges, type CaseResult, getVerdictApart, type ResultWithExchanges } from '../run/case-result.js';
import { type Certificate, createCertificate, type RunFacts, withdrawFailures } from './certificate.js';
import type { Diagnosis } from './diagnosis/diagnose-run.js';
import type { KnownCause, KnownCauses } from './diagnosis/known-causes.js';
import type { ExchangeIndex } from './exchange-index.js';

/** The certificate of a run, and what outputs show beside it. */
export interface CertifiedResults extends Pick<Diagnosis, 'gone' | 'emptyStatuses'> {
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
  const results = withdrawFailures(attachExchanges(plain, index.find));
  const isWrong = results.some(({ verdict }) => verdict === 'fail' || verdict === 'inconclusive');
  if (!isWrong)
    return { certificate: createCertificate(suite, results, facts), results, index, newDeviations: [], gone: [] };
  // The mistakes of the reference deployment are loaded only where something is to be explained.
  const { diagnoseRun } = await import('./diagnosis/diagnose-run.js');
  const { readCause } = await import('./diagnosis/known-causes.js');
  const diagnosis = diagnoseRun(suite, results, index, stated.tierPatterns, stated.known);
  const certificate = createCertificate(suite, results, { ...facts, diagnosis });
  return {
    certificate,
    results,
    index,
    newDeviations: listNewDeviations(certificate, (id) => readCause(id, suite.world)),
    ...diagnosis,
  };
}

/** Lists what a run shows to be wrong and no file lists. One entry for a cause covers all requirements that it breaks. */
function listNewDeviations(
  { causes = [], requirements, known_deviations: known }: Certificate,
  readCause: (id: string) => KnownCause | undefined,
): NewDeviation[] {
  const found = new Map<string, NewDeviation>();
  for (const { id, sentence: comment, requirements: broken } of causes) {
    const cause = readCause(id);
    const main = broken.find((requirement) => requirement === cause?.mistake?.breaks) ?? broken[0];
    if (cause === undefined) for (const requirement of broken) found.set(requirement, { requirement, comment });
    else if (main !== undefined) found.set(`${main} ${id}`, { requirement: main, cause: id, comment });
  }
  const covered = new Set(causes.flatMap((cause) => cause.requirements));
  for (const { id, statement, cases } of requirements)
    if (!covered.has(id) && cases.some((entry) => getVerdictApart(entry) === 'fail'))
      found.set(id, { requirement: id, comment: statement });
  // An expired entry needs another day, and no second entry.
  const isListed = ({ requirement, cause }: NewDeviation) =>
    known?.entries.some((entry) => entry.requirement === requirement && entry.cause === cause) === true;
  return [...found.values()].filter((deviation) => !isListed(deviation));
}
