import type { Oracle } from '../contract/oracle.js';
import type { TargetWorld, World } from '../contract/world.js';
import type { Exchange, HttpRequest } from '../http/exchange.js';
import type { Location } from '../support/problem.js';
import { createReason, type Reason } from '../support/reason.js';
import type { AnsweredExchange, JudgeMode, RowEvidence } from './row-evidence.js';

/** One statement about responses, as read from a case file. Plain data. */
export type Assertion = ResponseAssertion | AlternativesAssertion;

interface ResponseAssertion {
  /** The key of its kind, such as `returned.include`. */
  readonly kind: string;
  readonly of: string;
  readonly at: Location;
  /** The result of `ResponseAssertionDefinition.read`. */
  readonly data: unknown;
}

/** A statement that one of several lists of other assertions holds as a whole. */
interface AlternativesAssertion {
  readonly kind: string;
  readonly at: Location;
  readonly lists: readonly (readonly Assertion[])[];
}

/** Selects tiers: a keyword such as `required`, a name, or several names. */
export type TierSelection = string | readonly string[];

/** A check of a case file: assertions about one response, by their keys. */
export type CheckInCaseFile = Readonly<Record<string, unknown>>;

/** Defines a kind of assertion: how its value is read, described and judged. The default export of a file in `kinds/`. */
export type AssertionDefinition = ResponseAssertionDefinition | AlternativesAssertionDefinition;

interface CommonDefinition {
  /** The key in a check. `returned.include` is `include` within `returned`. */
  readonly key: string;
  /** JSON Schema (draft 2020-12) of the value under the key. The description is for authors of cases. */
  readonly schema: { readonly description: string } & Readonly<Record<string, unknown>>;
}

export interface ResponseAssertionDefinition<Value = unknown, Data = unknown> extends CommonDefinition {
  /** Whether it proves that something was returned, or that something was not. `absence` needs a `presence` control. */
  readonly shows?: 'presence' | 'absence';
  /** Reads the value from a case file. Returns undefined if it asserts nothing in this row. */
  read(value: Value, context: AssertionReadContext): Data | undefined;
  /** Completes a sentence that begins with the name of the request: "is answered 2xx". */
  describe(data: Data, namesOf: (tiers: readonly string[]) => string): string;
  judge(data: Data, context: AssertionJudgeContext): AssertionResult;
  /** Judges a request of a requirement whose response is missing. Without it, or if it returns undefined: unclear. */
  judgeLost?(exchange: Exchange, evidence: RowEvidence): UnmetAssertionResult | undefined;
  /** Without these ids of the world it cannot be judged. */
  listNeededIds?(data: Data, context: NeedContext): readonly string[];
  /** Finds out why a requirement must not use it. A definition without this function is for questions only. */
  findFlaw?(data: Data, context: AssertionFlawContext): AssertionFlaw | undefined;
}

/** Defines the kind whose value is a list of alternatives, each a check of the same response. */
export interface AlternativesAssertionDefinition extends CommonDefinition {
  readonly hasAlternatives: true;
}

/** Checks the types of a definition. */
export function defineAssertion<Value, Data>(
  definition: ResponseAssertionDefinition<Value, Data>,
): ResponseAssertionDefinition<Value, Data> {
  return definition;
}

/** What `read` can use. It reports unknown names, and returns ids of tiers. */
export interface AssertionReadContext {
  /** @param steps the path from the assertion's value to the name of a request @returns the name of a known request */
  resolveRequest(name: string, ...steps: string[]): string;
  selectTiers(selection: TierSelection): string[];
  /** The same for tiers that were returned. One that is displaced by own promotions stands for the last required one. */
  selectReturnedTiers(selection: TierSelection): string[];
  /** Lists the tiers that a selection certainly does not select for this request. */
  selectOtherTiers(selection: TierSelection): string[];
  /** Replaces references such as `<campaign spring>` in a text by ids. */
  fillReferences(text: string): string;
}

export interface AssertionJudgeContext {
  readonly exchange: AnsweredExchange;
  readonly evidence: RowEvidence;
  readonly mode: JudgeMode;
  /** Judges by the exchange of another request too. The result is `unclear` if that exchange proves nothing. */
  compareWith(name: string, judge: (compared: AnsweredExchange) => AssertionResult): AssertionResult;
}

interface NeedContext {
  readonly mode: JudgeMode;
  readonly world: TargetWorld;
  readonly oracle: Oracle;
  getOracle(name: string): Oracle;
  readonly allTiers: readonly string[];
  /** Returns these tiers. Adds the newest 150 if the age of one of them matters: they prove that it is older. */
  addWindow(ids: readonly string[]): readonly string[];
}

export interface RequestWithOracle {
  readonly name: string;
  readonly http: HttpRequest;
  readonly oracle: Oracle;
}

export interface AssertionFlawContext extends RequestWithOracle {
  readonly world: World;
  getRequest(name: string): RequestWithOracle;
}

export interface AssertionFlaw {
  readonly message: string;
  readonly hint: string;
}

/** Whether an assertion holds. `unclear`: the exchanges neither prove nor refute it. */
export type AssertionResult =
  | { readonly is: 'holds' }
  | {
      readonly is: 'violated' | 'unclear';
      readonly reason: Reason;
      /** The exchange that shows it, if it is not the one that the assertion is about. */
      readonly shownBy?: string;
    };

export type UnmetAssertionResult = Exclude<AssertionResult, { is: 'holds' }>;

export const holdingResult: AssertionResult = { is: 'holds' };

/** @param code of the reason, a key in `templates/reasons.yaml` */
export function createViolation(code: string, data?: Reason['data']): AssertionResult {
  return { is: 'violated', reason: createReason(code, data) };
}

/** @param code of the reason, a key in `templates/reasons.yaml` */
export function createUnclearResult(code: string, data?: Reason['data']): AssertionResult {
  return { is: 'unclear', reason: createReason(code, data) };
}

/** Returns a violation for this reason, unless the condition is met. */
export function createViolationUnless(condition: boolean, code: string, data?: Reason['data']): AssertionResult {
  return condition ? holdingResult : createViolation(code, data);
}

/** Combines results with "and". A violation outweighs a doubt. */
export function combineResultsWithAnd(results: readonly AssertionResult[]): AssertionResult {
  return results.find(({ is }) => is === 'violated') ?? results.find(({ is }) => is === 'unclear') ?? holdingResult;
}

/** Combines results with "or". A doubt outweighs a violation. */
export function combineResultsWithOr(results: readonly AssertionResult[]): AssertionResult {
  const best = results.find(({ is }) => is === 'holds') ?? results.find(({ is }) => is === 'unclear');
  return best ?? (results[0] as AssertionResult);
}
