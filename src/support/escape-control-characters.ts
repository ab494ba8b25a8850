/**
 * What an output should not hold as it is:
 *
 * - characters that a terminal, an editor or a browser may obey rather than show: control characters, save for tabs and
 *   line ends, other line breaks, and those that change the direction of the text beside them;
 * - what XML, YAML or UTF-8 cannot carry: characters that Unicode reserves, such as U+FFFE, and halves of pairs;
 * - what a pipeline obeys wherever it stands in a line: `##vso[`, `##teamcity[`, `##[`.
 */
const obeyed =
  /(?![\t\n]|\r\n)[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}\p{Noncharacter_Code_Point}]|(?<=#)#(?=\w*\[)/gu;

/** What most texts have nothing of: to see that takes a fraction of the time. */
const suspect = /[^\t\n\x20-\x7e]|##/;

/**
 * A text of a stranger, with what an output should not hold written as in JSON: `\u001b[2J`. In JSON, and within the
 * double quotes of YAML, that changes nothing of what is read back.
 */
export function escapeControlCharacters(text: string): string {
  if (!suspect.test(text)) return text;
  return text.replace(obeyed, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
