import type { Channel, Exchange, Headers } from '../http/exchange.js';
import type { Drift } from '../judge/drift.js';
import { beginningOf, oneLine } from '../support/foreign-text.js';
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
export function presentable(result: CaseResult, redact: Channel['redact']): CaseResult {
  const { reason, rows, evidence, again } = result;
  return {
    ...result,
    reason: shown(reason, redact),
    rows: rows.map((row) => ({ ...row, reason: shown(row.reason, redact) })),
    ...(evidence === undefined ? {} : { evidence: presentableExchange(evidence, redact, maxOfBody) }),
    ...(again === undefined ? {} : { again: presentableExchange(again, redact, maxOfBody) }),
  };
}

export function presentableDrift(drift: Drift, redact: Channel['redact']): Drift {
  return drift.kind !== 'outcome' ? { ...drift, message: shown(drift.message, redact) } : drift;
}

/** An exchange as it may be stored. @param maxBody of its body, in characters; the whole unless given */
export function presentableExchange(
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
  if (!('response' in exchange)) return { ...exchange, request, message: shown(exchange.message, redact) };
  const { status, headers, body } = exchange.response;
  // Redacted before it is cut: half a token is no longer recognised.
  const clean = redact(body);
  const response = {
    status,
    headers: presentableHeaders(headers, redact),
    body: clean.length > maxBody ? copyOf(beginningOf(clean, maxBody)) : clean,
    ...(clean.length > maxBody ? { bodyLength: clean.length } : {}),
  };
  return { ...exchange, request, response };
}

function presentableHeaders(headers: Headers, redact: Channel['redact']): Headers {
  return headers.map(([name, value]) => [shown(name, redact), shown(value, redact)]);
}

/** The same text in memory of its own: the engine makes a slice by keeping the whole. */
function copyOf(slice: string): string {
  return Buffer.from(slice).toString();
}

/** A text as it may be shown: in one line of bounded length. */
export function shown(text: string, redact: Channel['redact']): string {
  const clean = oneLine(redact(text));
  return clean.length <= maxOfText ? clean : `${beginningOf(clean, maxOfText)}… (${clean.length} characters in all)`;
}
