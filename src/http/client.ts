import { Readable } from 'node:stream';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { readOwnPackage } from '../support/package-root.js';
import { createAnswerWatch, createSilentExchange } from './answer-watch.js';
import { completeOptions, type Limits, type PartialConnectionOptions } from './connection-options.js';
import { createConnector } from './connector.js';
import {
  acceptHeaders,
  addHeaders,
  type Channel,
  type Exchange,
  getHeaderValues,
  type Headers,
  type HttpRequest,
  plainAcceptHeaders,
} from './exchange.js';
import { createPacedQueue } from './paced-queue.js';
import { readBody } from './read-body.js';
import { redactExchange } from './redact-exchange.js';
import { createRedactor, insertSecrets, type Secret } from './redactor.js';
import { computeRetryDelay, isRetryable, isTimeout, isTransientFailure, wasSent } from './response-status.js';
import { classifyTransportError, ExchangeError } from './transport-error.js';

export interface Client extends Channel {
  /** Replaces secrets in a text, and leaves the rest as it is. Responses and messages have none. */
  redact(text: string): string;
  /** Aborts all exchanges. Later requests return as not sent. */
  close(): Promise<void>;
}

/** After this many failures in a row, nothing is retried: retries would triple the time of a run on a dead deployment. */
const failuresWithoutRetry = 3;

/** Identifies the suite in the logs of a deployment, unless the target file sets another User-Agent. */
const userAgent = `${readOwnPackage().name}/${readOwnPackage().version}`;

