import path from 'node:path';
import type { CaseEntry, Certificate } from '../../certificate/certificate.js';
import { referenceEndNotice, referenceNotice, renderQuickNotice, replayEndNotice } from '../../certificate/notices.js';
import {
  describeSharedReasons,
  dropExplainedReasons,
  findSharedReasons,
  isSharedReason,
} from '../../certificate/shared-reasons.js';
import { notSelectedReason } from '../../run/case-result.js';
import { formatLocation } from '../../support/problem.js';
import { joinLines, shorten, truncate } from '../../support/untrusted-text.js';
import { renderCodeFrame } from '../code-frame.js';
import {
  describeAnswers,
  describeCounts,
  describeFurtherCount,
  renderHeadline,
  renderRequestCounts,
} from '../counts.js';
import type { WrittenResults } from '../write-results.js';
import { describeFollows, type FailureGroup, groupFailures, locateEntry, sortRequirements } from './group-failures.js';

const maxText = 300;
const maxLine = 118;
const maxEntries = 3;

/** Renders what a run prints at its end: the causes, a line per requirement, the failures, the summary. */
export function renderRunReport(certificate: Certificate, written: WrittenResults): string {
  // If nothing was sent, the reason says it all.
  const isUnsent = hasOneReason(certificate);
  return joinLines([
    ...(isUnsent ? [] : [...renderCauses(certificate.causes ?? []), ...renderRequirements(certificate)]),
    ...renderGroups(groupFailures(certificate)),
    ...renderUnjudged(certificate),
    ...renderChanges('unstable', certificate.unstable),
    ...renderChanges('drift', certificate.drift),
    ...renderSummary(certificate, written),
  ]);
}

function renderCauses(causes: NonNullable<Certificate['causes']>): string[] {
  if (causes.length === 0) return [];
  const shown = causes.slice(0, maxEntries);
  const lines = shown.flatMap(({ sentence, evidence, example, follows }, n) => {
    const facts = n === 0 ? evidence.slice(0, 4) : evidence.slice(0, 1);
    const row = [example.case, example.row].filter(Boolean).join(', ');
    return [
      `${n + 1}. ${limitText(sentence)}`,
      ...facts.map((fact) => `   ${limitText(fact)}`),
      ...(n === 0 && example.shows !== '' ? [`   ${limitText(`${row}: ${example.shows}`)}`] : []),
      ...(follows.length === 0 ? [] : [`   ${describeFollows(follows)}`]),
    ];
  });
  return ['', 'What most likely is wrong:', ...lines, ...describeRest(causes.length - shown.length, 'cause')];
}

function describeRest(count: number, what: string): string[] {
  return count > 0 ? [`… and ${count} more ${what}${count === 1 ? '' : 's'}: see certificate.html.`] : [];
}

/** Renders a line per requirement, with the numbers of its causes: those that fail come first. */
function renderRequirements(certificate: Certificate): string[] {
  const { causes = [] } = certificate;
  const judged = sortRequirements(certificate).filter(({ cases }) =>
    cases.some(({ reason }) => reason !== notSelectedReason),
  );
  if (judged.length === 0) return [];
  const width = Math.max(...judged.map(({ id }) => id.length));
  const verdictWidth = Math.max(...judged.map(({ verdict }) => verdict.length));
  const lines = judged.map(({ id, verdict, statement }) => {
    const numbers = causes.flatMap((cause, n) =>
      cause.requirements.includes(id) || cause.follows.includes(id) ? [n + 1] : [],
    );
    const why = numbers.length === 0 ? '' : `(${numbers.join(', ')}) `;
    const text = `  ${verdict.padEnd(verdictWidth)}  ${id.padEnd(width)}  ${why}${statement}`;
    return text.length > maxLine ? `${truncate(text, maxLine - 1)}…` : text;
  });
  return ['', ...lines];
}

function hasOneReason({ requirements }: Certificate): boolean {
  const cases = requirements.flatMap((each) => each.cases);
  return cases.every(({ verdict, reason }) => verdict === 'inconclusive' && reason === cases[0]?.reason);
}

/** Renders an example of each group: the first with request and response. The report fits on one screen. */
function renderGroups(groups: readonly FailureGroup[]): string[] {
  const shown = groups.slice(0, maxEntries);
  return [
    ...shown.flatMap((group, n) => [
      '',
      renderHeading(group),
      ...(n === 0 ? renderDetails(group.entry) : [limitText(group.entry.reason)]).map((line) => `   ${line}`),
    ]),
    ...describeRest(groups.length - shown.length, 'failure group').flatMap((line) => ['', line]),
  ];
}

function renderHeading({ number, subject, entry, cases }: FailureGroup): string {
  const { id, verdict } = entry;
  const label = number === undefined ? '' : `${number}. `;
  const others = cases.length - 1;
  const also = others < 1 ? '' : ` and ${others} more ${others === 1 ? 'case' : 'cases'}`;
  const at = locateEntry(entry);
  return `${label}${verdict}  ${subject}: ${id}${also}${at === undefined ? '' : `  ${formatLocation(at)}`}`;
}

