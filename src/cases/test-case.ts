import type { Assertion } from '../assertions/assertion.js';
import type { HttpRequest } from '../http/exchange.js';
import type { Location } from '../support/problem.js';

/** One case of a case file, ready to be run: names are ids, the matrix is rows, selections are sets of tiers. */
export type TestCase = RequirementCase | QuestionCase;

/** Tags that mean something to the suite. */
export const tag = {
  /** Sends bad credentials, oversized bodies or other methods. */
  intrusive: 'intrusive',
  /** Its requests are sent before all cases, to learn how responses name promotions. */
  calibration: 'calibration',
  /** It is about the documented method and path, so it says nothing of a target that offers the operation elsewhere. */
  operation: 'operation',
  /** It needs to know of no promotion: any customer, product and campaign of a deployment will do. */
  anyData: 'any-data',
  /** The doctor sends its requests. */
  doctor: 'doctor',
  /** It is sent once more at the end of a run, to notice a deployment that changes meanwhile. */
  sample: 'sample',
  /** It is about what is left over between requests: all of its own are sent, while nothing else is sent. */
  alone: 'alone',
  /** It is not of the suite; no file states it. */
  own: 'own',
} as const;

/** The outcome of every question for a target whose answers do not tell its listed outcomes apart. */
export const undetermined = 'undetermined';

interface CommonCase {
  readonly id: string;
  readonly title: string;
  readonly at: Location;
  /** Without the leading `@`. */
  readonly tags: readonly string[];
}

/** A case that verifies a requirement. */
export interface RequirementCase extends CommonCase {
  readonly kind: 'requirement';
  readonly verifies: string;
  readonly rows: readonly RequirementRow[];
}

/** A case that answers a question. */
export interface QuestionCase extends CommonCase {
  readonly kind: 'question';
  readonly answers: string;
  readonly rows: readonly [Row];
  readonly answer: QuestionAnswer;
}

/** What is sent together, and what must hold before anything can be concluded from what comes back. */
export interface Row {
  /** Empty for the only row of a case. */
  readonly title: string;
  readonly requests: ReadonlyMap<string, HttpRequest>;
  readonly given: readonly Assertion[];
  /** What is needed of the world here and the target does not have, each with its kind. */
  readonly unavailable: readonly string[];
}

/** One row of a requirement case's matrix; a case without a matrix has a single row. */
export interface RequirementRow extends Row {
  readonly expect: readonly Assertion[];
}

export type QuestionAnswer =
  /** The first rule that holds names the outcome; the exchange named by `evidence` shows it. */
  | { readonly kind: 'first-of'; readonly rules: readonly OutcomeRule[]; readonly evidence: string }
  /** An open value, taken from one exchange. */
  | { readonly kind: 'value'; readonly of: string; readonly take: ValueExtraction; readonly at: Location };

/** An outcome, and the assertions that all hold where it is the answer. */
export interface OutcomeRule {
  readonly outcome: string;
  readonly when: readonly Assertion[];
}

/** What an open value is made of. */
export type ValueExtraction =
  | { readonly part: 'status' | 'media-type' | 'shape' | 'error-shape' }
  /** `values` are recorded with their values, `names` by name alone; a final `*` stands for any ending. */
  | { readonly part: 'headers'; readonly values: readonly string[]; readonly names: readonly string[] };

/** The id of the requirement or the question that a case speaks of. */
export function getSubjectId(testCase: TestCase): string {
  return testCase.kind === 'question' ? testCase.answers : testCase.verifies;
}
