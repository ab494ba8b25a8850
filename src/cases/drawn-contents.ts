import {
  audienceParameter,
  documentedOperation,
  type FilterSubject,
  renderFilterParameter,
} from '../contract/operation.js';
import type { Rule, Tier, World } from '../contract/world.js';
import type { HttpRequest } from '../http/exchange.js';
import { encodeQueryText } from '../http/request-content.js';
import { remember } from '../support/compute-once.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { applyForms, type RequestForm } from './request-forms.js';

/** What a drawn request contains. Entries, because a data file may have any key, `__proto__` too. */
export interface DrawnContents {
  readonly customer: string;
  readonly items: readonly DrawnItem[];
  readonly orderMetadata: readonly Entry<readonly string[]>[];
  readonly metadata: readonly Entry<string>[];
  readonly expand?: boolean;
  readonly filters?: readonly DrawnFilter[];
  /** Whether `audienceRulesOnly` is sent, before or after the filters. */
  readonly audienceRulesOnly?: 'first' | 'last';
  /** Members that are left out, such as `order.metadata`. */
  readonly without?: readonly string[];
  /** Other encodings, as ordinary clients use them. */
  readonly sent?: readonly RequestForm[];
  /** Set if it is sent a second time. */
  readonly again?: number;
}

export type Entry<Value> = readonly [key: string, value: Value];

export interface DrawnItem {
  readonly kind: 'product' | 'sku';
  readonly id: string;
  /** Undefined to leave it out. */
  readonly quantity: number | undefined;
}

export interface DrawnFilter {
  readonly subject: FilterSubject;
  readonly value: string;
  /** The value of the data that it is nearly the same as. */
  readonly nearTo?: string;
}

/** Renders a documented request, as an ordinary client sends it. */
export function renderContents(contents: DrawnContents): HttpRequest {
  const { method, path, headers } = documentedOperation;
  const { customer, items, orderMetadata, metadata, expand, without = [], sent = [], again } = contents;
  const query = listParameters(contents).map((pair) => pair.map(encodeQueryText).join('='));
  const keep = (member: string, value: unknown) => (without.includes(member) ? undefined : value);
  const body = {
    customer: keep('customer', { id: customer }),
    order: keep('order', {
      items: items.map(({ kind, id, quantity }) => ({ [`${kind}_id`]: id, quantity })),
      metadata: keep('order.metadata', Object.fromEntries(orderMetadata)),
    }),
    options: keep('options', expand ? { expand: ['category'] } : {}),
    metadata: keep('metadata', Object.fromEntries(metadata)),
  };
  const request = {
    method,
    path: query.length === 0 ? path : `${path}?${query.join('&')}`,
    headers: Object.entries(headers),
    body: JSON.stringify(body),
    ...omitUndefined({ again }),
  };
  return applyForms(request, sent);
}

function listParameters({
  filters = [],
  audienceRulesOnly,
}: DrawnContents): (readonly [name: string, value: string])[] {
  const ofFilters = filters.map(({ subject, value }) => [renderFilterParameter(subject), value] as const);
  if (audienceRulesOnly === undefined) return ofFilters;
  const audience = [audienceParameter, 'true'] as const;
  return audienceRulesOnly === 'first' ? [audience, ...ofFilters] : [...ofFilters, audience];
}

/** Small limits of a deployment leave most requests as they are: items of an order, and characters of metadata. */
const [maxItems, maxMetadata] = [40, 8_000];

/** Fills an order so that as many tiers as possible are valid, the first ones first. Each rule is met exactly. */
export function fillOrder(customer: string, tiers: readonly Tier[], facts: OrderFacts): DrawnContents {
  const items = new Map<string, { kind: 'product' | 'sku'; id: string; quantity: number }>();
  const metadata = new Map<string, string>();
  const orderMetadata = new Map<string, string[]>();
  let size = 0;
  const hasItem = (kind: string, id: string) => items.has(`${kind} ${id}`);
  const canMeet = (rule: Rule): boolean => {
    switch (rule.kind) {
      case 'customer':
        return facts.isListed(rule.any_of, customer);
      // The effect of a product and its own SKU in one order is open.
      case 'product':
        return (
          hasItem('product', rule.id) ||
          (items.size < maxItems && !(facts.skusOf.get(rule.id) ?? []).some((id) => hasItem('sku', id)))
        );
      case 'sku':
        return (
          hasItem('sku', rule.id) || (items.size < maxItems && !hasItem('product', facts.productOf.get(rule.id) ?? ''))
        );
      case 'metadata':
        return metadata.get(rule.key) === rule.is || (!metadata.has(rule.key) && size + rule.is.length < maxMetadata);
      default:
        return true;
    }
  };
  const meet = (rule: Rule): void => {
    if (rule.kind === 'product' || rule.kind === 'sku') {
      const { kind, id, at_least } = rule;
      const quantity = Math.max(at_least, items.get(`${kind} ${id}`)?.quantity ?? 0);
      items.set(`${kind} ${id}`, { kind, id, quantity });
    } else if (rule.kind === 'metadata') {
      size += metadata.has(rule.key) ? 0 : rule.key.length + rule.is.length;
      metadata.set(rule.key, rule.is);
    } else if (rule.kind === 'order_metadata')
      orderMetadata.set(rule.key, [...new Set([...(orderMetadata.get(rule.key) ?? []), rule.includes])]);
  };
  for (const { rules } of tiers) if (rules.every(canMeet)) for (const rule of rules) meet(rule);
  const drawn = items.size === 0 ? [facts.anyItem] : [...items.values()];
  return { customer, items: drawn, metadata: [...metadata], orderMetadata: [...orderMetadata] };
}

/** What {@link fillOrder} has to look up. */
export type OrderFacts = ReturnType<typeof collectOrderFacts>;

export function collectOrderFacts({ products, skus, tiers }: World) {
  const productOf = new Map(skus.map(({ id, product_id }) => [id, product_id]));
  const skusOf = new Map<string, string[]>();
  for (const { id, product_id } of skus) skusOf.set(product_id, [...(skusOf.get(product_id) ?? []), id]);
  const indexList = remember((list: readonly string[]) => new Set(list));
  const asked = new Set(tiers.flatMap(({ rules }) => rules.flatMap((rule) => ('id' in rule ? rule.id : []))));
  const findAny = (things: readonly { readonly id: string }[]) =>
    (things.find(({ id }) => !asked.has(id)) ?? things[0])?.id;
  const anyProduct = findAny(products);
  return {
    productOf,
    skusOf,
    /** An item for orders that need no other. */
    anyItem: {
      kind: anyProduct === undefined ? 'sku' : 'product',
      id: anyProduct ?? findAny(skus) ?? '',
      quantity: 1,
    } as const,
    isListed: (list: readonly string[], id: string) => indexList(list).has(id),
  };
}
