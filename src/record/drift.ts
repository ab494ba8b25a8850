import type { Suite } from '../cases/suite.js';
import { undetermined } from '../cases/test-case.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { findMismatches, type ShapeDrift } from './body-shape.js';
import type { TargetRecord } from './target-record.js';

/** What a target is compared with, apart from the documentation: its record and the pins of its target file. */
export interface Baseline {
  /** The file of the record. */
  readonly record?: string;
  /** By question. */
  readonly outcomes: Readonly<Record<string, ExpectedOutcome>>;
  /** A JSON Schema of successful bodies, from the record. */
  readonly schema?: object;
}

export interface ExpectedOutcome {
  readonly outcome: string;
  /** "the record" or "the target file". */
  readonly statedBy: string;
  /** The response that was recorded. */
  readonly recorded?: string;
}

export const emptyBaseline: Baseline = { outcomes: {} };

/**
 * Creates what a target is compared with.
 *
 * @param pins outcomes from the target file, by question; they win over the record
 * @param file of the record
 */
export function createBaseline(
  record: TargetRecord | undefined,
  pins: Readonly<Record<string, string>>,
  file?: string,
): Baseline {
  const recorded = Object.entries(record?.questions ?? {}).map(([question, { outcome, response }]) => {
    const answer = { outcome, statedBy: 'the record', ...omitUndefined({ recorded: response }) };
    return [question, answer] as const;
  });
  const pinned = Object.entries(pins).map(([id, outcome]) => [id, { outcome, statedBy: 'the target file' }] as const);
  return {
    outcomes: Object.fromEntries<ExpectedOutcome>([...recorded, ...pinned]),
    ...omitUndefined({ record: file, schema: record?.response_schema }),
  };
}

/** Says that the suite had other cases when the record was made; nothing if it had the same. */
export function describeUncompared({ suite: { name, version, digest } }: TargetRecord, suite: Suite): string[] {
  const advice = 'If the shape of responses changed, the world may have grown: npx conformance record accepts it.';
  return digest === suite.digest
    ? []
    : [`The record was made with other cases, those of ${name} ${version}. ${advice}`];
}

/** Whether the record has an answer to a question, and this run has none. */
export function isNotCompared(
  { subject, outcome }: { readonly subject: string; readonly outcome?: string },
  { outcomes }: Baseline,
): boolean {
  const { statedBy, outcome: recorded } = outcomes[subject] ?? {};
  return outcome === undefined && statedBy === 'the record' && recorded !== undetermined;
}

/** A difference from the baseline. */
export type Drift =
  | {
      readonly kind: 'outcome';
      readonly question: string;
      readonly outcome: string;
      readonly expected: ExpectedOutcome;
    }
  | ShapeDrift;

/**
 * Finds the differences between a case and the baseline. A question without an answer, now or in the baseline, is not
 * compared.
 *
 * @param subject the id of the question or requirement
 * @param outcome the answer
 * @param bodies the bodies of successful responses
 */
export function findDrift(
  { subject, outcome }: { readonly subject: string; readonly outcome?: string },
  bodies: readonly string[],
  { outcomes, schema }: Baseline,
): Drift[] {
  const expected = outcomes[subject];
  const isCompared = expected !== undefined && expected.outcome !== undetermined && outcome !== undefined;
  return [
    ...(isCompared && outcome !== expected.outcome
      ? [{ kind: 'outcome', question: subject, outcome, expected } as const]
      : []),
    ...(schema === undefined ? [] : findMismatches(bodies, schema)),
  ];
}