/** The client follows no redirects and keeps no cookies. After 429, 503 or Retry-After, all requests wait. */
export function openClient({ baseUrl, ...stated }: PartialConnectionOptions & { readonly baseUrl: string }): Client {
  const options = completeOptions(stated);
  const { limits, retry, extraHeaders, secrets } = options;
  const base = new URL(baseUrl);
  const prefix = base.pathname.replace(/\/+$/, '');
  const redact = createRedactor(secrets);
  const connect = createConnector(base, options);
  let isClosed = false;
  /** Those whose exchanges may be under way: earlier shared ones and those of fresh connections, too. */
  const opened = new Set<Dispatcher>();
  const open = (): Dispatcher => {
    const dispatcher = connect();
    opened.add(dispatcher);
    return dispatcher;
  };
  const closeWhenIdle = (dispatcher: Dispatcher): void => {
    // The end of the run destroyed it already.
    if (!isClosed) void dispatcher.close().finally(() => opened.delete(dispatcher));
  };
  let shared: Dispatcher | undefined;
  const queue = createPacedQueue(options.pacing);
  const createFailure = (request: HttpRequest, error: unknown): Exchange => ({
    request,
    ...classifyTransportError(error, limits, base.host),
  });

  const sendOnce = async (request: HttpRequest): Promise<Exchange> => {
    const fresh = request.sent === 'on-a-fresh-connection' ? open() : undefined;
    shared ??= open();
    const dispatcher = fresh ?? shared;
    const startedAt = Date.now();
    const startedMs = performance.now();
    const receive = async (signal: AbortSignal): Promise<Exchange> => {
      const { statusCode, headers, body } = await dispatcher.request({
        origin: base.origin,
        path: `${prefix}${request.path}`,
        method: request.method as 'GET',
        headers: renderHeaders(request, secrets),
        body: renderBody(request),
        reset: false,
        responseHeaders: 'raw',
        signal,
      });
      const raw = headers as unknown as readonly string[];
      const received = raw.flatMap((name, n) => (n % 2 === 0 ? [[name, raw[n + 1] ?? ''] as const] : []));
      const text = await decodeBody(await readBody(body, limits), received, limits);
      // undici frees the connection one turn later. Without this pause, the next request would open another one.
      await setImmediate();
      return { request, response: { status: statusCode, headers: received, body: text } };
    };
    const exchange = await runWithDeadline(limits.timeout_ms, receive).catch((error) => createFailure(request, error));
    if (fresh !== undefined) closeWhenIdle(fresh);
    return { ...exchange, timing: { startedAt, durationMs: Math.round(performance.now() - startedMs) } };
  };

  // A timeout has waited for long enough.
  const mayRecover = (exchange: Exchange) => isTransientFailure(exchange) && !isTimeout(exchange);
  const watch = createAnswerWatch(async (request, countAttempt) => {
    const again: HttpRequest = { ...request, sent: 'on-a-fresh-connection' };
    const sendAgain = async (): Promise<Exchange> => {
      countAttempt();
      return await sendOnce(again);
    };
    let exchange = await sendAgain();
    for (const seconds of retry.delays_seconds) {
      if (!mayRecover(exchange)) break;
      await queue.wait(computeRetryDelay(exchange, seconds, retry, Date.now()).ms);
      exchange = await sendAgain();
    }
    return exchange;
  });

  let failuresInARow = 0;
  const sendWithRetries: Channel['send'] = async (request) => {
    const whole = addHeaders(request, extraHeaders);
    const numbers: number[] = [];
    let sent: Exchange | undefined;
    let begun = 0;
    for (let attempts = 0; ; attempts += 1) {
      let delayMs: number | undefined;
      const attempt = async (): Promise<Exchange> => {
        const number = await watch.begin();
        if (number === undefined) return createSilentExchange(whole, watch.findSilence());
        begun += 1;
        const exchange = await sendOnce(whole);
        if (wasSent(exchange)) numbers.push(number, ...(await watch.end(number, exchange)));
        const stated = retry.delays_seconds[attempts];
        if (stated === undefined || failuresInARow >= failuresWithoutRetry || !isRetryable(exchange)) return exchange;
        const { ms, forAll } = computeRetryDelay(exchange, stated, retry, Date.now());
        // Before this turn ends: the next request starts then.
        if (forAll) queue.pause(ms);
        delayMs = forAll ? 0 : ms;
        return exchange;
      };
      // A retry goes before requests that were never sent.
      const exchange = await queue.run(attempt, attempts).catch((error) => createFailure(whole, error));
      // The deployment got a request that the end of the run aborted, unless it still waited for its turn.
      if (!wasSent(exchange)) return { ...(sent ?? exchange), attempts: isClosed ? begun : numbers.length, numbers };
      sent = exchange;
      if (delayMs === undefined) {
        failuresInARow = isTransientFailure(exchange) ? failuresInARow + 1 : 0;
        return { ...exchange, attempts: numbers.length, numbers };
      }
      if (delayMs > 0) await queue.wait(delayMs);
    }
  };

  return {
    send: async (request) => redactExchange(await sendWithRetries(request), redact),
    wait: queue.wait,
    redact,
    reconnect: () => {
      if (shared !== undefined) closeWhenIdle(shared);
      shared = undefined;
    },
    maxConcurrency: options.pacing.concurrency,
    close: async () => {
      isClosed = true;
      queue.close();
      await Promise.all(Array.from(opened, (dispatcher) => dispatcher.destroy()));
    },
  };
}

/**
 * Runs something with a deadline, which is put off while `isWaiting`. Its end counts even where nothing heeds the signal:
 * undici does so only once it has a connection.
 *
 * @throws a TimeoutError
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

/** Bytes that are not text become U+FFFD. @throws ExchangeError if a body exceeds a limit or has an unknown coding */
async function decodeBody(bytes: Uint8Array, headers: Headers, { body_bytes, body_values }: Limits): Promise<string> {
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
    if (code !== 'ERR_BUFFER_TOO_LARGE') throw new ExchangeError('unreadable', `The body is not valid ${coding}.`);
    throw new ExchangeError('too-large', `The body expands to more than ${maxBytes} bytes (limits.body_bytes).`);
  });
}

function createTextDecoder(headers: Headers): InstanceType<typeof TextDecoder> {
  const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(getHeaderValues(headers, 'content-type')[0] ?? '')?.[1];
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
