/**
 * Narrows amounts: how many promotions come back, how large a request is, and which quantity decides. In: a wrong request in parts.
 * Out: both neighbours of the amount that decides. Pure (see `symptom-inquiry.ts`).
 */

import { createNameLookup } from '../contract/describe-request.js';
import { type ItemRule, listAvailableTiers, type Tier } from '../contract/world.js';
import type { HttpRequest } from '../http/exchange.js';
import { type ComponentContrast, listWrongOnlyComponents } from './narrow-components.js';
import { bisect, type ValueContrast } from './narrow-values.js';
import { createNarrowedContrast, type NarrowedFailure, type NarrowingContext } from './narrowed-failure.js';
import {
  type DecomposedRequest,
  describeRequestComponent,
  type RequestComponent,
  replaceComponent,
} from './request-components.js';
import { readReturnedTiersForTarget, type Symptom } from './symptom.js';
import { type RequestGenerator, SymptomInquiry } from './symptom-inquiry.js';

/** Finds out whether results are cut off: a response should have one more promotion, and none of the run has more. */
export function* narrowReturnedCount(
  inquiry: SymptomInquiry,
  { compose }: DecomposedRequest,
  { wrong, right }: ComponentContrast,
  { maxReturned }: NarrowingContext,
): RequestGenerator<NarrowedFailure | undefined> {
  const { symptom, target } = inquiry;
  if (symptom.kind !== 'missing' || right === undefined) return undefined;
  const countReturned = (request: HttpRequest): number | undefined => {
    const exchange = inquiry.getExchange(request);
    return exchange !== undefined && 'response' in exchange
      ? readReturnedTiersForTarget(exchange, target).returned.length
      : undefined;
  };
  const [wrongly, rightly] = [compose(wrong), compose(right)];
  const [exchange, count] = [inquiry.getExchange(wrongly), countReturned(wrongly)];
  // One more promotion is valid, and not one more is returned: as many as in no other response.
  if (exchange === undefined || count !== countReturned(rightly) || count !== maxReturned) return undefined;
  // Another part may also move a text in the body. No limit of results depends on where a text stands.
  if ((yield* inquiry.ask({ ...wrongly, body: ` ${wrongly.body ?? ''}` })) === 'right') return undefined;
  const nameOf = createNameLookup(target.world);
  const words = listWrongOnlyComponents({ wrong, right }).map((added) => describeRequestComponent(added, nameOf));
  const sentence = `No response has more than ${count} promotions. With ${words.join(', ')}, one more must be returned than without, and '${symptom.tier.name}' is not.`;
  return { kind: 'contrast', part: 'count', sentence, wrong: [exchange], right: inquiry.getExchange(rightly) };
}

/** The name of the entry that makes a body longer. */
const padding = 'padding';

/** Of fewer parts, one that is named says more than their number. */
const minParts = 8;

/** Finds out whether the amount makes the difference, and not what is in the request. */
export function* narrowSize(
  inquiry: SymptomInquiry,
  { compose }: DecomposedRequest,
  contrast: ComponentContrast,
): RequestGenerator<NarrowedFailure | undefined> {
  const { wrong, right } = contrast;
  const last = findOnlyDifference(contrast);
  if (right === undefined || last === undefined) return undefined;
  const bytes = yield* narrowBytes(inquiry, compose, contrast);
  if (bytes !== undefined) return bytes;
  const another = right.find(
    (component) =>
      component.kind === last.kind && inquiry.isWorthAsking(compose(wrong.filter((kept) => kept !== component))),
  );
  const plain = createPlainPart(last, inquiry);
  if (right.length < minParts || another === undefined || plain === undefined) return undefined;
  const withoutAnother = compose(wrong.filter((component) => component !== another));
  if ((yield* inquiry.ask(withoutAnother)) !== 'right') return undefined;
  // As many parts are as wrong, whatever the last one is.
  if ((yield* inquiry.ask(compose([...right, plain]))) !== 'wrong') return undefined;
  const count = (components: readonly RequestComponent[]) => components.filter(({ kind }) => kind === last.kind).length;
  const what = last.kind === 'item' ? 'items' : `entries of ${last.kind}`;
  return createNarrowedContrast(inquiry, {
    wrongly: compose(wrong),
    rightly: compose(right),
    wronglyWhen: `With ${count(wrong)} ${what}`,
    rightlyWhen: `With ${count(right)}`,
    part: 'size',
  });
}

