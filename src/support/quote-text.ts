/** Quotes a text so that its difference from a similar one is seen: invisible characters are escaped. */
export function quoteText(text: unknown): string {
  const quoted = JSON.stringify(text) ?? String(text);
  return quoted.replaceAll(/(?! )[\p{C}\p{M}\p{Z}]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);
}
