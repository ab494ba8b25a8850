import path from 'node:path';
import { quote } from 'shlex';
import { isOwnCase } from '../../cases/suite.js';
import type { CaseDifference, CaseEntry } from '../../certificate/case-entry.js';
import { type Certificate, findDecisive, isKnownFailure } from '../../certificate/certificate.js';
import { type DriftEntry, groupDrift } from '../../certificate/drift-entry.js';
import { referenceEndNotice, referenceNotice, renderQuickNotice, replayEndNotice } from '../../certificate/notices.js';
import { describeSharedReasons, findSharedReasons, isUnjudged } from '../../certificate/shared-reasons.js';
import { getVerdictApart, notSelectedReason, samplesCaseId } from '../../run/case-result.js';
import { groupBy } from '../../support/group-by.js';
import { packageRoot } from '../../support/package-root.js';
import { renderShortList } from '../../support/render-short-list.js';
import { joinLines, shorten } from '../../support/untrusted-text.js';
import {
  describeAnswers,
  describeCounts,
  describeKnownDeviation,
  describeKnownEntry,
  describeNotCompared,
  explainDrift,
  renderHeadline,
  sortByUrgency,
} from '../counts.js';
import type { WrittenResults } from '../write-results.js';

/** Characters of a text that a target may have written, and of a statement of the documentation. */
const maxText = 300;
const maxStatement = 80;
/** A cause may be one of several mistakes, each with its sentence. */
const maxSentence = 600;
/** A longer command, such as for an order of hundreds of items, would fill the screen. */
const maxCommand = 2_000;
/** The maximum number of shown entries of a list: the report must fit on one screen. */
const maxEntries = 3;

/**
 * Renders what a run prints at its end: why it fails, with a request that shows it, what does not pass, the summary.
 *
 * @param written the files, if they are to be named
 */
export function renderRunReport(certificate: Certificate, written?: WrittenResults): string {
  const isWhole = written === undefined;
  return joinLines([
    ...renderKnownEntries(certificate),
    ...(isUnjudged(certificate) ? [] : [...renderFailures(certificate), ...renderRequirements(certificate)]),
    ...describeSharedReasons(certificate, certificate.selected !== undefined).flatMap((line) => ['', line]),
    ...(written?.known === undefined ? renderKnownCommand(certificate) : []),
    ...renderUnstable(certificate.unstable),
    ...renderDrift(certificate, isWhole),
    ...renderSummary(certificate, written),
  ]);
}

/** A case that fails or is an error, with its requirement or question. */
interface Failure {
  readonly subject: string;
  readonly entry: CaseEntry;
  /** The number of causes that explain it. */
  readonly causes?: number;
}

/** Renders the causes, then failures that belong to none, with an example each. */
function renderFailures({ causes = [], requirements, own_cases }: Certificate): string[] {
  const ofSuite = requirements.flatMap(({ id, cases }) => cases.map((entry): Failure => ({ subject: id, entry })));
  const ofUser = (own_cases?.cases ?? []).map((entry): Failure => ({ subject: entry.subject ?? '', entry }));
  const failures = [...ofSuite, ...ofUser].filter(({ entry }) => ['fail', 'error'].includes(getVerdictApart(entry)));
  const explained = new Set(causes.flatMap(({ cases }) => cases));
  // What only one cause explains shows it best.
  const countCauses = ({ id }: CaseEntry) => causes.filter(({ cases }) => cases.includes(id)).length;
  const unexplained = failures.filter(({ entry }) => !explained.has(entry.id));
  // The sample cases repeat what others show, unless they are all that fails.
  const shown = unexplained.filter(({ entry }) => entry.id !== samplesCaseId || failures.length === 1);
  const groups = groupBy(shown, ({ subject, entry }) => `${isOwnCase(entry)} ${subject}`);
  return [
    ...(causes.length === 0 ? [] : ['', 'What most likely is wrong:']),
    ...renderSome(causes, 'cause', ({ sentence, evidence, cases, follows }, n) => [
      `${n + 1}. ${shorten(sentence, maxSentence)}`,
      ...evidence.map((fact) => `   ${limitText(fact)}`),
      ...(follows.length === 0 ? [] : [`   ${describeFollows(follows)}`]),
      ...renderExample(
        failures
          .filter(({ entry }) => cases.includes(entry.id))
          .map((failure) => ({ ...failure, causes: countCauses(failure.entry) })),
        '   ',
      ),
    ]),
    ...renderSome([...groups.values()], 'failure', (group) => ['', ...renderExample(group)]),
  ];
}

