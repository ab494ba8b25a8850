import type { Assertion } from '../assertions/assertion.js';
import type { HttpRequest } from '../http/exchange.js';
import type { Location } from '../support/problem.js';

/** A test case, ready to run: names are ids, tier selections are lists of tiers. */
export type TestCase = RequirementCase | QuestionCase;

/** Tags with a meaning for the suite. `schemas/cases.schema.json` describes them. */
export const caseTags = {
  intrusive: 'intrusive',
  calibration: 'calibration',
  sample: 'sample',
  serial: 'serial',
  spelling: 'spelling',
  anyData: 'any-data',
  everyRequest: 'every-request',
  /** Marks a case of the user. No file states this tag. */
  own: 'own',
} as const;

/** The outcome of a question if no listed outcome holds, or several might. */
export const undeterminedOutcome = 'undetermined';

interface CommonCase {
  readonly id: string;
  readonly title: string;
  readonly at: Location;
  /** Without the leading `@`. */
  readonly tags: readonly string[];
}

export interface RequirementCase extends CommonCase {
  readonly kind: 'requirement';
  readonly verifies: string;
  readonly rows: readonly RequirementRow[];
}

export interface QuestionCase extends CommonCase {
  readonly kind: 'question';
  readonly answers: string;
  readonly rows: readonly [CaseRow];
  readonly answer: OutcomeRule;
}

/** Requests that are sent together, and what must hold before their responses can show anything. */
export interface CaseRow {
  /** Empty if the case has only one row. */
  readonly title: string;
  readonly requests: ReadonlyMap<string, HttpRequest>;
  readonly given: readonly Assertion[];
  /** What the row needs and the target lacks: kind and name, such as `customer ann`. */
  readonly unavailable: readonly string[];
}

export interface RequirementRow extends CaseRow {
  readonly expect: readonly Assertion[];
}

export type OutcomeRule =
  /** The first rule that holds gives the outcome; the exchange of the request `evidence` shows it. */
  | { readonly kind: 'first-of'; readonly rules: readonly OutcomeCondition[]; readonly evidence: string }
  /** An open value of one response. */
  | { readonly kind: 'value'; readonly of: string; readonly take: ValueExtraction; readonly at: Location };

export interface OutcomeCondition {
  readonly outcome: string;
  readonly when: readonly Assertion[];
}

export type ValueExtraction =
  | { readonly part: 'status' | 'media-type' | 'shape' | 'error-shape' }
  /** `values` are recorded with their values, `names` by name only. A final `*` means any ending. */
  | { readonly part: 'headers'; readonly values: readonly string[]; readonly names: readonly string[] };

export function getRequirementOrQuestionId(testCase: TestCase): string {
  return testCase.kind === 'question' ? testCase.answers : testCase.verifies;
}
