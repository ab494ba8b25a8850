// Apart from the certificate: every command needs this, and only few load what a certificate is made from.
import type { Certificate, RunVerdict } from './certificate.js';

/** Determines the overall verdict: that of the selected cases, or the worse of suite and own cases. */
export function determineOverallVerdict(
  certificate: Pick<Certificate, 'verdict' | 'selected' | 'own_cases'>,
): RunVerdict {
  const { selected, own_cases } = certificate;
  if (selected !== undefined) return selected.verdict;
  const verdicts = [certificate.verdict, own_cases?.verdict];
  return (['does-not-conform', 'incomplete'] as const).find((verdict) => verdicts.includes(verdict)) ?? 'conforms';
}
