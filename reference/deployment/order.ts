import { createDecider } from './decider.js';
import { refuse } from './early-response.js';
import type { DeploymentFacts, HandlerLookup, OrderHandlers } from './handlers.js';
import { isObject, type Members } from './json.js';
import { type Line, type Waivable, waived } from './parsed-request.js';

/** Orders of more items are large ones. */
const largeOrder = 500;
/** Quantities above this do not fit into the integers of most databases. */
const hugeQuantity = 2 ** 31 - 1;

export function createOrderHandlers(
  handlers: HandlerLookup,
  { catalogue, behaviours }: DeploymentFacts,
): OrderHandlers {
  const inBody = createDecider(behaviours, 'invalid_payload');

  return {
    itemsOf({ order }) {
      if (!isObject(order)) return inBody('omitted-order', 'order') === 'order-rules-pass' ? waived : [];
      const { items = [] } = order;
      return Array.isArray(items) ? checkLength(items) : readOneItem(items);
    },

    linesOf(items) {
      const lines: Line[] = [];
      for (const [position, item] of items.entries()) {
        const some = linesOfItem(item, position);
        if (some === 'order-ignored') return [];
        lines.push(...some);
      }
      return lines;
    },

    addUp(as, quantities) {
      const subject = `order.items.${as}_id`;
      if (as === 'product' && hasMixedTypes(quantities))
        return addUpMixed(inBody('repeated-product-mixed-types', subject), readMixedQuantities(quantities));
      const amounts = quantities.map(quantityOf).filter((quantity) => quantity !== undefined);
      const [first = 0] = amounts;
      if (quantities.length < 2) return first;
      switch (inBody(as === 'product' ? 'repeated-product-quantities' : 'repeated-sku', subject)) {
        case 'summed':
          return sum(amounts);
        case 'each-item-alone':
          return greatest(amounts);
        case 'first-item':
          return first;
        case 'last-item':
          return amounts.at(-1) ?? 0;
      }
    },

    tally(lines) {
      const product = addUpEach('product', lines);
      const sku = addUpEach('sku', lines);
      const outcome = behaviours['product-and-its-sku'];
      if (outcome === 'counted-apart') return { product, sku };
      for (const [id, quantity] of quantitiesBySkus(lines, sku)) {
        const named = product.get(id);
        if (outcome === 'summed') product.set(id, (named ?? 0) + quantity);
        else if (outcome === 'sku-counts-as-its-product') product.set(id, Math.max(named ?? 0, quantity));
        // All other outcomes end the request. They concern only an order with a product and a SKU of it.
        else if (named !== undefined) inBody('product-and-its-sku', 'order.items');
      }
      return { product, sku };
    },
  };

  function checkLength(items: readonly unknown[]): Waivable<readonly unknown[]> {
    if (items.length === 0) return inBody('empty-items', 'order.items') === 'order-rules-pass' ? waived : [];
    if (items.length > largeOrder) inBody('large-order', 'order.items');
    return items;
  }

  /** Reads a value in the place of the list of items, such as an item without a list around it. */
  function readOneItem(item: unknown): readonly unknown[] {
    return inBody('items-not-an-array', 'order.items') === 'as-one-item' ? [item] : [];
  }

  function linesOfItem(item: unknown, position: number): readonly Line[] | 'order-ignored' {
    if (!isObject(item)) return [];
    const ids = idsThatCount(item);
    if (ids === 'order-ignored') return ids;
    // As most deployments: a quantity is checked before its product is looked up.
    if (!ids.some(([as, id]) => isOffered(as, id))) quantityOf(item.quantity);
    for (const [as, id] of ids) {
      if (isOffered(as, id)) continue;
      if (inBody(`unknown-${as}`, `order.items.${as}_id`) === 'order-ignored') return 'order-ignored';
    }
    return ids
      .filter(([as, id]) => isOffered(as, id))
      .map(([as, id]) => ({ as, id, quantity: item.quantity, item: position }));
  }

  /** The ids by which an item counts, where the order is not spoilt by it. */
  function idsThatCount(item: Members): readonly (readonly [as: Line['as'], id: string])[] | 'order-ignored' {
    const product = typeof item.product_id === 'string' ? ([['product', item.product_id]] as const) : [];
    const sku = typeof item.sku_id === 'string' ? ([['sku', item.sku_id]] as const) : [];
    if (product.length + sku.length === 0) {
      return inBody('item-without-id', 'order.items') === 'order-ignored' ? 'order-ignored' : [];
    }
    if (product.length + sku.length === 1) return [...product, ...sku];
    switch (inBody('item-with-both-ids', 'order.items')) {
      case 'both-count':
        return [...product, ...sku];
      case 'product-only':
        return product;
      case 'sku-only':
        return sku;
      case 'item-ignored':
        return [];
    }
  }

  function isOffered(as: Line['as'], id: string): boolean {
    return as === 'product' ? catalogue.products.has(id) : catalogue.skus.has(id);
  }

  /** The quantity of one line; `undefined` when the line does not count. */
  function quantityOf(quantity: unknown): number | undefined {
    const subject = 'order.items.quantity';
    if (quantity === undefined) return amount(inBody('missing-quantity', subject));
    if (typeof quantity === 'number') return quantityOfNumber(quantity, subject);
    if (quantity === null) return amount(inBody('quantity-null', subject));
    if (quantity === '') return amount(inBody('quantity-empty-string', subject));
    if (isNumeric(quantity)) return amount(inBody('quantity-numeric-string', subject), Number(quantity));
    if (typeof quantity === 'string') return amount(inBody('quantity-non-numeric-string', subject));
    return refuse(400, `${subject}: must be an integer`, 'invalid_payload');
  }

  function quantityOfNumber(quantity: number, subject: string): number | undefined {
    if (quantity === 0) return amount(inBody('quantity-zero', subject), quantity);
    if (quantity < 0) return amount(inBody('quantity-negative', subject), quantity);
    if (quantity > hugeQuantity) return amount(inBody('quantity-huge', subject), quantity);
    if (!Number.isInteger(quantity)) return amount(inBody('quantity-fraction', subject), quantity);
    return quantity;
  }

  /** Reads quantities of mixed types. How numeric strings count is another question; all others count as in one item. */
  function readMixedQuantities(quantities: readonly unknown[]): MixedQuantity[] {
    return quantities.flatMap((sent): MixedQuantity[] => {
      if (isNumeric(sent)) return [{ amount: Number(sent), isText: true }];
      const amount = quantityOf(sent);
      return amount === undefined ? [] : [{ amount, isText: false }];
    });
  }

  function addUpEach(as: Line['as'], lines: readonly Line[]): Map<string, number> {
    const quantities = new Map<string, unknown[]>();
    for (const line of lines) {
      if (line.as !== as) continue;
      const several = quantities.get(line.id);
      if (several === undefined) quantities.set(line.id, [line.quantity]);
      else several.push(line.quantity);
    }
    return new Map([...quantities].map(([id, several]) => [id, handlers().addUp(as, several)]));
  }

  /** How many of each product are there by its SKUs. An item with both ids is no second one of its product. */
  function quantitiesBySkus(lines: readonly Line[], skus: ReadonlyMap<string, number>): Map<string, number> {
    const productOfItem = new Map(lines.filter(({ as }) => as === 'product').map(({ item, id }) => [item, id]));
    const apart = lines.filter(
      ({ as, id, item }) => as === 'sku' && productOfItem.get(item) !== catalogue.skus.get(id),
    );
    const quantities = new Map<string, number>();
    for (const id of new Set(apart.map((line) => line.id))) {
      const product = catalogue.skus.get(id) ?? '';
      quantities.set(product, (quantities.get(product) ?? 0) + (skus.get(id) ?? 0));
    }
    return quantities;
  }
}

