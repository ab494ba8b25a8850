// Apart from the certificate: every command needs this, and only few load what a certificate is made from.
import type { Certificate, RunVerdict } from './certificate.js';

/** Determines the overall verdict apart from known deviations: of selected cases, or the worse of suite and own cases. */
export function determineOverallVerdict(
  certificate: Pick<Certificate, 'verdict' | 'selected' | 'known_deviations' | 'own_cases'>,
): RunVerdict {
  const { selected, known_deviations: known, own_cases } = certificate;
  if (selected !== undefined) return known?.verdict ?? selected.verdict;
  const verdicts = [known?.verdict ?? certificate.verdict, own_cases?.verdict];
  return (['does-not-conform', 'incomplete'] as const).find((verdict) => verdicts.includes(verdict)) ?? 'conforms';
}

export function hasChanged({
  drift,
  known_deviations: known,
}: Pick<Certificate, 'drift' | 'known_deviations'>): boolean {
  return drift.length > 0 || known?.entries.some(({ state }) => state === 'stale') === true;
}
