import { type Exchange, mapExchangeTexts } from '../http/exchange.js';
import type { Drift } from '../record/drift.js';
import { escapeControlCharacters } from '../support/escape-control-characters.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { toOneLine, truncate } from '../support/untrusted-text.js';
import type { ResultWithExchanges } from './case-result.js';
import type { EvidenceKeeper } from './evidence-keeper.js';

/** The longest text that is shown as a whole, in characters. */
const maxTextLength = 4_000;
/**
 * The longest body of the exchange that shows a result, in characters. Reports show only the beginning of a body or the
 * promotions in it, and the results of a run stay in memory together.
 */
export const maxResultBody = 64 * 1024;

/**
 * Makes a result fit for display: escapes the deployment's texts and shortens bodies.
 *
 * @param find finds an exchange as it was kept
 */
export function sanitizeResult(result: ResultWithExchanges, find: EvidenceKeeper['find']): ResultWithExchanges {
  const { reason, rows, exchange, repeatedExchange } = result;
  const [shown, repeated] = [exchange, repeatedExchange].map((unsafe) => {
    const kept = unsafe && find(unsafe);
    if (kept !== undefined) return { exchange: shortenExchange(kept.exchange, maxResultBody), id: kept.id };
    return unsafe && { exchange: sanitizeExchange(unsafe), id: undefined };
  });
  return {
    ...result,
    reason: sanitizeText(reason),
    rows: rows.map((row) => ({ ...row, reason: sanitizeText(row.reason) })),
    ...omitUndefined({ exchange: shown?.exchange, exchangeId: shown?.id }),
    ...omitUndefined({ repeatedExchange: repeated?.exchange, repeatedExchangeId: repeated?.id }),
  };
}

export function sanitizeDrift(drift: Drift): Drift {
  return drift.kind !== 'outcome' ? { ...drift, message: sanitizeText(drift.message) } : drift;
}

/** Makes an exchange fit for display. @param maxBody the maximum length of the body, in characters */
export function shortenExchange(exchange: Exchange, maxBody: number): Exchange {
  // Cut first: to escape a long body takes most of the time.
  return sanitizeExchange(cutBodies(exchange, maxBody), maxBody);
}

function sanitizeExchange(exchange: Exchange, maxBody = maxResultBody): Exchange {
  return cutBodies(mapExchangeTexts(exchange, escapeControlCharacters, sanitizeText), maxBody);
}

/** Cuts long bodies. @param maxBody in characters */
export function cutBodies(exchange: Exchange, maxBody: number): Exchange {
  if (!('response' in exchange)) return exchange;
  const { body, bodyLength = body.length } = exchange.response;
  if (body.length <= maxBody) return exchange;
  // V8 keeps the whole text of a slice in memory, so the slice is copied.
  const copy = Buffer.from(truncate(body, maxBody)).toString();
  return { ...exchange, response: { ...exchange.response, body: copy, bodyLength } };
}

/** Makes a text fit for display: one line of limited length. */
export function sanitizeText(text: string): string {
  const clean = toOneLine(text);
  return clean.length <= maxTextLength
    ? clean
    : `${truncate(clean, maxTextLength)}… (${clean.length} characters in all)`;
}
