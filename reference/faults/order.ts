import { refuse } from '../early-response.js';
import type { Handlers } from '../handlers.js';
import { sum } from '../order.js';
import { type Line, waived } from '../parsed-request.js';
import {
  additions,
  allBut,
  also,
  bothFilters,
  type Collateral,
  cached,
  type Fault,
  isSaid,
  type Requirement,
  unlessWaived,
} from './fault.js';

/** Items of an order that are read otherwise, or not at all. */
function linesFault(
  id: string,
  breaks: Requirement,
  story: string,
  changed: (lines: readonly Line[]) => readonly Line[],
  collateral: Collateral = {},
): Fault {
  return {
    id,
    breaks,
    story,
    collateral,
    change: (handlers) => ({ linesOf: (items) => changed(handlers.linesOf(items)) }),
  };
}

/** Orders that are refused although the documentation describes them. */
function refusalFault(
  id: string,
  breaks: Requirement,
  story: string,
  isRefused: (lines: readonly Line[]) => boolean,
  collateral: Collateral = {},
): Fault {
  return linesFault(
    id,
    breaks,
    story,
    (lines) => (isRefused(lines) ? refuse(400, 'order.items: not accepted', 'invalid_payload') : lines),
    collateral,
  );
}

const productItems: readonly Fault[] = [
  linesFault(
    'product-items-unread',
    'order.product-item',
    'Only items with sku_id are read.',
    (lines) => lines.filter(({ as }) => as !== 'product'),
    also({
      omitted: ['order.quantity', 'result.all-valid'],
      control: [...additions, 'order.repeated-product', 'request.get-with-body', 'result.valid-only'],
    }),
  ),
  linesFault(
    'product-looked-up-as-sku',
    'order.product-item',
    'product_id is looked up among the SKUs.',
    (lines) => lines.map((line) => ({ ...line, as: 'sku' })),
    also({
      omitted: ['order.quantity', 'result.all-valid'],
      control: [...additions, 'order.repeated-product', 'request.get-with-body', 'result.valid-only'],
    }),
  ),
  linesFault(
    'first-item-only',
    'order.product-item',
    'The loop over the items returns at the first one.',
    (lines) => lines.slice(0, 1),
    also({
      omitted: ['order.sku-item', 'order.quantity', 'order.repeated-product', 'result.all-valid'],
      control: [...bothFilters, 'result.valid-only'],
    }),
  ),
  linesFault(
    'last-item-only',
    'order.product-item',
    'What each item says overwrites what the item before said.',
    (lines) => lines.slice(-1),
    also({
      omitted: ['order.sku-item', 'order.quantity', 'order.repeated-product', 'result.all-valid'],
      control: [...bothFilters, 'result.valid-only'],
    }),
  ),
  linesFault(
    'last-item-lost',
    'order.product-item',
    'The loop over the items ends one too early.',
    (lines) => lines.slice(0, -1),
    also({
      omitted: ['order.sku-item', 'order.quantity', 'result.all-valid'],
      control: [...additions, 'order.repeated-product', 'request.get-with-body', 'result.valid-only'],
    }),
  ),
  refusalFault(
    'product-items-refused',
    'order.product-item',
    'An item without sku_id does not fit the schema.',
    (lines) => lines.some(({ as }) => as === 'product'),
    allBut('order.product-item'),
  ),
  {
    id: 'any-product-counts',
    breaks: 'order.product-item',
    story: 'A rule about a product looks at how many pieces there are, and not of what.',
    collateral: also({ extra: ['order.quantity', 'result.valid-only'] }),
    change: (handlers) => ({
      productRule: ({ at_least }, { tally }) =>
        tally === waived || handlers.isEnough(sum(tally.product.values()), at_least),
    }),
  },
  {
    id: 'no-product-no-product-rules',
    breaks: 'order.product-item',
    story: 'Rules about products are skipped where the order has none.',
    collateral: also({ extra: ['result.valid-only'] }),
    change: (handlers) => ({
      productRule: (rule, request) =>
        !request.lines.some(({ as }) => as === 'product') || handlers.productRule(rule, request),
    }),
  },
  {
    id: 'cached-under-the-customer',
    breaks: 'order.product-item',
    story: 'Results are cached under the customer and the filters, without the order.',
    collateral: also({
      extra: ['result.valid-only'],
      omitted: ['metadata.promotion-rules', 'order.sku-item', 'order.quantity', 'result.all-valid'],
      control: [...bothFilters, 'options.expand-category', 'order.repeated-product', 'request.get-with-body'],
    }),
    change: cached(({ customer, filters }) => [customer, filters]),
  },
  {
    id: 'cart-kept',
    breaks: 'order.product-item',
    story: 'The items of an order are added to those that the same customer sent before.',
    collateral: 'depends-on-order',
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
          return { ...said, lines, tally: handlers.tally(lines) };
        },
      };
    },
  },
];

