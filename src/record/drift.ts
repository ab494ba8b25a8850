import { undeterminedOutcome } from '../cases/test-case.js';
import type { TestDataVersion } from '../own-data/data-suite.js';
import type { Suite } from '../suite/suite.js';
import { createReason, renderReason } from '../support/reason.js';
import { findShapeDrift, type ShapeDrift } from './body-shape.js';
import { renderResponseSummary } from './exchange-text.js';
import type { RecordableResult, TargetRecord } from './target-record.js';

/** What a target is compared with, apart from the documentation: its record and the pins of its target file. */
export interface Baseline {
  readonly record?: string | undefined;
  readonly outcomes: Readonly<Record<string, ExpectedOutcome>>;
  /** A JSON Schema of successful bodies, from the record. */
  readonly schema?: object | undefined;
  /** What the data file of the record had, and that of the run has not. */
  readonly lost?: readonly string[] | undefined;
}

export interface ExpectedOutcome {
  readonly outcome: string;
  readonly statedBy: 'the record' | 'the target file';
  readonly recorded?: string | undefined;
}

export const emptyBaseline: Baseline = { outcomes: {} };

/**
 * Creates a baseline.
 *
 * @param pins outcomes from the target file, by question; they win over the record
 * @param file of the record
 * @param basis the data of the run
 */
export function createBaseline(
  record: TargetRecord | undefined,
  pins: Readonly<Record<string, string>>,
  file?: string,
  basis?: TestDataVersion,
): Baseline {
  const outcomes: Record<string, ExpectedOutcome> = {};
  for (const [question, { outcome, response }] of Object.entries(record?.questions ?? {}))
    outcomes[question] = { outcome, statedBy: 'the record', recorded: response && renderResponseSummary(response) };
  for (const [question, outcome] of Object.entries(pins)) outcomes[question] = { outcome, statedBy: 'the target file' };
  return { record: file, outcomes, schema: record?.response_schema, lost: basis && listLostData(record, basis) };
}

/** Lists what the data file of a record had and another one has not. Undefined if nothing is lost, or if one is no data file. */
export function listLostData(record: TargetRecord | undefined, { holds }: TestDataVersion): string[] | undefined {
  const lost = holds && record?.data?.holds?.filter((name) => !holds.includes(name));
  return lost?.length === 0 ? undefined : lost;
}

/** Compares with another record, or with none. The pins of the target file stay. */
export function replaceBaselineRecord(
  { outcomes }: Baseline,
  record: TargetRecord | undefined,
  file?: string,
  basis?: TestDataVersion,
): Baseline {
  const pinned = Object.entries(outcomes).filter(([, { statedBy }]) => statedBy === 'the target file');
  const pins = Object.fromEntries(pinned.map(([question, { outcome }]) => [question, outcome]));
  return createBaseline(record, pins, file, basis);
}

const dataNames = { world: 'the test data of the suite', 'data-file': 'a data file' } as const;

/** Says that the suite had other data or cases when the record was made; nothing if it had the same. */
export function describeSuiteChangeSinceRecord({ suite: made, data }: TargetRecord, suite: Suite): string[] {
  const { name, version, digest } = made;
  const { kind } = suite.basis;
  if (data !== undefined && data.digest !== suite.basis.digest) {
    const current = data.kind === kind ? 'another version of it' : dataNames[kind];
    return [renderReason(createReason('record-of-other-data', { recorded: dataNames[data.kind], current }))];
  }
  return digest === suite.digest ? [] : [renderReason(createReason('record-of-other-cases', { suite: name, version }))];
}

/** Whether the record has an answer to a question, and this run has none. */
export function hasLostRecordedAnswer({ subject, outcome }: RecordableResult, { outcomes }: Baseline): boolean {
  const { statedBy, outcome: recorded } = outcomes[subject] ?? {};
  return outcome === undefined && statedBy === 'the record' && recorded !== undeterminedOutcome;
}

export type Drift =
  | { readonly kind: 'outcome'; readonly outcome: string; readonly expected: ExpectedOutcome }
  | ShapeDrift;

/** A question without an answer, now or in the baseline, is not compared. @param bodies of successes */
export function findDrift(
  { subject, outcome }: RecordableResult,
  bodies: readonly string[],
  { outcomes, schema }: Baseline,
): Drift[] {
  const expected = outcomes[subject];
  const mismatches = schema === undefined ? [] : findShapeDrift(bodies, schema);
  if (outcome === undefined || expected === undefined || expected.outcome === undeterminedOutcome) return mismatches;
  return outcome === expected.outcome ? mismatches : [{ kind: 'outcome', outcome, expected }, ...mismatches];
}