function renderDetails(entry: CaseEntry): string[] {
  const [why = '', ...sections] = (entry.failure ?? entry.reason).split(sectionStart);
  const at = locateEntry(entry);
  return [
    ...limitLines(why, 4),
    ...sections.flatMap((section) => (section.startsWith(sending) ? renderCommand(section) : limitLines(section, 10))),
    ...(at === undefined ? [] : ['In the case file:', ...renderCodeFrame(at)]),
  ];
}

const sending = 'Send it again with:';
const maxCommand = 2_000;

/** A command is of use only as a whole. */
function renderCommand(section: string): string[] {
  return section.length > maxCommand
    ? ['The command that sends it again is long: repeat_with in certificate.json.']
    : section.split('\n');
}

/** No line of a target begins like this: they are quoted. */
const sectionStart = /\n\n(?=(?:Expected|As a case|Received|Send it again with):\n)/;

function limitText(text: string): string {
  return shorten(text, maxText);
}

function limitLines(text: string, max: number): string[] {
  const lines = text.split('\n').map(limitText);
  return lines.length <= max ? lines : [...lines.slice(0, max - 1), `… and ${lines.length - max + 1} more lines`];
}

/** Renders why requirements could not be judged, unless a cause says it. */
function renderUnjudged(certificate: Certificate): string[] {
  const { requirements, selected, causes = [] } = certificate;
  const isOfRequirement = (line: string) => requirements.some(({ id }) => line.startsWith(`${id}:`));
  // The user who selects cases knows that others are missing.
  const reasons = selected === undefined ? (certificate.incomplete_because ?? describeSharedReasons(certificate)) : [];
  const shared = selected === undefined ? findSharedReasons(certificate) : new Map([[notSelectedReason, 1]]);
  const following = new Set(causes.flatMap(({ follows }) => follows));
  const unjudged = requirements.flatMap(({ id, verdict, cases }) => {
    if (verdict === 'pass' || verdict === 'fail' || verdict === 'error' || following.has(id)) return [];
    const decisive = cases.find((entry) => entry.verdict === verdict && !isSharedReason(entry.reason, shared));
    return decisive === undefined ? [] : [`${verdict}  ${id}: ${decisive.id}: ${decisive.reason}`];
  });
  const shown = unjudged.slice(0, maxEntries);
  return [
    ...(hasOneReason(certificate) ? reasons : dropExplainedReasons(reasons, causes))
      .filter((line) => !isOfRequirement(line))
      .flatMap((line) => ['', line]),
    ...(shown.length === 0 ? [] : ['']),
    ...shown.map(limitText),
    ...describeRest(unjudged.length - shown.length, 'requirement'),
  ];
}

function renderChanges(title: string, entries: readonly { readonly case: string; readonly text: string }[]): string[] {
  const shown = entries.slice(0, maxEntries);
  return [
    ...shown.flatMap(({ case: id, text }) => [
      '',
      `${title}  ${id}`,
      ...limitLines(text, 10).map((line) => `  ${line}`),
    ]),
    ...describeRest(entries.length - shown.length, title === 'drift' ? 'difference' : 'unstable case'),
  ];
}

function renderSummary(certificate: Certificate, written: WrittenResults): string[] {
  const { target, quick, notes } = certificate;
  const lastLine = quick === undefined ? [] : [renderQuickNotice(quick)];
  const otherNotes = notes.filter((note) => note !== referenceNotice && !lastLine.includes(note));
  const end = certificate.is_replay ? [replayEndNotice] : target.is_reference ? [referenceEndNotice] : [];
  return [
    ...otherNotes.flatMap((note) => ['', note]),
    '',
    `${renderHeadline(certificate)}  ${[target.name, target.version].filter(Boolean).join(' ')} at ${target.base_url}`,
    '',
    ...listFields(certificate, written).map(([name, value]) => `${name.padEnd(13)} ${value}`),
    ...[...lastLine, ...end].flatMap((line) => ['', line]),
  ];
}

function listFields(certificate: Certificate, written: WrittenResults): (readonly [name: string, value: string])[] {
  const { selected, summary, questions, drift } = certificate;
  const warnings = questions.filter(({ warning }) => warning).length;
  const drifted = describeFurtherCount(drift.length, 'drift');
  const answers = `${describeAnswers(questions)}${describeFurtherCount(warnings, 'with a warning (see certificate.html)')}${drifted}`;
  const listFiles = (...names: readonly string[]) =>
    names.flatMap((name) => written.files.filter((file) => path.basename(file) === name)).join(', ');
  const { file = '', unwritten } = written.record ?? {};
  return [
    ...(selected === undefined
      ? [['Requirements', describeCounts(summary)] as const, ['Questions', answers] as const]
      : [['Selected', `${describeCounts(selected.cases)}${drifted}`] as const]),
    ['Requests', renderRequestCounts(certificate)],
    ['Certificate', listFiles('certificate.json', 'certificate.html')],
    ['Observed', listFiles('observed.md', 'openapi.yaml')],
    ...(file === '' ? [] : [['Record', unwritten === undefined ? file : `${file} was ${unwritten}.`] as const]),
  ];
}
