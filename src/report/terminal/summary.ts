import path from 'node:path';
import { notSelectedReason } from '../../engine/case-result.js';
import { joinLines } from '../../support/untrusted-text.js';
import type { Certificate, RequirementEntry } from '../certificate.js';
import { describeAnswers, describeCounts, describeFurtherCount, renderHeadline } from '../counts.js';
import { referenceEndNotice, referenceNotice, renderProfileNotice, replayEndNotice } from '../notices.js';
import { describeSharedReasons, findSharedReasons, isSharedReason, type SharedReasons } from '../shared-reasons.js';
import type { WrittenResults } from '../write-results.js';

/** Renders what a run prints at its end. */
export function renderSummary(certificate: Certificate, written: WrittenResults): string {
  const { target, selected, profile, requirements, unstable, drift, notes } = certificate;
  const isOfRequirement = (line: string) => requirements.some(({ id }) => line.startsWith(`${id}:`));
  // The user who selects cases knows that others are missing.
  const reasons = selected === undefined ? (certificate.incomplete_because ?? describeSharedReasons(certificate)) : [];
  const shared = selected === undefined ? findSharedReasons(certificate) : new Map([[notSelectedReason, 1]]);
  const lastLine = profile === undefined ? [] : [renderProfileNotice(profile)];
  const otherNotes = notes.filter((note) => note !== referenceNotice && !lastLine.includes(note));
  const end = certificate.is_replay ? [replayEndNotice] : target.is_reference ? [referenceEndNotice] : [];
  return joinLines([
    '',
    `${renderHeadline(certificate)}  ${[target.name, target.version].filter(Boolean).join(' ')} at ${target.base_url}`,
    '',
    ...listFields(certificate, written).map(([name, value]) => `${name.padEnd(13)} ${value}`),
    ...[...otherNotes, ...reasons.filter((line) => !isOfRequirement(line))].flatMap((note) => ['', note]),
    ...requirements.flatMap((entry) => renderRequirement(entry, shared)),
    ...unstable.flatMap(({ case: id, text }) => ['', `unstable  ${id}`, ...indent(text)]),
    ...drift.flatMap(({ case: id, text }) => ['', `drift  ${id}`, ...indent(text)]),
    ...[...lastLine, ...end].flatMap((line) => ['', line]),
  ]);
}

function listFields(certificate: Certificate, written: WrittenResults): (readonly [name: string, value: string])[] {
  const { selected, summary, questions, drift, requests_sent, exchanges_judged } = certificate;
  const warnings = questions.filter(({ warning }) => warning).length;
  const drifted = describeFurtherCount(drift.length, 'drift');
  const answers = `${describeAnswers(questions)}${describeFurtherCount(warnings, 'with a warning')}${drifted}`;
  const listFiles = (...names: readonly string[]) =>
    names.flatMap((name) => written.files.filter((file) => path.basename(file) === name)).join(', ');
  const { file = '', unwritten } = written.record ?? {};
  return [
    ...(selected === undefined
      ? [['Requirements', describeCounts(summary)] as const, ['Questions', answers] as const]
      : [['Selected', `${describeCounts(selected.cases)}${drifted}`] as const]),
    ['Requests', `${requests_sent}, for ${exchanges_judged} exchanges judged`],
    ['Certificate', listFiles('certificate.json', 'certificate.html')],
    ['Observed', listFiles('observed.md', 'openapi.yaml')],
    ...(file === '' ? [] : [['Record', unwritten === undefined ? file : `${file} was ${unwritten}.`] as const]),
  ];
}

/** Renders a requirement that does not pass. Cases with a shared reason are left out. */
function renderRequirement({ id, statement, verdict, cases }: RequirementEntry, shared: SharedReasons): string[] {
  const decisive = cases.filter((entry) => entry.verdict === verdict && !isSharedReason(entry.reason, shared));
  if (verdict === 'pass' || (decisive.length === 0 && cases.length > 0)) return [];
  const lines = decisive.flatMap(({ id, at, reason, as_case }) => [
    `  ${id}${at === undefined ? '' : ` (${at})`}: ${reason}`,
    ...(as_case === undefined ? [] : ['  As a case:', ...indent(as_case)]),
  ]);
  return ['', `${verdict}  ${id}  ${statement}`, ...lines];
}

function indent(text: string): string[] {
  return text.split('\n').map((line) => (line === '' ? line : `  ${line}`));
}
