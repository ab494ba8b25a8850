/** Parses JSON (RFC 8259), with or without a byte-order mark. Returns undefined for any other text. */
export function parseJson(text: string, revive?: (key: string, value: unknown) => unknown): unknown {
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text, revive);
  } catch {
    return undefined;
  }
}

/** A mark, a space, a whole string, a number that may lack its end, or a word of JSON. */
const jsonToken = /[{}[\],:]|\s+|"[^"\\]*(?:\\[\s\S][^"\\]*)*"|-?\d+(?:\.\d*)?(?:[eE][+-]?\d*)?|true|false|null/y;
/** The beginning of a string, a number or a word. */
const jsonTokenStart = /^(?:"[^"\\]*(?:\\[\s\S][^"\\]*)*\\?|-|t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?)$/;

/** Whether a text is the beginning of a JSON object or array, and only its end is missing. Another format is none. */
export function isCutOffJson(text: string): boolean {
  if (!/^\uFEFF?\s*[[{]/.test(text)) return false;
  let depth = 0;
  jsonToken.lastIndex = text.search(/[[{]/);
  for (let at = jsonToken.lastIndex; at < text.length; at = jsonToken.lastIndex) {
    const [token] = jsonToken.exec(text) ?? [];
    if (token === undefined) return jsonTokenStart.test(text.slice(at));
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    if (depth === 0) return false;
  }
  return true;
}

/** RFC 6901. */
export function parseJsonPointer(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function getMember(value: unknown, name: string): unknown {
  return isJsonObject(value) ? value[name] : undefined;
}

/** Whether all texts of a value have whole characters. No UTF-8 text can have half of a surrogate pair (RFC 8259, section 8.2). */
export function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return !/\p{Surrogate}/u.test(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).flat().every(isWellFormed);
}
