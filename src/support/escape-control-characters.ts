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
