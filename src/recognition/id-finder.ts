import escapeStringRegexp from 'escape-string-regexp';

/** Ids shorter than this are looked for as whole values only: they may be part of anything. */
export const minLengthInsideText = 12;

/**
 * Ids of a set, by how sure it is that a text names them; each in the order of the text. Letter case does not matter,
 * unless two ids differ in nothing else.
 */
export interface IdFinder {
  /** How long a text is that names any, at least. */
  readonly minLength: number;
  /** The id that a text is as a whole. */
  findExact(text: string): string | undefined;
  /** The one that a text is as a whole, or else those that stand by themselves inside it, as in `/tiers/promo_1?expand`. */
  findIds(text: string): FoundIds;
  /** The text with something in place of each that stands by itself inside it. */
  replaceIds(text: string, by: string): string;
  /** Those that are a part of the text, though perhaps of another word. */
  findAnywhere(text: string): Set<string>;
  /** Those that are too short for either, where they are a part of the text. */
  findShortIds(text: string): ReadonlySet<string>;
}

/** Ids that a text names: one that it is as a whole, or any number that stand inside it. */
export interface FoundIds {
  readonly ids: readonly string[];
  readonly isWhole: boolean;
}

export const noIds: FoundIds = { ids: [], isWhole: false };

/** What must stand before and after an id: nothing that it might be a part of. */
const byItself = ['(?<![A-Za-z0-9]|[A-Za-z0-9][-_])', '(?![A-Za-z0-9]|[-_][A-Za-z0-9])'] as const;

/** The same, where that is doubtful: a number within a longer one is certainly another. */
const notWithinNumber = ['(?<!\\d(?=\\d))', '(?!(?<=\\d)\\d)'] as const;

/** Makes a finder, which passes over a text once, however many ids there are: bodies are long, and there are many. */
export function createIdFinder(ids: ReadonlySet<string>): IdFinder {
  const byLowerCase = new Map([...ids].map((id) => [id.toLowerCase(), id]));
  const ignoresCase = byLowerCase.size === ids.size;
  // What differs from a text of ASCII in letter case alone is as long; most texts of a body are not.
  const isAscii = [...ids].every((id) => /^[\0-\x7f]*$/.test(id));
  const lengths = [...ids].map((id) => id.length);
  const [minLength, maxLength] = isAscii ? [Math.min(...lengths), Math.max(...lengths)] : [0, Number.POSITIVE_INFINITY];
  const meant = (text: string) => {
    if (text.length < minLength || text.length > maxLength) return undefined;
    return ids.has(text) ? text : ignoresCase ? byLowerCase.get(text.toLowerCase()) : undefined;
  };
  const long = [...ids].filter((id) => id.length >= minLengthInsideText);
  const short = [...ids].filter((id) => id.length < minLengthInsideText);
  const flags = ignoresCase ? 'gi' : 'g';
  const byThemselves = patternOf(long, byItself, flags);
  const search = (pattern: RegExp, shortest: number) => (text: string) =>
    new Set(text.length < shortest ? [] : matches(text, pattern).map((found) => meant(found) ?? found));
  const shortest = shortestOf(long);
  const within = search(byThemselves, shortest);
  // What is only as long as the shortest could but be that as a whole.
  const minAround = isAscii ? shortest + 1 : shortest;
  return {
    minLength,
    findExact: meant,
    findIds(text) {
      const whole = meant(text);
      if (whole !== undefined) return { ids: [whole], isWhole: true };
      return text.length < minAround ? noIds : { ids: [...within(text)], isWhole: false };
    },
    replaceIds: (text, by) => text.replaceAll(byThemselves, () => by),
    findAnywhere: search(patternOf(long, notWithinNumber, flags), shortest),
    findShortIds: search(patternOf(short, notWithinNumber, flags), shortestOf(short)),
  };
}

/** Of ids between what must stand before and after them. Of ids that begin with each other the longest counts. */
function patternOf(
  ids: readonly string[],
  [before, after]: readonly [before: string, after: string],
  flags: string,
): RegExp {
  // Of letters that are the same to the pattern, one kind alone, so that common beginnings are found.
  const texts = flags.includes('i') ? ids.map((id) => id.replace(/[A-Z]/g, (letter) => letter.toLowerCase())) : ids;
  return new RegExp(texts.length === 0 ? '(?!)' : `${before}${anyOf(texts)}${after}`, flags);
}

/**
 * A pattern for any of some texts, the longest that fits. What several begin with stands in it once: otherwise each of
 * thousands of ids in a body, which begin as those of the world do, would be compared with every one of these.
 */
function anyOf(texts: readonly string[]): string {
  const groups = new Map<string, string[]>();
  for (const text of texts) {
    const group = groups.get(text.charAt(0));
    if (group === undefined) groups.set(text.charAt(0), [text]);
    else group.push(text);
  }
  const isOptional = groups.delete('');
  if (groups.size === 0) return '';
  const branches = [...groups.values()].map((group) => {
    const beginning = commonBeginning(group);
    return escapeStringRegexp(beginning) + anyOf(group.map((text) => text.slice(beginning.length)));
  });
  return `(?:${branches.join('|')})${isOptional ? '?' : ''}`;
}

function commonBeginning([first = '', ...others]: readonly string[]): string {
  let length = first.length;
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length -= 1;
  return first.slice(0, length);
}

function shortestOf(ids: readonly string[]): number {
  return Math.min(...ids.map((id) => id.length));
}

function matches(text: string, pattern: RegExp): string[] {
  // In a URL they may be percent-encoded (RFC 3986).
  const readings = isPercentEncoded(text) ? [text, percentDecoded(text)] : [text];
  return readings.flatMap((reading) => reading.match(pattern) ?? []);
}

/** Whether anything is: found by the signs, as a search for what they stand for would look at every character. */
function isPercentEncoded(text: string): boolean {
  for (let at = text.indexOf('%'); at >= 0; at = text.indexOf('%', at + 1))
    if (/^[0-9A-Fa-f]{2}/.test(text.slice(at + 1, at + 3))) return true;
  return false;
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
