/**
 * Finds out which item of an order makes the difference, where none can be left out: the effect of an order without items is
 * open. In: a small wrong request in parts. Out: the item, and a right request with another product in its place. Pure (see
 * `symptom-inquiry.ts`).
 */

import { createNameLookup } from '../contract/describe-request.js';
import type { TargetWorld, Tier } from '../contract/world.js';
import { findItemRule } from './narrow-amounts.js';
import type { ComponentContrast } from './narrow-components.js';
import { bisect } from './narrow-values.js';
import { createNarrowedContrast, type NarrowedFailure } from './narrowed-failure.js';
import {
  type DecomposedRequest,
  describeRequestComponent,
  type RequestComponent,
  replaceComponent,
} from './request-components.js';
import type { RequestGenerator, SymptomInquiry } from './symptom-inquiry.js';

/** Of the first two items, their order says more than the number. */
const minPlace = 3;

/** Finds out whether items count up to a place of the order alone. */
export function* narrowItemPlace(
  inquiry: SymptomInquiry,
  { compose }: DecomposedRequest,
  { wrong }: ComponentContrast,
): RequestGenerator<NarrowedFailure | undefined> {
  const { symptom } = inquiry;
  const { world } = inquiry.target;
  if (symptom.kind !== 'missing') return undefined;
  const items = wrong.filter((component) => component.kind === 'item');
  const place = items.findIndex((component) => findItemRule(symptom, component) !== undefined) + 1;
  const decisive = items[place - 1];
  if (decisive === undefined || place < minPlace) return undefined;
  const others = wrong.filter(({ kind }) => kind !== 'item');
  const before = world.products.filter(({ id }) => !isNamedBy(id, symptom.tier, world)).slice(0, place - 1);
  if (before.length < place - 1) return undefined;
  const plain = before.map(({ id }): RequestComponent => ({ kind: 'item', item: { product_id: id, quantity: 1 } }));
  const build = (at: number) => compose([...others, ...plain.slice(0, at - 1), decisive]);
  if ((yield* inquiry.ask(build(1))) !== 'right' || (yield* inquiry.ask(build(place))) !== 'wrong') return undefined;
  const found = yield* bisect(inquiry, { wrong: place, right: 1 }, build);
  if (found.wrong < minPlace) return undefined;
  const words = describeRequestComponent(decisive, createNameLookup(world));
  return createNarrowedContrast(inquiry, {
    wrongly: build(found.wrong),
    rightly: build(found.right),
    wronglyWhen: `With ${words} as item ${found.wrong} of the order`,
    rightlyWhen: `As item ${found.right}`,
    part: 'item-place',
  });
}

/** Whether a tier asks for a product or for one of its SKUs. */
export function isNamedBy(product: string, { rules }: Tier, { skus }: TargetWorld): boolean {
  const named = new Set(rules.flatMap((rule) => ('id' in rule ? rule.id : [])));
  return named.has(product) || skus.some((sku) => sku.product_id === product && named.has(sku.id));
}

/** Finds out whether the order of the items decides. */
export function* narrowItemOrder(
  inquiry: SymptomInquiry,
  { compose }: DecomposedRequest,
  { wrong }: ComponentContrast,
): RequestGenerator<NarrowedFailure | undefined> {
  const isItem = ({ kind }: RequestComponent) => kind === 'item';
  const items = wrong.filter(isItem);
  if (items.length < 2) return undefined;
  const rightly = compose([...wrong.filter((component) => !isItem(component)), ...items.toReversed()]);
  if ((yield* inquiry.ask(rightly)) !== 'right') return undefined;
  const nameOf = createNameLookup(inquiry.target.world);
  const words = items.slice(0, maxItems).map((item) => describeRequestComponent(item, nameOf));
  const more = items.length > maxItems ? ` and ${items.length - maxItems} more` : '';
  return createNarrowedContrast(inquiry, {
    wrongly: compose(wrong),
    rightly,
    wronglyWhen: `With the items in this order: ${words.join(', ')}${more}`,
    rightlyWhen: 'With the same items in reverse order',
    part: 'item-order',
  });
}

/** How many items are named or replaced. */
const maxItems = 3;

export function* narrowItem(
  inquiry: SymptomInquiry,
  { compose }: DecomposedRequest,
  { wrong, right }: ComponentContrast,
): RequestGenerator<NarrowedFailure | undefined> {
  const { symptom, target } = inquiry;
  if (right !== undefined || symptom.kind === 'refused') return undefined;
  const { world } = target;
  const unrelated = world.products.find(({ id }) => !isNamedBy(id, symptom.tier, world));
  if (unrelated === undefined) return undefined;
  const nameOf = createNameLookup(world);
  for (const component of wrong.filter(({ kind }) => kind === 'item').slice(0, maxItems)) {
    const replacement: RequestComponent = { kind: 'item', item: { product_id: unrelated.id, quantity: 1 } };
    const rightly = compose(replaceComponent(wrong, component, replacement));
    if ((yield* inquiry.ask(rightly)) !== 'right') continue;
    return createNarrowedContrast(inquiry, {
      wrongly: compose(wrong),
      rightly,
      wronglyWhen: `With ${describeRequestComponent(component, nameOf)}`,
      rightlyWhen: `With ${describeRequestComponent(replacement, nameOf)} in its place`,
      part: 'item',
    });
  }
  return undefined;
}
