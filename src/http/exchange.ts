import { cacheByObject } from '../support/caches.js';

/** Header lines in the order of the message. A name may occur more than once. */
export type Headers = readonly (readonly [name: string, value: string])[];

/** As it goes over the wire, but header values that are secret are placeholders: no secret can reach an output. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query string, relative to the base URL. The client encodes and normalizes nothing. */
  readonly path: string;
  readonly headers: Headers;
  readonly body?: string;
  /**
   * Chunked without Content-Length, in pieces with it. Narrowing sends each request on a new connection, unless it is to be that
   * of the request before. Default: in whole, on a connection that is kept alive.
   */
  readonly sent?:
    | 'chunked'
    | 'in-pieces'
    | 'on-a-fresh-connection'
    | 'on-the-connection-before'
    | 'with-accept-headers';
  /** The number of a repetition. Equal requests share one exchange, unless this differs. */
  readonly again?: number;
}

/** Names the encoding of a request that a server may refuse: the way in which it is sent, or a spelling of its query. */
export function findRefusableEncoding({ sent, path }: HttpRequest): string | undefined {
  if (sent === 'chunked') return sent;
  if (/%(?:[01][\da-f]|7f)/i.test(path)) return 'control characters in the query';
  return /%(?:[46][1-9a-f]|[57][\da]|3\d)/i.test(path) ? 'escaped letters in the query' : undefined;
}

/** A request is looked up several times while it is sent. */
export const serializeRequest = cacheByObject((request: HttpRequest): string => JSON.stringify(request));

export function serializeRequestIgnoringRepetition({ again: _, ...request }: HttpRequest): string {
  return serializeRequest(request);
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The body as text, decompressed and decoded. Secrets in it are replaced. */
  readonly body: string;
  /** The length of the whole body in characters, if only its beginning was kept. */
  readonly bodyLength?: number;
}

/** Why a response is missing. `tls`: no trusted connection. `invalid-coding`: the body is not in the coding that it announces. `unknown-coding`: the suite cannot decode the body. `unsupported`: the transport cannot express the request. */
export type TransportErrorKind =
  | 'unreachable'
  | 'tls'
  | 'timed-out'
  | 'broken-connection'
  | 'too-large'
  | 'unreadable'
  | 'unknown-coding'
  | 'invalid-coding'
  | 'unsupported'
  | 'not-sent';

/** An attempt that was retried. */
export interface RetriedAttempt {
  /** The status of its response, or why there is none. */
  readonly outcome: number | TransportErrorKind;
  /** The number of requests per second that the client sent at most after it, if the deployment asked it to wait. */
  readonly slowed_to?: number;
}

export type Exchange = {
  readonly request: HttpRequest;
  /** The number of requests sent, with retries; one by default. */
  readonly attempts?: number;
  /** The numbers of its attempts among all requests of the run, from 1, in the order of sending. */
  readonly numbers?: readonly number[];
  /** The attempts before the last one; undefined if there was only one. */
  readonly retried?: readonly RetriedAttempt[];
  /** The start of the last attempt in milliseconds since the epoch, and its duration. */
  readonly timing?: { readonly startedAt: number; readonly durationMs: number };
} & ({ readonly response: HttpResponse } | { readonly transportError: TransportErrorKind; readonly message: string });

export interface RequestChannel {
  /** Sends one request. Never rejects: an error is part of the exchange. */
  send(request: HttpRequest): Promise<Exchange>;
  reconnect(): void;
  /** Waits for milliseconds, at most until the channel is closed. Nothing waits without it. */
  wait?(ms: number): Promise<void>;
  readonly maxConcurrency: number;
}

/** Returns all values of a header in their order. @param name in any letter case (RFC 9110, section 5.1) */
export function getHeaderValues(headers: Headers, name: string): string[] {
  const wanted = name.toLowerCase();
  return headers.filter(([key]) => key.toLowerCase() === wanted).map(([, value]) => value);
}

/** Adds headers, unless the request has one of the same name. */
export function addHeaders(request: HttpRequest, extra: Headers): HttpRequest {
  const added = extra.filter(([name]) => getHeaderValues(request.headers, name).length === 0);
  return { ...request, headers: [...request.headers, ...added] };
}

export const plainAcceptHeaders: Headers = [
  ['Accept', '*/*'],
  ['Accept-Encoding', 'identity'],
];

/** Content negotiation (RFC 9110, section 12) as common client libraries and browsers do it. */
export const acceptHeaders: Headers = [
  ['Accept', 'application/json, text/plain, */*'],
  ['Accept-Encoding', 'gzip, deflate, br'],
  ['Accept-Language', 'de-DE, de;q=0.9, en;q=0.8, *;q=0.5'],
];

/** @param mapLine replaces names and values of headers, and the message of a transport error */
export function mapExchangeTexts(exchange: Exchange, map: (text: string) => string, mapLine = map): Exchange {
  const { path, headers, body } = exchange.request;
  const mapped = { path: map(path), headers: mapHeaders(headers, mapLine) };
  const request = { ...exchange.request, ...mapped, ...(body === undefined ? {} : { body: map(body) }) };
  if (!('response' in exchange)) return { ...exchange, request, message: mapLine(exchange.message) };
  return { ...exchange, request, response: mapResponseTexts(exchange.response, map, mapLine) };
}

export function mapResponseTexts(response: HttpResponse, map: (text: string) => string, mapLine = map): HttpResponse {
  return { ...response, headers: mapHeaders(response.headers, mapLine), body: map(response.body) };
}

function mapHeaders(headers: Headers, map: (text: string) => string): Headers {
  return headers.map(([name, value]) => [map(name), map(value)]);
}
