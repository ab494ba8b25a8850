const defaultMaxCharacters = 64 * 1024 * 1024;

/** Caches the results of a function. A full cache is emptied. @param maxCharacters of all texts */
export function cacheByText<Result>(
  find: (text: string) => Result,
  maxCharacters = defaultMaxCharacters,
): (text: string) => Result {
  const cache = new Map<string, Result>();
  let characters = 0;
  return (text) => {
    const known = cache.get(text);
    if (known !== undefined) return known;
    const result = find(text);
    if (characters > maxCharacters) {
      cache.clear();
      characters = 0;
    }
    cache.set(text, result);
    characters += text.length;
    return result;
  };
}

export function computeOnce<Value>(compute: () => Value): () => Value {
  let computed: { readonly value: Value } | undefined;
  return () => {
    computed ??= { value: compute() };
    return computed.value;
  };
}

/** Caches what a function computes of an object, for as long as the object is in use. */
export function cacheByObject<Key extends object, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, Value>();
  return (key) => {
    const value = known.get(key) ?? compute(key);
    known.set(key, value);
    return value;
  };
}
