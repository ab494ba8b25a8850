import { refuse } from '../deployment/early-response.js';
import type { Handlers } from '../deployment/handlers.js';
import { sum } from '../deployment/order.js';
import { type Line, waived } from '../deployment/parsed-request.js';
import { createCacheChange, type Fault, hasEntries, type Requirement, unlessWaived } from './fault.js';

/** Items of an order that are read otherwise, or not at all. */
function linesFault(
  id: string,
  breaks: Requirement,
  story: string,
  sentence: string | undefined,
  changed: (lines: readonly Line[]) => readonly Line[],
): Fault {
  return {
    id,
    breaks,
    story,
    ...(sentence !== undefined && { sentence }),
    change: (handlers) => ({ linesOf: (items) => changed(handlers.linesOf(items)) }),
  };
}

/** Items of an order that are passed over. */
function itemsFault(
  id: string,
  story: string,
  sentence: string,
  choose: (items: readonly unknown[]) => readonly unknown[],
): Fault {
  return {
    id,
    breaks: 'order.product-item',
    story,
    sentence,
    change: (handlers) => ({ linesOf: (items) => handlers.linesOf(choose(items)) }),
  };
}

/** Orders that are refused although the documentation describes them. */
function refusalFault(
  id: string,
  breaks: Requirement,
  story: string,
  isRefused: (lines: readonly Line[]) => boolean,
): Fault {
  return linesFault(id, breaks, story, undefined, (lines) =>
    isRefused(lines) ? refuse(400, 'order.items: not accepted', 'invalid_payload') : lines,
  );
}

const productItems: readonly Fault[] = [
  linesFault(
    'product-items-unread',
    'order.product-item',
    'Only items with sku_id are read.',
    'Items with product_id are not read: rules about products never hold.',
    (lines) => lines.filter(({ as }) => as !== 'product'),
  ),
  itemsFault(
    'first-item-only',
    'The loop over the items returns at the first one.',
    'Only the first item of an order is read.',
    (items) => items.slice(0, 1),
  ),
  itemsFault(
    'last-item-only',
    'Each item overwrites the item before it.',
    'Only the last item of an order is read.',
    (items) => items.slice(-1),
  ),
  itemsFault(
    'last-item-lost',
    'The loop over the items ends one too early.',
    'The last item of an order is not read.',
    (items) => items.slice(0, -1),
  ),
  refusalFault(
    'product-items-refused',
    'order.product-item',
    'An item without sku_id does not fit the schema.',
    (lines) => hasItemWithOnly('product', lines),
  ),
  {
    id: 'no-product-no-product-rules',
    breaks: 'order.product-item',
    story: 'Rules about products are skipped if the order has no product.',
    sentence: 'Rules about products are ignored if the order has no product.',
    change: (handlers) => ({
      productRule: (rule, request) =>
        !request.lines.some(({ as }) => as === 'product') || handlers.productRule(rule, request),
    }),
  },
  {
    id: 'absent-product-beside-a-sku',
    breaks: 'order.product-item',
    story: 'A query asks for products that are NOT IN the order: an item without product_id makes the answer NULL.',
    sentence: 'A rule about a product that the order lacks holds if the order has a SKU.',
    change: (handlers) => ({
      productRule: (rule, request) =>
        isAbsentBeside('sku', rule.id, request.lines) || handlers.productRule(rule, request),
    }),
  },
  {
    id: 'cached-under-the-customer',
    breaks: 'order.product-item',
    story: 'Results are cached under the customer and the filters, without the order.',
    hasState: true,
    change: createCacheChange(({ customer, filters }) => [customer, filters]),
  },
  {
    id: 'cart-kept',
    breaks: 'order.product-item',
    story: 'The items of an order are added to those that the same customer sent before.',
    hasState: true,
    change(handlers) {
      const carts = new Map<string | undefined, Map<string, Line>>();
      return {
        parseBody(body) {
          const said = handlers.parseBody(body);
          const customer = unlessWaived(said.customer, undefined);
          const cart = new Map([
            ...(carts.get(customer) ?? []),
            ...said.lines.map((line): [string, Line] => [line.id, line]),
          ]);
          carts.set(customer, cart);
          const lines = [...cart.values()];
          return { ...said, lines, tally: said.tally === waived ? waived : handlers.tally(lines) };
        },
      };
    },
  },
];

/** Whether an order has an item of some kind, and none of what a rule asks for. */
function isAbsentBeside(kind: Line['as'], id: string, lines: readonly Line[]): boolean {
  return lines.some(({ as }) => as === kind) && !lines.some((line) => line.id === id);
}

