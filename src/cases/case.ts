import type { HttpRequest } from '../http/exchange.js';
import type { Location } from '../support/problem.js';

/** One case of a case file, ready to be run: names are ids, the matrix is rows, selections are sets of tiers. */
export type Case = RequirementCase | QuestionCase;

/** The tag of cases that send bad credentials, oversized bodies or other methods. */
export const intrusive = 'intrusive';

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
  readonly rows: readonly Row[];
}

/** One row of a case's matrix; a case without a matrix has a single row. */
export interface Row extends Asked {
  /** Empty for the only row of a case. */
  readonly title: string;
  readonly expect: readonly Check[];
}

/** A case that answers a question. */
export interface QuestionCase extends CommonCase, Asked {
  readonly kind: 'question';
  readonly answers: string;
  readonly answer: QuestionAnswer;
}

/** What is sent, and what must hold before anything can be concluded from what came back. */
export interface Asked {
  readonly requests: ReadonlyMap<string, HttpRequest>;
  readonly given: readonly Check[];
  /** What is needed of the world here and the target does not hold. */
  readonly missing: readonly string[];
}

export type QuestionAnswer =
  /** The first rule whose checks all hold names the outcome. */
  | { readonly kind: 'first-of'; readonly rules: readonly OutcomeRule[] }
  /** An open value, taken from one exchange. */
  | { readonly kind: 'value'; readonly of: string; readonly take: Taken; readonly at: Location };

export interface OutcomeRule {
  readonly outcome: string;
  readonly checks: readonly Check[];
}

/** What an open value is made of. */
export type Taken =
  | { readonly part: 'status' | 'media-type' | 'shape' | 'error-shape' }
  /** `values` are recorded with their values, `names` by name alone; a trailing `*` stands for any ending. */
  | { readonly part: 'headers'; readonly values: readonly string[]; readonly names: readonly string[] };

/** Something that holds of exchanges, or not. `of` names the exchange, `at` is where the case file says it. */
export type Check = { readonly at: Location } & (
  | ({ readonly of: string } & Claim)
  | { readonly claim: 'any-of'; readonly alternatives: readonly (readonly Check[])[] }
);

export type Claim =
  | { readonly claim: 'status'; readonly patterns: readonly string[] }
  | { readonly claim: 'same-status' | 'other-status'; readonly other: string }
  | { readonly claim: 'header'; readonly name: string; readonly matches?: string; readonly present: boolean }
  | { readonly claim: 'body-schema'; readonly schema: object | boolean }
  | { readonly claim: 'same-body' | 'other-body'; readonly other: string }
  | { readonly claim: 'body-empty' }
  | { readonly claim: 'mentions' | 'mentions-not'; readonly texts: readonly string[] }
  | { readonly claim: 'include' | 'exclude'; readonly tiers: readonly string[] }
  | { readonly claim: 'exactly'; readonly must: ReadonlySet<string>; readonly may: ReadonlySet<string> }
  | { readonly claim: Relation; readonly other: string }
  | { readonly claim: 'something' | 'nothing' }
  | { readonly claim: 'at-most'; readonly count: number }
  /** Answered with success. Another status refutes it only as `unless` says, for an empty result may have any. */
  | { readonly claim: 'accepted'; readonly unless: Unless }
  /** Of whatever stands where promotions are named, known or not. */
  | { readonly claim: 'found-at-most'; readonly count: number }
  /** `may` are tiers that may be found here and not there. */
  | { readonly claim: 'found-within'; readonly other: string; readonly may: readonly string[] }
  | { readonly claim: 'ordered'; readonly order: 'newest-first' | 'oldest-first' };

/** What leaves it open whether a request was accepted that was not answered with success. */
export type Unless =
  /** That its result may be empty. */
  | { readonly is: 'empty' }
  /** That `other`, which asks for no more, was not answered with success either. */
  | { readonly is: 'as-is'; readonly other: string }
  /** That `other`, whose result is empty, was answered with the same status. */
  | { readonly is: 'as-empty'; readonly other: string };

/** How the sets of promotions that two exchanges returned stand to each other. */
export type Relation = 'same-as' | 'within' | 'differs-from';
