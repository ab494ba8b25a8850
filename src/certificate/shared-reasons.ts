import type { Verdict } from '../judge/verdict.js';
import { notReachedReason, notSelectedReason } from '../run/case-result.js';
import { groupBy } from '../support/collections.js';
import type { CaseEntry } from './case-entry.js';
import type { Cause } from './diagnosis/diagnose-run.js';

/** The number of cases from which a reason is reported once for all of them. */
const minShared = 4;

interface ReasonSource {
  readonly requirements: readonly { readonly id: string; readonly cases: readonly CaseEntry[] }[];
  readonly questions: readonly { readonly outcome: string | null; readonly reason?: string }[];
  readonly causes?: readonly Cause[];
}

const unjudgedVerdicts: ReadonlySet<Verdict> = new Set(['inconclusive', 'not-run', 'not-applicable']);

/** Finds the reasons that several cases share. @returns the requirement of each case; none if it answers a question */
export function findSharedReasons({ requirements, questions }: ReasonSource): ReadonlyMap<string, readonly string[]> {
  const unjudged = [
    ...requirements.flatMap(({ id, cases }) =>
      cases.flatMap(({ verdict, reason }) => (unjudgedVerdicts.has(verdict) ? [{ reason, id }] : [])),
    ),
    ...questions.flatMap(({ outcome, reason = '' }) => (outcome === null ? [{ reason, id: '' }] : [])),
  ];
  const alike = [...groupBy(unjudged, ({ reason }) => reason)].filter(
    ([reason, { length }]) =>
      reason === notReachedReason || reason === notSelectedReason || (reason !== '' && length >= minShared),
  );
  return new Map(alike.map(([reason, cases]) => [reason, cases.map(({ id }) => id)]));
}

/** Describes the shared reasons that no cause explains. @param omitsUnselected for those who know what they selected */
export function describeSharedReasons(source: ReasonSource, omitsUnselected = false): string[] {
  const total = source.questions.length + source.requirements.flatMap(({ cases }) => cases).length;
  const explained = new Set((source.causes ?? []).flatMap((cause) => [...cause.requirements, ...cause.follows]));
  return [...findSharedReasons(source)].flatMap(([reason, ids]) => {
    const cases = `${ids.length} of ${total} cases`;
    const lacking = [...new Set(ids)].filter((id) => id !== '');
    if (reason === notReachedReason) return `${cases} were not reached.`;
    if (reason === notSelectedReason) {
      const which = lacking.length === 0 ? '' : ` Requirements that lack cases: ${lacking.join(', ')}.`;
      return omitsUnselected ? [] : `${cases} were not selected in this run.${which}`;
    }
    const isExplained = lacking.length > 0 && lacking.every((id) => explained.has(id));
    return isExplained ? [] : `${cases} were not judged: ${reason}`;
  });
}
