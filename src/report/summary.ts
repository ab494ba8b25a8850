import { asLines } from '../support/foreign-text.js';
import type { Certificate } from './certificate.js';
import { referenceBegins, referenceEnds } from './reference-notice.js';
import type { Written } from './results.js';
import { isShared, type SharedReasons, sharedReasons, sharedReasonTexts } from './shared-reasons.js';

/**
 * What a person reads at the end of a run: target, sums, every requirement that is not `pass` with its reason, drift,
 * and where the results lie. What kept several cases from being judged is reported once.
 */
export function summaryOf(certificate: Certificate, written: Written): string {
  const { verdict, target, summary, requirements, questions, drift, unstable, notes, requests_sent } = certificate;
  const answered = questions.filter(({ outcome }) => outcome !== null).length;
  const warnings = questions.filter(({ warning }) => warning);
  const sums = Object.entries(summary).map(([each, count]) => `${count} ${each}`);
  const fields: [string, string][] = [
    ['Requirements', sums.join(', ')],
    [
      'Questions',
      `${answered} of ${questions.length} answered${counted(warnings.length, 'with a warning')}${counted(drift.length, 'drift')}`,
    ],
    ['Requests', String(requests_sent)],
    ['Certificate', `${written.certificate}, ${written.page}`],
    ['Observed', written.observed],
    ...recordField(written),
  ];
  const isOfRequirement = (line: string) => requirements.some(({ id }) => line.startsWith(`${id}:`));
  const reasons = certificate.incomplete_because ?? sharedReasonTexts(certificate);
  const shared = sharedReasons(certificate);
  // The run begins with it, and this ends with it.
  const ownNotes = notes.filter((note) => note !== referenceBegins);
  const unpassed = requirements.filter((requirement) => requirement.verdict !== 'pass');
  return asLines([
    '',
    `${verdict.toUpperCase()}  ${[target.name, target.version].filter(Boolean).join(' ')} at ${target.base_url}`,
    '',
    ...fields.map(([name, value]) => `${name.padEnd(13)} ${value}`),
    ...[...ownNotes, ...reasons.filter((line) => !isOfRequirement(line))].flatMap((note) => ['', note]),
    ...unpassed.flatMap((entry) => requirementLines(entry, shared)),
    ...unstable.flatMap(({ case: id, text }) => ['', `unstable  ${id}`, ...indented(text)]),
    ...drift.flatMap(({ case: id, text }) => ['', `drift  ${id}`, ...indented(text)]),
    ...(target.is_reference ? ['', referenceEnds] : []),
  ]);
}

function recordField({ record }: Written): [string, string][] {
  if (record === undefined) return [];
  return [['Record', record.unwritten === undefined ? record.file : `${record.file} was ${record.unwritten}.`]];
}

function counted(count: number, what: string): string {
  return count === 0 ? '' : `, ${count} ${what}`;
}

/** Nothing where all that there is to say was said of many cases together. */
function requirementLines(
  { id, statement, verdict, cases }: Certificate['requirements'][number],
  shared: SharedReasons,
): string[] {
  const telling = cases.filter((entry) => entry.verdict === verdict && !isShared(entry.reason, shared));
  if (telling.length === 0 && cases.length > 0) return [];
  const lines = telling.flatMap(({ id, at, reason, as_case }) => [
    `  ${id}${at === undefined ? '' : ` (${at})`}: ${reason}`,
    ...(as_case === undefined ? [] : ['  As a case:', ...indented(as_case)]),
  ]);
  return ['', `${verdict}  ${id}  ${statement}`, ...lines];
}

/** The lines of a text that has no foreign line breaks. */
function indented(text: string): string[] {
  return text.split('\n').map((line) => (line === '' ? line : `  ${line}`));
}
