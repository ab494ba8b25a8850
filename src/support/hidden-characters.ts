import type { Problem } from './problem.js';

/** Beside the printable characters of ASCII. Letters of Latin-1, ideographs and emoji look different from each other. */
const plain = /^[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff\p{Script=Han}\p{Emoji_Presentation}]$/u;

/**
 * Finds characters in the source of a YAML file that nobody sees, such as a soft hyphen, or that look like others, such as a
 * ligature, a wide letter or an accent of its own. A reader could not tell two texts apart. As escapes they are visible.
 *
 * @param file its name in messages
 */
export function findHiddenCharacters(source: string, file: string): Problem[] {
  return source.split(/\r?\n/).flatMap((line, n) =>
    [...line.matchAll(/[^\x20-\x7e]/gu)].flatMap(({ 0: character, index }) => {
      const at = { file, line: n + 1, column: index + 1 };
      const message = `the character U+${toHex(character)} is invisible or looks like another`;
      const hint = `Write ${escapeCharacter(character)}, in a text in double quotation marks.`;
      return isHidden(character) ? [{ at, message, hint }] : [];
    }),
  );
}

/** Compatibility characters look like those that they are normalized to (Unicode Standard Annex #15, NFKC). */
function isHidden(character: string): boolean {
  return !plain.test(character) || character.normalize('NFKC') !== character;
}

function toHex(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}

/** As double quotes in YAML have it. */
function escapeCharacter(character: string): string {
  const hex = toHex(character).toLowerCase();
  return hex.length > 4 ? `\\U${hex.padStart(8, '0')}` : `\\u${hex}`;
}
