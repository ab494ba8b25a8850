import { notReachedReason, notSelectedReason } from '../engine/case-result.js';
import { circuitOpenPrefix } from '../http/circuit-breaker.js';
import type { Verdict } from '../judge/verdict.js';

/** The causes for which several cases have no verdict of their own, each with the number of these cases. */
export type SharedReasons = ReadonlyMap<string, number>;

/** So many cases have a reason in common before it is reported once for all of them. */
const minShared = 4;

/** What is needed of a certificate. */
interface Entries {
  readonly requirements: readonly {
    readonly cases: readonly { readonly verdict: Verdict; readonly reason: string }[];
  }[];
  readonly questions: readonly { readonly outcome: string | null; readonly reason?: string }[];
}

/** What keeps several cases from being judged: a target that is down is one cause, however many cases it concerns. */
export function findSharedReasons({ requirements, questions }: Entries): SharedReasons {
  const counts = new Map<string, number>();
  const unjudged = requirements
    .flatMap(({ cases }) => cases)
    .filter(({ verdict }) => verdict === 'inconclusive' || verdict === 'not-applicable');
  const unanswered = questions.filter(({ outcome }) => outcome === null);
  for (const { reason = '' } of [...unjudged, ...unanswered])
    counts.set(causeOf(reason), (counts.get(causeOf(reason)) ?? 0) + 1);
  return new Map([...counts].filter(([reason, count]) => isOfRun(reason) || (reason !== '' && count >= minShared)));
}

/** Whether what kept a case from being judged is reported for several together. */
export function isSharedReason(reason: string, shared: SharedReasons): boolean {
  return shared.has(causeOf(reason));
}

/** A reason without what it says of one case: which precondition met it, and in how many rows. */
function causeOf(reason: string): string {
  const at = reason.indexOf(circuitOpenPrefix);
  return at < 0 ? reason : reason.slice(at).replace(/ \(and \d+ more of \d+ rows\)$/, '');
}

/** The same in words, a sentence each. */
export function describeSharedReasons(entries: Entries): string[] {
  const total = entries.questions.length + entries.requirements.flatMap(({ cases }) => cases).length;
  return [...findSharedReasons(entries)].map(([reason, count]) => {
    const counted = `${count} of ${total} cases`;
    if (reason === notReachedReason) return `${counted} were not reached.`;
    if (reason === notSelectedReason) return `${counted} were not selected in this run.`;
    return `${counted} were not judged: ${reason}`;
  });
}

/** Whether a reason says nothing of a single case, even where there is one alone. */
function isOfRun(reason: string): boolean {
  return reason === notReachedReason || reason === notSelectedReason;
}
