/**
 * The verdict of a run: whether the deployment conforms, does not conform, or the run is incomplete, and why. In: what was judged.
 * Out: the verdict, and sentences. Pure.
 */

import type { TestCase } from '../cases/test-case.js';
import { worldListNames } from '../contract/world.js';
import type { Verdict } from '../judge/verdict.js';
import { type CaseResult, getVerdictApartFromKnown, notReachedReason, repetitionCaseId } from '../run/case-result.js';
import type { ExchangeLookup } from '../run/exchange-store.js';
import type { Suite } from '../suite/suite.js';
import { groupBy, renderShortList } from '../support/collections.js';
import { createReason, type Reason, renderReason } from '../support/reason.js';
import {
  countVerdicts,
  findDecisiveCase,
  findVerdictApart,
  type JudgedEntries,
  listVerdicts,
  listVerifying,
  type QuestionEntry,
  type RequirementEntry,
} from './judged-requirement.js';
import { interruptionNotice, quickNotice } from './notices.js';
import { listAbsentThings, listExcusedCases } from './scope.js';
import { findSharedReasons, listSharedReasons } from './shared-reasons.js';

export type RunVerdict = 'conforms' | 'does-not-conform' | 'incomplete';

/** What a run's verdict depends on, beside its results. */
export interface RunFacts {
  /** Results name exchanges by their ids. */
  readonly showExchange: ExchangeLookup;
  readonly quick?: true;
  readonly isCutShort: boolean;
  /** What is wrong with the test data, as it seems, and whether it certainly is. */
  readonly load?: { readonly sentence: string; readonly isProven: boolean };
}

export interface VerdictInputs extends RunFacts {
  /** The reasons of a run that is incomplete whatever its requirements say. */
  readonly gaps: readonly string[];
  /** The ids of requirements that the target declares not to have, and that it does not have. */
  readonly outOfScope: ReadonlySet<string>;
}

/** Determines the verdict of the run, and apart from known deviations; if only some cases are selected, theirs, too. */
export function createVerdict(
  suite: Suite,
  all: readonly CaseResult[],
  { requirements, entries, findEntry }: JudgedEntries,
  { quick, load, gaps, outOfScope }: VerdictInputs,
) {
  const isUnrun = requirements.some(({ cases }) => cases.some(({ verdict }) => verdict === 'not-run'));
  const isPartial = gaps.length > 0 || listOfRun(all).length > 0 || isUnrun || load?.isProven === true;
  const inScope = requirements.filter(({ id }) => !outOfScope.has(id));
  // Nothing conforms within a scope without requirements.
  const isWithoutVerdict = isPartial || inScope.length === 0;
  const ofRun = determineRunVerdict(listVerdicts(inScope), isWithoutVerdict);
  const ids = new Set(entries.map(({ id }) => id));
  const isSelection = quick !== undefined || suite.cases.some(({ id }) => !ids.has(id));
  if (!isSelection) {
    const apart = inScope.map(({ cases }) => findVerdictApart(cases));
    return { ofRun, apartFromKnown: determineRunVerdict(apart, isWithoutVerdict) };
  }
  const excused = listExcusedCases(outOfScope, suite, findEntry);
  const selected = all.filter(({ id }) => !excused.has(id));
  const apart = entries.filter(({ id }) => !excused.has(id)).map(getVerdictApartFromKnown);
  const isEmpty = selected.length === 0;
  return {
    ofRun,
    apartFromKnown: determineRunVerdict(apart, isEmpty),
    ofSelection: { verdict: determineRunVerdict(listVerdicts(selected), isEmpty), cases: countVerdicts(all) },
  };
}

/** @param isPartial whether a part of what verifies the requirements was not sent */
export function determineRunVerdict(judged: readonly Verdict[], isPartial: boolean): RunVerdict {
  if (judged.includes('fail')) return 'does-not-conform';
  return judged.every((verdict) => verdict === 'pass') && !isPartial ? 'conforms' : 'incomplete';
}

/** Lists the reasons of a run that is incomplete whatever its requirements say. */
export function listGaps(
  suite: Suite,
  all: readonly CaseResult[],
  { isCutShort, quick, showExchange }: RunFacts,
  outOfScope: ReadonlySet<string>,
): string[] {
  const verifying = listVerifying(suite);
  const ids = new Set(verifying.map(({ id }) => id));
  const unsupported = all
    .filter(({ id, verdict }) => verdict === 'not-applicable' && ids.has(id))
    .flatMap(({ exchangeId }) => {
      const exchange = showExchange(exchangeId);
      return exchange !== undefined && 'transportError' in exchange ? [exchange.message] : [];
    });
  const lost = all.filter(({ id, verdict }) => id === repetitionCaseId && verdict === 'error');
  return [
    ...(isCutShort ? [interruptionNotice] : []),
    ...(quick === undefined ? [] : [quickNotice]),
    ...all.flatMap(({ hasDataChanged, reason }) => (hasDataChanged ? [renderReason(reason)] : [])),
    // No requirement has it: without this line, a run whose repetition crashed would conform.
    ...lost.map((result) => renderReason(explainLostRepetition(result))),
    ...listUnavailable(verifying, suite, outOfScope),
    ...new Set(unsupported),
  ];
}

function explainLostRepetition({ reason = notReachedReason }: CaseResult): Reason {
  return createReason('repetition-lost', { reason });
}

function listUnavailable(verifying: readonly TestCase[], suite: Suite, outOfScope: ReadonlySet<string>): string[] {
  const { unavailable } = suite.world;
  // The requests of a data file would be drawn for their rows.
  if (unavailable.size === 0) return [];
  const needed = new Set(verifying.flatMap(({ rows }) => rows.flatMap((row) => row.unavailable)));
  const absent = listAbsentThings(outOfScope, suite);
  const things = [...unavailable.values()].filter(({ kind, name }) => {
    const thing = `${kind} ${name}`;
    return needed.has(thing) && !absent.has(thing);
  });
  return [...groupBy(things, ({ kind }) => kind)].map(([kind, alike]) => {
    const names = renderShortList(alike.map(({ name }) => name));
    return `With ids of these ${worldListNames[kind]} it would be complete: ${names}.`;
  });
}

/** Lists what concerns the whole run. What fails the run is a cause, and no reason for an incomplete run. */
export function listOfRun(all: readonly CaseResult[]): string[] {
  const ofRun = all.filter(({ verdict, concernsRun }) => concernsRun && verdict !== 'fail');
  return ofRun.map(({ reason }) => renderReason(reason));
}

/** Lists why the run is incomplete, what explains most first. */
export function listUnjudged(
  { requirements, questions }: JudgedEntries,
  all: readonly CaseResult[],
  { load, gaps, outOfScope }: VerdictInputs,
): string[] {
  const inScope = requirements.filter(({ id }) => !outOfScope.has(id));
  return [
    ...(load === undefined ? [] : [load.sentence]),
    ...listOfRun(all),
    ...gaps,
    ...listSharedReasons({ requirements, questions }).flatMap(({ isAboutRequirements, sentence }) =>
      isAboutRequirements ? [sentence] : [],
    ),
    ...listReasons(inScope, questions),
  ];
}

function listReasons(requirements: readonly RequirementEntry[], questions: readonly QuestionEntry[]): string[] {
  const shared = findSharedReasons({ requirements, questions });
  return requirements.flatMap((requirement) => {
    const reason = findDecisiveCase(requirement)?.reason ?? 'It has no case.';
    return requirement.verdict === 'pass' || shared.has(reason) ? [] : [`${requirement.id}: ${reason}`];
  });
}