/** Whether the quantities of one product are numbers in part, and numeric strings in part. */
function hasMixedTypes(quantities: readonly unknown[]): boolean {
  return quantities.some(isNumeric) && quantities.some((quantity) => typeof quantity === 'number');
}

function isNumeric(quantity: unknown): boolean {
  return typeof quantity === 'string' && /^\d+$/.test(quantity);
}

type Amount = 'item-ignored' | 'as-one' | 'as-unlimited' | 'as-number' | 'as-absolute' | 'as-two' | 'rounded-up';

function amount(outcome: Amount, quantity = 0): number | undefined {
  switch (outcome) {
    case 'item-ignored':
      return undefined;
    case 'as-one':
      return 1;
    case 'as-unlimited':
      return Number.POSITIVE_INFINITY;
    case 'as-number':
      return quantity;
    case 'as-absolute':
      return Math.abs(quantity);
    case 'as-two':
      return Math.floor(quantity);
    case 'rounded-up':
      return Math.ceil(quantity);
  }
}

interface MixedQuantity {
  readonly amount: number;
  /** Whether it was sent as a string. */
  readonly isText: boolean;
}

function addUpMixed(
  outcome: 'summed' | 'concatenated' | 'each-item-alone' | 'number-only' | 'item-ignored',
  quantities: readonly MixedQuantity[],
): number {
  const amounts = quantities.map(({ amount }) => amount);
  switch (outcome) {
    case 'summed':
      return sum(amounts);
    case 'concatenated':
      // An unlimited quantity has no digits.
      return amounts.includes(Number.POSITIVE_INFINITY) ? Number.POSITIVE_INFINITY : Number(amounts.join(''));
    case 'each-item-alone':
      return greatest(amounts);
    case 'number-only':
      return sum(quantities.flatMap(({ amount, isText }) => (isText ? [] : amount)));
    case 'item-ignored':
      return 0;
  }
}

export function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((total, number) => total + number, 0);
}

/** As `Math.max`, which cannot take as many arguments as an order may have items. */
function greatest(numbers: readonly number[]): number {
  return numbers.reduce((max, number) => Math.max(max, number), 0);
}
