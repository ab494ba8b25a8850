/**
 * HTTP. A documented request goes in; an exchange comes out: the request with its response, or with a transport error. Here
 * requests are paced, retried, limited in time and size, and freed of secrets before anything else sees them. The worker of
 * Playwright sends through this room, and so do `doctor` and programs. The judge and the reporter use its types, and what
 * it knows of an exchange.
 */

import { Readable } from 'node:stream';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { readOwnPackage } from '../support/package-root.js';
import {
  type ConnectionLimits,
  type ConnectionOptions,
  completeConnectionOptions,
  type PartialConnectionOptions,
} from './connection-options.js';
import { ConnectionPool } from './connection-pool.js';
import { createConnector } from './connector.js';
import {
  acceptHeaders,
  addHeaders,
  type Exchange,
  getHeaderValues,
  type Headers,
  type HttpRequest,
  plainAcceptHeaders,
  type RequestChannel,
} from './exchange.js';
import { createPacedQueue } from './paced-queue.js';
import { readBody } from './read-body.js';
import { redactExchange } from './redact-exchange.js';
import { createRedactor, insertSecrets, type Secret } from './redactor.js';
import { RetryingSender } from './retrying-sender.js';
import { classifyTransportError, ExchangeError } from './transport-error.js';

export interface Client extends RequestChannel {
  /** Replaces secrets in a text, and leaves the rest as it is. Responses and messages have none. */
  redact(text: string): string;
  /** Aborts all exchanges. Later requests return as not sent. */
  close(): Promise<void>;
}

/** Identifies the suite in the logs of a deployment, unless the target file sets another User-Agent. */
const userAgent = `${readOwnPackage().name}/${readOwnPackage().version}`;

/**
 * Opens a client for one deployment. It follows no redirects and keeps no cookies. After 429, 503 or Retry-After, all
 * requests wait. What must not be sent at all, such as credentials over plain HTTP, comes back as not sent.
 *
 * @param options the address, with or without a path prefix; all other settings have defaults
 * @throws TypeError if the address is not a URL
 */
export function openClient({ baseUrl, ...stated }: PartialConnectionOptions & { readonly baseUrl: string }): Client {
  const options = completeConnectionOptions(stated);
  const base = new URL(baseUrl);
  const redact = createRedactor(options.secrets);
  const pool = new ConnectionPool(createConnector(base, options));
  const queue = createPacedQueue(options.pacing);
  const sender = new RetryingSender({
    queue,
    retry: options.retry,
    exchange: (request) => exchangeOnce(request, { base, pool, options }),
    createFailure: (request, error) => createFailure(request, error, options.limits, base),
  });
  return {
    send: async (request) => redactExchange(await sender.send(addHeaders(request, options.extraHeaders)), redact),
    wait: queue.wait,
    redact,
    reconnect: () => pool.reconnect(),
    maxConcurrency: options.pacing.concurrency,
    close: async () => {
      sender.close();
      queue.close();
      await pool.destroy();
    },
  };
}

interface ClientParts {
  readonly base: URL;
  readonly pool: ConnectionPool;
  readonly options: ConnectionOptions;
}

/** Makes one attempt to send a request. Rejects with an ExchangeError only if nothing must be sent at all. */
async function exchangeOnce(request: HttpRequest, { base, pool, options }: ClientParts): Promise<Exchange> {
  const isFresh = request.sent === 'on-a-fresh-connection';
  const dispatcher = isFresh ? pool.openFresh() : pool.getShared();
  const startedAt = Date.now();
  const startedMs = performance.now();
  const receive = (signal: AbortSignal) => receiveResponse(request, dispatcher, signal, base, options);
  const exchange = await runWithDeadline(options.limits.timeout_ms, receive).catch((error) =>
    createFailure(request, error, options.limits, base),
  );
  if (isFresh) pool.closeWhenIdle(dispatcher);
  return { ...exchange, timing: { startedAt, durationMs: Math.round(performance.now() - startedMs) } };
}

async function receiveResponse(
  request: HttpRequest,
  dispatcher: Dispatcher,
  signal: AbortSignal,
  base: URL,
  { limits, secrets }: ConnectionOptions,
): Promise<Exchange> {
  const { statusCode, headers, body } = await dispatcher.request({
    origin: base.origin,
    path: `${base.pathname.replace(/\/+$/, '')}${request.path}`,
    method: request.method as 'GET',
    headers: renderHeaders(request, secrets),
    body: renderBody(request),
    reset: false,
    responseHeaders: 'raw',
    signal,
  });
  const received = pairHeaders(headers as unknown as readonly string[]);
  const text = await decodeBody(await readBody(body, limits), received, limits);
  // undici frees the connection one turn later. Without this pause, the next request would open another one.
  await setImmediate();
  return { request, response: { status: statusCode, headers: received, body: text } };
}