/** Creates another part of the same kind. */
function createPlainPart({ kind }: RequestComponent, { target }: SymptomInquiry): RequestComponent | undefined {
  const { products, skus } = target.world;
  // What a product counts that is ordered by its SKUs, too, is open.
  const product = products.findLast(({ id }) => !skus.some((sku) => sku.product_id === id))?.id;
  switch (kind) {
    case 'item':
      return product === undefined ? undefined : { kind, item: { product_id: product, quantity: 1 } };
    case 'metadata':
      return { kind, key: padding, value: 'x' };
    case 'order-metadata':
      return { kind, key: padding, value: ['x'] };
    default:
      return undefined;
  }
}

function findOnlyDifference(contrast: ComponentContrast): RequestComponent | undefined {
  const added = listWrongOnlyComponents(contrast);
  return added.length === 1 ? added[0] : undefined;
}

/** No limit on a body is smaller. */
const minBytes = 400;

/** Fills the right request up to the size of the wrong one: if that is wrong, too, bytes count. */
function* narrowBytes(
  inquiry: SymptomInquiry,
  compose: DecomposedRequest['compose'],
  { wrong, right = [] }: ComponentContrast,
): RequestGenerator<NarrowedFailure | undefined> {
  const sizeOf = ({ body = '' }: HttpRequest) => Buffer.byteLength(body);
  const size = sizeOf(compose(wrong));
  if (size < minBytes) return undefined;
  // The entry itself may be longer than what was left out: then one more part is left out.
  const shorter = right.findLastIndex(({ kind }) => kind === 'metadata' || kind === 'order-metadata');
  for (const base of new Set([right, right.filter((_, n) => n !== shorter)])) {
    const build = (length: number) => compose([...base, { kind: 'metadata', key: padding, value: 'x'.repeat(length) }]);
    const length = size - sizeOf(build(0));
    if (length <= 1 || (yield* inquiry.ask(build(length))) !== 'wrong') continue;
    if ((yield* inquiry.ask(build(1))) !== 'right') continue;
    const found = yield* bisect(inquiry, { wrong: length, right: 1 }, build);
    const [wrongly, rightly] = [build(found.wrong), build(found.right)];
    // White space is no text: if it fills the body as well, the size of the body counts, and not that of the entry.
    const filled = fillWithWhiteSpace(compose(base), sizeOf(wrongly));
    if ((yield* inquiry.ask(filled)) !== 'wrong') return undefined;
    const describe = (request: HttpRequest) => `With a body of ${sizeOf(request)} bytes`;
    return createNarrowedContrast(inquiry, {
      wrongly,
      rightly,
      wronglyWhen: describe(wrongly),
      rightlyWhen: describe(rightly),
      part: 'bytes',
    });
  }
  return undefined;
}

/** @param size in bytes */
function fillWithWhiteSpace(request: HttpRequest, size: number): HttpRequest {
  const { body = '' } = request;
  return { ...request, body: ' '.repeat(Math.max(0, size - Buffer.byteLength(body))) + body };
}

type ItemComponent = Extract<RequestComponent, { kind: 'item' }>;

