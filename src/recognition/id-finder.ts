import escapeStringRegexp from 'escape-string-regexp';
import { computeOnce } from '../support/compute-once.js';

/** Shorter ids count only as whole values: inside a longer text they may be a coincidence. */
export const minLengthInsideText = 12;

/** The ids in a text: the one that the whole text is, or any number inside it. */
export interface FoundIds {
  readonly ids: readonly string[];
  readonly isWhole: boolean;
}

/** Boundaries of a separate word. */
const wordBoundaries = ['(?<![A-Za-z0-9]|[A-Za-z0-9][-_])', '(?![A-Za-z0-9]|[-_][A-Za-z0-9])'] as const;

/** Boundaries of any part of a text. A number inside a longer number is another number. */
export const numberBoundaries = ['(?<!\\d(?=\\d))', '(?!(?<=\\d)\\d)'] as const;

/** Finds the ids of a set in texts. */
export type IdFinder = ReturnType<typeof createIdFinder>;

/**
 * Creates a finder that reads a text once, whatever the number of ids: bodies are long and ids are many. It ignores letter
 * case, unless two ids differ in nothing else.
 *
 * @param boundaries of an id in a longer text
 * @param isOnlyWhole whether an id counts only if it is the whole text
 */
export function createIdFinder(
  ids: ReadonlySet<string>,
  boundaries: readonly [before: string, after: string] = wordBoundaries,
  isOnlyWhole: (id: string) => boolean = () => false,
) {
  const all = [...ids];
  const byLowerCase = new Map(all.map((id) => [id.toLowerCase(), id]));
  const ignoresCase = byLowerCase.size === ids.size;
  // In ASCII, a text has the same length in either letter case. The length excludes most texts at once.
  const isAscii = all.every((id) => /^[\0-\x7f]*$/.test(id));
  const lengths = all.map((id) => id.length);
  const [minLength, maxLength] = isAscii ? [Math.min(...lengths), Math.max(...lengths)] : [0, Number.POSITIVE_INFINITY];
  // JSON writes a number in several notations.
  const hasNumbers = all.some((id) => !Number.isNaN(Number(id)));
  const findExact = (text: string): string | undefined => {
    if (text.length < minLength || text.length > maxLength) return undefined;
    return ignoresCase ? byLowerCase.get(text.toLowerCase()) : ids.has(text) ? text : undefined;
  };
  const fold = (text: string) => (ignoresCase ? foldCase(text) : text);
  const createSearch = (some: readonly string[], [before, after]: readonly [before: string, after: string]) => {
    const byText = new Map(some.map((id) => [fold(id), id]));
    const longestFirst = [...new Set([...byText.keys()].map(({ length }) => length))].sort((a, b) => b - a);
    const [isBefore, isAfter] = [new RegExp(before, 'y'), new RegExp(after, 'y')];
    // A pattern with thousands of ids would take long: this one finds where an id may begin.
    const findBeginnings = computeOnce(() => new RegExp(listBeginnings([...byText.keys()]).join('|'), 'g'));
    const isAt = (pattern: RegExp, text: string, at: number) => {
      pattern.lastIndex = at;
      return pattern.test(text);
    };
    const scan = (text: string, visit: (id: string, start: number, end: number) => void): void => {
      if (byText.size === 0) return;
      const folded = fold(text);
      const beginnings = findBeginnings();
      beginnings.lastIndex = 0;
      for (let match = beginnings.exec(folded); match !== null; match = beginnings.exec(folded)) {
        const at = match.index;
        beginnings.lastIndex = at + 1;
        for (const length of longestFirst) {
          const id = byText.get(folded.slice(at, at + length));
          if (id === undefined || !isAt(isBefore, text, at) || !isAt(isAfter, text, at + length)) continue;
          visit(id, at, at + length);
          beginnings.lastIndex = at + length;
          break;
        }
      }
    };
    return {
      find: (text: string): Set<string> => {
        const found = new Set<string>();
        for (const reading of listReadings(text)) scan(reading, (id) => found.add(id));
        return found;
      },
      replace: (text: string, by: string): string => {
        let replaced = '';
        let done = 0;
        scan(text, (_, start, end) => {
          replaced += text.slice(done, start) + by;
          done = end;
        });
        return replaced + text.slice(done);
      },
    };
  };
  const inTexts = all.filter((id) => !isOnlyWhole(id));
  const long = inTexts.filter((id) => id.length >= minLengthInsideText);
  const short = inTexts.filter((id) => id.length < minLengthInsideText);
  const separate = createSearch(long, boundaries);
  return {
    /** A shorter text is no id, and contains none. */
    minLength,
    /** Finds the id that the whole text is. */
    findExact,
    /** Finds the id that the whole text is, or else the ids that are separate words of it, as in `/tiers/promo_1?expand`. */
    findIds(text: string): FoundIds {
      const whole = findExact(text);
      return whole === undefined ? { ids: [...separate.find(text)], isWhole: false } : { ids: [whole], isWhole: true };
    },
    /** Replaces each id that is a separate word of the text. */
    replaceIds: separate.replace,
    /**
     * Whether a text without any id in it may have one once it is parsed: escaped, encoded, or in another notation. The
     * Kelvin sign has a lower case of ASCII.
     */
    mayHide: (text: string) => hasNumbers || !isAscii || /[\\%\u212a]/.test(text),
    /** Whether some ids are found as whole texts only. */
    hasWholeIds: inTexts.length < all.length,
    /** Finds the ids that are any part of the text, even of another word. */
    findAnywhere: createSearch(long, numberBoundaries).find,
    /** Finds the ids that are too short for that, if they are any part of the text. */
    findShortIds: createSearch(short, numberBoundaries).find,
  };
}

/** Lists patterns of how ids begin. Few of them: a search for thousands takes long, and most texts have none. */
function listBeginnings(ids: readonly string[]): string[] {
  for (let length = 8; ; length -= 1) {
    const beginnings = new Set(ids.map((id) => id.slice(0, length)));
    if (length === 1 || beginnings.size <= 50) return [...beginnings].map(escapeStringRegexp);
  }
}

/** Converts a text to lower case, with each character at its place: some have several in lower case. */
function foldCase(text: string): string {
  const folded = text.toLowerCase();
  if (folded.length === text.length) return folded;
  return text.replaceAll(/./gsu, (letter) =>
    letter.toLowerCase().length === letter.length ? letter.toLowerCase() : letter,
  );
}

/** Lists a text as it is, and its parts percent-decoded once: ids in a URL may be encoded (RFC 3986). */
function listReadings(text: string): string[] {
  return [text, ...[...listEncodedParts(text)].map(decodePercentSequences)];
}

/** Lists the parts between quotation marks that contain a percent sign, once each: decoding a whole body takes long. */
function listEncodedParts(text: string): ReadonlySet<string> {
  const parts = new Set<string>();
  let at = text.indexOf('%');
  while (at >= 0) {
    const end = text.indexOf('"', at);
    parts.add(text.slice(text.lastIndexOf('"', at) + 1, end < 0 ? text.length : end));
    at = end < 0 ? end : text.indexOf('%', end);
  }
  return parts;
}

/** Decodes percent-encoded UTF-8. Leaves other percent signs: a text may say "10 %". */
function decodePercentSequences(text: string): string {
  return text.replaceAll(/(?:%[0-9A-Fa-f]{2})+/g, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
}