const skuItems: readonly Fault[] = [
  {
    id: 'cached-without-the-skus',
    breaks: 'order.sku-item',
    story: 'Results are cached under everything that a request says, save the ids of SKUs.',
    change: cached((request) => ({
      ...request,
      lines: request.lines.map((line) => ({ ...line, id: line.as === 'sku' ? undefined : line.id })),
    })),
  },
  linesFault(
    'sku-items-unread',
    'order.sku-item',
    'Only items with product_id are read.',
    (lines) => lines.filter(({ as }) => as !== 'sku'),
    also({ omitted: ['order.quantity', 'result.all-valid'], control: [...bothFilters, 'result.valid-only'] }),
  ),
  linesFault(
    'sku-looked-up-as-product',
    'order.sku-item',
    'sku_id is looked up among the products.',
    (lines) => lines.map((line) => ({ ...line, as: 'product' })),
    also({ omitted: ['order.quantity', 'result.all-valid'], control: [...bothFilters, 'result.valid-only'] }),
  ),
  {
    id: 'sku-replaced-by-its-product',
    breaks: 'order.sku-item',
    story: 'Each SKU is replaced by the product that it belongs to, for the SKUs’ own rules too.',
    collateral: also({ extra: ['result.valid-only'] }),
    change: (_, { catalogue }) => ({
      skuRule: ({ id, at_least }, { lines }) => {
        const ofProduct = lines.filter((line) => catalogue.skus.get(line.id) === catalogue.skus.get(id));
        return sum(ofProduct.map(({ quantity }) => Number(quantity))) >= at_least;
      },
    }),
  },
  refusalFault(
    'sku-items-refused',
    'order.sku-item',
    'An item without product_id does not fit the schema.',
    (lines) => lines.some(({ as }) => as === 'sku'),
    also({
      refused: [
        ...bothFilters,
        'order.product-item',
        'order.quantity',
        'query.audience-rules-only',
        'result.valid-only',
        'limit.newest-150',
        'result.all-valid',
      ],
    }),
  ),
  {
    id: 'no-sku-no-sku-rules',
    breaks: 'order.sku-item',
    story: 'Rules about SKUs are skipped where the order has none.',
    collateral: also({ extra: ['result.valid-only', 'order.product-item'] }),
    change: (handlers) => ({
      skuRule: (rule, request) => !request.lines.some(({ as }) => as === 'sku') || handlers.skuRule(rule, request),
    }),
  },
];

/** Quantities that meet another threshold than they should. */
function thresholdFault(id: string, story: string, isEnough: Handlers['isEnough'], collateral: Collateral = {}): Fault {
  return { id, breaks: 'order.quantity', story, collateral, change: () => ({ isEnough }) };
}

/** Quantities that are read as another number. */
function quantityFault(
  id: string,
  story: string,
  changed: (quantity: number) => number,
  collateral: Collateral = {},
): Fault {
  return linesFault(
    id,
    'order.quantity',
    story,
    (lines) => lines.map((line) => ({ ...line, quantity: changed(Number(line.quantity)) })),
    collateral,
  );
}

