import type { Members } from './json.js';

/** What a request tells of a matter; the rules about a waived matter all hold. */
export type Told<T> = { readonly kind: 'told'; readonly value: T } | { readonly kind: 'waived' };

/** What an order item counts as; one that carries both ids may be two lines. */
export interface Line {
  readonly as: 'product' | 'sku';
  readonly id: string;
  /** As sent. */
  readonly quantity: unknown;
  /** The position of its item in the order. */
  readonly item: number;
}

/** How many of each id an order holds. */
export interface Tally {
  readonly product: ReadonlyMap<string, number>;
  readonly sku: ReadonlyMap<string, number>;
}

/** What the body of a request says. */
export interface Statement {
  readonly customer: Told<string | undefined>;
  readonly lines: readonly Line[];
  readonly tally: Told<Tally>;
  readonly orderMetadata: Told<Members>;
  readonly metadata: Told<Members>;
  readonly expand: readonly string[];
}

interface Operand {
  readonly operator: '$is' | '$is_not';
  readonly value: string;
}

export interface CampaignFilter extends Operand {
  readonly field: 'promotion_id';
}

export interface MetadataFilter extends Operand {
  readonly field: 'metadata';
  readonly key: string;
}

export type Filter = CampaignFilter | MetadataFilter;

/** What the query string of a request says. */
export interface Query {
  readonly filters: readonly Filter[];
  readonly audienceRulesOnly: boolean;
}

/** Whether the same request came an even number of times before. Always `first` for a repeatable deployment. */
export type Turn = 'first' | 'second';

/** All that a request asks. */
export interface Asked extends Statement, Query {
  readonly turn: Turn;
}

export const waived = { kind: 'waived' } as const;

export function told<T>(value: T): Told<T> {
  return { kind: 'told', value };
}

/** What a body says of which nothing is known: no rule holds for it. */
export const nothingSaid: Statement = {
  customer: told(undefined),
  lines: [],
  tally: told({ product: new Map(), sku: new Map() }),
  orderMetadata: told({}),
  metadata: told({}),
  expand: [],
};

/** What a body says to which every rule is to hold. */
export const allWaived: Statement = {
  ...nothingSaid,
  customer: waived,
  tally: waived,
  orderMetadata: waived,
  metadata: waived,
};

/** What a request asks that says nothing at all. */
export const nothingAsked: Asked = { ...nothingSaid, filters: [], audienceRulesOnly: false, turn: 'first' };
