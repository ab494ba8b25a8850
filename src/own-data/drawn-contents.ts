import { assembleRequest, documentedRequestDraft, prune } from '../cases/request-draft.js';
import type { RequestForm } from '../cases/request-forms.js';
import { audienceParameter, type FilterSubject, renderFilterParameter } from '../contract/operation.js';
import { findProduct, type ItemRule, type Rule, type Thing, type Tier, type World } from '../contract/world.js';
import type { HttpRequest } from '../http/exchange.js';
import { remember } from '../support/caches.js';
import { groupBy, omitUndefined } from '../support/collections.js';
import { isWellFormed } from '../support/json.js';
import { createNearIdFinder } from './near-texts.js';

/** What a drawn request contains. Entries, because a data file may have any key, `__proto__` too. */
export interface DrawnContents {
  readonly customer: string;
  readonly items: readonly DrawnItem[];
  readonly orderMetadata: readonly Entry<readonly string[]>[];
  readonly metadata: readonly Entry<string>[];
  readonly expand?: boolean;
  readonly filters?: readonly DrawnFilter[];
  /** Where `audienceRulesOnly` is sent: before or after the filters. */
  readonly audienceRulesOnly?: 'first' | 'last';
  /** A member that is left out, such as `order.metadata`. */
  readonly without?: string;
  readonly sent?: readonly RequestForm[];
  readonly again?: number;
}

export type Entry<Value> = readonly [key: string, value: Value];

export interface DrawnItem extends Pick<ItemRule, 'kind' | 'id'> {
  readonly quantity: number;
}

export interface DrawnFilter {
  readonly subject: FilterSubject;
  readonly value: string;
  /** The value of the data that it is nearly the same as. */
  readonly nearTo?: string;
}

export function renderContents(contents: DrawnContents): HttpRequest {
  const { customer, items, orderMetadata, metadata, expand, filters = [], audienceRulesOnly } = contents;
  const { without, sent = [], again } = contents;
  const query = filters.map(({ subject, value }) => [renderFilterParameter(subject), value] as const);
  const audience = audienceRulesOnly === undefined ? [] : [[audienceParameter, 'true'] as const];
  const body = {
    customer: { id: customer },
    order: {
      items: items.map(({ kind, id, quantity }) => ({ [`${kind}_id`]: id, quantity })),
      metadata: Object.fromEntries(orderMetadata),
    },
    options: expand ? { expand: ['category'] } : {},
    metadata: Object.fromEntries(metadata),
  };
  const parameters = audienceRulesOnly === 'first' ? [...audience, ...query] : [...query, ...audience];
  const kept = without === undefined ? body : prune(body, without.split('.'));
  const parts = { query: Object.fromEntries(parameters), body: kept, sent, ...omitUndefined({ again }) };
  // Data may contain what a case file would write for a reference.
  return assembleRequest({ ...documentedRequestDraft, ...parts }, (kind, name) => `<${kind} ${name}>`);
}

/** Items and entries of metadata of an order: small limits of a deployment leave most requests as they are. */
const [maxItems, maxMetadata] = [40, 80];

/** Fills an order so that as many tiers as possible are valid, the first ones first. Each rule is met exactly. */
export function fillOrder(customer: string, tiers: readonly Tier[], { skus, anyItem }: OrderFacts): DrawnContents {
  const items = new Map<string, DrawnItem>();
  /** How each product is ordered: the effect of a product and its own SKU in one order is open. */
  const kinds = new Map<string, DrawnItem['kind']>();
  const metadata = new Map<string, string>();
  const orderMetadata = new Map<string, ReadonlySet<string>>();
  const nameProduct = ({ kind, id }: ItemRule) => (kind === 'product' ? id : (findProduct(skus, id) ?? ''));
  const canMeet = (rule: Rule): boolean => {
    if (rule.kind === 'customer') return indexList(rule.any_of).has(customer);
    // No request can carry such a text, and it would make the whole order undocumented.
    if (!isWellFormed(rule)) return false;
    if (rule.kind === 'metadata')
      return metadata.has(rule.key) ? metadata.get(rule.key) === rule.is : metadata.size < maxMetadata;
    if (!('id' in rule) || items.has(`${rule.kind} ${rule.id}`)) return true;
    return items.size < maxItems && (kinds.get(nameProduct(rule)) ?? rule.kind) === rule.kind;
  };
  const meet = (rule: Rule): void => {
    if ('id' in rule) {
      const { kind, id, at_least } = rule;
      const quantity = Math.max(at_least, items.get(`${kind} ${id}`)?.quantity ?? 0);
      items.set(`${kind} ${id}`, { kind, id, quantity });
      kinds.set(nameProduct(rule), kind);
    } else if (rule.kind === 'metadata') metadata.set(rule.key, rule.is);
    else if (rule.kind === 'order_metadata')
      orderMetadata.set(rule.key, new Set([...(orderMetadata.get(rule.key) ?? []), rule.includes]));
  };
  for (const { rules } of tiers) if (rules.every(canMeet)) for (const rule of rules) meet(rule);
  return {
    customer,
    items: items.size === 0 ? [anyItem] : [...items.values()],
    metadata: [...metadata],
    orderMetadata: [...orderMetadata].map(([key, values]) => [key, [...values]]),
  };
}

const indexList = remember((list: readonly string[]): ReadonlySet<string> => new Set(list));

/** Whether the rules of a tier about customers hold for one. */
export function acceptsCustomer({ rules }: Tier, customer: string): boolean {
  return rules.every((rule) => rule.kind !== 'customer' || indexList(rule.any_of).has(customer));
}

export type OrderFacts = ReturnType<typeof collectOrderFacts>;

export function collectOrderFacts({ products, skus, tiers }: World) {
  const asked = new Set(tiers.flatMap(({ rules }) => rules.flatMap((rule) => ('id' in rule ? rule.id : []))));
  const findAny = (things: readonly Thing[]) => (things.find(({ id }) => !asked.has(id)) ?? things[0])?.id;
  const findNear = (things: readonly Thing[]) => createNearIdFinder(things.map(({ id }) => id));
  const [kind, all] = products.length > 0 ? (['product', products] as const) : (['sku', skus] as const);
  return {
    skus,
    skusOf: groupBy(skus, ({ product_id }) => product_id),
    findNear: { product: findNear(products), sku: findNear(skus) },
    anyItem: { kind, id: findAny(all) ?? '', quantity: 1 },
  };
}
