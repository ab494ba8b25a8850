import path from 'node:path';
import { styleText } from 'node:util';
import { quote } from 'shlex';
import { type CaseEntry, isFailingVerdict } from '../../certificate/case-entry.js';
import type { CauseEntry } from '../../certificate/cause-entry.js';
import type { Certificate } from '../../certificate/certificate.js';
import { findDecisiveCase, isKnownFailure, type RequirementEntry } from '../../certificate/judged-requirement.js';
import { documentedRequestNotice, referenceNotice } from '../../certificate/notices.js';
import { listOutOfScope } from '../../certificate/scope.js';
import { findSharedReasons, listSharedReasons, type SharedReason } from '../../certificate/shared-reasons.js';
import { joinCommandLines } from '../../http/curl-command.js';
import type { Verdict } from '../../judge/verdict.js';
import { getVerdictApartFromKnown, notSelectedReason, repetitionCaseId } from '../../run/case-result.js';
import { groupBy, renderShortList } from '../../support/collections.js';
import { packageRoot } from '../../support/package-root.js';
import { renderPath } from '../../support/paths.js';
import { shorten } from '../../support/untrusted-text.js';
import {
  adviseOnKnownDeviation,
  adviseOnScopeEntry,
  describeAnswerCounts,
  describeCounts,
  describeDisturbances,
  describeKnownDeviation,
  renderCount,
  renderHeadline,
  renderUndeclaredScope,
  sortByUrgency,
} from '../counts.js';
import { labelContrast } from '../label-contrast.js';
import type { WrittenResults } from '../result-files.js';
import { fillTemplate } from '../template.js';

/** Characters of a text that a target may have written, and of a statement of the documentation. */
const limitText = (text: string): string => shorten(text, 300);
const maxStatement = 80;
/** A cause may be one of several mistakes, a change two answers, and a stale entry rows that pass and rows that are gone. */
const maxSentences = 600;
/** A longer command, such as for an order of hundreds of items, would fill the screen. */
const maxCommand = 2_000;
/** The maximum number of shown entries of a list: the report must fit on one screen. */
const maxEntries = 3;

/** Renders what a run prints at its end. @param written the files, if they are to be named: then the report is short */
export function renderRunReport(certificate: Certificate, written?: WrittenResults): string {
  const { target, selected, drift, notes } = certificate;
  const unpassed = listUnpassed(certificate);
  const shared = listSharedReasons(certificate, selected !== undefined);
  const unstable = certificate.unstable.map((entry) => ({ id: entry.case, text: limitText(entry.text) }));
  const warnings = certificate.questions.flatMap(({ id, sentence }) =>
    sentence === undefined ? [] : [{ id, sentence }],
  );
  return fillTemplate('report.txt', {
    certificate,
    known: listAdviceOnEntries(certificate),
    causes: limitList(listCauses(certificate), 'cause'),
    commandNotice: target.transport && hasCommands(certificate) && documentedRequestNotice,
    unpassed,
    allPass:
      certificate.requirements.every(({ verdict }) => verdict === 'pass') &&
      selected === undefined &&
      certificate.requirements.length,
    shared: shared.flatMap(({ isAboutRequirements, sentence }) => (isAboutRequirements ? [sentence] : [])),
    unasked: [
      ...shared.flatMap(({ isAboutRequirements, sentence }) => (isAboutRequirements ? [] : [sentence])),
      ...countOtherUnanswered(certificate, shared),
    ],
    undeclared: written?.scope === undefined && renderUndeclaredScope(certificate),
    knownFile: written?.known === undefined && findKnownFile(certificate),
    isDataDoubtful: certificate.data !== undefined && certificate.load !== undefined,
    unstable: limitList(unstable, 'unstable case'),
    drift: limitList(drift, 'change', written === undefined ? drift.length : maxEntries),
    notes: notes.filter((note) => note !== referenceNotice),
    headline: renderHeadline(certificate),
    target: [target.name, target.version].filter(Boolean).join(' '),
    selected: selected && describeCounts(selected.cases),
    requirements: describeCounts(certificate.summary),
    questions: describeAnswerCounts(certificate.questions),
    warnings: limitList(warnings, 'warning'),
    disturbances: certificate.disturbances && describeDisturbances(certificate.disturbances),
    page: written?.certificate.replace(/json$/, 'html'),
    record: written?.record && { unwritten: '', ...written.record },
    addedTo: written?.known && {
      ...written.known,
      added: written.known.added && renderCount(written.known.added, 'deviation'),
      extended: written.known.extended.length > 0 && renderShortList(written.known.extended),
    },
    scope: written?.scope && { ...written.scope, added: renderCount(written.scope.added, 'requirement') },
    reference: target.is_reference && referenceNotice,
  });
}

