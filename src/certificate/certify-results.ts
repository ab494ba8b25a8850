import type { Suite } from '../cases/suite.js';
import type { NewDeviation } from '../record/add-deviations.js';
import { attachExchanges, type CaseResult, getVerdictApart, type ResultWithExchanges } from '../run/case-result.js';
import { type Certificate, createCertificate, type RunFacts } from './certificate.js';
import type { Diagnosis } from './diagnosis/diagnose-run.js';
import type { Hypothesis } from './diagnosis/prediction.js';
import type { ExchangeIndex } from './exchange-index.js';
import type { KnownCauses } from './known-causes.js';

export interface CertifiedResults extends Pick<Diagnosis, 'gone' | 'emptyStatuses'> {
  readonly certificate: Certificate;
  readonly results: readonly ResultWithExchanges[];
  readonly index: ExchangeIndex;
  readonly newDeviations: readonly NewDeviation[];
}

/** Certifies results with the exchanges that they refer to. @param stated by the target file */
export async function certifyResults(
  suite: Suite,
  plain: readonly CaseResult[],
  index: ExchangeIndex,
  facts: RunFacts,
  stated: { readonly tierPatterns?: readonly string[]; readonly known?: KnownCauses },
): Promise<CertifiedResults> {
  const results = withdrawFailures(attachExchanges(plain, index.find));
  const isWrong = results.some(({ verdict }) => verdict === 'fail' || verdict === 'inconclusive');
  if (!isWrong)
    return { certificate: createCertificate(suite, results, facts), results, index, newDeviations: [], gone: [] };
  // The mistakes of the reference deployment are loaded only where something is to be explained.
  const { diagnoseRun } = await import('./diagnosis/diagnose-run.js');
  const { readCause } = await import('./known-causes.js');
  const diagnosis = diagnoseRun(suite, results, index, stated.tierPatterns, stated.known);
  const certificate = createCertificate(suite, results, { ...facts, ...diagnosis });
  const newDeviations = listNewDeviations(certificate, (id) => readCause(id, suite.world));
  return { certificate, results, index, newDeviations, ...diagnosis };
}

/** If the data of a deployment changed during the run, no failure proves anything. */
export function withdrawFailures(results: readonly ResultWithExchanges[]): readonly ResultWithExchanges[] {
  const changed = results.find(({ hasDataChanged }) => hasDataChanged);
  if (changed === undefined) return results;
  return results.map((result): ResultWithExchanges => {
    if (result.verdict !== 'fail') return result;
    const { apart_from_known: _, ...failure } = result;
    return { ...failure, verdict: 'inconclusive', reason: `${changed.reason} Before that: ${failure.reason}` };
  });
}

/** Lists what a run shows to be wrong and no file lists. One entry for a cause covers all requirements that it breaks. */
function listNewDeviations(
  { causes = [], requirements, known_deviations: known }: Certificate,
  readCause: (id: string) => Hypothesis | undefined,
): NewDeviation[] {
  const ofCauses = causes.flatMap(({ id, sentence: comment, requirements: broken }): NewDeviation[] => {
    const cause = readCause(id);
    if (cause === undefined) return broken.map((requirement) => ({ requirement, comment }));
    const main = broken.find((requirement) => requirement === cause.mistake?.breaks) ?? broken[0];
    return main === undefined ? [] : [{ requirement: main, cause: id, comment }];
  });
  const covered = new Set(causes.flatMap((cause) => cause.requirements));
  const others = requirements
    .filter(({ id, cases }) => !covered.has(id) && cases.some((entry) => getVerdictApart(entry) === 'fail'))
    .map(({ id, statement }): NewDeviation => ({ requirement: id, comment: statement }));
  const getKey = ({ requirement, cause = '' }: Omit<NewDeviation, 'comment'>) => `${requirement} ${cause}`;
  // An expired entry needs another day, and no second entry.
  const listed = new Set((known?.entries ?? []).map(getKey));
  const found = new Map([...ofCauses, ...others].map((deviation) => [getKey(deviation), deviation]));
  return [...found].flatMap(([key, deviation]) => (listed.has(key) ? [] : [deviation]));
}
