import type { Members } from './json.js';

/** Stands in place of what a request says of a matter: every rule about the matter holds. */
export const waived = Symbol('waived');

export type Waivable<T> = T | typeof waived;

/** The body of a request as JSON. One that is not read is there, but says nothing. */
export type Body =
  | { readonly kind: 'absent' }
  | { readonly kind: 'unread' }
  | { readonly kind: 'object'; readonly members: Members };

/** What an order item counts as; one that carries both ids may be two lines. */
export interface Line {
  readonly as: 'product' | 'sku';
  readonly id: string;
  /** As sent. */
  readonly quantity: unknown;
  /** The position of its item in the order. */
  readonly item: number;
}

/** How many of each id are in an order. */
export interface Tally {
  readonly product: ReadonlyMap<string, number>;
  readonly sku: ReadonlyMap<string, number>;
}

/** What the body of a request says. */
export interface ParsedBody {
  readonly customer: Waivable<string | undefined>;
  readonly lines: readonly Line[];
  readonly tally: Waivable<Tally>;
  readonly orderMetadata: Waivable<Members>;
  readonly metadata: Waivable<Members>;
  readonly expand: readonly string[];
}

/** One `name=value` of a query string. */
export interface Parameter {
  /** Decoded. */
  readonly name: string;
  /** Decoded. */
  readonly value: string;
  /** Whether brackets of the name were percent-encoded. */
  readonly encodedBrackets: boolean;
}

interface Condition {
  readonly operator: '$is' | '$is_not';
  readonly value: string;
}

export interface CampaignFilter extends Condition {
  readonly field: 'promotion_id';
}

export interface MetadataFilter extends Condition {
  readonly field: 'metadata';
  readonly key: string;
}

export type Filter = CampaignFilter | MetadataFilter;

/** What the query string of a request says. */
export interface ParsedQuery {
  readonly filters: readonly Filter[];
  readonly audienceRulesOnly: boolean;
}

/** Whether the same request came an even number of times before. Always `first` for a repeatable deployment. */
export type Turn = 'first' | 'second';

/** All that a request says. */
export interface ParsedRequest extends ParsedBody, ParsedQuery {
  readonly turn: Turn;
}

/** A body of which nothing is known: no rule holds for it. */
export const emptyBody: ParsedBody = {
  customer: undefined,
  lines: [],
  tally: { product: new Map(), sku: new Map() },
  orderMetadata: {},
  metadata: {},
  expand: [],
};

/** A body for which every rule is to hold. */
export const waivingBody: ParsedBody = {
  ...emptyBody,
  customer: waived,
  tally: waived,
  orderMetadata: waived,
  metadata: waived,
};

/** A request that says nothing at all. */
export const emptyRequest: ParsedRequest = { ...emptyBody, filters: [], audienceRulesOnly: false, turn: 'first' };
