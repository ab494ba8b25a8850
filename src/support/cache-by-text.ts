const maxCharacters = 64 * 1024 * 1024;

/** Caches the results of a function. A full cache is emptied. */
export function cacheByText<Result>(find: (text: string) => Result): (text: string) => Result {
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