/** Renders the case whose request is the shortest, with the command that sends it again. */
function renderExample(failures: readonly Failure[], indentation = ''): string[] {
  const sizeOf = ({ entry }: Failure) => entry.repeat_with?.length ?? Number.POSITIVE_INFINITY;
  const [smallest] = failures.toSorted(
    (left, right) => (left.causes ?? 0) - (right.causes ?? 0) || sizeOf(left) - sizeOf(right),
  );
  if (smallest === undefined) return [];
  const { subject, entry } = smallest;
  const { id, verdict, reason, repeat_with: command } = entry;
  const further = failures.length - 1;
  const also = further < 1 ? '' : ` and ${further} more ${further === 1 ? 'case' : 'cases'}`;
  const sending =
    command !== undefined && command.length > maxCommand
      ? ['The command that sends it again is long: repeat_with in certificate.json.']
      : // On one line, as the report is to fit on one screen.
        (command?.replaceAll(/(?: \\)?\n {2}/g, ' ').split('\n') ?? []);
  return [
    `${indentation}${verdict}  ${subject}: ${id}${also}${locateEntry(entry)}`,
    ...[limitText(reason), ...sending].map((line) => `   ${line}`),
  ];
}

/** Where a case is, as a path that a terminal can open. */
function locateEntry({ id, at }: CaseEntry): string {
  if (at === undefined) return '';
  // Paths of the user's own cases are relative to the working folder.
  const whole = isOwnCase({ id }) ? path.resolve(at) : path.resolve(packageRoot, at);
  const relative = path.relative('', whole);
  return `  ${relative.startsWith('..') ? whole : relative}`;
}

function renderSome<T>(entries: readonly T[], what: string, render: (entry: T, n: number) => string[]): string[] {
  const rest = entries.length - maxEntries;
  return [
    ...entries.slice(0, maxEntries).flatMap(render),
    ...(rest > 0 ? [`… and ${rest} more ${what}${rest === 1 ? '' : 's'}: see certificate.html.`] : []),
  ];
}

function describeFollows({ length }: readonly string[]): string {
  return `${length} more ${length === 1 ? 'requirement' : 'requirements'} could not be judged for this reason.`;
}

/** Renders a line per requirement that does not pass: its statement with the numbers of its causes, or the reason. */
function renderRequirements(certificate: Certificate): string[] {
  const { requirements, causes = [], selected } = certificate;
  const shared = findSharedReasons(certificate);
  const unpassed = requirements.flatMap((requirement) => {
    const { id, verdict, statement } = requirement;
    const decisive = findDecisive(requirement);
    if (verdict === 'pass' || decisive?.reason === notSelectedReason) return [];
    const numbers = causes.flatMap((cause, n) =>
      cause.requirements.includes(id) || cause.follows.includes(id) ? [n + 1] : [],
    );
    const isExplained =
      verdict === 'fail' || numbers.length > 0 || decisive === undefined || shared.has(decisive.reason);
    const isKnown = isKnownFailure(requirement);
    const text = isKnown
      ? `As known: ${limitText((requirement.known ?? []).map(describeKnownDeviation).join(' ') || 'it cannot be judged.')}`
      : isExplained
        ? shorten(`${numbers.length === 0 ? '' : `(${numbers.join(', ')}) `}${statement}`, maxStatement)
        : `${decisive.id}: ${limitText(decisive.reason)}`;
    return [{ id, verdict, text, firstCause: isKnown ? causes.length + 2 : (numbers[0] ?? causes.length + 1) }];
  });
  if (unpassed.length === 0) return selected === undefined ? ['', `All ${requirements.length} requirements pass.`] : [];
  const verdictWidth = Math.max(...unpassed.map(({ verdict }) => verdict.length));
  const idWidth = Math.max(...unpassed.map(({ id }) => id.length));
  const sorted = sortByUrgency(unpassed.toSorted((left, right) => left.firstCause - right.firstCause));
  return [
    '',
    ...sorted.map(({ id, verdict, text }) => `  ${verdict.padEnd(verdictWidth)}  ${id.padEnd(idWidth)}  ${text}`),
  ];
}

/** Renders a line for each entry of the file of known deviations about which something is to be done. */
function renderKnownEntries(certificate: Certificate): string[] {
  const lines = (certificate.known_deviations?.entries ?? []).flatMap((entry) => {
    const text = describeKnownEntry(entry, certificate);
    return text === undefined ? [] : [`${entry.state}  ${limitText(text)}`];
  });
  return lines.length === 0 ? [] : ['', ...lines];
}

