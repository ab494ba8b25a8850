import { undeterminedOutcome } from '../cases/test-case.js';
import type { Certificate, KnownDeviationEntry } from '../certificate/certificate.js';
import { type Verdict, verdicts } from '../judge/verdict.js';
import type { KnownDeviation } from '../record/known-deviations.js';
import { toOneLine } from '../support/untrusted-text.js';

/** Describes the verdict and what changed. A run of selected cases is always incomplete: the verdict on them is shown. */
export function describeVerdict({ verdict, selected, quick, drift, known_deviations: known }: Certificate): string {
  const stated = selected?.verdict ?? verdict;
  const countEntries = (wanted: KnownDeviationEntry['state']) =>
    renderCount(known?.entries.filter(({ state }) => state === wanted).length ?? 0, 'known deviation');
  const answers = drift.filter(({ kind }) => kind === 'answer').length;
  const isKnown = stated === 'does-not-conform' && known !== undefined && known.verdict !== stated;
  const facts = [
    `${isKnown && known.verdict === 'incomplete' ? 'incomplete' : stated}${selected ? ' as far as selected' : ''}`,
    quick && 'quick',
    isKnown && `as known (${countEntries('seen')})`,
    known?.entries.some(({ state }) => state === 'stale') && `${countEntries('stale')} gone`,
    answers > 0 && `${stated === 'conforms' ? 'but ' : ''}${renderCount(answers, 'answer')} changed`,
    drift.length > answers && 'the shape of responses changed',
  ];
  return facts.filter(Boolean).join(', ');
}

export function renderHeadline(certificate: Certificate): string {
  return describeVerdict(certificate).replace(/^[a-z-]+/, (word) => word.toUpperCase());
}

export function renderCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

export function describeKnownDeviation({ reason, issue, until, cause }: KnownDeviation): string {
  // First, since a long reason is cut.
  const hides = cause === undefined ? 'Every failure of this requirement, since the entry names no cause: ' : '';
  const facts = [issue, until && `until ${until}`].filter(Boolean).join(', ');
  return toOneLine(`${hides}${reason}${facts === '' ? '' : ` (${facts})`}`);
}

/** Says what is to be done about an entry of the file of known deviations; undefined if nothing is. */
export function adviseOnKnownDeviation({
  requirement,
  cause,
  until,
  at,
  state,
}: KnownDeviationEntry): string | undefined {
  if (state === 'expired')
    return toOneLine(`${at}: ${requirement} counted as known until ${until}. Fix it, or agree on another day.`);
  const why = cause === undefined ? 'passes' : `is right, or '${cause}' no longer explains it`;
  return state === 'stale' ? toOneLine(`${at}: ${requirement} ${why}. Delete this entry.`) : undefined;
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
