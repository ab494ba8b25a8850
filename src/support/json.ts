/** Parses JSON (RFC 8259), with or without a byte-order mark. Returns undefined for any other text. */
export function parseJson(text: string, revive?: (key: string, value: unknown) => unknown): unknown {
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text, revive);
  } catch {
    return undefined;
  }
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
