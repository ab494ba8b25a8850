import type { TargetWorld } from '../contract/world.js';
import type { Cause } from '../explanation/diagnose-run.js';
import { findMistakeByCauseId } from '../explanation/known-causes.js';
import { findRefusedFeatureByCauseId } from '../explanation/refused-features.js';
import type { FailingRow } from '../judge/judgement.js';
import type { NewDeviation } from '../record/add-deviations.js';
import { createNamedRowTest, type KnownDeviationsFile, nameRows } from '../record/known-deviations.js';
import { type CaseResult, repetitionCaseId } from '../run/case-result.js';
import type { Suite } from '../suite/suite.js';
import { groupBy } from '../support/collections.js';

export interface JudgedDeviations {
  readonly suite: Pick<Suite, 'contract' | 'world'>;
  readonly results: readonly CaseResult[];
  readonly causes: readonly Cause[];
  readonly known: KnownDeviationsFile | undefined;
}

/**
 * Lists what a run shows to be wrong and no file lists. One entry for an exact cause covers all requirements that it breaks.
 * What else fails is named row by row.
 */
export function listNewDeviations({ suite, results, causes, known }: JudgedDeviations): NewDeviation[] {
  const { contract, world } = suite;
  const exact = causes.filter((cause) => isExact(cause, world));
  const others = causes.filter((cause) => !exact.includes(cause));
  const covered = new Set(exact.flatMap(({ failures }) => failures.map(identifyRow)));
  const left = new Set(others.flatMap(({ failures }) => failures.map(identifyRow)));
  // An expired entry needs another day. It names its rows already.
  const isNamed = createNamedRowTest(known?.entries ?? []);
  const rows = results.flatMap((result) => listNewFailures(result, results)).filter((row) => !isNamed(row));
  const named = rows.filter((row) => left.has(identifyRow(row)) || !covered.has(identifyRow(row)));
  const ofRows = Array.from(
    groupBy(named, ({ requirement }) => requirement),
    ([requirement, failing]): NewDeviation => {
      const cause = others.find(({ requirements }) => requirements.includes(requirement));
      const { statement = '' } = contract.requirements.find(({ id }) => id === requirement) ?? {};
      return { requirement, rows: nameRows(failing), comment: cause?.sentence ?? statement };
    },
  );
  return [...exact.flatMap((cause) => listWithCause(cause, world, known)), ...ofRows];
}

/** Whether the id of a cause says exactly what is wrong, so that a file can name it. */
function isExact({ id }: Cause, world: TargetWorld): boolean {
  return findMistakeByCauseId(id, world) !== undefined || findRefusedFeatureByCauseId(id) !== undefined;
}

/** An expired entry needs another day, and no second entry. */
function listWithCause(
  { id, sentence: comment, requirements }: Cause,
  world: TargetWorld,
  known: KnownDeviationsFile | undefined,
): NewDeviation[] {
  const breaks = findMistakeByCauseId(id, world)?.breaks;
  const requirement = requirements.find((broken) => broken === breaks) ?? requirements[0];
  const isListed = known?.entries.some((entry) => entry.requirement === requirement && entry.cause === id);
  return requirement === undefined || isListed ? [] : [{ requirement, cause: id, comment }];
}

/** Lists the rows of a case that fail and are not known. */
function listNewFailures(result: CaseResult, results: readonly CaseResult[]): FailingRow[] {
  const { id, subject: requirement, verdict } = result;
  // What a run withdraws has rows that fail, and fails no more.
  if (verdict !== 'fail') return [];
  const titles = result.rows.filter((row) => row.verdict === 'fail' && !row.known).map(({ title }) => title);
  if (id !== repetitionCaseId) return titles.map((title) => ({ requirement, case: id, title }));
  // Only if it passed before: otherwise its own row is named. That a deployment stopped working is no row at all.
  const first = results.find((before) => before.id === result.repeats)?.rows ?? [];
  const hasChanged = first.some((row) => row.verdict === 'pass' && titles.includes(row.title));
  return hasChanged ? [{ requirement, case: id, title: '' }] : [];
}

function identifyRow({ requirement, case: id, title }: FailingRow): string {
  return JSON.stringify([requirement, id, title]);
}