/** Pairs raw headers, which are a list of a name, its value, the next name and so on. Only they keep repeated headers apart. */
function pairHeaders(raw: readonly string[]): Headers {
  return raw.flatMap((name, n) => (n % 2 === 0 ? [[name, raw[n + 1] ?? ''] as const] : []));
}

function createFailure(request: HttpRequest, error: unknown, limits: ConnectionLimits, { host }: URL): Exchange {
  return { request, ...classifyTransportError(error, limits, host) };
}

/**
 * Runs something with a deadline. The deadline holds even where nothing heeds the signal: undici does so only once it has a
 * connection.
 *
 * @param ms the time until the deadline, in milliseconds
 * @param run gets the signal that aborts at the deadline, and the timer, which it may refresh
 * @param isWaiting whether the time does not count at the deadline. It begins anew then
 * @throws a DOMException with the name TimeoutError, or what `run` throws
 */
export async function runWithDeadline<T>(
  ms: number,
  run: (signal: AbortSignal, timer: NodeJS.Timeout) => Promise<T>,
  isWaiting = () => false,
): Promise<T> {
  const expiring = new AbortController();
  const { signal } = expiring;
  const expired = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const expire = () => expiring.abort(new DOMException(`${ms} ms (limits.timeout_ms) are over.`, 'TimeoutError'));
  const timer = setTimeout(() => (isWaiting() ? timer.refresh() : expire()), ms);
  return await Promise.race([run(signal, timer), expired]).finally(() => clearTimeout(timer));
}

/** undici announces the length of a string. It sends a stream chunked, unless the headers announce its length. */
function renderBody({ body, sent }: HttpRequest): string | Readable | null {
  if (body === undefined) return null;
  return sent === 'chunked' || sent === 'in-pieces' ? Readable.from(splitBody(Buffer.from(body))) : body;
}

async function* splitBody(body: Buffer): AsyncGenerator<Buffer> {
  const length = Math.ceil(body.length / 3);
  for (let start = 0; start < body.length; start += length) {
    // Long enough for each piece to leave in a packet of its own.
    if (start > 0) await sleep(20);
    yield body.subarray(start, start + length);
  }
}

/** Returns a set of pairs: undici's proxy agent keeps only the last of repeated headers in an array. */
function renderHeaders(request: HttpRequest, secrets: readonly Secret[]): Set<[string, string]> {
  const length: Headers =
    request.sent === 'in-pieces' ? [['Content-Length', String(Buffer.byteLength(request.body ?? ''))]] : [];
  const { headers } = addHeaders(insertSecrets(request, secrets), [
    ...length,
    ['User-Agent', userAgent],
    ...(request.sent === 'with-accept-headers' ? acceptHeaders : plainAcceptHeaders),
  ]);
  return new Set(headers.map(([name, value]) => [name, value]));
}

/**
 * Decodes a body to text. Bytes that are not text become U+FFFD.
 *
 * @throws ExchangeError if the body exceeds a limit, is not valid in its coding, or has an unknown coding
 */
async function decodeBody(
  bytes: Uint8Array,
  headers: Headers,
  { body_bytes, body_values }: ConnectionLimits,
): Promise<string> {
  let plain = bytes;
  // Codings are listed in the order in which they were applied (RFC 9110, section 8.4). An empty body has none.
  const listed = getHeaderValues(headers, 'content-encoding').join().toLowerCase();
  const codings = listed.match(/[^\s,]+/g) ?? [];
  if (bytes.length > 0) for (const coding of codings.toReversed()) plain = await decompress(plain, coding, body_bytes);
  const text = createTextDecoder(headers).decode(plain);
  // A parsed value takes a hundred times the memory of its text. Separators in strings count, too.
  if (text.split(/[,[{]/, body_values + 1).length > body_values)
    throw new ExchangeError('too-large', `The body has more than ${body_values} values (limits.body_values).`);
  return text;
}

type Decoder = (bytes: Uint8Array, limit: { readonly maxOutputLength: number }) => Promise<Uint8Array>;

const decoders = new Map<string, Decoder>([
  ['identity', async (bytes) => bytes],
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

async function decompress(bytes: Uint8Array, coding: string, maxBytes: number): Promise<Uint8Array> {
  const decode = decoders.get(coding);
  if (decode === undefined)
    throw new ExchangeError('unknown-coding', `The body has the unknown content coding '${coding}'.`);
  return await decode(bytes, { maxOutputLength: maxBytes }).catch(({ code }) => {
    if (code !== 'ERR_BUFFER_TOO_LARGE') throw new ExchangeError('invalid-coding', `The body is not valid ${coding}.`);
    throw new ExchangeError('too-large', `The body expands to more than ${maxBytes} bytes (limits.body_bytes).`);
  });
}

/** Decodes as UTF-8 unless the headers name a charset that Node.js knows. */
function createTextDecoder(headers: Headers): InstanceType<typeof TextDecoder> {
  const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(getHeaderValues(headers, 'content-type')[0] ?? '')?.[1];
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
