import path from 'node:path';
import { quote } from 'shlex';
import { type CaseEntry, isFailure } from '../../certificate/case-entry.js';
import { type Certificate, findDecisive, isKnownFailure } from '../../certificate/certificate.js';
import { groupDrift } from '../../certificate/drift-entry.js';
import { referenceEndNotice, referenceNotice, replayEndNotice } from '../../certificate/notices.js';
import { describeSharedReasons, findSharedReasons, isUnjudged } from '../../certificate/shared-reasons.js';
import { getVerdictApart, notSelectedReason, samplesCaseId } from '../../run/case-result.js';
import { groupBy, renderShortList } from '../../support/collections.js';
import { packageRoot } from '../../support/package-root.js';
import { joinLines, shorten } from '../../support/untrusted-text.js';
import {
  describeAnswers,
  describeCounts,
  describeKnownDeviation,
  describeKnownEntry,
  describeNotCompared,
  explainDrift,
  renderCount,
  renderHeadline,
  sortByUrgency,
} from '../counts.js';
import type { WrittenResults } from '../write-results.js';

/** Characters of a text that a target may have written, and of a statement of the documentation. */
const maxText = 300;
const maxStatement = 80;
/** A cause may be one of several mistakes, and a change two answers, each with its sentence. */
const maxSentences = 600;
/** A longer command, such as for an order of hundreds of items, would fill the screen. */
const maxCommand = 2_000;
/** The maximum number of shown entries of a list: the report must fit on one screen. */
const maxEntries = 3;

/** Renders what a run prints at its end. @param written the files, if they are to be named */
export function renderRunReport(certificate: Certificate, written?: WrittenResults): string {
  const { selected, unstable } = certificate;
  const blocks = [
    renderKnownEntries(certificate),
    ...(isUnjudged(certificate) ? [] : [...renderFailures(certificate), renderRequirements(certificate)]),
    ...describeSharedReasons(certificate, selected !== undefined).map((reason) => [reason]),
    written?.known === undefined ? renderKnownCommand(certificate) : [],
    renderSome(unstable, 'unstable case', ({ case: id, text }) => [`unstable  ${id}: ${limitText(text)}`]),
    written === undefined ? renderWholeDrift(certificate) : renderDrift(certificate),
    ...renderSummary(certificate, written),
  ];
  return joinLines(blocks.flatMap((block) => (block.length === 0 ? [] : ['', ...block])));
}

interface Failure {
  readonly requirement: string;
  readonly entry: CaseEntry;
}

function renderFailures({ causes = [], requirements }: Certificate): string[][] {
  const judged = requirements.flatMap(({ id, cases }) => cases.map((entry): Failure => ({ requirement: id, entry })));
  // What only one cause explains shows it best, and the shortest request is easiest to read.
  const countCauses = ({ entry }: Failure) => causes.filter(({ cases }) => cases.includes(entry.id)).length;
  const measureCommand = ({ entry }: Failure) => entry.repeat_with?.length ?? Number.POSITIVE_INFINITY;
  const failures = judged
    .filter(({ entry }) => isFailure(getVerdictApart(entry)))
    .toSorted((left, right) => measureCommand(left) - measureCommand(right))
    .toSorted((left, right) => countCauses(left) - countCauses(right));
  const shown = renderSome(causes, 'cause', ({ sentence, evidence, cases, follows }, n) => [
    `${n + 1}. ${shorten(sentence, maxSentences)}`,
    ...evidence.map((fact) => `   ${limitText(fact)}`),
    ...(follows.length === 0
      ? []
      : [`   ${renderCount(follows.length, 'more requirement')} could not be judged for this reason.`]),
    ...renderExample(
      failures.filter(({ entry }) => cases.includes(entry.id)),
      '   ',
    ),
  ]);
  // Cases that were sent again at the end failed before: where a cause explains their requirement, they show nothing new.
  const isExplained = ({ requirement, entry: { id } }: Failure) =>
    causes.some(
      ({ cases, requirements }) => cases.includes(id) || (id === samplesCaseId && requirements.includes(requirement)),
    );
  const others = failures.filter((failure) => !isExplained(failure));
  const groups = [...groupBy(others, ({ requirement }) => requirement).values()];
  const rest = groups.length > maxEntries ? [renderRest(groups.length, 'failure')] : [];
  return [
    shown.length === 0 ? [] : ['What most likely is wrong:', ...shown],
    ...groups.slice(0, maxEntries).map((group) => renderExample(group)),
    rest,
  ];
}

function renderExample([first, ...others]: readonly Failure[], indentation = ''): string[] {
  if (first === undefined) return [];
  const { id, verdict, reason, repeat_with: command = '' } = first.entry;
  const also = others.length === 0 ? '' : ` and ${renderCount(others.length, 'more case')}`;
  // On one line, as the report is to fit on one screen.
  const sending = command.replaceAll(/(?: \\)?\n {2}/g, ' ').split('\n');
  const isLong = command.length > maxCommand;
  const commands = isLong ? ['The command that sends it again is long: repeat_with in certificate.json.'] : sending;
  return [
    `${indentation}${verdict}  ${first.requirement}: ${id}${also}${locateEntry(first.entry)}`,
    ...[limitText(reason), ...commands].filter((line) => line !== '').map((line) => `   ${line}`),
  ];
}

function locateEntry({ at }: CaseEntry): string {
  if (at === undefined) return '';
  const whole = path.resolve(packageRoot, at);
  const relative = path.relative('', whole);
  return `  ${relative.startsWith('..') ? whole : relative}`;
}

function renderSome<T>(entries: readonly T[], what: string, render: (entry: T, n: number) => string[]): string[] {
  const shown = entries.slice(0, maxEntries).flatMap(render);
  return entries.length > maxEntries ? [...shown, renderRest(entries.length, what)] : shown;
}

