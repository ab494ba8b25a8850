import { undeterminedOutcome } from '../cases/test-case.js';
import type { Certificate } from '../certificate/certificate.js';
import type { KnownDeviationEntry, StaleRowsEntry } from '../certificate/deviation-entry.js';
import type { Disturbances } from '../certificate/disturbances.js';
import type { RunVerdict } from '../certificate/run-verdict.js';
import type { JudgedScopeEntry } from '../certificate/scope.js';
import { type Verdict, verdicts } from '../judge/verdict.js';
import { renderScopeEntries, scopeKey } from '../record/declared-scope.js';
import type { KnownDeviation, RowsByCase } from '../record/known-deviations.js';
import { renderShortList } from '../support/collections.js';
import { shorten, toOneLine } from '../support/untrusted-text.js';

/** Describes the verdict and what changed. A run of selected cases is always incomplete: the verdict on them is shown. */
export function describeVerdict(certificate: Certificate): string {
  const facts = [...describeStatedVerdict(certificate), ...describeChanges(certificate)];
  return facts.filter((fact) => typeof fact === 'string').join(', ');
}

function getStatedVerdict({ verdict, selected }: Certificate): RunVerdict {
  return selected?.verdict ?? verdict;
}

function describeStatedVerdict(certificate: Certificate): (string | false)[] {
  const { selected, quick, known_deviations: known } = certificate;
  const stated = getStatedVerdict(certificate);
  const isKnown = stated === 'does-not-conform' && known !== undefined && known.verdict !== stated;
  const extent = selected ? ' as far as selected' : '';
  const inScope = describeScope(certificate);
  if (!isKnown) return [`${stated}${extent}${stated === 'conforms' ? inScope : ''}`, quick === true && 'quick'];
  const isIncomplete = known.verdict === 'incomplete';
  const { seen } = countDeviations(certificate);
  return [
    `${isIncomplete ? known.verdict : stated}${extent}`,
    quick === true && 'quick',
    `as known (${renderCount(seen, 'known deviation')})${isIncomplete ? '' : inScope}`,
  ];
}

/** Describes what is not as the record, the known deviations or the scope say. */
function describeChanges(certificate: Certificate): (string | false)[] {
  const { drift, scope } = certificate;
  const { gone, partlyGone } = countDeviations(certificate);
  const overdue = (scope?.not_applicable ?? []).filter(({ state }) => state === 'stale').length;
  const answers = drift.filter(({ kind }) => kind === 'answer').length;
  const doesConform = getStatedVerdict(certificate) === 'conforms';
  return [
    gone > 0 && `${renderCount(gone, 'known deviation')} gone`,
    partlyGone > 0 && `${renderCount(partlyGone, 'known deviation')} partly gone`,
    overdue > 0 && `${renderCount(overdue, 'requirement')} out of scope ${overdue === 1 ? 'applies' : 'apply'}`,
    answers > 0 && `${doesConform ? 'but ' : ''}${renderCount(answers, 'answer')} changed`,
    drift.length > answers && 'the shape of responses changed',
  ];
}

/** Says that a verdict is limited to a scope, with a blank before it; '' if it is not. */
export function describeScope({ scope }: Certificate): string {
  if (scope === undefined || scope.requirements === scope.of) return '';
  return ` within its scope (${scope.requirements} of ${scope.of} requirements)`;
}

/** Says what is to be done about an entry of the scope; undefined if nothing is. */
export function adviseOnScopeEntry({ requirement, at, state }: JudgedScopeEntry): string | undefined {
  if (state !== 'stale') return undefined;
  return toOneLine(`${at}: ${requirement} applies to this target. Delete this entry.`);
}

const lookAtDataFile =
  'Look at the data file first: a broken or old export lacks what the deployment has. If so, export again.';

/** Says how requirements are declared that do not apply, with the lines for the target file; none if there are none. */
export function renderUndeclaredScope({ scope, target, data }: Certificate): string[] {
  if (scope?.undeclared === undefined) return [];
  const hasKey = scope.not_applicable.length > 0;
  const place = `${hasKey ? `${scopeKey} in ` : ''}${target.file === undefined ? 'a target file' : toOneLine(target.file)}`;
  const writer =
    target.file === undefined
      ? ''
      : `, or let npx conformance record --target ${toOneLine(target.file)} add them, if the file names a record`;
  return [
    `${data === undefined ? '' : `${lookAtDataFile} `}If the deployment has none of this, declare it: add these lines to ${place}${writer}. Give each its reason.`,
    ...(hasKey ? [] : [`${scopeKey}:`]),
    ...renderScopeEntries(scope.undeclared),
  ];
}

