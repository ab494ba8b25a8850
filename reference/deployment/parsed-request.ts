import type { Members } from './json.js';

/** In place of a part of a request: every rule about this part holds. */
export const waived = Symbol('waived');

export type Waivable<T> = T | typeof waived;

/** The body of a request as JSON. An unread body is present, but has no meaning. */
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

/** The parsed body of a request. */
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
  readonly literalBrackets: boolean;
  readonly hasPlusSign: boolean;
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

/** The parsed query string of a request. */
export interface ParsedQuery {
  readonly filters: readonly Filter[];
  readonly audienceRulesOnly: boolean;
}

/** Whether the same request came an even number of times before. Always `first` for a repeatable deployment. */
export type Turn = 'first' | 'second';

/** A whole request. */
export interface ParsedRequest extends ParsedBody, ParsedQuery {
  readonly turn: Turn;
}

/** A body without content: no rule holds for it. */
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

/** A request without content. */
export const emptyRequest: ParsedRequest = { ...emptyBody, filters: [], audienceRulesOnly: false, turn: 'first' };
