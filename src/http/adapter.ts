import type { Headers, HttpRequest, HttpResponse } from './exchange.js';

/**
 * Sends the cases through something else than the documented operation, for example through its replacement.
 *
 * All functions are pure: the same arguments give the same result. They run in a thread of their own without environment
 * variables, and may return a promise. They get and return plain data.
 *
 * @example
 * export default {
 *   toRequest: ({ body }) => ({
 *     method: 'POST',
 *     path: '/v2/promotions',
 *     headers: [['Content-Type', 'application/json'], ['X-Client-Token', '$CLIENT_TOKEN']],
 *     body: body ?? '{}',
 *   }),
 *   toResponse: ([response]) => response,
 * } satisfies Adapter;
 */
export interface Adapter {
  /**
   * Makes the request that is sent in place of a documented one.
   *
   * @param documentedRequest as the case states it. Its credentials are placeholders: the client replaces header values
   *   that are `$CLIENT_APPLICATION_ID` or `$CLIENT_TOKEN`
   * @returns `context.unsupported('reason')` if it cannot be expressed: the case is then not applicable
   */
  toRequest(documentedRequest: HttpRequest, context: AdapterContext): Adapted<AdaptedRequest>;
  /**
   * Makes the request of a further page; undefined after the last page. At most 20 requests are sent for one documented
   * request, and each counts for the request budget.
   *
   * @param responses all responses so far
   */
  nextRequest?(
    responses: readonly HttpResponse[],
    documentedRequest: HttpRequest,
    context: AdapterContext,
  ): Adapted<AdaptedRequest | undefined>;
  /**
   * Makes the one response that is judged, as the documented operation would answer.
   *
   * @param responses of all pages; transport errors and statuses such as 429 and 503 never come here
   */
  toResponse(
    responses: readonly HttpResponse[],
    documentedRequest: HttpRequest,
    context: AdapterContext,
  ): Adapted<HttpResponse>;
}

/** A request as it is sent. `path` begins with a slash, is appended to the base URL and includes the query string. */
export interface AdaptedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body?: string;
}

export interface AdapterContext {
  /** Says why something cannot be expressed. Return its result. */
  unsupported(reason: string): Unsupported;
}

/** What `context.unsupported` returns. */
export interface Unsupported {
  readonly unsupported: string;
}

/** What a function of an adapter may return. */
export type Adapted<T> = T | Unsupported | Promise<T | Unsupported>;

export interface AdapterFile {
  /** The absolute path. */
  readonly file: string;
  /** The path for messages. */
  readonly shown: string;
}

/** Which adapter a run used: the path in the target file, and the digest of the file. */
export interface AdapterIdentity {
  readonly name: string;
  readonly digest: string;
}
