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