const quantities: readonly Fault[] = [
  thresholdFault(
    'quantity-ignored',
    'That an order has a thing at all is enough.',
    (quantity) => quantity > 0,
    also({ extra: ['order.repeated-product', 'result.valid-only'] }),
  ),
  thresholdFault(
    'quantity-above-threshold',
    '">" is written for ">=".',
    (quantity, atLeast) => quantity > atLeast,
    also({
      omitted: ['order.product-item', 'order.sku-item', 'result.all-valid'],
      control: [...additions, 'order.repeated-product', 'request.get-with-body', 'result.valid-only'],
    }),
  ),
  thresholdFault(
    'quantity-one-short',
    'A threshold is met by one less.',
    (quantity, atLeast) => quantity >= atLeast - 1,
    also({ extra: ['order.product-item', 'order.sku-item', 'result.valid-only'] }),
  ),
  thresholdFault(
    'quantity-exactly',
    '"==" is written for ">=".',
    (quantity, atLeast) => quantity === atLeast,
    also({
      omitted: ['order.repeated-product', 'result.all-valid'],
      control: [...bothFilters, 'result.valid-only'],
    }),
  ),
  thresholdFault(
    'quantity-compared-as-text',
    'Quantities and thresholds are texts, so that 12 comes before 2.',
    (quantity, atLeast) => String(quantity) >= String(atLeast),
    also({ extra: ['order.repeated-product', 'result.valid-only'], omitted: ['result.all-valid'] }),
  ),
  quantityFault(
    'quantity-as-one',
    'Every item counts as one piece.',
    () => 1,
    also({ omitted: ['result.all-valid'], control: bothFilters }),
  ),
  quantityFault(
    'quantity-capped',
    'A quantity above 5 is lowered to 5, the most that the shop sells at once.',
    (quantity) => Math.min(quantity, 5),
    also({ omitted: ['result.all-valid'] }),
  ),
  quantityFault(
    'quantity-first-digit',
    'The column for the quantity has one digit.',
    (quantity) => Number(String(quantity).slice(0, 1)),
    also({ omitted: ['result.all-valid'] }),
  ),
  linesFault(
    'quantity-of-the-last-item',
    'order.quantity',
    'The quantity is kept in one variable for all items.',
    (lines) => lines.map((line) => ({ ...line, quantity: lines.at(-1)?.quantity })),
    also({ omitted: ['result.all-valid'], control: bothFilters }),
  ),
  linesFault(
    'quantity-of-the-first-item',
    'order.quantity',
    'The quantity is read from the first item.',
    (lines) => lines.map((line) => ({ ...line, quantity: lines[0]?.quantity })),
    also({ omitted: ['result.all-valid'], control: bothFilters }),
  ),
  {
    id: 'quantity-of-the-whole-order',
    breaks: 'order.quantity',
    story: 'A threshold is compared with the sum of all items, once the right one is among them.',
    collateral: also({ extra: ['result.valid-only'] }),
    change: (handlers) => ({
      productRule: ({ id, at_least }, { tally }) =>
        tally === waived || (tally.product.has(id) && handlers.isEnough(sum(tally.product.values()), at_least)),
    }),
  },
  refusalFault('quantity-above-ten-refused', 'order.quantity', 'A quantity may be 10 at the most.', (lines) =>
    lines.some(({ quantity }) => Number(quantity) > 10),
  ),
  {
    id: 'sku-quantity-as-one',
    breaks: 'order.quantity',
    story: 'The quantity is read of items with product_id alone.',
    collateral: also({ omitted: ['result.all-valid'], control: bothFilters }),
    change: (handlers) => ({ addUp: (as, all) => (as === 'sku' ? 1 : handlers.addUp(as, all)) }),
  },
  {
    id: 'sku-quantity-ignored',
    breaks: 'order.quantity',
    story: 'Rules about SKUs check whether there is one, and not how many.',
    collateral: also({ extra: ['result.valid-only'] }),
    change: () => ({ skuRule: ({ id }, { lines }) => lines.some((line) => line.id === id) }),
  },
];

