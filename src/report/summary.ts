import { undetermined } from '../cases/case.js';
import { notSelected } from '../engine/case-result.js';
import { asLines } from '../support/foreign-text.js';
import type { Certificate } from './certificate.js';
import { referenceBegins, referenceEnds } from './reference-notice.js';
import { replayEnds } from './replay-notice.js';
import type { Written } from './results.js';
import { isShared, type SharedReasons, sharedReasons, sharedReasonTexts } from './shared-reasons.js';

/**
 * What a person reads at the end of a run: target, sums, every requirement that is not `pass` with its reason, drift,
 * and where the results lie. What kept several cases from being judged is reported once.
 */
export function summaryOf(certificate: Certificate, written: Written): string {
  const { target, selected, summary, requirements, questions, drift, unstable, notes } = certificate;
  const { requests_sent, exchanges_judged } = certificate;
  const warnings = questions.filter(({ warning }) => warning);
  const fields: [string, string][] = [
    ...(selected === undefined
      ? ([
          ['Requirements', sumsText(summary)],
          [
            'Questions',
            `${answersText(questions)}${counted(warnings.length, 'with a warning')}${counted(drift.length, 'drift')}`,
          ],
        ] satisfies [string, string][])
      : ([['Selected', `${sumsText(selected.cases)}${counted(drift.length, 'drift')}`]] satisfies [string, string][])),
    ['Requests', `${requests_sent}, for ${exchanges_judged} exchanges judged`],
    ['Certificate', `${written.certificate}, ${written.page}`],
    ['Observed', [written.observed, written.openapi ?? []].flat().join(', ')],
    ...recordField(written),
  ];
  const isOfRequirement = (line: string) => requirements.some(({ id }) => line.startsWith(`${id}:`));
  // Of a selection the user knows that it is not the whole.
  const reasons = selected === undefined ? (certificate.incomplete_because ?? sharedReasonTexts(certificate)) : [];
  const shared = selected === undefined ? sharedReasons(certificate) : new Map([[notSelected, 1]]);
  // The run begins with it, and this ends with it.
  const ownNotes = notes.filter((note) => note !== referenceBegins);
  const unpassed = requirements.filter((requirement) => requirement.verdict !== 'pass');
  return asLines([
    '',
    `${headline(certificate)}  ${[target.name, target.version].filter(Boolean).join(' ')} at ${target.base_url}`,
    '',
    ...fields.map(([name, value]) => `${name.padEnd(13)} ${value}`),
    ...[...ownNotes, ...reasons.filter((line) => !isOfRequirement(line))].flatMap((note) => ['', note]),
    ...unpassed.flatMap((entry) => requirementLines(entry, shared)),
    ...unstable.flatMap(({ case: id, text }) => ['', `unstable  ${id}`, ...indented(text)]),
    ...drift.flatMap(({ case: id, text }) => ['', `drift  ${id}`, ...indented(text)]),
    ...(certificate.is_replay ? ['', replayEnds] : target.is_reference ? ['', referenceEnds] : []),
  ]);
}

/** The verdict; of selected cases theirs, since the whole is incomplete without the others. */
function headline({ verdict, selected }: Certificate): string {
  return selected === undefined ? verdict.toUpperCase() : `${selected.verdict.toUpperCase()} as far as selected`;
}

/** A question whose answers do not tell its outcomes apart is sent, and yet not answered. */
function answersText(questions: Certificate['questions']): string {
  const unanswered = questions.filter(({ outcome }) => outcome === null).length;
  const open = questions.filter(({ outcome }) => outcome === undetermined).length;
  const answered = questions.length - unanswered - open;
  return `${answered} answered${counted(open, undetermined)}${counted(unanswered, 'without an answer')}`;
}

function sumsText(counts: Certificate['summary']): string {
  return Object.entries(counts)
    .map(([each, count]) => `${count} ${each}`)
    .join(', ');
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
