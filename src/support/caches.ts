const maxCharacters = 64 * 1024 * 1024;

/** Caches the results of a function. A full cache is emptied. */
export function cacheByText<Result>(find: (text: string) => Result): (text: string) => Result {
  const cache = new Map<number, { readonly text: string; readonly result: Result }[]>();
  let characters = 0;
  return (text) => {
    const key = sample(text);
    const alike = cache.get(key) ?? [];
    const known = alike.find((entry) => entry.text === text);
    if (known !== undefined) return known.result;
    const result = find(text);
    if (characters > maxCharacters) {
      cache.clear();
      characters = 0;
    }
    cache.set(key, [...alike, { text, result }]);
    characters += text.length;
    return result;
  };
}

/** Makes a number of a text. To hash a whole body, as a map does, takes a fifth of the time that it takes to parse it. */
function sample(text: string): number {
  let number = text.length;
  for (let n = 0; n < 16; n += 1) number = (number * 31 + text.charCodeAt((n * text.length) >> 4)) | 0;
  return number;
}

export function computeOnce<Value>(compute: () => Value): () => Value {
  let computed: { readonly value: Value } | undefined;
  return () => {
    computed ??= { value: compute() };
    return computed.value;
  };
}

/** Caches what a function computes of an object, for as long as the object is in use. */
export function remember<Key extends object, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, Value>();
  return (key) => {
    const value = known.get(key) ?? compute(key);
    known.set(key, value);
    return value;
  };
}
