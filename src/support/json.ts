/** The JSON value of a text (RFC 8259), a byte-order mark aside; undefined where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}

/** A value as JSON that keeps its maps and sets, for {@link decodeMapsAndSets}. */
export function encodeMapsAndSets(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, part) => {
      if (part instanceof Map) return { $map: [...part] };
      return part instanceof Set ? { $set: [...part] } : part;
    }),
  );
}

/** The value that {@link encodeMapsAndSets} made JSON of. */
export function decodeMapsAndSets(json: unknown): unknown {
  return JSON.parse(JSON.stringify(json), (_, part) => {
    if (!isJsonObject(part)) return part;
    if (Array.isArray(part.$map)) return new Map(part.$map as [unknown, unknown][]);
    return Array.isArray(part.$set) ? new Set(part.$set) : part;
  });
}

/** The steps of a JSON Pointer (RFC 6901). */
export function parseJsonPointer(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Whether a JSON value is an object: no list, and not null. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member of a JSON value; undefined where it is no object, or has none of that name. */
export function getMember(value: unknown, name: string): unknown {
  return isJsonObject(value) ? value[name] : undefined;
}
