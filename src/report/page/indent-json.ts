/**
 * Indents a text that is JSON, or the beginning of one. Changes white space outside of strings only: numbers and repeated
 * keys stay as they were sent. Returns any other text as it is.
 */
export function indentJson(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  let depth = 0;
  let indented = '';
  // Strings, brackets and separators; the rest are numbers, words and white space.
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[{]\s*[\]}]|[[\]{},:]|[^\s[\]{},:"]+/gs)) {
    const newLine = () => `\n${'  '.repeat(Math.min(depth, maxDepth))}`;
    if (token === '{' || token === '[') {
      depth += 1;
      indented += token + newLine();
    } else if (token === '}' || token === ']') {
      depth = Math.max(0, depth - 1);
      indented += newLine() + token;
    } else if (token === ',') indented += token + newLine();
    else if (token === ':') indented += ': ';
    else indented += /^[[{]/.test(token) ? token.replaceAll(/\s/g, '') : token;
  }
  return indented;
}

/** Deeper levels are not indented further: a body may be nested without end. */
const maxDepth = 20;
