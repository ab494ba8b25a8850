import type { Channel, Exchange, Headers } from '../http/exchange.js';
import type { Drift } from '../judge/drift.js';
import { toOneLine, truncate } from '../support/untrusted-text.js';
import type { ShownResult } from './case-result.js';

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
 */
export function sanitizeResult(result: ShownResult, redact: Channel['redact']): ShownResult {
  const { reason, rows, exchange, repeatedExchange } = result;
  return {
    ...result,
    reason: sanitizeText(reason, redact),
    rows: rows.map((row) => ({ ...row, reason: sanitizeText(row.reason, redact) })),
    ...(exchange && { exchange: sanitizeExchange(exchange, redact, maxResultBody) }),
    ...(repeatedExchange && { repeatedExchange: sanitizeExchange(repeatedExchange, redact, maxResultBody) }),
  };
}

export function sanitizeDrift(drift: Drift, redact: Channel['redact']): Drift {
  return drift.kind !== 'outcome' ? { ...drift, message: sanitizeText(drift.message, redact) } : drift;
}

/** Makes an exchange fit for display. @param maxBody the maximum length of the body, in characters */
export function sanitizeExchange(exchange: Exchange, redact: Channel['redact'], maxBody: number): Exchange {
  const { path, body: requestBody } = exchange.request;
  const request = {
    ...exchange.request,
    path: redact(path),
    headers: sanitizeHeaders(exchange.request.headers, redact),
    ...(requestBody === undefined ? {} : { body: redact(requestBody) }),
  };
  const wire = exchange.wire && { wire: exchange.wire.map((each) => sanitizeExchange(each, redact, maxBody)) };
  if (!('response' in exchange))
    return { ...exchange, request, ...wire, message: sanitizeText(exchange.message, redact) };
  const { status, headers, body, bodyLength } = exchange.response;
  // Redact before truncating: half a token would not be recognized.
  const redacted = redact(body);
  const isCut = redacted.length > maxBody || bodyLength !== undefined;
  const response = {
    status,
    headers: sanitizeHeaders(headers, redact),
    // V8 keeps the whole text of a slice in memory, so the slice is copied.
    body: isCut ? Buffer.from(truncate(redacted, maxBody)).toString() : redacted,
    ...(isCut ? { bodyLength: bodyLength ?? redacted.length } : {}),
  };
  return { ...exchange, request, response, ...wire };
}

function sanitizeHeaders(headers: Headers, redact: Channel['redact']): Headers {
  return headers.map(([name, value]) => [sanitizeText(name, redact), sanitizeText(value, redact)]);
}

/** Makes a text fit for display: one line of limited length. */
export function sanitizeText(text: string, redact: Channel['redact']): string {
  const clean = toOneLine(redact(text));
  return clean.length <= maxTextLength
    ? clean
    : `${truncate(clean, maxTextLength)}… (${clean.length} characters in all)`;
}