/** Lists what to do about known deviations and declared requirements, where there is something to do. */
function listAdviceOnEntries({ known_deviations: known, scope }: Certificate) {
  return [
    ...(known?.entries ?? []).map((entry) => ({ state: entry.state, text: adviseOnKnownDeviation(entry) })),
    ...(scope?.not_applicable ?? []).map((entry) => ({ state: entry.state, text: adviseOnScopeEntry(entry) })),
  ].flatMap(({ state, text }) => (text === undefined ? [] : [{ state, text: shorten(text, maxSentences) }]));
}

/** Whether the report shows a command: of a failure, or of an own case. */
function hasCommands({ causes = [], requirements, own_cases: own }: Certificate): boolean {
  const ofCauses = causes.flatMap(({ wrong = [] }) => wrong);
  const ofCases = requirements.flatMap(({ cases }) => cases.filter(({ verdict }) => isFailingVerdict(verdict)));
  return [...ofCauses, ...ofCases, ...(own?.cases ?? [])].some(({ repeat_with }) => repeat_with !== undefined);
}

/** Counts the questions without an answer for which no shared reason stands, so that all of them are accounted for. */
function countOtherUnanswered({ questions }: Certificate, shared: readonly SharedReason[]): string[] {
  const reasons = new Set(shared.map(({ reason }) => reason));
  const others = questions.filter(({ outcome, reason = '' }) => outcome === null && !reasons.has(reason));
  const isAnySaid = shared.some(({ isAboutRequirements }) => !isAboutRequirements);
  if (others.length === 0 || !isAnySaid) return [];
  return [`${renderCount(others.length, 'more question')} without an answer, for other reasons: see certificate.html.`];
}

function limitList<T>(entries: readonly T[], what: string, max = maxEntries) {
  const count = entries.length - max;
  const more = count <= 0 ? '' : `… and ${renderCount(count, `more ${what}`)}: see certificate.html.`;
  return { shown: entries.slice(0, max), more };
}

type Failure = CaseEntry & { readonly requirement: string };

function listCauses({ causes = [], requirements }: Certificate) {
  const judged = requirements.flatMap(({ id, cases }) =>
    cases.map((entry): Failure => ({ ...entry, requirement: id })),
  );
  // The shortest request is easiest to read.
  const measureCommand = ({ repeat_with }: Failure) => repeat_with?.length ?? Number.POSITIVE_INFINITY;
  const failures = judged
    .filter((entry) => isFailingVerdict(getVerdictApartFromKnown(entry)))
    .toSorted((left, right) => measureCommand(left) - measureCommand(right));
  return causes.map(({ sentence, evidence, cases, requirements: broken, follows, wrong, right }, n) => ({
    number: n + 1,
    sentence: shorten(sentence, maxSentences),
    evidence: evidence.map(limitText),
    follows: follows.length > 0 && renderCount(follows.length, broken.length > 0 ? 'more requirement' : 'requirement'),
    example: viewExample(
      failures.filter(({ id }) => cases.includes(id)),
      wrong !== undefined,
    ),
    requests: viewRequests({ wrong, right }),
  }));
}

/** The requests of a contrast, each as a command on one line. */
function viewRequests(contrast: Pick<CauseEntry, 'wrong' | 'right'>) {
  const labelled = labelContrast(contrast);
  if (labelled.length > 1 && labelled.every(({ example }) => isTooLong(example.repeat_with))) {
    const labels = labelled.map(({ label }) => label).join(', ');
    return [{ label: `${labels}:`, command: tooLongCommand }];
  }
  const width = Math.max(...labelled.map(({ label }) => label.length)) + 1;
  return labelled.map(({ label, example }) => ({
    label: `${label}:`.padEnd(width),
    command: renderOnOneLine(example.repeat_with),
  }));
}

/** The report is to fit on one screen. */
function renderOnOneLine(command: string): string {
  return isTooLong(command) ? tooLongCommand : joinCommandLines(command);
}

const tooLongCommand = 'Too long for a terminal: see repeat_with in certificate.json.';

const isTooLong = (command: string) => command.length > maxCommand;

/** @param isContrast then its requests are shown, and not that of a case */
function viewExample([first, ...others]: readonly Failure[], isContrast: boolean) {
  if (first === undefined) return false;
  const { reason, at = '', repeat_with: command = '' } = first;
  return {
    ...first,
    also: others.length === 0 ? '' : ` and ${renderCount(others.length, 'more case')}`,
    // A path that a terminal opens.
    place: renderPath(path.resolve(packageRoot, at)),
    reason: isContrast ? '' : limitText(reason),
    command: isContrast ? '' : renderOnOneLine(command),
  };
}

/** A requirement that does not pass, as a line shows it. */
interface UnpassedRequirement {
  readonly id: string;
  readonly verdict: Verdict;
  readonly text: string;
  /** What requirements have in common that are shown on one line. */
  readonly common?: string;
}

