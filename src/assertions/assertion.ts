import type { Oracle, WindowAlternative } from '../contract/oracle.js';
import type { HttpRequest } from '../http/exchange.js';
import type { Location } from '../support/problem.js';
import type { NamedWorld } from '../world/named-world.js';
import type { World } from '../world/world.js';
import type { AssertionResult } from './assertion-result.js';
import type { AnsweredExchange, JudgeMode, RowEvidence } from './row-evidence.js';
import type { TierSelection } from './tier-selection.js';

/** One statement about responses, as it was read from a case file: plain data. */
export type Assertion = ResponseAssertion | CompositeAssertion;

/** About the response to one request. */
export interface ResponseAssertion {
  /** The key of its kind, such as `returned.include`. */
  readonly kind: string;
  /** The name of the request. */
  readonly of: string;
  readonly at: Location;
  /** What its kind read. */
  readonly data: unknown;
}

/** About other assertions: each list holds as a whole or not. */
export interface CompositeAssertion {
  readonly kind: string;
  readonly at: Location;
  readonly lists: readonly (readonly Assertion[])[];
}

/** An entry of a case file that holds assertions, by their keys; `of` names the requests. */
export type CheckEntry = { readonly of?: string | readonly string[] } & Readonly<Record<string, unknown>>;

/** A kind of assertion: the default export of a file in `kinds/`, where the registry finds it. */
export type AssertionKind = ResponseKind | CompositeKind;

interface CommonKind {
  /** The key under which it stands in a check; `returned.include` is `include` within `returned`. */
  readonly key: string;
  /** JSON Schema (draft 2020-12) of the value under the key, with descriptions for those who write cases. */
  readonly schema: object;
}

/** How it is written, when it holds, what it needs of the world, and when it cannot be trusted. */
export interface ResponseKind<Value = unknown, Data = unknown> extends CommonKind {
  /** Whether it shows that something was returned, or that something was not: the latter needs the former. */
  readonly shows?: 'presence' | 'absence';
  /** Reads the value of a case file. Undefined where it asserts nothing in this row. */
  read(value: Value, context: ReadContext): Data | undefined;
  /** What it says of a response, in words that follow the name of the request: "is answered 2xx". */
  describe(data: Data, namesOf: (tiers: readonly string[]) => string): string;
  /** Holds it against an exchange that brought a response. Pure. */
  judge(data: Data, context: JudgeContext): AssertionResult;
  /** Ids of the world without which it cannot be judged; none unless given. */
  listNeededIds?(data: Data, context: NeedContext): readonly string[];
  /** Why a requirement must not rest on it; a kind without this is for questions alone. */
  findFlaw?(data: Data, context: FlawContext): Flaw | undefined;
  /** Whether it can be violated at all, rather than raise a doubt; it can unless this says otherwise. */
  canBeViolated?(data: Data): boolean;
}

/** How several assertions make one, written as a list of checks. */
export interface CompositeKind extends CommonKind {
  /** Stands between the assertions when they are put into words. */
  readonly conjunction: 'and' | 'or';
  combine(truths: readonly AssertionResult[]): AssertionResult;
}

/** Gives a kind its types. */
export function defineAssertion<Value, Data>(kind: ResponseKind<Value, Data>): ResponseKind<Value, Data> {
  return kind;
}

/** What reading an assertion may rest on. Steps lead from the assertion's value to the part that is meant. */
export interface ReadContext {
  /** The name, if a request has it; otherwise a problem is noted, and another request's name is returned. */
  resolveRequest(name: string, ...steps: string[]): string;
  /** The ids of the tiers that a selection means for this request; what is wrong with it is noted as a problem. */
  selectTiers(selection: TierSelection): string[];
  /** The ids of the tiers that a selection certainly does not mean for this request. */
  selectOtherTiers(selection: TierSelection): string[];
  /** A text with ids in place of references such as `<campaign spring>`. */
  fillReferences(text: string): string;
  /** The tiers whose return the documentation leaves open for this request. */
  listOpenTiers(): string[];
  /** What each reading of the documentation requires and forbids of the tiers in which they differ, for another request too. */
  listAlternatives(name?: string): AlternativeTiers[];
}

/** One reading of the documentation, in tiers. */
export interface AlternativeTiers {
  readonly window: WindowAlternative['window'];
  readonly required: readonly string[];
  readonly forbidden: readonly string[];
}

export interface JudgeContext {
  readonly exchange: AnsweredExchange;
  readonly evidence: RowEvidence;
  readonly mode: JudgeMode;
  /** Another exchange of the row, or why it shows nothing. */
  findAnswer(name: string): AnsweredExchange | { readonly because: string };
}

export interface NeedContext {
  readonly mode: JudgeMode;
  readonly world: NamedWorld;
  /** What the documentation says of the request that the assertion is about. */
  readonly oracle: Oracle;
  getOracle(name: string): Oracle;
  /** Every tier that the deployment could have, by its capabilities. */
  readonly possibleTiers: readonly string[];
  /** These tiers and, where only its age speaks against one of them, the newest 150: they show that it is older. */
  addWindow(ids: readonly string[]): readonly string[];
}

/** A request of a row with what the documentation says of it. */
export interface ExaminedRequest {
  readonly name: string;
  readonly http: HttpRequest;
  readonly oracle: Oracle;
}

export interface FlawContext extends ExaminedRequest {
  readonly world: World;
  getRequest(name: string): ExaminedRequest;
}

/** Why an assertion cannot be trusted, and what to write instead. */
export interface Flaw {
  readonly message: string;
  readonly hint: string;
}
