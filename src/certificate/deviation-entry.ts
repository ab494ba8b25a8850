/** What a run shows of the known deviations: of each entry of their file, and which of them a requirement shows. */

import type { Verdict } from '../judge/verdict.js';
import type {
  DeviationWithCause,
  DeviationWithRows,
  KnownDeviation,
  ListedDeviation,
  RowsByCase,
} from '../record/known-deviations.js';
import { type CaseResult, getVerdictApartFromKnown } from '../run/case-result.js';
import { type JudgedRun, judgeNamedRows, type NamedRowsJudgement } from './judge-named-rows.js';

export type KnownDeviationEntry = { readonly at: string } & (
  | (DeviationWithCause & {
      /** `stale`: the requirement passes, or the responses do not show the cause. `expired`: its last day is over. */
      readonly state: 'seen' | 'stale' | 'expired' | 'not-judged';
    })
  | (DeviationWithRows & { readonly state: 'seen' | 'expired' | 'not-judged' })
  | StaleRowsEntry
);

/** An entry with rows that pass, or that the suite does not have. */
export type StaleRowsEntry = DeviationWithRows & {
  readonly at: string;
  readonly state: 'stale';
} & Partial<Pick<NamedRowsJudgement, 'passing' | 'missing'>>;

/** A known deviation, and what the results of a run show of it. */
export type JudgedDeviation = { readonly at: string; readonly isExpired: boolean } & (
  | { readonly kind: 'cause'; readonly deviation: DeviationWithCause; readonly isGone: boolean }
  | { readonly kind: 'rows'; readonly deviation: DeviationWithRows; readonly named: NamedRowsJudgement }
);

interface JudgedRequirement {
  readonly id: string;
  readonly verdict: Verdict;
  readonly cases: readonly Pick<CaseResult, 'verdict' | 'apart_from_known'>[];
}

export function judgeDeviation(listed: ListedDeviation, run: JudgedRun): JudgedDeviation {
  const { at, isExpired = false, isGone = false, ...deviation } = listed;
  if (deviation.rows === undefined) return { kind: 'cause', at, isExpired, deviation, isGone };
  return { kind: 'rows', at, isExpired, deviation, named: judgeNamedRows(deviation, run) };
}

/** Lists the known deviations that a failing requirement shows. A cause may break further requirements than the listed one. */
export function listShownDeviations(
  { id, verdict, cases }: JudgedRequirement,
  judged: readonly JudgedDeviation[],
): KnownDeviation[] {
  if (verdict !== 'fail') return [];
  const current = judged.filter((known) => !known.isExpired && !(known.kind === 'cause' && known.isGone));
  const ofRequirement = current.filter(({ deviation }) => deviation.requirement === id);
  const shown = ofRequirement.filter((known) => known.kind === 'cause' || hasRows(known.named.failing));
  const isKnown = cases.some((entry) => entry.verdict === 'fail' && getVerdictApartFromKnown(entry) !== 'fail');
  const explaining = shown.length > 0 || !isKnown ? shown : current.filter(({ kind }) => kind === 'cause');
  // Of a refusal, another case than the named one may have shown it.
  const named = explaining.length > 0 || !isKnown ? explaining : ofRequirement;
  return named.map(({ deviation }) => deviation);
}

/** Creates the entry of a known deviation in a certificate. @param verdict that of its requirement */
export function createDeviationEntry(judged: JudgedDeviation, verdict: Verdict): KnownDeviationEntry {
  const { at, isExpired, deviation } = judged;
  if (isExpired) return { ...deviation, at, state: 'expired' };
  if (judged.kind === 'rows') return createRowsEntry(judged.deviation, at, judged.named);
  if (verdict === 'pass' || (verdict === 'fail' && judged.isGone)) return { ...judged.deviation, at, state: 'stale' };
  return { ...judged.deviation, at, state: verdict === 'fail' ? 'seen' : 'not-judged' };
}

function createRowsEntry(
  deviation: DeviationWithRows,
  at: string,
  { failing, passing, missing }: NamedRowsJudgement,
): KnownDeviationEntry {
  if (!hasRows(passing) && !hasRows(missing))
    return { ...deviation, at, state: hasRows(failing) ? 'seen' : 'not-judged' };
  return {
    ...deviation,
    at,
    state: 'stale',
    ...(hasRows(passing) && { passing }),
    ...(hasRows(missing) && { missing }),
  };
}

function hasRows(rows: RowsByCase): boolean {
  return Object.keys(rows).length > 0;
}
