import { nothingMorePrefix } from '../http/client.js';
import { ownPromotionsPrefix } from '../judge/own-promotions.js';
import type { Verdict } from '../judge/verdict.js';
import { notReachedReason, notSelectedReason } from '../run/case-result.js';
import { groupBy } from '../support/group-by.js';
import type { Cause } from './diagnosis/cause.js';

/** Reasons that several cases share for having no verdict, with the number of these cases. */
export type SharedReasons = ReadonlyMap<string, number>;

/** A reason is reported once for all cases if so many have it. */
const minShared = 4;

interface ReasonSource {
  readonly requirements: readonly {
    readonly id: string;
    readonly cases: readonly { readonly verdict: Verdict; readonly reason: string }[];
  }[];
  readonly questions: readonly { readonly outcome: string | null; readonly reason?: string }[];
}

export function findSharedReasons({ requirements, questions }: ReasonSource): SharedReasons {
  const unjudged = requirements
    .flatMap(({ cases }) => cases)
    .filter(({ verdict }) => verdict === 'inconclusive' || verdict === 'not-run' || verdict === 'not-applicable');
  const unanswered = questions.filter(({ outcome }) => outcome === null);
  const alike = groupBy([...unjudged, ...unanswered], ({ reason = '' }) => extractCause(reason));
  const counts = [...alike].map(([reason, { length }]) => [reason, length] as const);
  const isOfRun = (reason: string) => reason === notReachedReason || reason === notSelectedReason;
  return new Map(counts.filter(([reason, count]) => isOfRun(reason) || (reason !== '' && count >= minShared)));
}

export function isSharedReason(reason: string, shared: SharedReasons): boolean {
  return shared.has(extractCause(reason));
}

/** Removes from a reason what differs from case to case: the row, the unmet precondition and the number of rows. */
function extractCause(reason: string): string {
  const start = Math.max(...[nothingMorePrefix, ownPromotionsPrefix].map((prefix) => reason.indexOf(prefix)));
  return start < 0 ? reason : reason.slice(start).replace(/ \(\d+ of \d+ rows\)$/, '');
}

/** Drops what a cause says already. No cause quotes a transport error. */
export function dropExplainedReasons(lines: readonly string[], causes: readonly Cause[]): readonly string[] {
  if (causes.every(({ kind }) => kind === 'no-response')) return lines;
  return lines.filter((line) => !line.includes(' were not judged: '));
}

/** Describes the shared reasons, a sentence each. */
export function describeSharedReasons(source: ReasonSource): string[] {
  const total = source.questions.length + source.requirements.flatMap(({ cases }) => cases).length;
  return [...findSharedReasons(source)].map(([reason, count]) => {
    const cases = `${count} of ${total} cases`;
    if (reason === notReachedReason) return `${cases} were not reached.`;
    if (reason === notSelectedReason) {
      const lacking = source.requirements.filter(({ cases }) => cases.some((each) => each.reason === reason));
      const of =
        lacking.length === 0 ? '' : ` Requirements that lack cases: ${lacking.map(({ id }) => id).join(', ')}.`;
      return `${cases} were not selected in this run.${of}`;
    }
    return `${cases} were not ${reason.startsWith(nothingMorePrefix) ? 'reached' : 'judged'}: ${reason}`;
  });
}
