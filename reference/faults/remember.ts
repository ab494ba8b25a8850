import { waived } from '../deployment/parsed-request.js';

/** A value as the key of a cache. */
export const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, part) => {
    if (part === waived) return 'waived';
    return part instanceof Map ? [...part] : part;
  }) ?? '';

/** Caches what a function finds. */
export function remember<Args extends unknown[], T>(
  find: (...args: Args) => T,
  keyOf: (...args: Args) => unknown,
): (...args: Args) => T {
  const known = new Map<string, T>();
  return (...args) => {
    const key = textOf(keyOf(...args));
    if (!known.has(key)) known.set(key, find(...args));
    return known.get(key) as T;
  };
}
