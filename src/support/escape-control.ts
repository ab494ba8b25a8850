/**
 * Characters that a terminal, an editor or a browser may obey rather than show: control characters, save for tabs and
 * line ends, and those that change the direction of the text beside them.
 */
const obeyed = /(?![\t\n]|\r\n)[\p{Cc}\p{Bidi_Control}]/gu;

/** A text of a stranger, with what should not reach a terminal written as in JSON: `\u001b[2J`. */
export function escapeControlCharacters(text: string): string {
  return text.replace(obeyed, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
