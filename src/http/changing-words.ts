/**
 * Masks each word with a digit: it may be a time, the id of a request or a count, which differ in every response. What remains
 * shows whether two bodies say the same.
 */
export function maskChangingWords(body: string): string {
  return body.replaceAll(/[\w.:+-]+/g, (word) => (/\d/.test(word) ? '…' : word));
}
