import { isJsonContainer, isJsonObject } from '../support/json.js';

/** An id of the test data of the suite, wherever it is in a text. */
const testDataId = /\b(?:cust|prod|sku|cat|camp|promo)_[0-9a-f]{24}(?:[0-9a-f]{2})?\b/g;

/** Lists the ids of the test data in all texts of a value: requests, or what is expected of responses. */
export function listTestDataIds(value: unknown): string[] {
  return listKeysAndStrings(value).flatMap((text) => text.match(testDataId) ?? []);
}

export function replaceTestDataIds(text: string, replace: (id: string) => string): string {
  return text.replace(testDataId, replace);
}

/** Lists all strings of a value of JSON and the names of its members, in their order. */
export function listKeysAndStrings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(listKeysAndStrings);
  if (!isJsonContainer(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...listKeysAndStrings(member)]);
}

/** Lists the values of all members with this name, at any depth. */
export function listNestedMembersNamed(value: unknown, name: string): unknown[] {
  if (!isJsonContainer(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const isWanted = key === name && isJsonObject(value);
    return [...(isWanted ? [member] : []), ...listNestedMembersNamed(member, name)];
  });
}

/** Replaces the strings of a value of JSON, but not the names of its members. */
export function replaceStringValues<T>(value: T, replace: (text: string) => string): T;
export function replaceStringValues(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map((member) => replaceStringValues(member, replace));
  if (!isJsonContainer(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, replaceStringValues(member, replace)]),
  );
}
