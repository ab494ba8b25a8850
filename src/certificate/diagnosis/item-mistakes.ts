/** Mistakes about the items of an order and their quantities. */

import type { NamedWorld } from '../../contract/named-world.js';
import { type Obligation, requireIf } from '../../contract/oracle.js';
import type { Rule } from '../../contract/world.js';
import { getMember, isJsonObject, parseJson } from '../../support/json.js';
import { type Change, changeRequest, decideRules, type Mistake, type ReadRequest } from './prediction.js';
import { ruleKinds } from './rule-mistakes.js';

/** @param sent the quantities of the items that a rule asks for; 0 without one. @param all those of all items of its kind */
type CompareQuantity = (sent: number, atLeast: number, all: readonly number[]) => boolean;

const quantityComparisons: Readonly<Record<string, readonly [sentence: string, compare: CompareQuantity]>> = {
  'quantity-above': [
    'A quantity must be greater than the threshold, not equal to it (">" in place of ">=").',
    (sent, least) => sent > least,
  ],
  'quantity-one-short': ['A quantity of one less than the threshold is enough.', (sent, least) => sent >= least - 1],
  'quantity-ignored': ['Any quantity is enough: the threshold of a rule is ignored.', (sent) => sent > 0],
  'quantity-equal': ['A quantity must equal the threshold; larger ones do not count.', (sent, least) => sent === least],
  'quantity-as-text': [
    'Quantities are compared as text, so that 10 is less than 2.',
    (sent, least) => sent > 0 && String(sent) >= String(least),
  ],
  'quantity-below': [
    'A quantity must be below the threshold: the comparison is the wrong way round.',
    (sent, least) => sent > 0 && sent < least,
  ],
  'quantity-as-one': ['The number of items counts, not their quantities.', (sent, least) => sent > 0 && least <= 1],
  'quantity-of-all-items': [
    'The quantities of all items are added up, whatever they are: other products count, too.',
    (sent, least, all) => sent > 0 && all.reduce((sum, quantity) => sum + quantity, 0) >= least,
  ],
  'quantity-of-any-item': [
    'Any item with enough quantity is enough: its id is not compared.',
    (_, least, all) => all.some((quantity) => quantity >= least),
  ],
};

/** How the quantities of several items with one id may be combined. The words continue "… several items are". */
const quantitySums: Readonly<Record<string, readonly [words: string, sum: (quantities: readonly number[]) => number]>> =
  {
    concatenated: ['joined as text: 1 and 2 make 12', (quantities) => Number(quantities.join(''))],
    multiplied: ['multiplied', (quantities) => quantities.reduce((product, quantity) => product * quantity, 1)],
    dropped: ['not counted', () => 0],
    unbounded: ['enough for every threshold', () => Number.POSITIVE_INFINITY],
  };

export function listQuantityMistakes({ skus, tiers }: NamedWorld): Mistake[] {
  const isOwned = (rule: Rule, { sku_id }: ReadRequest['items'][number]) =>
    rule.kind === 'product' && skus.some(({ id, product_id }) => id === sku_id && product_id === rule.id);
  const quantityOf = (item: ReadRequest['items'][number]) => Number(item.quantity ?? 0);
  const decide = (
    rule: Rule,
    { items }: ReadRequest,
    compare: CompareQuantity,
    sum?: (quantities: readonly number[]) => number,
  ): Obligation | undefined => {
    if (rule.kind !== 'product' && rule.kind !== 'sku') return undefined;
    const idName = rule.kind === 'product' ? 'product_id' : 'sku_id';
    const ofKind = items.filter((item) => item[idName] !== undefined);
    const quantities = ofKind.filter((item) => item[idName] === rule.id).map(quantityOf);
    if (sum !== undefined && quantities.length < 2) return undefined;
    // How several items add up is open, and whether a SKU counts as its product.
    if ((quantities.length > 1 && sum === undefined) || items.some((item) => isOwned(rule, item))) return 'open';
    return requireIf(compare(sum?.(quantities) ?? quantities[0] ?? 0, rule.at_least, ofKind.map(quantityOf)));
  };
  const thresholds = [
    ...new Set(tiers.flatMap(({ rules }) => rules.flatMap((rule) => ('at_least' in rule ? rule.at_least : [])))),
  ].sort((left, right) => left - right);
  const capped = thresholds
    .slice(0, -1)
    .map((most, n): [string, readonly [string, CompareQuantity]] => [
      `quantity-capped/${most}`,
      [
        `Large quantities do not count in full: they meet a threshold of ${most}, and none of ${thresholds[n + 1]}.`,
        (sent, least) => Math.min(sent, most) >= least,
      ],
    ]);
  const places = { item: '', product: ' This concerns products.', sku: ' This concerns SKUs.' };
  return Object.entries(places).flatMap(([place, more]) => {
    const [, kinds = []] = ruleKinds[place] ?? [];
    const id = (name: string) => (place === 'item' ? name : `${name}/${place}`);
    const create = (
      name: string,
      sentence: string,
      compare: CompareQuantity,
      sum?: (list: readonly number[]) => number,
    ) => ({
      id: id(name),
      sentence: `${sentence}${more}`,
      change: decideRules((rule, request) =>
        kinds.includes(rule.kind) ? decide(rule, request, compare, sum) : undefined,
      ),
    });
    return [
      ...[...Object.entries(quantityComparisons), ...capped].map(([name, [sentence, compare]]) =>
        create(name, sentence, compare),
      ),
      ...Object.entries(quantitySums).map(([name, [words, sum]]) =>
        create(
          `quantities-${name}`,
          `The quantities of several items with one id are ${words}.`,
          (sent, least) => sent >= least,
          sum,
        ),
      ),
    ];
  });
}

export function listItemMistakes(world: NamedWorld): Mistake[] {
  return [
    ...[1, 2, 3, 5, 10, 16, 20, 32, 50].map((count) => ({
      id: `first-items-only/${count}`,
      sentence: `Items of an order after the first ${count === 1 ? 'one' : count} are not read.`,
      change: takeItems((items) => items.slice(0, count), world),
    })),
    {
      id: 'last-item-only',
      sentence: 'Only the last item of an order is read.',
      change: takeItems((items) => items.slice(-1), world),
    },
    {
      id: 'last-item-lost',
      sentence: 'The last item of an order is not read.',
      change: takeItems((items) => items.slice(0, -1), world),
    },
    {
      id: 'first-item-lost',
      sentence: 'The first item of an order is not read.',
      change: takeItems((items) => items.slice(1), world),
    },
  ];
}

/** Reads some items only. */
function takeItems(take: (items: readonly unknown[]) => readonly unknown[], world: NamedWorld): Change {
  return changeRequest((request) => {
    const body = parseJson(request.body ?? '');
    const order = getMember(body, 'order');
    const items = getMember(order, 'items');
    if (!isJsonObject(body) || !isJsonObject(order) || !Array.isArray(items)) return request;
    return { ...request, body: JSON.stringify({ ...body, order: { ...order, items: take(items) } }) };
  }, world);
}
