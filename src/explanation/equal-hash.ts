/**
 * Finds out whether two requests differ in texts of one hash code, or in metadata of one: a cache may know nothing else of them. In:
 * two requests in parts. Out: a sentence. Pure.
 */

import { listOfKind, listOwn } from './differing-parts.js';
import type { DecomposedRequest } from './request-components.js';
import type { TextEntry } from './text-traits.js';

/** @returns a sentence with a blank before it; an empty text if no hash code is equal */
export function describeEqualHash(first: DecomposedRequest, second: DecomposedRequest): string {
  const textHash = findEqualTextHash(first, second);
  if (textHash !== undefined) return ` The two texts have one hash code, ${textHash}, as Java's String computes it.`;
  const mapHash = findEqualMetadataHash(first, second);
  return mapHash === undefined
    ? ''
    : ` The metadata of both have one hash code, ${mapHash}, as Java's Map computes it.`;
}

/** Finds the hash code that a text of each request has, if the other request lacks these texts. */
function findEqualTextHash(first: DecomposedRequest, second: DecomposedRequest): number | undefined {
  const [texts, otherTexts] = [listTexts(first), listTexts(second)];
  const hashes = new Set(listOwn(otherTexts, texts).map(hashText));
  return listOwn(texts, otherTexts)
    .map(hashText)
    .find((hash) => hashes.has(hash));
}

function findEqualMetadataHash(first: DecomposedRequest, second: DecomposedRequest): number | undefined {
  const [entries, otherEntries] = [listEntries(first), listEntries(second)];
  if (JSON.stringify(entries) === JSON.stringify(otherEntries)) return undefined;
  const hash = hashEntries(entries);
  return hash === hashEntries(otherEntries) ? hash : undefined;
}

function listEntries(request: DecomposedRequest): TextEntry[] {
  return listOfKind(request, 'metadata').flatMap(({ key, value }): TextEntry[] =>
    typeof value === 'string' ? [[key, value]] : [],
  );
}

function listTexts({ components }: DecomposedRequest): string[] {
  return components.flatMap((component) => {
    if (component.kind === 'parameter') return [component.name, component.value];
    return 'key' in component ? [component.key, component.value].filter((text) => typeof text === 'string') : [];
  });
}

/** Computes a hash code of 32 bits, as the documentation of Java's String.hashCode defines it. */
function hashText(text: string): number {
  let hash = 0;
  for (let n = 0; n < text.length; n += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(n)) | 0;
  return hash;
}

/** Does the same for entries, as the documentation of Java's Map.hashCode and Map.Entry.hashCode defines it. */
function hashEntries(entries: readonly TextEntry[]): number {
  return entries.reduce((hash, [key, value]) => (hash + (hashText(key) ^ hashText(value))) | 0, 0);
}
