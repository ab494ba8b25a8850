import escapeStringRegexp from 'escape-string-regexp';
import { decodePercent } from '../http/decoded-request.js';
import { cacheByText, computeOnce } from '../support/caches.js';

/** Shorter ids count only as whole values: inside a longer text they may be a coincidence. */
export const minIdLengthInsideText = 12;

type Boundaries = readonly [before: string, after: string];

const wordBoundaries: Boundaries = ['(?<![A-Za-z0-9]|[A-Za-z0-9][-_])', '(?![A-Za-z0-9]|[-_][A-Za-z0-9])'];

/** Boundaries of any part of a text. A number inside a longer number is another number. */
export const anyPartBoundaries: Boundaries = ['(?<!\\d(?=\\d))', '(?!(?<=\\d)\\d)'];

const nothing = { ids: [], isWhole: false };

export type IdFinder = ReturnType<typeof createIdFinder>;

/** The finder ignores letter case, unless two ids differ in nothing else. */
export function createIdFinder(
  ids: ReadonlySet<string>,
  boundaries = wordBoundaries,
  isOnlyWhole: (id: string) => boolean = () => false,
) {
  const all = [...ids];
  const ignoresCase = new Set(all.map((id) => id.toLowerCase())).size === ids.size;
  const fold = (text: string) => (ignoresCase ? foldCase(text) : text);
  const byText = new Map(all.map((id) => [fold(id), id]));
  const lengths = all.map((id) => id.length);
  const [minLength, maxLength] = [Math.min(...lengths), Math.max(...lengths)];
  const findExact = (text: string): string | undefined =>
    text.length < minLength || text.length > maxLength ? undefined : byText.get(fold(text));
  const inTexts = all.filter((id) => !isOnlyWhole(id));
  const long = inTexts.filter((id) => id.length >= minIdLengthInsideText);
  const short = inTexts.filter((id) => id.length < minIdLengthInsideText);
  const whole = all.filter(isOnlyWhole);
  const scanForWords = createScanner(long, fold, boundaries);
  const scanAnywhere = createScanner(long, fold, anyPartBoundaries);
  const collectWords = createCollector(scanForWords);
  return {
    /** A shorter text is no id, and contains none. */
    minLength,
    findExact,
    /** Finds the id that the whole text is, or else the ids that are separate words of it, as in `/tiers/promo_1?expand`. */
    findIds(text: string) {
      const whole = findExact(text);
      if (whole !== undefined) return { ids: [whole], isWhole: true };
      // Nothing that is not longer contains an id.
      if (text.length <= minLength) return nothing;
      return { ids: collectWords(text), isWhole: false };
    },
    /** Replaces each id that is a separate word of the text. */
    replaceIds(text: string, by: string): string {
      let replaced = '';
      let done = 0;
      for (const { start, end } of scanForWords(text)) {
        replaced += text.slice(done, start) + by;
        done = end;
      }
      return replaced + text.slice(done);
    },
    /** Finds the ids that are any part of the text, even of another word. */
    findAnywhere: createCollector(scanAnywhere),
    /** Does not find ids in percent-encoded parts: to decode a whole body takes long. */
    findUnencoded: (text: string) => scanAnywhere(text).map(({ id }) => id),
    /** Finds the ids that are too short for that, if they are any part of the text. */
    findShortIds: short.length === 0 ? () => [] : createCollector(createScanner(short, fold, anyPartBoundaries)),
    /** Finds the ids that count only as whole values, if they are any part of the text. */
    findWholeIds: whole.length === 0 ? () => [] : createCollector(createScanner(whole, fold, anyPartBoundaries)),
  };
}

interface LocatedId {
  readonly id: string;
  readonly start: number;
  readonly end: number;
}

/** Creates a function that finds ids in a text. A pattern with thousands of ids would take long: it finds where an id may begin. */
function createScanner(ids: readonly string[], fold: (text: string) => string, [before, after]: Boundaries) {
  // Data files have thousands of ids, and most finders scan no text.
  const getIndex = computeOnce(() => {
    const byText = new Map(ids.map((id) => [fold(id), id]));
    const longestFirst = [...new Set(ids.map(({ length }) => length))].sort((a, b) => b - a);
    return { byText, longestFirst, beginnings: new RegExp(listBeginnings([...byText.keys()]).join('|'), 'gi') };
  });
  const [isBefore, isAfter] = [new RegExp(before, 'y'), new RegExp(after, 'y')];
  const isAt = (pattern: RegExp, text: string, at: number) => {
    pattern.lastIndex = at;
    return pattern.test(text);
  };
  return (text: string): LocatedId[] => {
    const found: LocatedId[] = [];
    if (ids.length === 0) return found;
    const { byText, longestFirst, beginnings } = getIndex();
    beginnings.lastIndex = 0;
    for (let match = beginnings.exec(text); match !== null; match = beginnings.exec(text)) {
      const start = match.index;
      beginnings.lastIndex = start + 1;
      for (const length of longestFirst) {
        const end = start + length;
        const id = byText.get(fold(text.slice(start, end)));
        if (id === undefined || !isAt(isBefore, text, start) || !isAt(isAfter, text, end)) continue;
        found.push({ id, start, end });
        beginnings.lastIndex = end;
        break;
      }
    }
    return found;
  };
}

/** Creates a function that finds ids in a text as it is, and with its percent-encoded parts decoded once (RFC 3986). */
function createCollector(scan: (text: string) => readonly LocatedId[]) {
  // Many responses have the same texts.
  const scanEncoded = cacheByText((text) => [...scan(text), ...scan(decodePercentSequences(text))]);
  return (text: string): string[] => {
    const located = text.includes('%') ? scanEncoded(text) : scan(text);
    return [...new Set(located.map(({ id }) => id))];
  };
}

/** Lists patterns of how ids begin. A search for thousands takes long, and to look up what is no id takes longer. */
function listBeginnings(ids: readonly string[]): string[] {
  for (let length = minIdLengthInsideText; ; length -= 1) {
    const beginnings = new Set(ids.map((id) => id.slice(0, length)));
    if (length === 1 || beginnings.size <= 256) return [...beginnings].map(escapeStringRegexp);
  }
}

/** Converts a text to lower case, unless that moves its characters: some have several in lower case. */
function foldCase(text: string): string {
  const folded = text.toLowerCase();
  return folded.length === text.length ? folded : text;
}

/** Decodes percent-encoded UTF-8. Leaves other percent signs: a text may say "10 %". */
function decodePercentSequences(text: string): string {
  return text.replaceAll(/(?:%[0-9A-Fa-f]{2})+/g, (encoded) => decodePercent(encoded));
}
