import { type Exchange, mapExchangeTexts } from '../http/exchange.js';
import { escapeControlCharacters, toOneLine, truncate } from '../support/untrusted-text.js';

/** The longest text that is shown as a whole, in characters. */
const maxTextLength = 4_000;
/** The longest body that is shown with a result, in characters: the results of a run stay in memory together. */
export const maxResultBody = 64 * 1024;

/** Makes an exchange fit for display. @param maxBody the maximum length of the body, in characters */
export function sanitizeExchange(exchange: Exchange, maxBody: number): Exchange {
  // Cut first: to escape a long body takes most of the time.
  const cut = cutResponseBody(exchange, maxBody);
  return cutResponseBody(mapExchangeTexts(cut, escapeControlCharacters, sanitizeText), maxBody);
}

export function cutResponseBody(exchange: Exchange, maxBody: number): Exchange {
  if (!('response' in exchange)) return exchange;
  const { body, bodyLength = body.length } = exchange.response;
  if (body.length <= maxBody) return exchange;
  // V8 keeps the whole text of a slice in memory, so the slice is copied.
  const copy = Buffer.from(truncate(body, maxBody)).toString();
  return { ...exchange, response: { ...exchange.response, body: copy, bodyLength } };
}

export function sanitizeText(text: string): string {
  const clean = toOneLine(text);
  return clean.length <= maxTextLength
    ? clean
    : `${truncate(clean, maxTextLength)}… (${clean.length} characters in all)`;
}
