/**
 * Puts together what a row is judged by. In: the exchanges of a case, and what is known about the target. Out: for each row its
 * exchanges, and where responses name the returned tiers. Pure.
 */

import { type KnownMistakeCorrections, listSuccesses, type RowEvidence } from '../assertions/row-evidence.js';
import type { Exchange } from '../http/exchange.js';
import { determineTierReading, type ReturnedTierPaths } from '../recognition/returned-tier-paths.js';
import { cacheByObject, computeOnce } from '../support/caches.js';
import { explainDisagreeingPaths } from './explain-disagreeing-paths.js';
import type { KnownFailureTest } from './judgement.js';
import { findOtherReadings, type OtherReading } from './other-readings.js';
import { proveReturnedTierPaths } from './prove-returned-tier-paths.js';
import type { SuspectedWrongDataLoad } from './suspected-wrong-data-load.js';

/** What is known about the target apart from the exchanges of the case. */
export interface TargetContext extends Pick<RowEvidence, 'world' | 'recognizer' | 'calibration'> {
  /** Of returned tiers, as the target file states them. */
  readonly configuredPatterns?: readonly string[];
  /** Whether the world is certainly loaded: a response mentioned it, or the user says so. */
  readonly isWorldSeen: boolean;
  readonly known?: KnownMistakeCorrections;
  /** Default: of no row. */
  readonly isFailureKnown?: KnownFailureTest;
  /** What the deployment seems to have in place of the test data. */
  readonly load?: SuspectedWrongDataLoad;
}

export interface RowEvidenceWithReadings extends RowEvidence, Omit<TargetContext, keyof RowEvidence> {
  /** Lists the readings by which all responses of the case agree with the documentation. */
  listOtherReadings(): readonly OtherReading[];
  /** Lists the readings that remain if the calibration refutes that everything named was returned. Else empty. */
  listRemainingReadings(): readonly OtherReading[];
}

/** The exchanges of a case: one map per row, by the name of the request. Empty for a row that was not sent. */
export type ExchangesByRow = readonly ReadonlyMap<string, Exchange>[];

/** All rows share one reading: each response helps to find the path. Call it once: other readings take long to find. */
export function collectRowEvidence(rows: ExchangesByRow, target: TargetContext): RowEvidenceWithReadings[] {
  const ofCase = rows.flatMap((row) => [...row.values()]);
  const all = [...target.calibration, ...ofCase];
  const reading = locateReturnedTiers(all, target);
  const shared = {
    ...target,
    ofCase,
    reading,
    listOtherReadings: computeOnce(() => findOtherReadings(all, reading, target)),
    listRemainingReadings: () => findRemainingReadings(target),
  };
  return rows.map((exchanges) => ({ ...shared, exchanges }));
}

/** Reads where responses name the returned tiers. @param exchanges with those of the calibration */
export function locateReturnedTiers(
  exchanges: readonly Exchange[],
  target: Pick<TargetContext, 'world' | 'recognizer' | 'configuredPatterns' | 'calibration'>,
): ReturnedTierPaths {
  const readMentions = (read: readonly Exchange[]) =>
    listSuccesses(read).map(({ request, response }) => ({
      request,
      mentions: target.recognizer.findMentions(response.body),
    }));
  const mentions = readMentions(exchanges).map((response) => response.mentions);
  const found = determineTierReading(mentions, target.configuredPatterns);
  if (found.kind !== 'ambiguous') return found;
  const proven = proveReturnedTierPaths(found, readMentions(target.calibration), mentions, target.world);
  if (proven !== undefined) return proven;
  return { ...found, explain: computeOnce(() => explainDisagreeingPaths(found.patterns, exchanges, target)) };
}

const findRemainingReadings = cacheByObject((target: TargetContext) =>
  findOtherReadings(target.calibration, locateReturnedTiers(target.calibration, target), target),
);
