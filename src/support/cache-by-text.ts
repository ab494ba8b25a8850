/** How many characters the texts of a cache have together. */
const maxCharacters = 64 * 1024 * 1024;

/** Caches the results of a function, for the texts that were used last. */
export function cacheByText<Result>(find: (text: string) => Result): (text: string) => Result {
  const cache = new Map<string, Result>();
  let characters = 0;
  const evict = (text: string) => {
    if (cache.delete(text)) characters -= text.length;
  };
  return (text) => {
    const result = cache.get(text) ?? find(text);
    // Insert it last: the first entry is then the least recently used one.
    evict(text);
    cache.set(text, result);
    characters += text.length;
    for (const oldest of cache.keys()) {
      if (characters <= maxCharacters) break;
      evict(oldest);
    }
    return result;
  };
}
