/**
 * Finds out which item of an order makes the difference, where none can be left out: the effect of an order without items is
 * open. In: a small wrong request in parts. Out: the item, and a right request with another product in its place. Pure (see
 * `symptom-inquiry.ts`).
 */

import { createNameLookup } from '../contract/describe-request.js';
import type { ComponentContrast } from './narrow-components.js';
import { createNarrowedContrast, type NarrowedFailure } from './narrowed-failure.js';
import {
  type DecomposedRequest,
  describeRequestComponent,
  type RequestComponent,
  replaceComponent,
} from './request-components.js';
import type { RequestGenerator, SymptomInquiry } from './symptom-inquiry.js';

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
    shape: 'item-order',
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
  const named = new Set(symptom.tier.rules.flatMap((rule) => ('id' in rule ? rule.id : [])));
  const unrelated = world.products.find(
    ({ id }) => !named.has(id) && !world.skus.some((sku) => sku.product_id === id && named.has(sku.id)),
  );
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
      shape: 'item',
    });
  }
  return undefined;
}