function renderRest(count: number, what: string): string {
  return `… and ${renderCount(count - maxEntries, `more ${what}`)}: see certificate.html.`;
}

function renderRequirements(certificate: Certificate): string[] {
  const { requirements, causes = [], selected } = certificate;
  const shared = findSharedReasons(certificate);
  const unpassed = requirements.flatMap((requirement) => {
    const { id, verdict, statement, known = [] } = requirement;
    const decisive = findDecisive(requirement);
    if (verdict === 'pass' || decisive?.reason === notSelectedReason) return [];
    const numbers = causes.flatMap((cause, n) =>
      cause.requirements.includes(id) || cause.follows.includes(id) ? [n + 1] : [],
    );
    const [firstCause = causes.length + 1] = numbers;
    if (isKnownFailure(requirement)) {
      const why = known.map(describeKnownDeviation).join(' ') || 'it cannot be judged.';
      return [{ id, verdict, text: `As known: ${limitText(why)}`, firstCause: causes.length + 2 }];
    }
    const isExplained = verdict === 'fail' || numbers.length > 0 || shared.has(decisive?.reason ?? '');
    const text =
      decisive === undefined || isExplained
        ? shorten(`${numbers.length === 0 ? '' : `(${numbers.join(', ')}) `}${statement}`, maxStatement)
        : `${decisive.id}: ${limitText(decisive.reason)}`;
    return [{ id, verdict, text, firstCause }];
  });
  if (unpassed.length === 0) return selected === undefined ? [`All ${requirements.length} requirements pass.`] : [];
  const verdictWidth = Math.max(...unpassed.map(({ verdict }) => verdict.length));
  const idWidth = Math.max(...unpassed.map(({ id }) => id.length));
  const sorted = sortByUrgency(unpassed.toSorted((left, right) => left.firstCause - right.firstCause));
  return sorted.map(({ id, verdict, text }) => `  ${verdict.padEnd(verdictWidth)}  ${id.padEnd(idWidth)}  ${text}`);
}

function renderKnownEntries(certificate: Certificate): string[] {
  return (certificate.known_deviations?.entries ?? []).flatMap((entry) => {
    const text = describeKnownEntry(entry, certificate);
    return text === undefined ? [] : [`${entry.state}  ${limitText(text)}`];
  });
}

function renderKnownCommand({ known_deviations: known, requirements, is_replay, target }: Certificate): string[] {
  const command = 'npx conformance record --known';
  if (known === undefined) {
    const isFailing = requirements.some(({ verdict }) => verdict === 'fail') && !is_replay;
    // The key `known` of a target file is relative to it.
    const file = path.join(path.dirname(target.file ?? ''), 'known.yaml');
    return isFailing ? [`To accept this for now, and fail for new reasons only: ${command} ${quote(file)}`] : [];
  }
  const isNew = known.verdict === 'does-not-conform' && known.entries.every(({ state }) => state !== 'expired');
  return isNew ? [`To add new failures for review: ${command} ${quote(known.file)}`] : [];
}

function limitText(text: string): string {
  return shorten(text, maxText);
}

function renderDrift(certificate: Certificate): string[] {
  const changes = groupDrift(certificate.drift);
  return [
    ...explainDrift(certificate),
    ...renderSome(changes, 'change', ([{ text }, ...others]) => [
      `drift  ${shorten(text, maxSentences)}`,
      ...(others.length === 0
        ? []
        : [`  The same change in ${others.length} more: ${others.map((entry) => entry.case).join(', ')}.`]),
    ]),
    ...(changes.length === 0 ? [] : ['If these changes are intended, accept them: npx conformance record']),
    ...describeNotCompared(certificate),
  ];
}

function renderWholeDrift(certificate: Certificate): string[] {
  return [
    ...explainDrift(certificate),
    ...certificate.drift.map(({ text }) => `drift  ${text}`),
    ...describeNotCompared(certificate, (ids) => ids.join(', ')),
  ];
}

function renderSummary(certificate: Certificate, written: WrittenResults | undefined): string[][] {
  const { target, selected, questions, notes, is_replay } = certificate;
  const warnings = questions.filter(({ warning }) => warning).map(({ id }) => id);
  const fields = {
    ...(selected === undefined
      ? { Requirements: describeCounts(certificate.summary), Questions: describeAnswers(questions) }
      : { Selected: describeCounts(selected.cases) }),
    Warnings: warnings.length === 0 ? undefined : `${warnings.length}: ${renderShortList(warnings)}`,
    'Compared with': certificate.compared_with,
    Requests: String(certificate.requests_sent),
    ...(written && describeFiles(written)),
  };
  const end = target.is_reference ? [referenceEndNotice] : [];
  return [
    notes.filter((note) => note !== referenceNotice),
    [
      `${renderHeadline(certificate)}  ${[target.name, target.version].filter(Boolean).join(' ')} at ${target.base_url}`,
    ],
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [`${name.padEnd(13)} ${value}`])),
    is_replay ? [replayEndNotice] : end,
  ];
}

function describeFiles({ files, record, known }: WrittenResults): Record<string, string | undefined> {
  const list = (...names: readonly string[]) =>
    names.flatMap((name) => files.filter((file) => path.basename(file) === name)).join(', ');
  const advice = 'Fill in each reason, and name the file in the target file.';
  const added = known?.added ? `${renderCount(known.added, 'deviation')} added. ${advice}` : 'nothing to add.';
  return {
    Certificate: list('certificate.json', 'certificate.html'),
    Observed: list('observed.md', 'openapi.yaml'),
    Record: record && (record.unwritten === undefined ? record.file : `${record.file} was ${record.unwritten}.`),
    Known: known && `${known.file}: ${added}`,
  };
}
