import type { Certificate } from './certificate.js';

/**
 * What a person reads at the end of a run: target, sums, and every requirement that is not `pass` with its reason.
 *
 * @param file where the certificate lies
 */
export function summaryOf(
  { verdict, target, summary, requirements, questions, requests_sent }: Certificate,
  file: string,
): string {
  const sums = Object.entries(summary).map(([each, count]) => `${count} ${each}`);
  const answered = questions.filter(({ outcome }) => outcome !== null).length;
  const lines = [
    '',
    `${verdict.toUpperCase()}  ${target.name} at ${target.base_url}`,
    '',
    `Requirements  ${sums.join(', ')}`,
    `Questions     ${answered} of ${questions.length} answered`,
    `Requests      ${requests_sent}`,
    `Certificate   ${file}`,
  ];
  for (const { id, statement, verdict: each, cases } of requirements) {
    if (each === 'pass') continue;
    lines.push('', `${each}  ${id}  ${statement}`);
    for (const entry of cases) {
      if (entry.verdict !== each) continue;
      lines.push(`  ${entry.id}${entry.at === undefined ? '' : ` (${entry.at})`}: ${entry.reason}`);
    }
  }
  return `${lines.join('\n')}\n`;
}
