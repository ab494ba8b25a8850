import type { ClosedQuestion, CompleteBehaviours, Outcome } from './behaviours.js';
import { refuseBy, returnNothing } from './early-response.js';

const statuses = {
  rejected: 400,
  unauthorized: 401,
  forbidden: 403,
  'not-found': 404,
  'not-allowed': 405,
  'too-large': 413,
  'unsupported-media-type': 415,
  'server-error': 500,
  'not-implemented': 501,
} as const;

/** The outcomes that end a request at once. */
type Final = keyof typeof statuses | 'nothing-returned';

/**
 * Decides a question: responds at once where the chosen outcome says so, and otherwise returns it.
 *
 * @param subject what the question is about in this request, for the error: a property, a parameter, a header
 */
type Decide = <Q extends ClosedQuestion>(question: Q, subject: string) => Exclude<Outcome<Q>, Final>;

/**
 * @param key names the kind of error where its status alone does not
 * @param rejected the status of the outcome `rejected`
 */
export function createDecider(
  behaviours: CompleteBehaviours,
  key: string,
  rejected: number = statuses.rejected,
): Decide {
  return <Q extends ClosedQuestion>(question: Q, subject: string) => {
    const outcome: Outcome<Q> = behaviours[question];
    if (outcome === 'nothing-returned') returnNothing(question);
    const status = outcome === 'rejected' ? rejected : findOutcomeStatus(outcome);
    if (status !== undefined) refuseBy(question, status, `${subject}: not accepted`, key);
    return outcome as Exclude<Outcome<Q>, Final>;
  };
}

/** The status that an outcome is answered with; `undefined` where that depends on more than the outcome. */
export function findOutcomeStatus(outcome: string): number | undefined {
  const known: Readonly<Record<string, number>> = statuses;
  return known[outcome];
}
