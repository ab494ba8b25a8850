/** What a deployment contains: the test data of the suite, or the content of a data file. Tiers are newest first. */
export interface World {
  readonly customers: readonly Thing[];
  readonly products: readonly Thing[];
  readonly skus: readonly (Thing & { readonly product_id: string })[];
  readonly categories: readonly { readonly id: string; readonly name: string }[];
  readonly campaigns: readonly Campaign[];
  readonly tiers: readonly Tier[];
}

/** A thing with an id, and the name that cases use. Data of a user may lack the name. */
export interface Thing {
  readonly id: string;
  readonly name?: string;
}

export interface Campaign {
  readonly id: string;
  readonly name: string;
  readonly category_ids: readonly string[];
}

export interface Tier {
  readonly id: string;
  readonly campaign_id: string;
  readonly name: string;
  /** ISO 8601, UTC, milliseconds. */
  readonly created_at: string;
  readonly metadata: Readonly<Record<string, string | number | boolean>>;
  /** A tier is valid for a request when all its rules hold; without rules it is valid for everybody. */
  readonly rules: readonly Rule[];
}

export type Rule =
  | { readonly kind: 'customer'; readonly any_of: readonly string[] }
  | { readonly kind: 'product'; readonly id: string; readonly at_least: number }
  | { readonly kind: 'sku'; readonly id: string; readonly at_least: number }
  | { readonly kind: 'order_metadata'; readonly key: string; readonly includes: string }
  | { readonly kind: 'metadata'; readonly key: string; readonly is: string }
  /** In a data file only: what no other kind expresses. */
  | { readonly kind: 'other'; readonly description: string };
