import { type Channel, type Exchange, mapExchangeTexts } from '../http/exchange.js';
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
 * Makes a result fit for display: redacts and escapes the deployment's texts and shortens bodies. Words of the suite stay
 * as they are, so that a credential such as "pass" does not hide a verdict.
 *
 * @param find finds an exchange as it was kept
 */
export function sanitizeResult(
  result: ResultWithExchanges,
  redact: Channel['redact'],
  find: EvidenceKeeper['find'],
): ResultWithExchanges {
  const { reason, rows, exchange, repeatedExchange } = result;
  const [shown, repeated] = [exchange, repeatedExchange].map((each) => {
    const kept = each && find(each);
    // An exchange that was kept has no secrets.
    if (kept !== undefined) return { exchange: shortenExchange(kept.exchange, maxResultBody), id: kept.id };
    return each && { exchange: sanitizeExchange(each, redact), id: undefined };
  });
  return {
    ...result,
    reason: sanitizeText(reason, redact),
    rows: rows.map((row) => ({ ...row, reason: sanitizeText(row.reason, redact) })),
    ...omitUndefined({ exchange: shown?.exchange, exchangeId: shown?.id }),
    ...omitUndefined({ repeatedExchange: repeated?.exchange, repeatedExchangeId: repeated?.id }),
  };
}

export function sanitizeDrift(drift: Drift, redact: Channel['redact']): Drift {
  return drift.kind !== 'outcome' ? { ...drift, message: sanitizeText(drift.message, redact) } : drift;
}

/** Makes an exchange without secrets fit for display. @param maxBody the maximum length of the body, in characters */
export function shortenExchange(exchange: Exchange, maxBody: number): Exchange {
  // Cut first: to escape a long body takes most of the time.
  return sanitizeExchange(cutBodies(exchange, maxBody), escapeControlCharacters, maxBody);
}

function sanitizeExchange(exchange: Exchange, redact: Channel['redact'], maxBody = maxResultBody): Exchange {
  const clean = mapExchangeTexts(exchange, redact, (text) => sanitizeText(text, redact));
  // Redact before truncating: half a token would not be recognized.
  return cutBodies(clean, maxBody);
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
export function sanitizeText(text: string, redact: Channel['redact']): string {
  const clean = toOneLine(redact(text));
  return clean.length <= maxTextLength
    ? clean
    : `${truncate(clean, maxTextLength)}… (${clean.length} characters in all)`;
}
