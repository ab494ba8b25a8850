import { undetermined } from '../../cases/test-case.js';
import type { Contract } from '../../contract/contract.js';
import { notReachedReason, notSelectedReason } from '../../engine/case-result.js';
import { nothingMorePrefix } from '../../http/request-budget.js';
import { findWorstVerdict, verdicts } from '../../judge/verdict.js';
import { joinLines, toOneLine } from '../../support/untrusted-text.js';
import type { CaseEntry, Certificate, QuestionEntry, RequirementEntry } from '../certificate.js';
import { renderAnswer } from '../render-answer.js';
import { createTimesTable, type TimesTable } from './compare-times.js';

/** Certificates side by side. */
export interface Comparison<C extends Certificate = Certificate> {
  /** Whether they are of one deployment: then each is compared with the one before it, in the order of time. */
  readonly isOverTime: boolean;
  readonly certificates: readonly C[];
  /** The name of each column. */
  readonly headings: readonly string[];
  readonly rows: readonly ComparedRow[];
  /** Response times, which are no difference; none if fewer than two certificates have some. */
  readonly times?: TimesTable | undefined;
  /** What limits the comparison, which causes of failures are gone, new or left, and how much differs: a sentence each. */
  readonly remarks: readonly string[];
}

/** The verdicts or outcomes of one requirement or question. */
export interface ComparedRow {
  readonly kind: 'requirement' | 'question';
  readonly id: string;
  /** What must hold, or what is left open; empty if the contract does not have it. */
  readonly statement: string;
  /** One for each certificate. */
  readonly cells: readonly ComparedCell[];
  readonly differs: boolean;
}

export interface ComparedCell {
  /** A verdict or an outcome, or the words for none. */
  readonly text: string;
  /** The reason of a verdict, or an outcome as a sentence; may be empty. */
  readonly explanation: string;
  /** Whether it differs from the first certificate, or from the one before it. */
  readonly isOther: boolean;
}

type Cell = Omit<ComparedCell, 'isOther'>;
type UnmarkedRow = Pick<ComparedRow, 'kind' | 'id' | 'statement'> & { readonly cells: readonly Cell[] };

const missing: Cell = { text: 'not in this certificate', explanation: '' };
const notRun: Cell = { text: 'not-run', explanation: '' };

/** Compares certificates: those of one deployment over time, others with the first one. */
export function compareCertificates<C extends Certificate>(stated: readonly C[], contract: Contract): Comparison<C> {
  const isOverTime = stated.every(({ target }) => isSameDeployment(target, stated[0]?.target));
  const certificates = isOverTime
    ? [...stated].sort((one, other) => one.started_at.localeCompare(other.started_at))
    : stated;
  const rows = [
    ...createRows('requirement', certificates, (each) => each.requirements, createVerdictCells).toSorted(
      (one, other) => rankVerdicts(one) - rankVerdicts(other),
    ),
    ...createRows(
      'question',
      certificates,
      (each) => each.questions.map((entry) => ({ ...entry, statement: findQuestion(contract, entry)?.open ?? '' })),
      (entries) => entries.map((entry) => entry && createAnswerCell(entry, contract)),
    ),
  ].map(({ cells, ...row }): ComparedRow => {
    const marked = markDifferences(cells, isOverTime);
    return { ...row, cells: marked, differs: marked.some(({ isOther }) => isOther) };
  });
  const headings = certificates.map((each) => renderHeading(each, certificates, isOverTime));
  return {
    isOverTime,
    certificates,
    headings,
    rows,
    times: createTimesTable(certificates, isOverTime),
    remarks: [
      ...listLimits(certificates),
      ...compareCauses(certificates, headings, isOverTime),
      ...countDifferences(rows),
    ],
  };
}

function rankVerdicts({ cells }: UnmarkedRow): number {
  return verdicts.indexOf(findWorstVerdict(verdicts.filter((each) => cells.some(({ text }) => text === each))));
}

/** Says which causes are gone, new or left in each certificate but the first. */
function compareCauses(certificates: readonly Certificate[], headings: readonly string[], isOverTime: boolean) {
  const sentences = certificates.map(({ causes = [] }) => causes.map(({ sentence }) => sentence));
  return sentences.slice(1).flatMap((now, n) => {
    const before = sentences[isOverTime ? n : 0] ?? [];
    const groups = [
      ['new', now.filter((each) => !before.includes(each))],
      ['still wrong', now.filter((each) => before.includes(each))],
      ['no longer wrong', before.filter((each) => !now.includes(each))],
    ] as const;
    return groups.flatMap(([what, some]) => some.map((sentence) => `${headings[n + 1] ?? ''}, ${what}: ${sentence}`));
  });
}

function countDifferences(rows: readonly ComparedRow[]): string[] {
  const count = (wanted: ComparedRow['kind']) => rows.filter(({ differs, kind }) => differs && kind === wanted).length;
  if (!rows.some(({ differs }) => differs)) return ['The certificates agree in everything that was compared.'];
  return [`Requirements that differ: ${count('requirement')}. Questions that differ: ${count('question')}.`];
}

function isSameDeployment(one: Certificate['target'], other: Certificate['target'] | undefined): boolean {
  return one.name === other?.name && (one.is_reference === true || one.base_url === other.base_url);
}