/** Lists the requirements that do not pass, in columns. Those that something else explains alike are one line. */
function listUnpassed(certificate: Certificate) {
  const groups = groupBy(
    listUnpassedRequirements(certificate),
    ({ id, verdict, common = id }) => `${verdict} ${common}`,
  );
  const lines = [...groups.values()].flatMap((group) => {
    const [{ id, verdict, text, common }] = group;
    if (group.length === 1) return [{ verdict, id, text }];
    // What explains all of them says so.
    if (group.length === certificate.requirements.length) return [];
    return [{ verdict, id: renderShortList(group.map((requirement) => requirement.id)), text: common }];
  });
  const verdictWidth = Math.max(...lines.map(({ verdict }) => verdict.length));
  // A list of ids is no column.
  const idWidth = Math.max(0, ...certificate.requirements.map(({ id }) => id.length));
  return lines.map(({ verdict, id, text }) => {
    return { verdict: verdict.padEnd(verdictWidth), id: id.padEnd(idWidth), text };
  });
}

function listUnpassedRequirements(certificate: Certificate): UnpassedRequirement[] {
  const { requirements, causes = [] } = certificate;
  const shared = findSharedReasons(certificate);
  const unpassed = sortByUrgency(requirements).filter(
    (requirement) => requirement.verdict !== 'pass' && findDecisiveCase(requirement)?.code !== notSelectedReason.code,
  );
  return unpassed.map((requirement) => {
    const { id, verdict } = requirement;
    if (isKnownFailure(requirement)) return { id, verdict, ...describeAsKnown(requirement) };
    const numbers = causes.flatMap((cause, n) =>
      cause.requirements.includes(id) || cause.follows.includes(id) ? [n + 1] : [],
    );
    const mark = numbers.length === 0 ? '' : `(${numbers.join(', ')})`;
    const declared = listOutOfScope(certificate.scope).find((entry) => entry.requirement === id);
    if (declared !== undefined) return { id, verdict, text: `Out of scope: ${limitText(declared.reason)}` };
    return { id, verdict, ...describeUnpassed(requirement, mark, (reason) => shared.has(reason)) };
  });
}

type UnpassedText = Pick<UnpassedRequirement, 'text' | 'common'>;

function describeAsKnown({ known = [] }: RequirementEntry): UnpassedText {
  const why = [...new Set(known.map(describeKnownDeviation))].join(' ') || 'it cannot be judged.';
  const text = `As known: ${limitText(why)}`;
  return { text, common: text };
}

/** @param mark of the causes that explain it @param isShared whether the report says a reason elsewhere */
function describeUnpassed(
  requirement: RequirementEntry,
  mark: string,
  isShared: (reason: string) => boolean,
): UnpassedText {
  const stated = shorten(`${mark} ${requirement.statement}`.trim(), maxStatement);
  const { id: decisive, reason = '' } = findDecisiveCase(requirement) ?? {};
  if (requirement.verdict === 'fail' || decisive === undefined) return { text: stated };
  if (mark !== '') return { text: stated, common: mark };
  if (isShared(reason)) return { text: stated, common: shorten(reason, maxStatement) };
  return { text: `${decisive}: ${limitText(reason)}`, common: limitText(reason) };
}

/** Finds the file of known deviations to which failures may be added; undefined if there are none to add. */
function findKnownFile({ known_deviations: known, requirements, target, stopped }: Certificate): string | undefined {
  const isExpired = known?.entries.some(({ state }) => state === 'expired');
  // That a deployment stopped working is never accepted.
  const isNew = (entry: CaseEntry) =>
    getVerdictApartFromKnown(entry) === 'fail' && !(stopped !== undefined && entry.id === repetitionCaseId);
  if (isExpired || !requirements.some(({ cases }) => cases.some(isNew))) return undefined;
  // The key `known` of a target file is relative to it.
  const file = quote(known?.file ?? path.posix.join(path.posix.dirname(target.file ?? ''), 'known.yaml'));
  if (target.is_reference) return file;
  const flags = target.file === undefined ? ['--base-url', target.base_url] : ['--target', target.file];
  return `${file} ${flags.map(quote).join(' ')}`;
}

/** What is colored: words of the suite at the beginning of a line, where no text of a target can be. */
const rules = [
  [/^(?:DOES-NOT-CONFORM| *(?:fail|error|drift)(?= {2}))/gm, 'red'],
  [/^(?:CONFORMS(?!.*(?:changed|gone|out of scope appl))|All \d+ requirements pass)/gm, 'green'],
  [/^(?:INCOMPLETE|CONFORMS| *(?:inconclusive|not-applicable|not-run|unstable|warning)(?= {2}))/gm, 'yellow'],
  [/^(?:What is wrong:|\d+\. .*)$/gm, 'bold'],
] as const;

export type ReportFormat = (typeof rules)[number][1];

/** Adds colors to the report of a run, if standard output has any: see NO_COLOR and FORCE_COLOR. */
export function addColors(report: string): string {
  return formatReport(report, (part, format) => styleText(format, part, { stream: process.stdout }));
}

/** Replaces what is colored in the report of a run. */
export function formatReport(report: string, replace: (part: string, format: ReportFormat) => string): string {
  return rules.reduce((text, [pattern, format]) => text.replace(pattern, (part) => replace(part, format)), report);
}
