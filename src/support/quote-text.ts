/**
 * Quotes a text so that its difference from a similar one is seen: invisible characters are escaped. Blanks at the ends, and
 * several in a row, are written as open boxes (␣), since nobody counts blanks, and a page shows several as one.
 */
export function quoteText(text: unknown): string {
  const quoted = JSON.stringify(text) ?? String(text);
  const escaped = quoted.replaceAll(/(?! )[\p{C}\p{M}\p{Z}]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);
  return escaped.replaceAll(/(?<=^") +| +(?="$)| {2,}/g, (blanks) => '␣'.repeat(blanks.length));
}
