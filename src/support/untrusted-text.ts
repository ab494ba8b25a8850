/**
 * Makes text from a deployment or a file safe to print in lines. CI systems obey lines that begin with `::error`, even
 * after white space. So untrusted text never begins a line: it follows other text, or the prefix `| `.
 */

export function toOneLine(text: string): string {
  return escapeControlCharacters(text).replaceAll('\r', '\\r').replaceAll('\n', '\\n');
}

/** Escapes a line that an untrusted text may begin: line breaks inside it, and the beginning of a command. */
export function escapeLine(line: string): string {
  return toOneLine(line).replace(/^(\s*):(?=:)/, '$1\\u003a');
}

export function joinAndEscapeLines(lines: readonly string[]): string {
  return lines.map((line) => `${escapeLine(line)}\n`).join('');
}

export function getFirstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

/** Cuts a text without splitting a surrogate pair. @param max in UTF-16 code units */
export function truncate(text: string, max: number): string {
  return text.slice(0, max).replace(/[\ud800-\udbff]$/, '');
}

export function shorten(text: string, max: number): string {
  return text.length > max ? `${truncate(text, max)}…` : text;
}

const shownBefore = 40;

/** Shortens two texts so that both show their first difference. */
export function shortenAroundDifference(left: string, right: string): [string, string] {
  const isSame = (at: number) => left.slice(at, at + shownBefore) === right.slice(at, at + shownBefore);
  let from = 0;
  while (from + shownBefore <= left.length && isSame(from)) from += 1;
  const excerpt = (text: string) => `${from === 0 ? '' : '…'}${shorten(text.slice(from), 80)}`;
  return [excerpt(left), excerpt(right)];
}

export function quoteLines(text: string): string[] {
  return text.split(/\r?\n/).map((line) => toOneLine(line.startsWith('| ') ? line : `| ${line}`));
}

/**
 * - Control characters except tab and line break, other line separators, and characters that change the direction of
 *   text: a terminal, an editor or a browser obeys them.
 * - Noncharacters such as U+FFFE, and lone surrogates: XML, YAML and UTF-8 cannot carry them.
 * - `##vso[`, `##teamcity[` and `##[`: CI systems obey them anywhere in a line.
 */
const unsafe = /(?![\t\n]|\r\n)[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}\p{Noncharacter_Code_Point}]|(?<=#)#$/gu;

/** Only these parts of a text are searched: the search for properties of Unicode takes ten times as long. */
const suspect = /(?:\r\n|[^\t\n\x20-\x7e])+|(?<!#)##+(?=\w*\[)/g;

/** Writes them as JSON does, `\u001b[2J`: in JSON, and in double quotes in YAML, the value that is read back is the same. */
export function escapeControlCharacters(text: string): string {
  // Most texts have none of these. This search is faster than the one below.
  if (!/[^\t\n\x20-\x7e]/.test(text) && !text.includes('##')) return text;
  return text.replace(suspect, (part) => part.replace(unsafe, escapeUnits));
}

function escapeUnits(character: string): string {
  return character.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
