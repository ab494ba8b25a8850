/**
 * Writes requests that no cache can have: each gets one more part that no rule asks for. In: a request in parts. Out: requests
 * with the same right result that were never sent. Pure.
 */

import type { HttpRequest } from '../http/exchange.js';
import { isNamedBy } from './narrow-item.js';
import type { DecomposedRequest } from './request-components.js';
import type { RequestGenerator, SymptomInquiry } from './symptom-inquiry.js';

/** @param turn tells apart what is sent */
export type Mark = (request: DecomposedRequest, turn: string) => HttpRequest;

/** A request that is right if no request before it decides. */
export interface FreshRequest {
  readonly later: DecomposedRequest;
  /** Makes it another request, which no cache has. */
  readonly mark: Mark;
  /** It was sent, and no request before it decided. */
  readonly alone: HttpRequest;
}

/** Names an entry that no request had. Its value is new, too: a cache may look at names alone, or at values alone. */
function nameMark(turn: string): string {
  return `narrowing${turn.replaceAll(' ', '')}`;
}

export const markWithMetadata: Mark = ({ components, compose }, turn) =>
  compose([...components, { kind: 'metadata', key: nameMark(turn), value: turn }]);

const markWithOrderMetadata: Mark = ({ components, compose }, turn) =>
  compose([...components, { kind: 'order-metadata', key: nameMark(turn), value: [turn] }]);

/** No rule asks for as many, or for this many. */
const leastMarkingQuantity = 10_001;

/** Marks with a quantity of a product that the tier does not ask for. */
function createItemMark({ symptom, target }: SymptomInquiry): Mark | undefined {
  const { world } = target;
  if (symptom.kind === 'refused') return undefined;
  const product = world.products.find(({ id }) => !isNamedBy(id, symptom.tier, world));
  if (product === undefined) return undefined;
  const turns: string[] = [];
  return ({ components, compose }, turn) => {
    if (!turns.includes(turn)) turns.push(turn);
    const quantity = leastMarkingQuantity + turns.indexOf(turn);
    return compose([...components, { kind: 'item', item: { product_id: product.id, quantity } }]);
  };
}

/** A key of a cache may lack some parts, so there are several. */
function listMarks(inquiry: SymptomInquiry): Mark[] {
  return [markWithMetadata, markWithOrderMetadata, createItemMark(inquiry)].flatMap((mark) => mark ?? []);
}

/** Finds a part with which a request is right, although it was wrong without it. */
export function* findRightMark(
  later: DecomposedRequest,
  inquiry: SymptomInquiry,
): RequestGenerator<FreshRequest | undefined> {
  for (const mark of listMarks(inquiry)) {
    const alone = mark(later, 'alone');
    if ((yield* inquiry.ask(alone)) === 'right') return { later, mark, alone };
  }
  return undefined;
}

/** Finds a request that is right with any further part: only then is it no part that makes it right. */
export function* findRightWithAnyMark(
  later: DecomposedRequest,
  inquiry: SymptomInquiry,
): RequestGenerator<FreshRequest | undefined> {
  const right: FreshRequest[] = [];
  for (const mark of listMarks(inquiry)) {
    const alone = mark(later, 'alone');
    const answer = yield* inquiry.ask(alone);
    if (answer === 'wrong') return undefined;
    if (answer === 'right') right.push({ later, mark, alone });
  }
  // One part alone may be what makes it right.
  return right.length > 1 ? right[0] : undefined;
}
