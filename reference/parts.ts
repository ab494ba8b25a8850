import type { Credentials } from '../src/http/credentials.js';
import type { Headers, HttpRequest, HttpResponse } from '../src/http/exchange.js';
import type { Rule, Tier } from '../src/world/world.js';
import { admission } from './admission.js';
import { answering } from './answering.js';
import type { Asked, CampaignFilter, Filter, Line, MetadataFilter, Query, Statement, Tally, Told } from './asked.js';
import type { Settled } from './behaviours.js';
import { bodyReading } from './body.js';
import type { Catalogue } from './catalogue.js';
import { eligibility } from './eligibility.js';
import type { Members } from './json.js';
import { orderReading } from './order.js';
import { type Parameter, queryReading } from './query.js';
import type { Refusal } from './stop.js';

/** What all parts know. */
export interface Setting {
  readonly catalogue: Catalogue;
  readonly credentials: Credentials;
  readonly behaviours: Settled;
}

/** The body of a request. An unread one is there, but tells nothing. */
export type Body =
  | { readonly kind: 'absent' }
  | { readonly kind: 'unread' }
  | { readonly kind: 'object'; readonly members: Members };

export type TierTest = (tier: Tier) => boolean;

type RuleOf<K extends Rule['kind']> = Extract<Rule, { kind: K }>;

/**
 * The deployment, as the decisions of which it consists. They call each other through this record, so that one that is
 * replaced is replaced for all. Each may end the request by a `Stop`.
 */
export interface Parts {
  /** The whole way from a request to its answer. */
  answer(request: HttpRequest): HttpResponse;

  /** Whether this operation is asked for, by method and path. Returns the query string. */
  route(request: HttpRequest): string;
  /** Lets requests with good credentials pass. */
  admit(headers: Headers): void;
  /** Whether the body of a request with this Content-Type is read. */
  readsMediaType(contentType: string | undefined): boolean;
  readBody(request: HttpRequest): Body;
  /** Refuses members of the wrong type, and members unheard of. */
  checkBody(members: Members): void;
  understand(body: Body): Statement;
  customerOf(members: Members): Told<string | undefined>;
  /** The items of an order, `waived` when order rules need no items. */
  itemsOf(members: Members): Told<readonly unknown[]>;
  /** What the items count as; unknown ids count as nothing. */
  linesOf(items: readonly unknown[]): readonly Line[];
  /** How many one line stands for; `undefined` for one that does not count at all. */
  quantityOf(quantity: unknown): number | undefined;
  /** How many several lines of the same id stand for. */
  addUp(as: Line['as'], quantities: readonly unknown[]): number;
  tally(lines: readonly Line[]): Tally;
  orderMetadataOf(members: Members): Told<Members>;
  metadataOf(members: Members): Told<Members>;
  /** The values of `options.expand` that this deployment knows. */
  expandOf(members: Members): readonly string[];
  readQuery(query: string): Query;
  readFilter(parameter: Parameter): Filter | undefined;
  /** @param values those of all parameters audienceRulesOnly, in their order */
  readAudienceRulesOnly(values: readonly string[]): boolean;

  /** The tiers that are checked. Takes them newest first. */
  newest(tiers: readonly Tier[]): readonly Tier[];
  /** The filters as one test; `undefined` when nothing restricts. */
  restriction(asked: Asked): TierTest | undefined;
  campaignTest(filter: CampaignFilter): TierTest | undefined;
  metadataTest(filter: MetadataFilter): TierTest | undefined;
  inCampaign(tier: Tier, id: string): boolean;
  hasMetadata(tier: Tier, key: string, asked: string): boolean;
  /** Tiers that are checked for this request: within the window, and let through by the filters. */
  candidates(asked: Asked): readonly Tier[];
  /** What is left to check under audienceRulesOnly. */
  audience(asked: Asked): { readonly asked: Asked; readonly admits: TierTest };
  isValid(tier: Tier, asked: Asked): boolean;
  holds(rule: Rule, asked: Asked): boolean;
  customerRule(rule: RuleOf<'customer'>, asked: Asked): boolean;
  productRule(rule: RuleOf<'product'>, asked: Asked): boolean;
  skuRule(rule: RuleOf<'sku'>, asked: Asked): boolean;
  orderMetadataRule(rule: RuleOf<'order_metadata'>, asked: Asked): boolean;
  metadataRule(rule: RuleOf<'metadata'>, asked: Asked): boolean;
  /** Whether an order that holds so many meets a threshold. */
  isEnough(held: number, atLeast: number): boolean;
  /** The valid ones of the candidates, newest first. */
  select(asked: Asked): readonly Tier[];

  arrange(tiers: readonly Tier[]): readonly Tier[];
  /** How many of them one response holds: all. */
  page(tiers: readonly Tier[]): readonly Tier[];
  /** The answer of an operation that found these tiers. */
  present(tiers: readonly Tier[], asked: Asked): HttpResponse;
  /** A body that lists these tiers, possibly none. */
  list(tiers: readonly Tier[], asked: Asked): HttpResponse;
  fail(refusal: Refusal): HttpResponse;
}

/**
 * A deployment that does what the documentation says, and what the behaviours say where the documentation is silent.
 *
 * @returns the record through which the parts call each other: assigning to it replaces a part
 */
export function honestParts(setting: Setting): Parts {
  // The parts need the record before it has any of them; none of them runs before it is complete.
  const parts = {} as Parts;
  return Object.assign(
    parts,
    admission(parts, setting),
    bodyReading(parts, setting),
    orderReading(parts, setting),
    queryReading(parts, setting),
    eligibility(parts, setting),
    answering(parts, setting),
  );
}
