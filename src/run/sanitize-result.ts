import { type Exchange, mapExchangeTexts } from '../http/exchange.js';
import { escapeControlCharacters } from '../support/escape-control-characters.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { toOneLine, truncate } from '../support/untrusted-text.js';
import type { ResultWithExchanges } from './case-result.js';
import type { EvidenceKeeper } from './evidence-keeper.js';

/** The longest text that is shown as a whole, in characters. */
const maxTextLength = 4_000;
/** The longest body that is shown with a result, in characters: the results of a run stay in memory together. */
export const maxResultBody = 64 * 1024;

export function sanitizeResult(result: ResultWithExchanges, find: EvidenceKeeper['find']): ResultWithExchanges {
  const { reason, rows, exchange, repeatedExchange } = result;
  const show = (unsafe: Exchange | undefined) => unsafe && shortenExchange(unsafe, maxResultBody);
  return {
    ...result,
    reason: sanitizeText(reason),
    rows: rows.map((row) => ({ ...row, reason: sanitizeText(row.reason) })),
    ...omitUndefined({
      exchange: show(exchange),
      exchangeId: exchange && find(exchange)?.id,
      repeatedExchange: show(repeatedExchange),
      repeatedExchangeId: repeatedExchange && find(repeatedExchange)?.id,
    }),
  };
}

/** Makes an exchange fit for display. @param maxBody the maximum length of the body, in characters */
export function shortenExchange(exchange: Exchange, maxBody: number): Exchange {
  // Cut first: to escape a long body takes most of the time.
  const cut = cutBodies(exchange, maxBody);
  return cutBodies(mapExchangeTexts(cut, escapeControlCharacters, sanitizeText), maxBody);
}

export function cutBodies(exchange: Exchange, maxBody: number): Exchange {
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
