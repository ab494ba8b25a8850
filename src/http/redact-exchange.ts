import { type Exchange, type HttpResponse, mapResponseTexts } from './exchange.js';
import { minSecretLengthInsideText } from './split-secret.js';

/**
 * Replaces the secrets in what came back: header names and values, the body, or the message of a failure, which may quote
 * them. Every exchange that leaves this room passes here. The request has placeholders already.
 */
export function redactExchange(exchange: Exchange, redact: (text: string) => string): Exchange {
  if (!('response' in exchange)) return { ...exchange, message: redact(exchange.message) };
  return { ...exchange, response: mapResponseTexts(hideCookies(exchange.response), redact) };
}

/** A cookie that a deployment sets may be a session of the configured credentials, and evidence is often committed. */
function hideCookies(response: HttpResponse): HttpResponse {
  const headers = response.headers.map(([name, value]) => {
    return [name, /^set-cookie2?$/i.test(name) ? hideCookieValue(value) : value] as const;
  });
  return { ...response, headers };
}

/** Keeps the name and the attributes. */
function hideCookieValue(cookie: string): string {
  const [, name = '', value = '', attributes = ''] = /^([^=;]*=)?([^;]*)(.*)$/s.exec(cookie) ?? [];
  return value.length < minSecretLengthInsideText ? cookie : `${name}[hidden]${attributes}`;
}