/** Finds the neighbours of the quantity that decides, if a quantity does. */
export function* narrowQuantity(
  inquiry: SymptomInquiry,
  { compose }: DecomposedRequest,
  { wrong, right = [] }: ComponentContrast,
): RequestGenerator<NarrowedFailure | undefined> {
  for (const component of wrong) {
    if (component.kind !== 'item' || right.includes(component)) continue;
    const { item } = component;
    const { quantity } = item;
    if (typeof quantity !== 'number' || !Number.isSafeInteger(quantity)) continue;
    const build = (value: number) =>
      compose(replaceComponent(wrong, component, { ...component, item: { ...item, quantity: value } }));
    const rule = findItemRule(inquiry.symptom, component);
    const atBoundary = yield* tryBoundaries(inquiry, component, rule, compose);
    if (atBoundary !== undefined) return atBoundary;
    const found = yield* findQuantities(inquiry, quantity, rule, build);
    if (found !== undefined) return describeQuantities(inquiry, component, found, build);
  }
  return undefined;
}

/** Finds what the tier asks of the product or the SKU of an item. */
export function findItemRule(symptom: Symptom, { item }: Pick<ItemComponent, 'item'>): ItemRule | undefined {
  if (symptom.kind === 'refused') return undefined;
  const rules = symptom.tier.rules.filter((rule): rule is ItemRule => 'id' in rule);
  return rules.find(({ kind, id }) => item[`${kind}_id`] === id);
}

function* findQuantities(
  inquiry: SymptomInquiry,
  wrong: number,
  rule: ItemRule | undefined,
  build: (value: number) => HttpRequest,
): RequestGenerator<ValueContrast<number> | undefined> {
  const least = inquiry.symptom.kind === 'missing' ? (rule?.at_least ?? 1) : 1;
  for (const right of new Set([least, wrong + 1, 2 * wrong])) {
    if (right === wrong || (yield* inquiry.ask(build(right))) !== 'right') continue;
    return yield* bisect(inquiry, { wrong, right }, build);
  }
  return undefined;
}

/** Numbers at which types and columns end, and at which texts get another digit. */
const boundaries = [128, 256, 32_768, 65_536, 100, 1_000, 10_000, 100_000] as const;

/** Asks for a promotion tier with a low threshold, with quantities on both sides of a boundary. */
function* tryBoundaries(
  { symptom, target, allowance }: SymptomInquiry,
  component: ItemComponent,
  rule: ItemRule | undefined,
  compose: DecomposedRequest['compose'],
): RequestGenerator<NarrowedFailure | undefined> {
  if (symptom.kind !== 'missing' || rule === undefined) return undefined;
  const asks = ({ rules: [first, ...others] }: Tier) =>
    others.length === 0 && first?.kind === rule.kind && first.id === rule.id && first.at_least > 1;
  const tier = listAvailableTiers(target.world).find(asks);
  if (tier === undefined) return undefined;
  const inquiry = new SymptomInquiry({ kind: 'missing', tier }, target, allowance);
  const build = (quantity: number) => compose([{ ...component, item: { ...component.item, quantity } }]);
  const { quantity: asked } = component.item;
  for (const boundary of boundaries.filter((number) => number <= Number(asked))) {
    if ((yield* inquiry.ask(build(boundary))) !== 'wrong') continue;
    const isRightBefore = (yield* inquiry.ask(build(boundary - 1))) === 'right';
    if (isRightBefore) return describeQuantities(inquiry, component, { wrong: boundary, right: boundary - 1 }, build);
  }
  return undefined;
}

function describeQuantities(
  inquiry: SymptomInquiry,
  { item }: ItemComponent,
  { wrong, right }: ValueContrast<number>,
  build: (value: number) => HttpRequest,
): NarrowedFailure {
  const what = createNameLookup(inquiry.target.world)(String(item.product_id ?? item.sku_id));
  return createNarrowedContrast(inquiry, {
    wrongly: build(wrong),
    rightly: build(right),
    wronglyWhen: `With a quantity of ${wrong} of ${what}`,
    rightlyWhen: `With a quantity of ${right}`,
    part: 'quantity',
  });
}
