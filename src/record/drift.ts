import { undetermined } from '../cases/test-case.js';
import { type ExpectedSchema, findMismatches } from './body-shape.js';

/** What a target is compared with, apart from the documentation: its record and the pins of its target file. */
export interface Baseline {
  /** By question. */
  readonly outcomes: ReadonlyMap<string, ExpectedOutcome>;
  readonly schemas: readonly ExpectedSchema[];
  /** How to treat members that no schema knows. Default: `fail`. */
  readonly additive?: AdditivePolicy;
}

/** How to treat members that were added to responses: ignore them, report them as a note, or as drift. */
export type AdditivePolicy = 'ignore' | 'note' | 'fail';

export interface ExpectedOutcome {
  readonly outcome: string;
  /** "the record" or "the target file". */
  readonly statedBy: string;
  /** The exchange that was recorded. */
  readonly recorded?: string;
}

export const emptyBaseline: Baseline = { outcomes: new Map(), schemas: [] };

/** A difference from the baseline. */
export type Drift =
  | {
      readonly kind: 'outcome';
      readonly question: string;
      readonly outcome: string;
      readonly expected: ExpectedOutcome;
    }
  /** `addition`: a note, not drift. */
  | { readonly kind: 'shape' | 'addition'; readonly message: string };

/**
 * Finds the differences between a case and the baseline. A question without an answer, now or in the baseline, is not
 * compared.
 *
 * @param subject the id of the question or requirement
 * @param outcome the answer as shown
 * @param extracted the answer as received. A record made with other credentials may contain it.
 * @param bodies the bodies of successful responses
 */
export function findDrift(
  { subject, outcome, extracted }: { readonly subject: string; readonly outcome?: string; readonly extracted?: string },
  bodies: readonly string[],
  { outcomes, schemas, additive }: Baseline,
): Drift[] {
  const drift: Drift[] = [];
  const expected = outcomes.get(subject);
  if (expected !== undefined && expected.outcome !== undetermined && outcome !== undefined) {
    if (![outcome, extracted].includes(expected.outcome))
      drift.push({ kind: 'outcome', question: subject, outcome, expected });
  }
  for (const { message, isAddition } of schemas.flatMap((stated) => findMismatches(bodies, stated)))
    if (!isAddition || additive !== 'ignore')
      drift.push({ kind: isAddition && additive === 'note' ? 'addition' : 'shape', message });
  return drift;
}