function renderHeading({ target, started_at }: Certificate, all: readonly Certificate[], isOverTime: boolean): string {
  if (isOverTime) return started_at.slice(0, 16).replace('T', ' ');
  const isShared = all.filter(({ target: { name } }) => name === target.name).length > 1;
  return isShared ? `${target.name} at ${target.base_url}` : target.name;
}

function listLimits(certificates: readonly Certificate[]): string[] {
  const partial = certificates.flatMap(({ requirements, questions, target, started_at }) => {
    const cases = requirements.flatMap((each) => each.cases.map(({ verdict }) => verdict === 'not-run'));
    const unrun = [...cases, ...questions.map(isNotRun)];
    const count = unrun.filter((isUnrun) => !isUnrun).length;
    return count === unrun.length ? [] : [`${target.name} (${started_at}) ran ${count} of ${unrun.length} cases.`];
  });
  return [
    ...(partial.length === 0 ? [] : [...partial, 'Compared is what all of these runs have run.']),
    ...(new Set(certificates.map(({ suite }) => suite.digest)).size > 1
      ? ['The certificates are of suites with different cases.']
      : []),
  ];
}

function isNotRun({ outcome, reason = '' }: QuestionEntry): boolean {
  const isOfRun = reason === notSelectedReason || reason === notReachedReason || reason.startsWith(nothingMorePrefix);
  return outcome === null && isOfRun;
}

/** Creates the cells of a requirement. A case that one of the runs did not reach says nothing about a difference. */
function createVerdictCells(entries: readonly (RequirementEntry | undefined)[]): (Cell | undefined)[] {
  const isUnrun = ({ verdict }: CaseEntry) => verdict === 'not-run';
  const partial = entries.flatMap((entry) => (entry === undefined || entry.cases.every(isUnrun) ? [] : [entry]));
  const unrun = new Set(partial.flatMap(({ cases }) => cases.filter(isUnrun).map(({ id }) => id)));
  return entries.map((entry) => {
    if (entry === undefined) return undefined;
    const cases = entry.cases.filter((each) => !isUnrun(each) && !unrun.has(each.id));
    if (cases.length === 0) return notRun;
    const verdict = findWorstVerdict(cases.map((each) => each.verdict));
    const decisive = verdict === 'pass' ? undefined : cases.find((each) => each.verdict === verdict);
    return { text: verdict, explanation: decisive?.reason ?? '' };
  });
}

function findQuestion({ questions }: Contract, { id }: QuestionEntry) {
  return questions.find((question) => question.id === id);
}

function createAnswerCell(entry: QuestionEntry, contract: Contract): Cell {
  const { outcome, reason = '' } = entry;
  if (isNotRun(entry)) return notRun;
  if (outcome === null || outcome === undetermined) return { text: outcome ?? 'no answer', explanation: reason };
  const question = findQuestion(contract, entry);
  // An open value needs no explanation.
  if (question?.answer.kind !== 'outcomes') return { text: outcome, explanation: '' };
  return { text: outcome, explanation: renderAnswer(question, outcome) };
}

function createRows<T extends { readonly id: string; readonly statement: string }>(
  kind: ComparedRow['kind'],
  certificates: readonly Certificate[],
  listEntries: (certificate: Certificate) => readonly T[],
  createCells: (entries: readonly (T | undefined)[]) => readonly (Cell | undefined)[],
): UnmarkedRow[] {
  const columns = certificates.map((each) => new Map(listEntries(each).map((entry) => [entry.id, entry])));
  const statements = new Map(columns.flatMap((entries) => [...entries].map(([id, { statement }]) => [id, statement])));
  return [...statements].map(([id, statement]) => {
    const cells = createCells(columns.map((entries) => entries.get(id))).map((cell) => cell ?? missing);
    return { kind, id, statement, cells };
  });
}

function markDifferences(cells: readonly Cell[], isOverTime: boolean): ComparedCell[] {
  let reference: Cell | undefined;
  return cells.map((cell) => {
    if (cell === notRun) return { ...cell, isOther: false };
    const isOther = reference !== undefined && cell.text !== reference.text;
    if (reference === undefined || isOverTime) reference = cell;
    return { ...cell, isOther };
  });
}

/** Renders the differences as a table for the terminal, one column per certificate, after what limits them. */
export function renderComparisonTable({ headings, rows, times, remarks }: Comparison): string {
  const differing = rows.filter(({ differs }) => differs);
  const cells = differing.map((row) => [row.id, ...row.cells.map(({ text }) => text)]);
  return joinLines([
    ...remarks,
    ...(differing.length === 0 ? [] : ['', ...alignColumns([['Id', ...headings], ...cells])]),
    ...(times === undefined ? [] : ['', times.title, ...alignColumns([['', ...headings], ...times.rows])]),
  ]);
}

function alignColumns(texts: readonly (readonly string[])[]): string[] {
  const table = texts.map((row) => row.map(toOneLine));
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  const pad = (cell: string, column: number) => cell.padEnd(widths[column] ?? 0);
  return table.map((row) => row.map(pad).join('  ').trimEnd());
}