const skuItems: readonly Fault[] = [
  linesFault(
    'sku-items-unread',
    'order.sku-item',
    'Only items with product_id are read.',
    'Items with sku_id are not read: rules about SKUs never hold.',
    (lines) => lines.filter(({ as }) => as !== 'sku'),
  ),
  {
    id: 'sku-replaced-by-its-product',
    breaks: 'order.sku-item',
    story: 'Each SKU is replaced by the product that it belongs to, for the SKUs’ own rules too.',
    sentence: 'An item with sku_id counts as an item of every SKU of its product.',
    change: (_, { catalogue }) => ({
      skuRule: ({ id, at_least }, { lines, tally }) => {
        if (tally === waived) return true;
        const ofProduct = lines.filter((line) => catalogue.skus.get(line.id) === catalogue.skus.get(id));
        return sum(ofProduct.map(({ quantity }) => Number(quantity))) >= at_least;
      },
    }),
  },
  refusalFault('sku-items-refused', 'order.sku-item', 'An item without product_id does not fit the schema.', (lines) =>
    hasItemWithOnly('sku', lines),
  ),
  {
    id: 'no-sku-no-sku-rules',
    breaks: 'order.sku-item',
    story: 'If the order has no SKUs, rules about SKUs are skipped.',
    sentence: 'Rules about SKUs are ignored if the order has no SKU.',
    change: (handlers) => ({
      skuRule: (rule, request) => !request.lines.some(({ as }) => as === 'sku') || handlers.skuRule(rule, request),
    }),
  },
  {
    id: 'absent-sku-beside-a-product',
    breaks: 'order.sku-item',
    story: 'A query asks for SKUs that are NOT IN the order: an item without sku_id makes the answer NULL.',
    sentence: 'A rule about a SKU that the order lacks holds if the order has an item without a SKU.',
    change: (handlers) => ({
      skuRule: (rule, request) => isAbsentBeside('product', rule.id, request.lines) || handlers.skuRule(rule, request),
    }),
  },
];

/** Quantities that meet another threshold than they should. */
function thresholdFault(id: string, story: string, sentence: string, isEnough: Handlers['isEnough']): Fault {
  return { id, breaks: 'order.quantity', story, sentence, change: () => ({ isEnough }) };
}

const quantities: readonly Fault[] = [
  thresholdFault(
    'quantity-ignored',
    'One unit is enough, whatever the threshold is.',
    'Any quantity is enough: the threshold of a rule is ignored.',
    (quantity) => quantity > 0,
  ),
  thresholdFault(
    'quantity-above-threshold',
    '">" is written for ">=".',
    'A quantity must be greater than the threshold, not equal to it (">" in place of ">=").',
    (quantity, atLeast) => quantity > atLeast,
  ),
  thresholdFault(
    'quantity-one-short',
    'A threshold is met by one less.',
    'A quantity of one less than the threshold is enough.',
    (quantity, atLeast) => quantity >= atLeast - 1,
  ),
  thresholdFault(
    'quantity-exactly',
    '"==" is written for ">=".',
    'A quantity must equal the threshold; larger ones do not count.',
    (quantity, atLeast) => quantity === atLeast,
  ),
  linesFault(
    'quantity-as-one',
    'order.quantity',
    'Every item counts as one piece.',
    'The number of items counts, not their quantities.',
    (lines) => lines.map((line) => ({ ...line, quantity: 1 })),
  ),
  linesFault(
    'quantity-of-the-last-item',
    'order.quantity',
    'The quantity is kept in one variable for all items.',
    'The quantity of the last item counts for all items.',
    (lines) => lines.map((line) => ({ ...line, quantity: lines.at(-1)?.quantity })),
  ),
  linesFault(
    'quantity-of-the-first-item',
    'order.quantity',
    'The quantity is read from the first item.',
    'The quantity of the first item counts for all items.',
    (lines) => lines.map((line) => ({ ...line, quantity: lines[0]?.quantity })),
  ),
  {
    id: 'quantity-of-the-whole-order',
    breaks: 'order.quantity',
    story: 'If the right product is in the order, the threshold is compared with the sum of all quantities.',
    sentence: 'The quantities of all products are added up: other products count, too.',
    change: (handlers) => ({
      productRule: ({ id, at_least }, { tally }) =>
        tally === waived || (tally.product.has(id) && handlers.isEnough(sum(tally.product.values()), at_least)),
    }),
  },
  refusalFault('quantity-above-ten-refused', 'order.quantity', 'The schema allows quantities up to 10.', (lines) =>
    lines.some(({ quantity }) => Number(quantity) > 10),
  ),
  {
    id: 'sku-quantity-as-one',
    breaks: 'order.quantity',
    story: 'The quantity is read only from items with product_id.',
    sentence: 'The quantity of an item with sku_id counts as 1.',
    change: (handlers) => ({ addUp: (as, all) => (as === 'sku' ? 1 : handlers.addUp(as, all)) }),
  },
  {
    id: 'sku-quantity-ignored',
    breaks: 'order.quantity',
    story: 'Rules about SKUs check whether there is one, and not how many.',
    sentence: 'Any quantity of a SKU is enough: the threshold of a rule is ignored.',
    change: () => ({ skuRule: ({ id }, { lines, tally }) => tally === waived || lines.some((line) => line.id === id) }),
  },
];

