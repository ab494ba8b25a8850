import path from 'node:path';
import { quote } from 'shlex';
import { type CaseEntry, isFailure } from '../../certificate/case-entry.js';
import { type Certificate, findDecisive, isKnownFailure } from '../../certificate/certificate.js';
import { referenceNotice } from '../../certificate/notices.js';
import { describeSharedReasons, findSharedReasons } from '../../certificate/shared-reasons.js';
import { getVerdictApart, notSelectedReason } from '../../run/case-result.js';
import { renderShortList } from '../../support/collections.js';
import { packageRoot } from '../../support/package-root.js';
import { joinLines, shorten } from '../../support/untrusted-text.js';
import {
  describeAnswers,
  describeCounts,
  describeKnownDeviation,
  describeKnownEntry,
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

/** Renders what a run prints at its end. @param written the files, if they are to be named: then the report is short */
export function renderRunReport(certificate: Certificate, written?: WrittenResults): string {
  const { selected, unstable, drift, known_deviations: known } = certificate;
  const blocks = [
    (known?.entries ?? []).flatMap((entry) => {
      const text = describeKnownEntry(entry);
      return text === undefined ? [] : [`${entry.state}  ${limitText(text)}`];
    }),
    renderCauses(certificate),
    renderRequirements(certificate),
    ...describeSharedReasons(certificate, selected !== undefined).map((reason) => [reason]),
    written?.known === undefined ? renderKnownCommand(certificate) : [],
    renderSome(unstable, 'unstable case', ({ case: id, text }) => [`unstable  ${id}: ${limitText(text)}`]),
    renderSome(drift, 'change', ({ text }) => [`drift  ${text}`], written === undefined ? drift.length : maxEntries),
    drift.length === 0 ? [] : ['If these changes are intended, accept them: npx conformance record'],
    ...renderSummary(certificate, written),
  ];
  return joinLines(blocks.flatMap((block) => (block.length === 0 ? [] : ['', ...block])));
}

interface Failure {
  readonly requirement: string;
  readonly entry: CaseEntry;
}

function renderCauses({ causes = [], requirements }: Certificate): string[] {
  const judged = requirements.flatMap(({ id, cases }) => cases.map((entry): Failure => ({ requirement: id, entry })));
  // The shortest request is easiest to read.
  const measureCommand = ({ entry }: Failure) => entry.repeat_with?.length ?? Number.POSITIVE_INFINITY;
  const failures = judged
    .filter(({ entry }) => isFailure(getVerdictApart(entry)))
    .toSorted((left, right) => measureCommand(left) - measureCommand(right));
  const shown = renderSome(causes, 'cause', ({ sentence, evidence, cases, follows }, n) => [
    `${n + 1}. ${shorten(sentence, maxSentences)}`,
    ...evidence.map((fact) => `   ${limitText(fact)}`),
    ...(follows.length === 0
      ? []
      : [`   ${renderCount(follows.length, 'more requirement')} could not be judged for this reason.`]),
    ...renderExample(failures.filter(({ entry }) => cases.includes(entry.id))).map((line) => `   ${line}`),
  ]);
  return shown.length === 0 ? [] : ['What most likely is wrong:', ...shown];
}

function renderExample([first, ...others]: readonly Failure[]): string[] {
  if (first === undefined) return [];
  const { id, verdict, reason, at, repeat_with: command = '' } = first.entry;
  const also = others.length === 0 ? '' : ` and ${renderCount(others.length, 'more case')}`;
  // On one line, as the report is to fit on one screen.
  const sending = command.replaceAll(/(?: \\)?\n {2}/g, ' ').split('\n');
  const isLong = command.length > maxCommand;
  const commands = isLong ? ['The command that sends it again is long: repeat_with in certificate.json.'] : sending;
  return [
    `${verdict}  ${first.requirement}: ${id}${also}${at === undefined ? '' : `  ${locate(at)}`}`,
    ...[limitText(reason), ...commands].filter((line) => line !== ''),
  ];
}

function locate(at: string): string {
  const whole = path.resolve(packageRoot, at);
  const relative = path.relative('', whole);
  return relative.startsWith('..') ? whole : relative;
}

function renderSome<T>(
  entries: readonly T[],
  what: string,
  render: (entry: T, n: number) => string[],
  max = maxEntries,
): string[] {
  const shown = entries.slice(0, max).flatMap(render);
  const count = entries.length - max;
  return count <= 0 ? shown : [...shown, `… and ${renderCount(count, `more ${what}`)}: see certificate.html.`];
}

function renderRequirements(certificate: Certificate): string[] {
  const { requirements, causes = [], selected } = certificate;
  const shared = findSharedReasons(certificate);
  const unpassed = sortByUrgency(requirements).flatMap((requirement) => {
    const { id, verdict, statement, known = [] } = requirement;
    const { id: decisive, reason = '' } = findDecisive(requirement) ?? {};
    if (verdict === 'pass' || reason === notSelectedReason) return [];
    if (isKnownFailure(requirement)) {
      const why = known.map(describeKnownDeviation).join(' ') || 'it cannot be judged.';
      return [{ id, verdict, text: `As known: ${limitText(why)}` }];
    }
    const numbers = causes.flatMap((cause, n) =>
      cause.requirements.includes(id) || cause.follows.includes(id) ? [n + 1] : [],
    );
    const isExplained = verdict === 'fail' || numbers.length > 0 || shared.has(reason) || decisive === undefined;
    const stated = shorten(`${numbers.length === 0 ? '' : `(${numbers.join(', ')}) `}${statement}`, maxStatement);
    return [{ id, verdict, text: isExplained ? stated : `${decisive}: ${limitText(reason)}` }];
  });
  if (unpassed.length === 0) return selected === undefined ? [`All ${requirements.length} requirements pass.`] : [];
  const verdictWidth = Math.max(...unpassed.map(({ verdict }) => verdict.length));
  const idWidth = Math.max(...unpassed.map(({ id }) => id.length));
  return unpassed.map(({ id, verdict, text }) => `  ${verdict.padEnd(verdictWidth)}  ${id.padEnd(idWidth)}  ${text}`);
}

function renderKnownCommand({ known_deviations: known, requirements, target }: Certificate): string[] {
  const command = 'npx conformance record --known';
  if (known !== undefined) {
    const isNew = known.verdict === 'does-not-conform' && known.entries.every(({ state }) => state !== 'expired');
    return isNew ? [`To add new failures for review: ${command} ${quote(known.file)}`] : [];
  }
  if (requirements.every(({ verdict }) => verdict !== 'fail')) return [];
  // The key `known` of a target file is relative to it.
  const file = path.join(path.dirname(target.file ?? ''), 'known.yaml');
  return [`To accept this for now, and fail for new reasons only: ${command} ${quote(file)}`];
}

function limitText(text: string): string {
  return shorten(text, maxText);
}

function renderSummary(certificate: Certificate, written: WrittenResults | undefined): string[][] {
  const { target, selected, questions, notes } = certificate;
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
  return [
    notes.filter((note) => note !== referenceNotice),
    [
      `${renderHeadline(certificate)}  ${[target.name, target.version].filter(Boolean).join(' ')} at ${target.base_url}`,
    ],
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [`${name.padEnd(13)} ${value}`])),
    target.is_reference ? [referenceNotice] : [],
  ];
}

function describeFiles({ certificate, record, known }: WrittenResults): Record<string, string | undefined> {
  const advice = 'Fill in each reason, and name the file in the target file.';
  const added = known?.added ? `${renderCount(known.added, 'deviation')} added. ${advice}` : 'nothing to add.';
  return {
    Certificate: certificate.replace(/json$/, 'html'),
    Record: record && (record.unwritten === undefined ? record.file : `${record.file} was ${record.unwritten}.`),
    Known: known && `${known.file}: ${added}`,
  };
}
