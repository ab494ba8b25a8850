import { undetermined } from '../cases/test-case.js';
import type { Certificate, RunVerdict } from '../certificate/certificate.js';
import { type Verdict, verdicts } from '../judge/verdict.js';

/** Renders the verdict, and that answers changed. A run of selected cases is always incomplete: theirs is shown. */
export function renderHeadline({ verdict, selected, quick, drift }: Certificate): string {
  if (selected === undefined) return `${verdict}${renderDriftClause(verdict, drift)}`.toUpperCase();
  const extent = ` as far as selected${quick === undefined ? '' : ', quick'}`;
  return `${selected.verdict.toUpperCase()}${extent}${renderDriftClause(selected.verdict, drift)}`;
}

/** Continues a verdict with what changed. */
export function renderDriftClause(verdict: RunVerdict, drift: Certificate['drift']): string {
  if (drift.length === 0) return '';
  const answers = drift.filter(({ kind }) => kind === 'answer').length;
  const what = [
    ...(answers === 0 ? [] : [`${answers} ${answers === 1 ? 'answer' : 'answers'}`]),
    ...(answers === drift.length ? [] : ['the shape of responses']),
  ];
  return `, ${verdict === 'conforms' ? 'but' : 'and'} ${what.join(' and ')} changed`;
}

/** Describes how many questions have an answer. */
export function describeAnswers(questions: Certificate['questions']): string {
  const unanswered = questions.filter(({ outcome }) => outcome === null).length;
  const open = questions.filter(({ outcome }) => outcome === undetermined).length;
  const answered = questions.length - unanswered - open;
  return `${answered} answered${describeFurtherCount(open, undetermined)}${describeFurtherCount(unanswered, 'without an answer')}`;
}

/** Describes how many have each verdict. */
export function describeCounts(counts: Certificate['summary']): string {
  return Object.entries(counts)
    .map(([verdict, count]) => `${count} ${verdict}`)
    .join(', ');
}

/** Describes one more count, to be appended; empty for 0. */
export function describeFurtherCount(count: number, what: string): string {
  return count === 0 ? '' : `, ${count} ${what}`;
}

const urgency: readonly Verdict[] = [...verdicts.filter((verdict) => verdict !== 'pass'), 'pass'];

/** Sorts by verdict, the most urgent first. */
export function sortByUrgency<T extends { readonly verdict: Verdict }>(entries: readonly T[]): T[] {
  const rank = ({ verdict }: T) => urgency.indexOf(verdict);
  return entries.toSorted((left, right) => rank(left) - rank(right));
}