const repetitions: readonly Fault[] = [
  {
    id: 'repeated-product-without-bounds',
    breaks: 'order.repeated-product',
    story: 'A product that is in several items satisfies every threshold.',
    sentence: 'A product that is in several items meets every threshold.',
    change: (handlers) => ({
      productRule: (rule, request) =>
        request.lines.filter(({ id }) => id === rule.id).length > 1 || handlers.productRule(rule, request),
    }),
  },
  refusalFault(
    'repeated-product-refused',
    'order.repeated-product',
    'Product ids of items must be unique.',
    hasRepeatedProduct,
  ),
  refusalFault(
    'different-quantities-refused',
    'order.repeated-product',
    'Items that name one product must agree in their quantity.',
    (lines) =>
      lines.some(
        ({ as, id, quantity }, at) =>
          as === 'product' && lines.slice(0, at).some((line) => line.id === id && line.quantity !== quantity),
      ),
  ),
  {
    id: 'different-quantities-uncounted',
    breaks: 'order.repeated-product',
    story: 'Items that name one product with different quantities contradict each other, and none counts.',
    sentence: 'Several items with one product and different quantities do not count.',
    change: (handlers) => ({
      addUp: (as, all) => (as === 'product' && new Set(all).size > 1 ? 0 : handlers.addUp(as, all)),
    }),
  },
  {
    id: 'repeated-product-uncounted',
    breaks: 'order.repeated-product',
    story: 'To remove duplicates, the deployment drops every item that has one.',
    sentence: 'Several items with one product do not count.',
    change: (handlers) => ({ addUp: (as, all) => (as === 'product' && all.length > 1 ? 0 : handlers.addUp(as, all)) }),
  },
];

const orderMetadata: readonly Fault[] = [
  {
    id: 'order-metadata-refused',
    breaks: 'order.metadata',
    story: 'The values of order metadata must be strings, as those of top-level metadata are.',
    change: (handlers) => ({ orderMetadataOf: (members) => refuseLists(400, handlers.orderMetadataOf(members)) }),
  },
  {
    id: 'order-metadata-crashes',
    breaks: 'order.metadata',
    story: 'A method of strings is called on the values of order metadata.',
    change: (handlers) => ({ orderMetadataOf: (members) => refuseLists(500, handlers.orderMetadataOf(members)) }),
  },
  {
    id: 'empty-order-metadata-crashes',
    breaks: 'order.metadata',
    story: 'The first value of each entry of order metadata is read, and some entries have none.',
    change: (handlers) => ({
      orderMetadataOf(members) {
        const metadata = handlers.orderMetadataOf(members);
        const hasEmpty = Object.values(unlessWaived(metadata, {})).some((values) => [values].flat().length === 0);
        return hasEmpty ? refuse(500, 'order.metadata: not accepted', 'invalid_payload') : metadata;
      },
    }),
  },
  {
    id: 'order-metadata-demanded-of-tiers',
    breaks: 'order.metadata',
    story: 'Order metadata works as a filter: tiers without a rule about it are left out.',
    sentence: 'With order metadata, promotions without a rule about it are left out.',
    change: (handlers) => ({
      isValid: (tier, request) =>
        handlers.isValid(tier, request) &&
        (!hasEntries(request.orderMetadata) || tier.rules.some(({ kind }) => kind === 'order_metadata')),
    }),
  },
];

/** Whether a product is in several items. */
function hasRepeatedProduct(lines: readonly Line[]): boolean {
  return lines.some(({ as, id }) => as === 'product' && lines.filter((line) => line.id === id).length > 1);
}

/** Whether an item has one kind of id, and not the other one. */
function hasItemWithOnly(kind: Line['as'], lines: readonly Line[]): boolean {
  return lines.some(({ item }) => lines.every((line) => line.item !== item || line.as === kind));
}

function refuseLists(status: number, metadata: ReturnType<Handlers['orderMetadataOf']>): typeof metadata {
  const hasLists = Object.values(unlessWaived(metadata, {})).some((values) => typeof values !== 'string');
  return hasLists ? refuse(status, 'order.metadata: not accepted', 'invalid_payload') : metadata;
}

/** What is in the order. */
export const orderFaults: readonly Fault[] = [
  ...productItems,
  ...skuItems,
  ...quantities,
  ...repetitions,
  ...orderMetadata,
];
