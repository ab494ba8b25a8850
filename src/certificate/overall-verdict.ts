// Apart from the certificate: every command needs this, and only few load what a certificate is made from.
import type { Certificate } from './certificate.js';
import type { RunVerdict } from './run-verdict.js';

/**
 * Determines the overall verdict apart from known deviations: of selected cases, or the worse of suite and own cases.
 * A failure is worse than drift or a stale entry, and these are worse than an incomplete run.
 */
export function determineOverallVerdict(certificate: Certificate): RunVerdict | 'drift' {
  const { verdict, selected, known_deviations: known, scope, own_cases, drift } = certificate;
  const ofOwnCases = own_cases?.apart_from_known ?? own_cases?.verdict;
  const ofCases =
    selected === undefined ? [known?.verdict ?? verdict, ofOwnCases] : [known?.verdict ?? selected.verdict];
  if (ofCases.includes('does-not-conform')) return 'does-not-conform';
  const entries = [...(known?.entries ?? []), ...(scope?.not_applicable ?? [])];
  if (drift.length > 0 || entries.some(({ state }) => state === 'stale')) return 'drift';
  return ofCases.includes('incomplete') ? 'incomplete' : 'conforms';
}
