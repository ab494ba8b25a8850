/** What a certificate comes to, in words. */

import { undetermined } from '../cases/test-case.js';
import type { Certificate } from './certificate.js';

/** The verdict; of selected cases theirs, since the whole is incomplete without the others. */
export function renderHeadline({ verdict, selected, profile }: Certificate): string {
  return selected === undefined
    ? verdict.toUpperCase()
    : `${selected.verdict.toUpperCase()} as far as selected${profile === undefined ? '' : `, ${profile.name}`}`;
}

/** A question whose answers do not tell its outcomes apart is sent, and yet not answered. */
export function describeAnswers(questions: Certificate['questions']): string {
  const unanswered = questions.filter(({ outcome }) => outcome === null).length;
  const open = questions.filter(({ outcome }) => outcome === undetermined).length;
  const answered = questions.length - unanswered - open;
  return `${answered} answered${describeFurtherCount(open, undetermined)}${describeFurtherCount(unanswered, 'without an answer')}`;
}

/** How many have each verdict, in words. */
export function describeCounts(counts: Certificate['summary']): string {
  return Object.entries(counts)
    .map(([each, count]) => `${count} ${each}`)
    .join(', ');
}

/** One more count behind others; nothing where there is none. */
export function describeFurtherCount(count: number, what: string): string {
  return count === 0 ? '' : `, ${count} ${what}`;
}
