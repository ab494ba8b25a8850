import path from 'node:path';
import { notSelectedReason } from '../../engine/case-result.js';
import { joinLines } from '../../support/untrusted-text.js';
import type { Certificate } from '../certificate.js';
import { describeAnswers, describeCounts, describeFurtherCount, renderHeadline } from '../counts.js';
import { renderProfileNotice } from '../notices.js';
import { referenceEndNotice, referenceNotice } from '../reference-notice.js';
import { replayEndNotice } from '../replay-notice.js';
import { describeSharedReasons, findSharedReasons, isSharedReason, type SharedReasons } from '../shared-reasons.js';
import type { WrittenResults } from '../write-results.js';

/**
 * What a person reads at the end of a run: target, sums, every requirement that is not `pass` with its reason, drift,
 * and where the results lie. What kept several cases from being judged is reported once.
 */
export function renderSummary(certificate: Certificate, written: WrittenResults): string {
  const { target, selected, profile, summary, requirements, questions, drift, unstable, notes } = certificate;
  const { requests_sent, exchanges_judged } = certificate;
  const warnings = questions.filter(({ warning }) => warning);
  const fields: [string, string][] = [
    ...(selected === undefined
      ? ([
          ['Requirements', describeCounts(summary)],
          [
            'Questions',
            `${describeAnswers(questions)}${describeFurtherCount(warnings.length, 'with a warning')}${describeFurtherCount(drift.length, 'drift')}`,
          ],
        ] satisfies [string, string][])
      : ([['Selected', `${describeCounts(selected.cases)}${describeFurtherCount(drift.length, 'drift')}`]] satisfies [
          string,
          string,
        ][])),
    ['Requests', `${requests_sent}, for ${exchanges_judged} exchanges judged`],
    ['Certificate', listFiles(written, 'certificate.json', 'certificate.html')],
    ['Observed', listFiles(written, 'observed.md', 'openapi.yaml')],
    ...recordField(written),
  ];
  const isOfRequirement = (line: string) => requirements.some(({ id }) => line.startsWith(`${id}:`));
  // Of a selection the user knows that it is not the whole.
  const reasons = selected === undefined ? (certificate.incomplete_because ?? describeSharedReasons(certificate)) : [];
  const shared = selected === undefined ? findSharedReasons(certificate) : new Map([[notSelectedReason, 1]]);
  // The run begins with it, and this ends with it.
  const profileEnds = profile === undefined ? [] : ['', renderProfileNotice(profile)];
  const ownNotes = notes.filter((note) => note !== referenceNotice && !profileEnds.includes(note));
  const unpassed = requirements.filter((requirement) => requirement.verdict !== 'pass');
  return joinLines([
    '',
    `${renderHeadline(certificate)}  ${[target.name, target.version].filter(Boolean).join(' ')} at ${target.base_url}`,
    '',
    ...fields.map(([name, value]) => `${name.padEnd(13)} ${value}`),
    ...[...ownNotes, ...reasons.filter((line) => !isOfRequirement(line))].flatMap((note) => ['', note]),
    ...unpassed.flatMap((entry) => requirementLines(entry, shared)),
    ...unstable.flatMap(({ case: id, text }) => ['', `unstable  ${id}`, ...indented(text)]),
    ...drift.flatMap(({ case: id, text }) => ['', `drift  ${id}`, ...indented(text)]),
    ...profileEnds,
    ...(certificate.is_replay ? ['', replayEndNotice] : target.is_reference ? ['', referenceEndNotice] : []),
  ]);
}

function listFiles({ files }: WrittenResults, ...names: readonly string[]): string {
  return names.flatMap((name) => files.filter((file) => path.basename(file) === name)).join(', ');
}

function recordField({ record }: WrittenResults): [string, string][] {
  if (record === undefined) return [];
  return [['Record', record.unwritten === undefined ? record.file : `${record.file} was ${record.unwritten}.`]];
}

/** Nothing where all that there is to say was said of many cases together. */
function requirementLines(
  { id, statement, verdict, cases }: Certificate['requirements'][number],
  shared: SharedReasons,
): string[] {
  const telling = cases.filter((entry) => entry.verdict === verdict && !isSharedReason(entry.reason, shared));
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