/** Renders the command that writes a file of known deviations, or adds new failures to it. */
function renderKnownCommand({ known_deviations: known, requirements, is_replay, target }: Certificate): string[] {
  const command = 'npx conformance record --known';
  if (known === undefined) {
    const isFailing = requirements.some(({ verdict }) => verdict === 'fail') && !is_replay;
    // The key `known` of a target file is relative to it.
    const file = path.join(path.dirname(target.file ?? ''), 'known.yaml');
    return isFailing ? ['', `To accept this for now, and fail for new reasons only: ${command} ${quote(file)}`] : [];
  }
  const isNew = known.verdict === 'does-not-conform' && known.entries.every(({ state }) => state !== 'expired');
  return isNew ? ['', `To add new failures for review: ${command} ${quote(known.file)}`] : [];
}

function limitText(text: string): string {
  return shorten(text, maxText);
}

function renderUnstable(entries: readonly CaseDifference[]): string[] {
  const lines = renderSome(entries, 'unstable case', ({ case: id, text }) => [`unstable  ${id}: ${limitText(text)}`]);
  return lines.length === 0 ? [] : ['', ...lines];
}

/** Renders a line per change. @param isWhole whether all changes are rendered, and all answers of each */
function renderDrift(certificate: Certificate, isWhole: boolean): string[] {
  const render = ([{ text }, ...others]: readonly [DriftEntry, ...DriftEntry[]]) => {
    const ids = others.map((entry) => entry.case).join(', ');
    return [
      `drift  ${isWhole ? text : shorten(text, 2 * maxText)}`,
      ...(isWhole ? others.map((entry) => `  the same change: ${entry.text}`) : []),
      ...(isWhole || ids === '' ? [] : [`  The same change in ${others.length} more: ${ids}.`]),
    ];
  };
  const changes = groupDrift(certificate.drift);
  const lines = [
    ...explainDrift(certificate),
    ...(isWhole ? changes.flatMap(render) : renderSome(changes, 'change', render)),
    ...(isWhole || changes.length === 0 ? [] : ['If these changes are intended, accept them: npx conformance record']),
    ...describeNotCompared(certificate, isWhole ? (ids) => ids.join(', ') : undefined),
  ];
  return lines.length === 0 ? [] : ['', ...lines];
}

function renderSummary(certificate: Certificate, written: WrittenResults | undefined): string[] {
  const { target, quick, notes } = certificate;
  const lastLine = quick === undefined ? [] : [renderQuickNotice(quick)];
  const otherNotes = notes.filter((note) => note !== referenceNotice && !lastLine.includes(note));
  const end = certificate.is_replay ? [replayEndNotice] : target.is_reference ? [referenceEndNotice] : [];
  return [
    ...(otherNotes.length === 0 ? [] : ['', ...otherNotes]),
    '',
    `${renderHeadline(certificate)}  ${[target.name, target.version].filter(Boolean).join(' ')} at ${target.base_url}`,
    '',
    ...[...listFields(certificate), ...(written === undefined ? [] : listFiles(written))].map(
      ([name, value]) => `${name.padEnd(13)} ${value}`,
    ),
    ...[...lastLine, ...end].flatMap((line) => ['', line]),
  ];
}

type Field = readonly [name: string, value: string];

function listFields({ selected, summary, questions, compared_with, requests_sent }: Certificate): Field[] {
  const warnings = questions.filter(({ warning }) => warning).map(({ id }) => id);
  const counts: Field[] =
    selected === undefined
      ? [
          ['Requirements', describeCounts(summary)],
          ['Questions', `${describeAnswers(questions)}`],
        ]
      : [['Selected', `${describeCounts(selected.cases)}`]];
  if (warnings.length > 0) counts.push(['Warnings', `${warnings.length}: ${renderShortList(warnings)}`]);
  if (compared_with !== undefined) counts.push(['Compared with', compared_with]);
  return [...counts, ['Requests', String(requests_sent)]];
}

function listFiles({ files, record, known }: WrittenResults): Field[] {
  const list = (...names: readonly string[]) =>
    names.flatMap((name) => files.filter((file) => path.basename(file) === name)).join(', ');
  const { file = '', unwritten } = record ?? {};
  return [
    ['Certificate', list('certificate.json', 'certificate.html')],
    ['Observed', list('observed.md', 'openapi.yaml')],
    ...(file === '' ? [] : [['Record', unwritten === undefined ? file : `${file} was ${unwritten}.`] as const]),
    ...(known === undefined ? [] : [['Known', describeAdded(known)] as const]),
  ];
}

function describeAdded({ file, added }: NonNullable<WrittenResults['known']>): string {
  if (added === 0) return `${file}: nothing to add.`;
  return `${file}: ${added} ${added === 1 ? 'deviation' : 'deviations'} added. Fill in each reason, and name the file in the target file.`;
}
