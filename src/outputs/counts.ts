import { undetermined } from '../cases/test-case.js';
import type { Certificate, KnownEntry, RunVerdict } from '../certificate/certificate.js';
import { listStale } from '../certificate/overall-verdict.js';
import { type Verdict, verdicts } from '../judge/verdict.js';
import type { KnownDeviation } from '../record/known-deviations.js';
import { renderShortList } from '../support/collections.js';
import { toOneLine } from '../support/untrusted-text.js';

/** Renders the verdict, and what changed. A run of selected cases is always incomplete: theirs is shown. */
export function renderHeadline(certificate: Certificate): string {
  const { selected, quick } = certificate;
  if (selected === undefined) return renderVerdict(certificate).toUpperCase();
  const { verdict, changes } = describeVerdict(selected.verdict, certificate);
  return `${verdict.toUpperCase()} as far as selected${quick === undefined ? '' : ', quick'}${changes}`;
}

export function renderVerdict(certificate: Certificate): string {
  const { verdict, changes } = describeVerdict(certificate.verdict, certificate);
  return `${verdict}${changes}`;
}

/** Describes a verdict, and continues it with what changed. Known deviations are named if nothing fails beside them. */
function describeVerdict(stated: RunVerdict, { drift, known_deviations: known }: Certificate) {
  const countEntries = (state: KnownEntry['state']) =>
    known?.entries.filter((entry) => entry.state === state).length ?? 0;
  const answers = drift.filter(({ kind }) => kind === 'answer').length;
  const changed = [
    ...(answers === 0 ? [] : [renderCount(answers, 'answer')]),
    ...(answers === drift.length ? [] : ['the shape of responses']),
  ];
  const stale = countEntries('stale');
  const changes = [
    ...(stale === 0 ? [] : [`${renderCount(stale, 'known deviation')} ${stale === 1 ? 'is' : 'are'} gone`]),
    ...(changed.length === 0 ? [] : [`${changed.join(' and ')} changed`]),
  ];
  const seen = renderCount(countEntries('seen'), 'known deviation');
  const isKnown = stated === 'does-not-conform' && known !== undefined && known.verdict !== stated;
  const asKnown =
    known?.verdict === 'incomplete' ? `incomplete, apart from ${seen}` : `does not conform, as known (${seen})`;
  return {
    verdict: isKnown ? asKnown : stated,
    changes: changes.length === 0 ? '' : `, ${stated === 'conforms' ? 'but' : 'and'} ${changes.join(', and ')}`,
  };
}

export function renderCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

export function describeKnownDeviation({ reason, issue, until }: KnownDeviation): string {
  const facts = [issue, until && `until ${until}`].filter(Boolean).join(', ');
  return toOneLine(`${reason}${facts === '' ? '' : ` (${facts})`}`);
}

/** Says what is to be done about an entry of the file of known deviations; undefined if nothing is. */
export function describeKnownEntry(
  { requirement, cause, until, at, state }: KnownEntry,
  { requirements }: Pick<Certificate, 'requirements'>,
): string | undefined {
  if (state === 'expired')
    return toOneLine(`${at}: ${requirement} counted as known until ${until}. Fix it, or agree on another day.`);
  if (state !== 'stale') return undefined;
  const isPassing = requirements.find(({ id }) => id === requirement)?.verdict === 'pass';
  const why = isPassing ? `${requirement} passes` : `${requirement} fails, but '${cause}' no longer explains it`;
  return toOneLine(`${at}: ${why}. Delete this entry.`);
}

export function explainDrift(certificate: Certificate): readonly string[] {
  const isFollowing = certificate.drift.length > 0 && listStale(certificate).length > 0;
  return isFollowing ? ['A known deviation is gone. These changes may follow from that.'] : [];
}

export function describeNotCompared({ not_compared: ids = [] }: Certificate, renderList = renderShortList): string[] {
  const answers = renderCount(ids.length, 'answer');
  return ids.length === 0 ? [] : [`${answers} of the record could not be compared: ${renderList(ids)}.`];
}

export function describeAnswers(questions: Certificate['questions']): string {
  const unanswered = questions.filter(({ outcome }) => outcome === null).length;
  const open = questions.filter(({ outcome }) => outcome === undetermined).length;
  const answered = questions.length - unanswered - open;
  return describeCounts({ answered, [undetermined]: open, 'without an answer': unanswered });
}

export function describeCounts(counts: Readonly<Record<string, number>>): string {
  const seen = Object.entries(counts).filter(([, count]) => count > 0);
  return seen.map(([kind, count]) => `${count} ${kind}`).join(', ');
}

const urgency: readonly Verdict[] = [...verdicts.filter((verdict) => verdict !== 'pass'), 'pass'];

export function sortByUrgency<T extends { readonly verdict: Verdict }>(entries: readonly T[]): T[] {
  const rank = ({ verdict }: T) => urgency.indexOf(verdict);
  return entries.toSorted((left, right) => rank(left) - rank(right));
}
