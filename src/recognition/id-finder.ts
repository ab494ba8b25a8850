import escapeStringRegexp from 'escape-string-regexp';

/** Shorter ids count only as whole values: inside a longer text they may be a coincidence. */
export const minLengthInsideText = 12;

/** Finds the ids of a set in texts. Ignores letter case, unless two ids differ in nothing else. */
export interface IdFinder {
  /** The minimum length of a text that contains an id. */
  readonly minLength: number;
  /** Finds the id that the whole text is. */
  findExact(text: string): string | undefined;
  /** Finds the id that the whole text is, or else the ids that are separate words of it, as in `/tiers/promo_1?expand`. */
  findIds(text: string): FoundIds;
  /** Replaces each id that is a separate word of the text. */
  replaceIds(text: string, by: string): string;
  /** Whether a text without any id in it may have one once it is parsed: escaped, encoded, or in another notation. */
  mayHide(text: string): boolean;
  /** Finds the ids that are any part of the text, even of another word. */
  findAnywhere(text: string): Set<string>;
  /** Finds the ids that are too short for that, if they are any part of the text. */
  findShortIds(text: string): ReadonlySet<string>;
}

/** The ids in a text: the one that the whole text is, or any number inside it. */
export interface FoundIds {
  readonly ids: readonly string[];
  readonly isWhole: boolean;
}

export const noIds: FoundIds = { ids: [], isWhole: false };

/** Boundaries of a separate word. */
const wordBoundaries = ['(?<![A-Za-z0-9]|[A-Za-z0-9][-_])', '(?![A-Za-z0-9]|[-_][A-Za-z0-9])'] as const;

/** Boundaries of any part of a text. A number inside a longer number is another number. */
export const numberBoundaries = ['(?<!\\d(?=\\d))', '(?!(?<=\\d)\\d)'] as const;

/**
 * Creates a finder that reads a text once, whatever the number of ids: bodies are long and ids are many.
 *
 * @param boundaries of an id in a longer text
 */
export function createIdFinder(
  ids: ReadonlySet<string>,
  boundaries: readonly [before: string, after: string] = wordBoundaries,
): IdFinder {
  const byLowerCase = new Map([...ids].map((id) => [id.toLowerCase(), id]));
  const ignoresCase = byLowerCase.size === ids.size;
  // In ASCII, a text has the same length in either letter case. The length excludes most texts at once.
  const isAscii = [...ids].every((id) => /^[\0-\x7f]*$/.test(id));
  const lengths = [...ids].map((id) => id.length);
  const [minLength, maxLength] = isAscii ? [Math.min(...lengths), Math.max(...lengths)] : [0, Number.POSITIVE_INFINITY];
  const findExact = (text: string) => {
    if (text.length < minLength || text.length > maxLength) return undefined;
    return ignoresCase ? byLowerCase.get(text.toLowerCase()) : ids.has(text) ? text : undefined;
  };
  // JSON writes a number in several notations.
  const hasNumbers = [...ids].some((id) => !Number.isNaN(Number(id)));
  const long = [...ids].filter((id) => id.length >= minLengthInsideText);
  const short = [...ids].filter((id) => id.length < minLengthInsideText);
  const flags = ignoresCase ? 'gi' : 'g';
  const byThemselves = createPattern(long, boundaries, flags);
  const search = (pattern: RegExp, shortest: number) => (text: string) =>
    new Set(text.length < shortest ? [] : findMatches(text, pattern).map((found) => findExact(found) ?? found));
  const shortest = findMinLength(long);
  const within = search(byThemselves, shortest);
  // A text as short as the shortest id can only be the whole id.
  const minAround = isAscii ? shortest + 1 : shortest;
  return {
    minLength,
    findExact,
    findIds(text) {
      const whole = findExact(text);
      if (whole !== undefined) return { ids: [whole], isWhole: true };
      return text.length < minAround ? noIds : { ids: [...within(text)], isWhole: false };
    },
    // The Kelvin sign has a lower case of ASCII. `includes` is faster than a regular expression here.
    mayHide: (text) => hasNumbers || !isAscii || ['\\', '%', '\u212a'].some((each) => text.includes(each)),
    replaceIds: (text, by) => text.replaceAll(byThemselves, () => by),
    findAnywhere: search(createPattern(long, numberBoundaries, flags), shortest),
    findShortIds: search(createPattern(short, numberBoundaries, flags), findMinLength(short)),
  };
}

/** Creates a pattern for ids between boundaries. It prefers the longest id. */
function createPattern(
  ids: readonly string[],
  [before, after]: readonly [before: string, after: string],
  flags: string,
): RegExp {
  // One letter case, so that common prefixes are found.
  const texts = flags.includes('i') ? ids.map((id) => id.replace(/[A-Z]/g, (letter) => letter.toLowerCase())) : ids;
  return new RegExp(texts.length === 0 ? '(?!)' : `${before}${createAlternation(texts)}${after}`, flags);
}

/**
 * Creates a pattern for any of some texts, preferably the longest. Common prefixes occur once in the pattern. Otherwise
 * each id of a body, which has the same prefix, would be compared with every id of the world.
 */
function createAlternation(texts: readonly string[]): string {
  const groups = new Map<string, string[]>();
  for (const text of texts) {
    const group = groups.get(text.charAt(0));
    if (group === undefined) groups.set(text.charAt(0), [text]);
    else group.push(text);
  }
  const isOptional = groups.delete('');
  if (groups.size === 0) return '';
  const branches = [...groups.values()].map((group) => {
    const prefix = findCommonPrefix(group);
    return escapeStringRegexp(prefix) + createAlternation(group.map((text) => text.slice(prefix.length)));
  });
  return `(?:${branches.join('|')})${isOptional ? '?' : ''}`;
}

function findCommonPrefix([first = '', ...others]: readonly string[]): string {
  let length = first.length;
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length -= 1;
  return first.slice(0, length);
}

function findMinLength(ids: readonly string[]): number {
  return Math.min(...ids.map((id) => id.length));
}

function findMatches(text: string, pattern: RegExp): string[] {
  // Ids in a URL may be percent-encoded (RFC 3986).
  const readings = isPercentEncoded(text) ? [text, decodePercentSequences(text)] : [text];
  return readings.flatMap((reading) => reading.match(pattern) ?? []);
}

/** Whether a text has a percent-encoded character. `indexOf` is faster than a regular expression here. */
function isPercentEncoded(text: string): boolean {
  for (let at = text.indexOf('%'); at >= 0; at = text.indexOf('%', at + 1))
    if (/^[0-9A-Fa-f]{2}/.test(text.slice(at + 1, at + 3))) return true;
  return false;
}

/** Decodes percent-encoded UTF-8 once. Leaves other percent signs: a text may say "10 %". */
function decodePercentSequences(text: string): string {
  return text.replaceAll(/(?:%[0-9A-Fa-f]{2})+/g, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
}
