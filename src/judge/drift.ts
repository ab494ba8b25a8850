import { undetermined } from '../cases/test-case.js';
import { type ExpectedSchema, findMismatches } from './body-shape.js';

/** What a target is compared with beside the documentation: a record of it, and what its target file states. */
export interface Baseline {
  /** By question. */
  readonly outcomes: ReadonlyMap<string, ExpectedOutcome>;
  readonly schemas: readonly ExpectedSchema[];
  /** What becomes of members that no schema knows; drift unless given. */
  readonly additive?: AdditivePolicy;
}

/** What becomes of members that were added to responses: nothing, a note, or drift. */
export type AdditivePolicy = 'ignore' | 'note' | 'fail';

export interface ExpectedOutcome {
  readonly outcome: string;
  /** As in "the record" or "the target file". */
  readonly statedBy: string;
  /** What had come back when it was recorded. */
  readonly recorded?: string;
}

export const emptyBaseline: Baseline = { outcomes: new Map(), schemas: [] };

/** A difference from what is expected. */
export type Drift =
  | {
      readonly kind: 'outcome';
      readonly question: string;
      readonly outcome: string;
      readonly expected: ExpectedOutcome;
    }
  | { readonly kind: 'shape'; readonly message: string }
  /** Something was added to the shape, which the user wants to know, and no more. */
  | { readonly kind: 'addition'; readonly message: string };

/**
 * In what a case drifted.
 *
 * @param subject the question, or the requirement, that the case speaks of
 * @param outcome the answer to the question as it is shown; one that got no answer, now or when it was recorded, is not
 *   compared
 * @param taken the same as the deployment gave it, which a record under other credentials may hold
 * @param bodies the successful bodies of the case
 */
export function findDrift(
  { subject, outcome, taken }: { readonly subject: string; readonly outcome?: string; readonly taken?: string },
  bodies: readonly string[],
  { outcomes, schemas, additive }: Baseline,
): Drift[] {
  const expected = outcomes.get(subject);
  const compared = expected !== undefined && expected.outcome !== undetermined && outcome !== undefined;
  const differs = compared && ![outcome, taken].includes(expected.outcome);
  return [
    ...(differs ? [{ kind: 'outcome', question: subject, outcome, expected } as const] : []),
    ...schemas
      .flatMap((stated) => findMismatches(bodies, stated))
      .filter(({ isAddition }) => !isAddition || additive !== 'ignore')
      .map(({ message, isAddition }): Drift => {
        return { kind: isAddition && additive === 'note' ? 'addition' : 'shape', message };
      }),
  ];
}
