import type { Channel, Exchange, Headers } from '../http/exchange.js';
import type { Drift } from '../judge/drift.js';
import { toOneLine, truncate } from '../support/untrusted-text.js';
import type { CaseResult } from './case-result.js';

/** Of texts that are shown as a whole, in characters. */
const maxOfText = 4_000;
/**
 * Of the body that shows something, in characters: every result is kept until the end of the run, so that all together
 * keep a few megabytes. Nothing shows more of a body than the promotions that it names, or its beginning.
 */
const maxOfBody = 64 * 1024;

/**
 * A judged case as it may be shown and stored: what a deployment wrote may be meant for other eyes, or to harm. The
 * suite's own words stay: a token such as "pass" takes away no verdict.
 */
export function sanitizeResult(result: CaseResult, redact: Channel['redact']): CaseResult {
  const { reason, rows, exchange: evidence, repeatedExchange: again } = result;
  return {
    ...result,
    reason: sanitizeText(reason, redact),
    rows: rows.map((row) => ({ ...row, reason: sanitizeText(row.reason, redact) })),
    ...(evidence === undefined ? {} : { exchange: sanitizeExchange(evidence, redact, maxOfBody) }),
    ...(again === undefined ? {} : { repeatedExchange: sanitizeExchange(again, redact, maxOfBody) }),
  };
}

export function sanitizeDrift(drift: Drift, redact: Channel['redact']): Drift {
  return drift.kind !== 'outcome' ? { ...drift, message: sanitizeText(drift.message, redact) } : drift;
}

/** An exchange as it may be stored. @param maxBody of its body, in characters; the whole unless given */
export function sanitizeExchange(
  exchange: Exchange,
  redact: Channel['redact'],
  maxBody = Number.POSITIVE_INFINITY,
): Exchange {
  const { path, body: sent } = exchange.request;
  const request = {
    ...exchange.request,
    path: redact(path),
    headers: presentableHeaders(exchange.request.headers, redact),
    ...(sent === undefined ? {} : { body: redact(sent) }),
  };
  if (!('response' in exchange)) return { ...exchange, request, message: sanitizeText(exchange.message, redact) };
  const { status, headers, body } = exchange.response;
  // Redacted before it is cut: half a token is no longer recognised.
  const clean = redact(body);
  const response = {
    status,
    headers: presentableHeaders(headers, redact),
    body: clean.length > maxBody ? copyOf(truncate(clean, maxBody)) : clean,
    ...(clean.length > maxBody ? { bodyLength: clean.length } : {}),
  };
  return { ...exchange, request, response };
}

function presentableHeaders(headers: Headers, redact: Channel['redact']): Headers {
  return headers.map(([name, value]) => [sanitizeText(name, redact), sanitizeText(value, redact)]);
}

/** The same text in memory of its own: the engine makes a slice by keeping the whole. */
function copyOf(slice: string): string {
  return Buffer.from(slice).toString();
}

/** A text as it may be shown: in one line of bounded length. */
export function sanitizeText(text: string, redact: Channel['redact']): string {
  const clean = toOneLine(redact(text));
  return clean.length <= maxOfText ? clean : `${truncate(clean, maxOfText)}… (${clean.length} characters in all)`;
}
