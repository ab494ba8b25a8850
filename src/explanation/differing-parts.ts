/**
 * Names in what two requests differ, as narrow as possible: the quantities of the items, the names of the metadata, the filter by
 * promotion_id. A key of a cache lacks just that. In: two requests in parts. Out: words. Pure.
 */

import { parseFilterParameter } from '../contract/operation.js';
import type { DecomposedRequest, RequestComponent } from './request-components.js';

/** A part of a request that another one may have, too. */
export type RequestPart = 'customer' | RequestComponent['kind'];

export const partNames: Readonly<Record<RequestPart, string>> = {
  customer: 'the customer',
  parameter: 'the query',
  item: 'the items',
  metadata: 'the metadata',
  'order-metadata': 'order.metadata',
  option: 'the options',
};

/** Lists the parts in which two requests differ. */
export function listDifferingParts(left: DecomposedRequest, right: DecomposedRequest): RequestPart[] {
  return (Object.keys(partNames) as RequestPart[]).filter(
    (part) => serializePart(left, part) !== serializePart(right, part),
  );
}

/** Equal for requests that have the same in a part. */
export function serializePart({ components, compose }: DecomposedRequest, part: RequestPart): string | undefined {
  return part === 'customer' ? compose([]).body : JSON.stringify(components.filter(({ kind }) => kind === part));
}

/** Names what differs in a part. @param part in which the two requests differ */
export function nameDifference(part: RequestPart, left: DecomposedRequest, right: DecomposedRequest): string {
  switch (part) {
    case 'customer':
    case 'option':
      return partNames[part];
    case 'parameter':
      return nameQueryDifference(listOfKind(left, part), listOfKind(right, part)) ?? partNames[part];
    case 'item':
      return nameItemDifference(listOfKind(left, part), listOfKind(right, part)) ?? partNames[part];
    case 'metadata':
    case 'order-metadata':
      return nameEntryDifference(listOfKind(left, part), listOfKind(right, part), partNames[part]) ?? partNames[part];
  }
}

/** A component of one kind. */
type RequestComponentOf<Kind extends RequestComponent['kind']> = Extract<RequestComponent, { kind: Kind }>;

/** Lists the components of one kind. */
export function listOfKind<Kind extends RequestComponent['kind']>(
  { components }: DecomposedRequest,
  wanted: Kind,
): RequestComponentOf<Kind>[] {
  return components.filter((component): component is RequestComponentOf<Kind> => component.kind === wanted);
}

/** Lists what one list has and another one lacks. */
export function listOwn<Value>(list: readonly Value[], lacking: readonly Value[]): Value[] {
  const known = new Set(lacking.map((value) => JSON.stringify(value)));
  return list.filter((value) => !known.has(JSON.stringify(value)));
}

/** Whether two lists have the same values, in any order. */
function haveSameValues(left: readonly unknown[], right: readonly unknown[]): boolean {
  const sort = (list: readonly unknown[]) => JSON.stringify(list.map((value) => JSON.stringify(value)).sort());
  return sort(left) === sort(right);
}

type Parameter = RequestComponentOf<'parameter'>;

/** Names the only kind of parameter in which two queries differ. */
function nameQueryDifference(left: readonly Parameter[], right: readonly Parameter[]): string | undefined {
  const differing = [...listOwn(left, right), ...listOwn(right, left)];
  const kinds = [...new Set(differing.map(({ name }) => nameParameter(name)))];
  return kinds.length === 1 ? kinds[0] : undefined;
}

function nameParameter(name: string): string {
  const subject = parseFilterParameter(name);
  if (subject === undefined) return `the parameter ${name}`;
  return subject.on === 'campaign' ? 'the filter by promotion_id' : 'the filter by tier metadata';
}

type Item = RequestComponentOf<'item'>;

function nameItemDifference(left: readonly Item[], right: readonly Item[]): string | undefined {
  const [first, other] = [left, right].map((items) => items.map(({ item }) => item)) as [
    Item['item'][],
    Item['item'][],
  ];
  if (first.length === 0 || other.length === 0) return undefined;
  if (haveSameValues(first, other)) return 'the order of the items';
  const readIds = ({ quantity: _, ...ids }: Item['item']) => ids;
  if (haveSameValues(first.map(readIds), other.map(readIds))) return 'the quantities of the items';
  const isFirstEqual = JSON.stringify(first[0]) === JSON.stringify(other[0]);
  return isFirstEqual ? 'the items after the first one' : undefined;
}

type Entry = RequestComponentOf<'metadata' | 'order-metadata'>;

/** @param whole the words for all entries */
function nameEntryDifference(left: readonly Entry[], right: readonly Entry[], whole: string): string | undefined {
  const [own, others] = [listOwn(left, right), listOwn(right, left)];
  if (own.length === 0 && others.length === 0) return `the order of ${whole}`;
  if (own.length !== others.length) return undefined;
  const listKeys = (entries: readonly Entry[]) => entries.map(({ key }) => key);
  const listValues = (entries: readonly Entry[]) => entries.map(({ value }) => value);
  if (haveSameValues(listValues(own), listValues(others))) {
    const hasSameKeys = haveSameValues(listKeys(own), listKeys(others));
    return hasSameKeys ? `the assignment of values to names in ${whole}` : `the names in ${whole}`;
  }
  const isExchanged = haveSameValues(
    own.map(({ key, value }) => [key, value]),
    others.map(({ key, value }) => [value, key]),
  );
  if (isExchanged) return `an exchanged name and value in ${whole}`;
  return haveSameValues(listKeys(own), listKeys(others)) ? `the values in ${whole}` : undefined;
}
