import type { Verdict } from '../judge/verdict.js';
import { notReachedReason, notSelectedReason } from '../run/case-result.js';
import { groupBy } from '../support/collections.js';
import type { CaseEntry } from './case-entry.js';
import type { Cause } from './diagnosis/diagnose-run.js';

/** The number of cases from which a reason is reported once for all of them. */
const minShared = 4;

interface ReasonSource {
  readonly requirements: readonly { readonly id: string; readonly cases: readonly CaseEntry[] }[];
  readonly questions: readonly { readonly outcome: string | null; readonly reason?: string; readonly not_run?: true }[];
  readonly causes?: readonly Cause[];
}

const unjudgedVerdicts: ReadonlySet<Verdict> = new Set(['inconclusive', 'not-run', 'not-applicable']);

interface Unjudged extends Pick<Partial<CaseEntry>, 'verdict' | 'reason'> {
  readonly not_run?: true;
  readonly requirement?: string;
}

export function findSharedReasons({ requirements, questions }: ReasonSource): ReadonlyMap<string, readonly Unjudged[]> {
  const judged = requirements.flatMap(({ id: requirement, cases }) =>
    cases.map((entry) => ({ ...entry, requirement })),
  );
  const alike = groupBy<Unjudged, string>(
    [
      ...judged.filter(({ verdict }) => unjudgedVerdicts.has(verdict)),
      ...questions.filter(({ outcome }) => outcome === null),
    ],
    ({ reason = '' }) => reason,
  );
  const isShared = (reason: string, count: number) =>
    reason === notReachedReason || reason === notSelectedReason || (reason !== '' && count >= minShared);
  return new Map([...alike].filter(([reason, { length }]) => isShared(reason, length)));
}

export function isUnjudged({ requirements }: ReasonSource): boolean {
  const cases = requirements.flatMap((requirement) => requirement.cases);
  const selected = cases.filter(({ reason }) => reason !== notSelectedReason);
  const isSame = ({ verdict, reason }: CaseEntry) => verdict === 'inconclusive' && reason === selected[0]?.reason;
  return selected.length > 0 && selected.every(isSame);
}

/** Describes the shared reasons that no cause explains. @param omitsUnselected for those who know what they selected */
export function describeSharedReasons(source: ReasonSource, omitsUnselected = false): string[] {
  const total = source.questions.length + source.requirements.flatMap(({ cases }) => cases).length;
  const explained = new Set((source.causes ?? []).flatMap((cause) => [...cause.requirements, ...cause.follows]));
  return [...findSharedReasons(source)].flatMap(([reason, unjudged]) => {
    const cases = `${unjudged.length} of ${total} cases`;
    const lacking = [...new Set(unjudged.flatMap(({ requirement }) => requirement ?? []))];
    if (reason === notReachedReason) return `${cases} were not reached.`;
    if (reason === notSelectedReason) {
      if (omitsUnselected) return [];
      const which = lacking.length === 0 ? '' : ` Requirements that lack cases: ${lacking.join(', ')}.`;
      return `${cases} were not selected in this run.${which}`;
    }
    if (!isUnjudged(source) && lacking.length > 0 && lacking.every((id) => explained.has(id))) return [];
    const areUnrun = unjudged.every(({ verdict, not_run }) => verdict === 'not-run' || not_run);
    return `${cases} were not ${areUnrun ? 'reached' : 'judged'}: ${reason}`;
  });
}