const repetitions: readonly Fault[] = [
  {
    id: 'repeated-product-without-bounds',
    breaks: 'order.repeated-product',
    story: 'A product that stands in several items satisfies every threshold.',
    change: (handlers) => ({
      productRule: (rule, request) =>
        request.lines.filter(({ id }) => id === rule.id).length > 1 || handlers.productRule(rule, request),
    }),
  },
  refusalFault(
    'repeated-product-refused',
    'order.repeated-product',
    'Ids of items must be unique.',
    hasMoreThan(1),
    also({ refused: [...bothFilters, 'query.audience-rules-only'] }),
  ),
  refusalFault(
    'repeated-product-refused-from-the-third',
    'order.repeated-product',
    'An order may name a product twice, for a gift, and no more.',
    hasMoreThan(2),
  ),
  refusalFault(
    'different-quantities-refused',
    'order.repeated-product',
    'Items that name one product must agree in their quantity.',
    (lines) =>
      lines.some(({ id, quantity }, at) =>
        lines.slice(0, at).some((other) => other.id === id && other.quantity !== quantity),
      ),
  ),
  {
    id: 'different-quantities-uncounted',
    breaks: 'order.repeated-product',
    story: 'Items that name one product with different quantities contradict each other, and none counts.',
    change: (handlers) => ({
      addUp: (as, all) => (as === 'product' && new Set(all).size > 1 ? 0 : handlers.addUp(as, all)),
    }),
  },
  {
    id: 'repeated-product-uncounted',
    breaks: 'order.repeated-product',
    story: 'Duplicates are taken out by dropping every item that has one.',
    collateral: also({ control: bothFilters }),
    change: (handlers) => ({ addUp: (as, all) => (as === 'product' && all.length > 1 ? 0 : handlers.addUp(as, all)) }),
  },
  {
    id: 'repeated-product-cancelled',
    breaks: 'order.repeated-product',
    story: 'Each item toggles whether its product is in the order, so that an even number of them cancels out.',
    collateral: also({ control: bothFilters }),
    change: (handlers) => ({
      addUp: (as, all) => (as === 'product' && all.length % 2 === 0 ? 0 : handlers.addUp(as, all)),
    }),
  },
  linesFault(
    'items-after-a-repetition-lost',
    'order.repeated-product',
    'The loop over the items is left, rather than continued, at one that was there before.',
    (lines) => {
      const end = lines.findIndex(({ id }, at) => lines.findIndex((line) => line.id === id) < at);
      return end < 0 ? lines : lines.slice(0, end);
    },
  ),
];

/** What is sent with order metadata among other things. */
const withOrderMetadata: readonly Requirement[] = [
  ...bothFilters,
  'metadata.promotion-rules',
  'query.audience-rules-only',
  'result.valid-only',
  'limit.newest-150',
  'result.all-valid',
];

const orderMetadata: readonly Fault[] = [
  {
    id: 'order-metadata-refused',
    breaks: 'order.metadata',
    story: 'The values of order metadata must be strings, as those of top-level metadata are.',
    collateral: also({ refused: withOrderMetadata }),
    change: (handlers) => ({ orderMetadataOf: (members) => refuseEntries(400, handlers.orderMetadataOf(members)) }),
  },
  {
    id: 'order-metadata-crashes',
    breaks: 'order.metadata',
    story: 'A method of strings is called on the values of order metadata.',
    collateral: also({ refused: withOrderMetadata }),
    change: (handlers) => ({ orderMetadataOf: (members) => refuseEntries(500, handlers.orderMetadataOf(members)) }),
  },
  {
    id: 'order-metadata-demanded-of-tiers',
    breaks: 'order.metadata',
    story: 'Order metadata is taken for a filter: tiers without a rule about it are left out.',
    collateral: also({
      omitted: ['limit.newest-150', 'result.all-valid'],
      control: [...bothFilters, 'metadata.promotion-rules', 'result.valid-only'],
    }),
    change: (handlers) => ({
      isValid: (tier, request) =>
        handlers.isValid(tier, request) &&
        (!isSaid(request.orderMetadata) || tier.rules.some(({ kind }) => kind === 'order_metadata')),
    }),
  },
];

/** Whether some product stands in more than so many items. */
function hasMoreThan(max: number): (lines: readonly Line[]) => boolean {
  return (lines) => lines.some(({ as, id }) => as === 'product' && lines.filter((line) => line.id === id).length > max);
}

function refuseEntries(status: number, metadata: ReturnType<Handlers['orderMetadataOf']>): typeof metadata {
  return isSaid(metadata) ? refuse(status, 'order.metadata: not accepted', 'invalid_payload') : metadata;
}

/** What is in the order. */
export const orderFaults: readonly Fault[] = [
  ...productItems,
  ...skuItems,
  ...quantities,
  ...repetitions,
  ...orderMetadata,
];