/** Counts the known deviations that failures show, and those that are no longer true. Some are both: some of their rows fail. */
function countDeviations({ known_deviations: known, requirements }: Certificate) {
  const entries = known?.entries ?? [];
  const shown = entries.filter(({ state, rows, requirement }) => {
    const ofRequirement = requirements.find(({ id }) => id === requirement)?.known ?? [];
    return state === 'seen' || (rows !== undefined && ofRequirement.some((deviation) => deviation.rows !== undefined));
  });
  const stale = entries.filter(({ state }) => state === 'stale');
  const partlyGone = stale.filter((entry) => shown.includes(entry)).length;
  return { seen: shown.length, gone: stale.length - partlyGone, partlyGone };
}

export function renderHeadline(certificate: Certificate): string {
  return describeVerdict(certificate).replace(/^[a-z-]+/, (word) => word.toUpperCase());
}

export function renderCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

export function describeKnownDeviation({ reason, issue, until }: KnownDeviation): string {
  const facts = [issue, until && `until ${until}`].filter(Boolean).join(', ');
  return toOneLine(`${reason}${facts === '' ? '' : ` (${facts})`}`);
}

/** Says what is to be done about an entry of the file of known deviations; undefined if nothing is. */
export function adviseOnKnownDeviation(entry: KnownDeviationEntry): string | undefined {
  const { requirement, cause, until, at, state } = entry;
  if (state === 'expired')
    return toOneLine(`${at}: ${requirement} counted as known until ${until}. Fix it, or agree on another day.`);
  if (state !== 'stale') return undefined;
  if (cause === undefined) return toOneLine(`${at}: ${describeStaleRows(entry)}`);
  return toOneLine(`${at}: ${requirement} is right, or '${cause}' no longer explains it. Delete this entry.`);
}

function describeStaleRows({ requirement, rows, passing = {}, missing = {} }: StaleRowsEntry): string {
  const over = [...listRowNames(passing), ...listRowNames(missing)];
  const isLeft = listRowNames(rows).some((name) => !over.includes(name));
  const render = (named: RowsByCase) => renderShortList(listRowNames(named, maxTitle), maxRowNames);
  const sentences = [
    Object.keys(passing).length > 0 && `${requirement} passes in ${render(passing)}.`,
    Object.keys(missing).length > 0 && `The suite has no such row of ${requirement}: ${render(missing)}.`,
    isLeft ? 'Remove these rows from the entry.' : 'Delete this entry.',
  ];
  return sentences.filter(Boolean).join(' ');
}

/** What is to be done follows the names, and is not to be cut. */
const [maxRowNames, maxTitle] = [3, 40];

function listRowNames(rows: RowsByCase, max = Number.POSITIVE_INFINITY): string[] {
  return Object.entries(rows).flatMap(([id, named]) =>
    named === 'all' ? [id] : named.map((title) => `${id} '${shorten(title, max)}'`),
  );
}

export function describeAnswerCounts(questions: Certificate['questions']): string {
  const unanswered = questions.filter(({ outcome }) => outcome === null).length;
  const open = questions.filter(({ outcome }) => outcome === undeterminedOutcome).length;
  const answered = questions.length - unanswered - open;
  return describeCounts({ answered, [undeterminedOutcome]: open, 'without an answer': unanswered });
}

export function describeCounts(counts: Readonly<Record<string, number>>): string {
  const seen = Object.entries(counts).filter(([, count]) => count > 0);
  return seen.map(([kind, count]) => `${count} ${kind}`).join(', ');
}

const urgency: readonly Verdict[] = [...verdicts.filter((verdict) => verdict !== 'pass'), 'pass'];

export function sortByUrgency<T extends { readonly verdict: Verdict }>(entries: readonly T[]): T[] {
  return entries.toSorted((left, right) => urgency.indexOf(left.verdict) - urgency.indexOf(right.verdict));
}

const transportErrorNames: Readonly<Record<string, string>> = {
  unreachable: 'failed connection',
  'timed-out': 'timeout',
  tls: 'failed TLS connection',
  unreadable: 'unreadable response',
  'invalid-coding': 'unreadable response',
};

/** Describes what was retried, and that the client became slower. */
export function describeDisturbances({ retried, requests_per_second: pace }: Disturbances): string {
  const counts = Object.entries(retried).map(([outcome, count]) =>
    /^\d+$/.test(outcome)
      ? `${count} × ${outcome}`
      : renderCount(count, transportErrorNames[outcome] ?? outcome.replaceAll('-', ' ')),
  );
  const slowed = pace === undefined ? '' : ` Slowed to ${renderCount(pace, 'request')} per second.`;
  return `${counts.join(', ')}: retried.${slowed}`;
}
