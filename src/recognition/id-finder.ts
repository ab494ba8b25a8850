import escapeStringRegexp from 'escape-string-regexp';

/** Ids shorter than this are looked for as whole values only: they may be part of anything. */
export const minLengthInsideText = 12;

/** Ids of a set, by how sure it is that a text names them; each in the order of the text. */
export interface IdFinder {
  readonly ids: ReadonlySet<string>;
  /** Those that stand by themselves inside a text, as in `/tiers/promo_1?expand`. */
  within(text: string): ReadonlySet<string>;
  /** Those that are a part of the text, though perhaps of another word. */
  anywhere(text: string): ReadonlySet<string>;
  /** Those that are too short for either, where they are a part of the text. */
  short(text: string): ReadonlySet<string>;
}

/** What must stand before and after an id: nothing that it might be a part of. */
const byItself = ['(?<![A-Za-z0-9]|[A-Za-z0-9][-_])', '(?![A-Za-z0-9]|[-_][A-Za-z0-9])'] as const;

/** The same, where that is doubtful: a number within a longer one is certainly another. */
const notWithinNumber = ['(?<!\\d(?=\\d))', '(?!(?<=\\d)\\d)'] as const;

/** Makes a finder, which passes over a text once, however many ids there are: bodies are long, and there are many. */
export function idFinder(ids: ReadonlySet<string>): IdFinder {
  const long = [...ids].filter((id) => id.length >= minLengthInsideText);
  const short = [...ids].filter((id) => id.length < minLengthInsideText);
  return {
    ids,
    within: searchFor(long, ...byItself),
    anywhere: searchFor(long, ...notWithinNumber),
    short: searchFor(short, ...notWithinNumber),
  };
}

const none: ReadonlySet<string> = new Set();

/** Finds ids between what must stand before and after them. Of ids that stand in each other the longest counts. */
function searchFor(ids: readonly string[], before: string, after: string): (text: string) => ReadonlySet<string> {
  const shortest = Math.min(...ids.map((id) => id.length));
  const longestFirst = [...ids].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(`${before}(?:${longestFirst.map(escapeStringRegexp).join('|')})${after}`, 'g');
  return (text) => {
    if (text.length < shortest) return none;
    // In a URL they may be percent-encoded (RFC 3986).
    const readings = text.includes('%') ? [text, percentDecoded(text)] : [text];
    return new Set(readings.flatMap((reading) => [...reading.matchAll(pattern)].map(([id]) => id)));
  };
}

/** Decodes what is percent-encoded UTF-8, once, and leaves the rest: a text may speak of 10 % as well. */
function percentDecoded(text: string): string {
  return text.replaceAll(/(?:%[0-9A-Fa-f]{2})+/g, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
}
