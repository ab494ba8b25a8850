/** A JSON object whose members were not looked at yet. */
export type Members = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Parses JSON in which a member may stand twice, a matter that `JSON.parse` decides silently for the last.
 *
 * @param text valid JSON
 * @param onDuplicate called for every later member of a name that its object has already; it may throw
 * @returns the value, in which the first of equal members counts
 */
export function parseFirstWins(text: string, onDuplicate: (name: string) => void): unknown {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g) ?? [];
  let at = 0;
  const next = (): string => tokens[at++] ?? '';

  const members = (): Members => {
    const found = new Map<string, unknown>();
    while (tokens[at] !== '}') {
      if (tokens[at] === ',') at++;
      const name: string = JSON.parse(next());
      at++; // the colon
      const value = parse();
      if (found.has(name)) onDuplicate(name);
      else found.set(name, value);
    }
    at++;
    return Object.fromEntries(found);
  };

  const elements = (): unknown[] => {
    const found: unknown[] = [];
    while (tokens[at] !== ']') {
      if (tokens[at] === ',') at++;
      found.push(parse());
    }
    at++;
    return found;
  };

  const parse = (): unknown => {
    const token = next();
    if (token === '{') return members();
    if (token === '[') return elements();
    return JSON.parse(token);
  };

  return parse();
}
