// Apart from the certificate: every command needs this, and only few load what a certificate is made from.
import type { Certificate, RunVerdict } from './certificate.js';

/** Determines the overall verdict: that of the selected cases, or the worse of suite and own cases. */
export function determineOverallVerdict(
  certificate: Pick<Certificate, 'verdict' | 'selected' | 'own_cases'>,
): RunVerdict {
  const { verdict, selected, own_cases: own } = certificate;
  if (selected !== undefined) return selected.verdict;
  const both = [verdict, own?.verdict];
  return (['does-not-conform', 'incomplete'] as const).find((each) => both.includes(each)) ?? 'conforms';
}
