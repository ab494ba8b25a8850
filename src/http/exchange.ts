/** Header lines in the order in which they are sent or were received; a name may occur more than once. */
export type Headers = readonly (readonly [name: string, value: string])[];

/**
 * A request as it goes over the wire, save for two things: `path` is relative to the base URL of the target, and
 * credentials stand as `$CLIENT_APPLICATION_ID` and `$CLIENT_TOKEN`, so that no real one can reach an output.
 */
export interface HttpRequest {
  readonly method: string;
  /** Path and query string, taken literally: nothing is encoded or normalised by the client. */
  readonly path: string;
  readonly headers: Headers;
  readonly body?: string;
  /**
   * How it leaves, where that is not as usual, with its Content-Length, as a whole and on a connection that is kept:
   * chunked, without Content-Length; with it, but in pieces; or on a connection of its own.
   */
  readonly sent?: 'chunked' | 'in-pieces' | 'on-a-fresh-connection';
  /** Which repetition of an equal request it is: without it, one exchange serves for all requests that are equal. */
  readonly again?: number;
}

/** Equal for requests of which one exchange serves all. */
export function serializeRequest(request: HttpRequest): string {
  return JSON.stringify(request);
}

/** Equal for requests that leave alike, whichever repetition of one another they are. */
export function serializeWithoutRepetition({ again: _, ...request }: HttpRequest): string {
  return serializeRequest(request);
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The body as text: decompressed and decoded. It is as it came: a deployment may echo the credentials. */
  readonly body: string;
  /** How many characters the whole body has, where only its beginning was kept. */
  readonly bodyLength?: number;
}

/** Why no response came back. `unreachable` says that not even a connection was made, `tls` that none was trusted. */
export type TransportErrorKind =
  | 'unreachable'
  | 'tls'
  | 'timed-out'
  | 'broken-connection'
  | 'too-large'
  | 'unreadable'
  | 'not-sent';

/** One request and what came back: a response, or why there is none. */
export type Exchange = {
  readonly request: HttpRequest;
  /** How many requests were sent until this came of it; one, unless this says otherwise. */
  readonly attempts?: number;
  /** When the last of them began, in milliseconds since the epoch, and how long it took. */
  readonly timing?: { readonly startedAt: number; readonly durationMs: number };
} & ({ readonly response: HttpResponse } | { readonly transportError: TransportErrorKind; readonly message: string });

/** Sends requests to a deployment. */
export interface Channel {
  /**
   * Sends one request. Never rejects: what went wrong is part of the exchange.
   *
   * @param whyWithheld called when it is the request's turn; where it gives a reason, nothing is sent
   */
  send(request: HttpRequest, whyWithheld?: () => string | undefined): Promise<Exchange>;
  /**
   * Makes a text of a deployment fit to be shown: replaces the credentials, in whatever form they may be echoed, and
   * writes out what a terminal would obey. Responses are judged as they came, since a short credential may be part of
   * anything; what leaves the judge passes through here.
   */
  redact(text: string): string;
  /** What is sent from now on goes over new connections. */
  reconnect(): void;
  /** How many characters the bodies of one case may have together: they are kept until it is judged. */
  readonly maxCaseBodyLength: number;
  /** How many exchanges it has at once; further requests wait for their turn. */
  readonly maxConcurrency: number;
}

/**
 * All values of a header, in order of arrival.
 *
 * @param name compared without regard to letter case (RFC 9110, section 5.1)
 */
export function getHeaderValues(headers: Headers, name: string): string[] {
  const wanted = name.toLowerCase();
  return headers.filter(([key]) => key.toLowerCase() === wanted).map(([, value]) => value);
}
