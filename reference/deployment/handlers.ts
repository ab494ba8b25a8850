import type { Tier, TierRule } from '../../src/contract/world.js';
import type { Credentials } from '../../src/http/connection-options.js';
import type { Headers, HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import type { ClosedQuestion, CompleteBehaviours } from './behaviours.js';
import type { Catalogue } from './catalogue.js';
import type { Refusal } from './early-response.js';
import type { Members } from './json.js';
import type {
  Body,
  Filter,
  Line,
  Parameter,
  ParsedBody,
  ParsedQuery,
  ParsedRequest,
  Tally,
  Waivable,
} from './parsed-request.js';

/** The data of a deployment before any request. */
export interface DeploymentFacts {
  readonly catalogue: Catalogue;
  readonly credentials: Credentials;
  readonly behaviours: CompleteBehaviours;
}

/**
 * The decisions of the deployment. A {@link Change} replaces some of them, for all callers. Any handler may end the
 * request by throwing an `EarlyResponse`.
 */
export interface Handlers
  extends RoutingHandlers,
    AuthenticationHandlers,
    BodyHandlers,
    OrderHandlers,
    QueryHandlers,
    FilterHandlers,
    EligibilityHandlers,
    ResponseHandlers {}

/** Returns the handlers with all changes. Handlers call it for every call of another handler, not before the first request. */
export type HandlerLookup = () => Handlers;

/**
 * Replaces handlers.
 *
 * @param handlers the handlers without this change; the handlers that they call are the changed ones
 */
export type Change = (handlers: Handlers, facts: DeploymentFacts) => Partial<Handlers>;

export interface RoutingHandlers {
  /** Lets requests for this operation pass, by method and path. Returns the query string. */
  route(request: HttpRequest): string;
}

export interface AuthenticationHandlers {
  /** Lets requests with good credentials pass. */
  authenticate(headers: Headers): void;
}

export interface BodyHandlers {
  /** Whether the body of a request with this Content-Type is read. */
  readsMediaType(contentType: string | undefined): boolean;
  readBody(request: HttpRequest): Body;
  parseBody(body: Body): ParsedBody;
  customerOf(members: Members): Waivable<string | undefined>;
  orderMetadataOf(members: Members): Waivable<Members>;
  metadataOf(members: Members): Waivable<Members>;
  /** The values of `options.expand` that this deployment knows. */
  expandOf(members: Members): readonly string[];
}

export interface OrderHandlers {
  /** The items of an order, `waived` when order rules need no items. */
  itemsOf(members: Members): Waivable<readonly unknown[]>;
  /** What the items count as; unknown ids count as nothing. */
  linesOf(items: readonly unknown[]): readonly Line[];
  /** How many several lines of the same id stand for. */
  addUp(as: Line['as'], quantities: readonly unknown[]): number;
  tally(lines: readonly Line[]): Tally;
}

export interface QueryHandlers {
  readQuery(query: string): ParsedQuery;
  /** The filter that a parameter is; `undefined` when it is ignored. */
  readFilter(parameter: Parameter): Filter | undefined;
  /** @param values those of all parameters audienceRulesOnly, in their order */
  readAudienceRulesOnly(values: readonly string[]): boolean;
}

export type TierTest = (tier: Tier) => boolean;

export interface FilterHandlers {
  /** The filters as one test; `undefined` when nothing restricts. */
  restriction(request: ParsedRequest): TierTest | undefined;
  inCampaign(tier: Tier, id: string): boolean;
  hasMetadata(tier: Tier, key: string, value: string): boolean;
}

type RuleOf<K extends TierRule['kind']> = Extract<TierRule, { kind: K }>;

export interface EligibilityHandlers {
  /** The tiers that are checked. Takes them newest first. */
  newest(tiers: readonly Tier[]): readonly Tier[];
  /** Tiers that are checked for this request: within the window, and let through by the filters. */
  candidates(request: ParsedRequest): readonly Tier[];
  /** Decides of each candidate whether it is valid for a request. */
  validity(request: ParsedRequest): TierTest;
  isValid(tier: Tier, request: ParsedRequest): boolean;
  holds(rule: TierRule, request: ParsedRequest): boolean;
  customerRule(rule: RuleOf<'customer'>, request: ParsedRequest): boolean;
  productRule(rule: RuleOf<'product'>, request: ParsedRequest): boolean;
  skuRule(rule: RuleOf<'sku'>, request: ParsedRequest): boolean;
  orderMetadataRule(rule: RuleOf<'order_metadata'>, request: ParsedRequest): boolean;
  metadataRule(rule: RuleOf<'metadata'>, request: ParsedRequest): boolean;
  /** Whether a quantity meets a threshold. */
  isEnough(quantity: number, atLeast: number): boolean;
  /** The valid ones of the candidates, newest first. */
  select(request: ParsedRequest): readonly Tier[];
}

export interface ResponseHandlers {
  arrange(tiers: readonly Tier[]): readonly Tier[];
  /** Those that one response lists: all. */
  page(tiers: readonly Tier[]): readonly Tier[];
  /** The response of an operation that found these tiers. */
  present(tiers: readonly Tier[], request: ParsedRequest): HttpResponse;
  /** A response that lists these tiers, possibly none. */
  list(tiers: readonly Tier[], request: ParsedRequest): HttpResponse;
  /** The response that says why a request is refused. */
  refused(refusal: Refusal): HttpResponse;
  /** The response to a request that ended early. @param question the question whose outcome ended it */
  end(response: HttpResponse, question: ClosedQuestion | undefined): HttpResponse;
}
