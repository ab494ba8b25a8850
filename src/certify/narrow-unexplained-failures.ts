/**
 * Finds out what makes a difference, after the last case. In: what the cases of this process reported. Out: the contrasts of the
 * failures that no proved cause explains. It runs in the worker.
 */

import type { RunSettings } from '../config/run-inputs.js';
import { diagnoseRun } from '../explanation/diagnose-run.js';
import { createKnownMistakeCorrections, type KnownCauses } from '../explanation/known-causes.js';
import { narrowFailures } from '../explanation/narrow-failures.js';
import type { TargetContext } from '../judge/collect-row-evidence.js';
import { getIdFinders } from '../recognition/id-finders.js';
import type { CaseReport, Explanation, StoredEvidence } from '../run/case-report.js';
import type { CaseResult } from '../run/case-result.js';
import { createStoredExchange, narrowingPurpose } from '../run/evidence-keeper.js';
import { createExchangeIndexer } from '../run/exchange-index.js';
import type { NarrowingSender } from '../run/narrowing-sender.js';
import type { Replay } from '../run/replay.js';
import type { Suite } from '../suite/suite.js';

export interface RunToNarrow {
  readonly suite: Suite;
  readonly settings: RunSettings;
  readonly target: TargetContext;
  readonly known: KnownCauses | undefined;
  readonly reports: readonly CaseReport[];
  readonly replay: Replay | undefined;
  readonly sender: NarrowingSender;
}

export async function narrowUnexplainedFailures(run: RunToNarrow): Promise<Explanation> {
  const { suite, settings, target, known, reports, sender } = run;
  const { exchanges, uses } = collectEvidence(run);
  const indexer = createExchangeIndexer(getIdFinders(suite.world));
  for (const kept of exchanges) indexer.add(kept);
  const index = indexer.finish(uses);
  const results = reports.map(({ result }) => result);
  const statedPatterns = settings.target.tierPatterns;
  const diagnose = (judged: readonly CaseResult[], assuming: KnownCauses | undefined) =>
    diagnoseRun({ suite, results: judged, index, statedPatterns, known: assuming });
  const first = diagnose(results, known);
  // What the responses no longer show must not be taken for right: another mistake may have come in its place.
  const isOutdated = known !== undefined && first.gone.length > 0;
  const { unexplained, suspected, assumed } = isOutdated
    ? diagnose(results.map(forgetKnownRows), withoutCauses(known, first.gone))
    : first;
  // What is known or proved is not looked at again.
  const corrected = { ...target, known: createKnownMistakeCorrections(assumed, suite.world) };
  const byId = new Map(exchanges.map(({ id, exchange }) => [id, exchange]));
  const input = { rows: unexplained, suspected, uses, exchanges: byId, target: corrected };
  return { proved: first.proved, contrasts: await narrowFailures(input, sender) };
}

/** Takes what failed as known for a failure, since a known cause no longer explains it. */
function forgetKnownRows(result: CaseResult): CaseResult {
  return { ...result, rows: result.rows.map(({ known: _, ...row }) => row) };
}

function withoutCauses(known: KnownCauses, gone: readonly string[]): KnownCauses {
  const isLeft = ({ id }: { readonly id: string }) => !gone.includes(id);
  return { ...known, causes: known.causes.filter(isLeft), refusals: known.refusals.filter(isLeft) };
}

/** The exchanges of this process in the order of sending. Recorded ones lack what they name, and have what was sent to narrow. */
function collectEvidence({ reports, replay, target: { recognizer } }: RunToNarrow): StoredEvidence {
  const recorded = replay?.evidence;
  const uses = (recorded?.uses ?? reports.flatMap((report) => report.uses)).filter(
    (use) => use.case !== narrowingPurpose,
  );
  const used = new Set(uses.map(({ id }) => id));
  const exchanges = (recorded?.exchanges ?? reports.flatMap((report) => report.exchanges))
    .filter(({ id }) => used.has(id))
    .map((kept) => (recorded === undefined ? kept : createStoredExchange(kept.id, kept.exchange, recognizer)));
  const getNumber = ({ exchange: { numbers = [] } }: (typeof exchanges)[number]) => numbers[0] ?? 0;
  return { uses, exchanges: exchanges.toSorted((left, right) => getNumber(left) - getNumber(right)) };
}
