import {
  findProductIdOfSku,
  type ItemRule,
  type Tier,
  type TierRule,
  type World,
  type WorldEntity,
} from '../contract/world.js';
import { cacheByObject } from '../support/caches.js';
import { groupBy } from '../support/collections.js';
import { hasWellFormedTexts } from '../support/json.js';
import type { DraftItem, DrawnRequestDraft } from './drawn-request-draft.js';
import { createSimilarIdFinder } from './nearness.js';

/** Items and entries of metadata of an order: small limits of a deployment leave most requests as they are. */
const [maxItems, maxMetadata] = [40, 80];

/** Fills an order so that as many tiers as possible are valid, the first ones first. Each rule is met exactly. */
export function composeOrderForTiers(
  customer: string,
  tiers: readonly Tier[],
  { skus, anyItem }: ProductIndex,
): DrawnRequestDraft {
  const order = new GrowingOrder(customer, skus);
  for (const { rules } of tiers) {
    // A rule that is met does not help if another rule of the same tier cannot be met.
    if (rules.every((rule) => order.canMeet(rule))) for (const rule of rules) order.meet(rule);
  }
  return order.createParts(anyItem);
}

/** An order to which items and metadata are added until the rules of a tier hold. */
class GrowingOrder {
  readonly #customer: string;
  readonly #skus: World['skus'];
  readonly #items = new Map<string, DraftItem>();
  /** How each product is ordered. What a product and its SKU in one order mean is open, so an order has one of them. */
  readonly #kinds = new Map<string, DraftItem['kind']>();
  readonly #metadata = new Map<string, string>();
  readonly #orderMetadata = new Map<string, ReadonlySet<string>>();

  constructor(customer: string, skus: World['skus']) {
    this.#customer = customer;
    this.#skus = skus;
  }

  /** Whether a rule holds, or can be made to hold without breaking a rule that was met before. */
  canMeet(rule: TierRule): boolean {
    if (rule.kind === 'customer') return indexList(rule.any_of).has(this.#customer);
    // No request can carry such a text, and it would make the whole order undocumented.
    if (!hasWellFormedTexts(rule)) return false;
    if (rule.kind === 'metadata') {
      const value = this.#metadata.get(rule.key);
      return value === undefined ? this.#metadata.size < maxMetadata : value === rule.is;
    }
    return !('id' in rule) || this.#canOrder(rule);
  }

  meet(rule: TierRule): void {
    if ('id' in rule) this.#addItem(rule);
    else if (rule.kind === 'metadata') this.#metadata.set(rule.key, rule.is);
    else if (rule.kind === 'order_metadata') {
      const values = this.#orderMetadata.get(rule.key) ?? [];
      this.#orderMetadata.set(rule.key, new Set([...values, rule.includes]));
    }
  }

  /** @param anyItem ordered if no rule asks for an item */
  createParts(anyItem: DraftItem): DrawnRequestDraft {
    return {
      customer: this.#customer,
      items: this.#items.size === 0 ? [anyItem] : [...this.#items.values()],
      metadata: [...this.#metadata],
      orderMetadata: [...this.#orderMetadata].map(([key, values]) => [key, [...values]]),
    };
  }

  #canOrder(rule: ItemRule): boolean {
    if (this.#items.has(getItemKey(rule))) return true;
    const kind = this.#kinds.get(this.#findProductOf(rule)) ?? rule.kind;
    return this.#items.size < maxItems && kind === rule.kind;
  }

  #addItem(rule: ItemRule): void {
    const { kind, id, at_least } = rule;
    const quantity = Math.max(at_least, this.#items.get(getItemKey(rule))?.quantity ?? 0);
    this.#items.set(getItemKey(rule), { kind, id, quantity });
    this.#kinds.set(this.#findProductOf(rule), kind);
  }

  #findProductOf({ kind, id }: ItemRule): string {
    return kind === 'product' ? id : (findProductIdOfSku(this.#skus, id) ?? '');
  }
}

function getItemKey({ kind, id }: Pick<ItemRule, 'kind' | 'id'>): string {
  return `${kind} ${id}`;
}

const indexList = cacheByObject((list: readonly string[]): ReadonlySet<string> => new Set(list));

/** Whether the rules of a tier about customers hold for one. */
export function acceptsCustomer({ rules }: Tier, customer: string): boolean {
  return rules.every((rule) => rule.kind !== 'customer' || indexList(rule.any_of).has(customer));
}

/** What orders and their variations look up in the data. */
export interface ProductIndex {
  readonly products: World['products'];
  readonly skus: World['skus'];
  /** By product. */
  readonly skusOf: ReadonlyMap<string, readonly [WorldEntity, ...WorldEntity[]]>;
  /** Finds ids that are easily mistaken for an id. */
  readonly findNear: Readonly<Record<DraftItem['kind'], (id: string) => readonly string[]>>;
  /** One that no rule asks for, if there is one. */
  readonly anyItem: DraftItem;
}

export function createProductIndex({ products, skus, tiers }: World): ProductIndex {
  const asked = new Set(tiers.flatMap(({ rules }) => rules.flatMap((rule) => ('id' in rule ? rule.id : []))));
  const findAny = (things: readonly WorldEntity[]) => (things.find(({ id }) => !asked.has(id)) ?? things[0])?.id;
  const findNear = (things: readonly WorldEntity[]) => createSimilarIdFinder(things.map(({ id }) => id));
  const kind = products.length > 0 ? 'product' : 'sku';
  return {
    products,
    skus,
    skusOf: groupBy(skus, ({ product_id }) => product_id),
    findNear: { product: findNear(products), sku: findNear(skus) },
    anyItem: { kind, id: findAny(kind === 'product' ? products : skus) ?? '', quantity: 1 },
  };
}
