import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { createRedactor, type Secret } from '../redaction/redactor.js';
import { escapeControlCharacters } from '../support/escape-control-characters.js';
import { getMonotonicMs } from '../support/monotonic-clock.js';
import { readOwnPackage } from '../support/package-root.js';
import { createCircuitBreaker } from './circuit-breaker.js';
import { completeOptions, type Endpoint, type PartialConnectionOptions } from './connection-options.js';
import { createConnector } from './connector.js';
import { insertSecrets, listSecrets } from './credentials.js';
import { runWithDeadline } from './deadline.js';
import { type Channel, type Exchange, getHeaderValues, type Headers, type HttpRequest } from './exchange.js';
import { createPacedQueue } from './paced-queue.js';
import { readBody } from './read-body.js';
import {
  createMemoryBudget,
  explainExhaustion,
  getRemainingMs,
  type RequestBudget,
  renderTimeExceeded,
} from './request-budget.js';
import { computeRetryDelay, isRetryable, type RetryDelay, wasSent } from './retry.js';
import { describeTransportError } from './transport-error.js';

export interface Client extends Channel {
  /** Replaces the credentials in a text, as `redact` does, and leaves the rest as it is. */
  redactSecrets(text: string): string;
  /** Breaks off all exchanges; what is sent from now on comes back as not sent. */
  close(): Promise<void>;
}

/** How many of the largest bodies one case may have: they are in memory together. */
const largestBodiesOfCase = 6;

/** Names the suite to whoever reads the logs of a deployment, unless the target file says otherwise. */
const userAgent = `${readOwnPackage().name}/${readOwnPackage().version}`;

/**
 * Opens a client for one target: connections are kept alive; redirects are not followed, cookies not kept, and
 * responses are bounded in time and size. Credentials are put in at the last moment, and go to the target alone.
 *
 * What a busy deployment does not answer is repeated a few times. One that limits the rate holds up all requests while
 * it is waited for, and gets one at a time from then on. When nothing comes from a deployment any more, nothing more is
 * sent. No exchange lasts longer than the limits allow, and nothing is waited for beyond the time of the budget.
 *
 * @param stated where the deployment is, and what differs from the usual options
 * @param requestBudget counts what is sent; a new one unless it is shared with others
 */
export function openClient(
  stated: PartialConnectionOptions & Endpoint,
  requestBudget: RequestBudget = createMemoryBudget(),
): Client {
  const { baseUrl, credentials } = stated;
  const options = completeOptions(stated);
  const { limits, budget, retry: repeats, extraHeaders } = options;
  const base = new URL(baseUrl);
  const prefix = base.pathname.replace(/\/+$/, '');
  const secrets = listSecrets(credentials, options.secrets);
  const redacted = createRedactor(secrets);
  const connect = createConnector(base, options);
  let connection = connect();
  const queue = createPacedQueue(options.pacing, () => getRemainingMs(requestBudget, budget));
  const failed = (request: HttpRequest, error: unknown): Exchange => ({
    request,
    ...describeTransportError(error, limits, base.host),
  });

  const sendOnce = async (request: HttpRequest, whyWithheld?: () => string | undefined): Promise<Exchange> => {
    if ('refusal' in connection) return { request, transportError: 'not-sent', message: connection.refusal };
    const reason = whyWithheld?.() ?? explainExhaustion(requestBudget, budget);
    if (reason !== undefined) return { request, transportError: 'not-sent', message: reason };
    const own = request.sent === 'on-a-fresh-connection' ? connect() : connection;
    const { dispatcher } = 'dispatcher' in own ? own : connection;
    const remaining = getRemainingMs(requestBudget, budget);
    requestBudget.spend();
    const startedAt = Date.now();
    const startedMs = getMonotonicMs();
    const timed = <T extends Exchange>(exchange: T): T => ({
      ...exchange,
      timing: { startedAt, durationMs: Math.round(getMonotonicMs() - startedMs) },
    });
    try {
      const response = await runWithDeadline(Math.min(limits.timeoutMs, remaining), async (signal) => {
        const { statusCode, headers, body } = await dispatcher.request({
          origin: base.origin,
          path: `${prefix}${request.path}`,
          method: request.method as 'GET',
          headers: headersToSend(request, secrets),
          body: bodyToSend(request),
          reset: false,
          responseHeaders: 'raw',
          signal,
        });
        const raw = pairs(headers as unknown as (string | Buffer)[]);
        return { status: statusCode, headers: raw, body: await readBody(body, raw, limits) };
      });
      return timed({ request, response });
    } catch (error) {
      const exchange = failed(request, error);
      const isOutOfTime =
        'message' in exchange && exchange.transportError === 'timed-out' && remaining < limits.timeoutMs;
      return timed(isOutOfTime ? { ...exchange, message: renderTimeExceeded(budget) } : exchange);
    } finally {
      if (own !== connection && 'dispatcher' in own) void own.dispatcher.close();
    }
  };

  const first = Number.POSITIVE_INFINITY;
  const sendFirst = (request: HttpRequest): Promise<Exchange> =>
    queue.run(() => sendOnce(request), first).catch((error) => failed(request, error));
  const { record: note, allowsRetry: repeatsMayHelp } = createCircuitBreaker(sendFirst, (reason) =>
    requestBudget.stop(reason),
  );

  const send: Channel['send'] = async (request, whyWithheld) => {
    const whole = addHeaders(request, extraHeaders);
    /** Sends it after so many earlier attempts; with the wait before the next one, if there should be one. */
    const attempt = async (earlier: number): Promise<{ exchange: Exchange; wait?: RetryDelay }> => {
      const exchange = await sendOnce(whole, whyWithheld);
      const ownMs = repeats.waitsMs[earlier];
      if (ownMs === undefined || !repeatsMayHelp() || !isRetryable(exchange)) return { exchange };
      const wait = computeRetryDelay(exchange, ownMs, repeats, Date.now());
      // As long as it is this request's turn: after it, the next one has gone.
      if (wait.forAll) queue.pause(wait.ms);
      return wait.ms < getRemainingMs(requestBudget, budget) ? { exchange, wait } : { exchange };
    };
    // What was sent before goes first.
    const inTurn = (earlier: number): ReturnType<typeof attempt> =>
      queue.run(() => attempt(earlier), earlier).catch((error) => ({ exchange: failed(whole, error) }));

    let { exchange, wait } = await inTurn(0);
    let attempts = wasSent(exchange) ? 1 : 0;
    while (wait !== undefined) {
      if (!wait.forAll) await queue.wait(wait.ms);
      const next = await inTurn(attempts);
      if (!wasSent(next.exchange)) break;
      ({ exchange, wait } = next);
      attempts += 1;
    }
    return { ...exchange, attempts: attempts + (await note(exchange)) };
  };

  return {
    send,
    redactSecrets: redacted,
    redact: (text) => escapeControlCharacters(redacted(text)),
    reconnect: () => {
      if ('dispatcher' in connection) void connection.dispatcher.close();
      connection = connect();
    },
    maxCaseBodyLength: largestBodiesOfCase * limits.bodyBytes,
    maxConcurrency: options.pacing.concurrency,
    close: async () => {
      queue.close();
      if ('dispatcher' in connection) await connection.dispatcher.destroy();
    },
  };
}

/** Adds the headers that a request does not have itself. */
export function addHeaders(request: HttpRequest, extra: Headers): HttpRequest {
  return {
    ...request,
    headers: [...request.headers, ...extra.filter(([name]) => getHeaderValues(request.headers, name).length === 0)],
  };
}

/** What undici sends: a body that comes as a whole has its length announced, of one that comes bit by bit it is not known. */
function bodyToSend({ body, sent }: HttpRequest): string | Readable | null {
  if (body === undefined) return null;
  return sent === 'chunked' || sent === 'in-pieces' ? Readable.from(piecesOf(Buffer.from(body))) : body;
}

const pieces = 3;
/** So long that each piece leaves by itself. */
const pauseMs = 20;

async function* piecesOf(body: Buffer): AsyncGenerator<Buffer> {
  const length = Math.ceil(body.length / pieces);
  for (let start = 0; start < body.length; start += length) {
    if (start > 0) await setTimeout(pauseMs);
    yield body.subarray(start, start + length);
  }
}

/** All headers as they go over the wire, by name: a proxy agent of undici keeps repeated ones only in this form. */
function headersToSend(request: HttpRequest, secrets: readonly Secret[]): Record<string, string | string[]> {
  const length =
    request.sent === 'in-pieces' ? [['Content-Length', String(Buffer.byteLength(request.body ?? ''))] as const] : [];
  const { headers } = addHeaders(insertSecrets(request, secrets), [
    ...length,
    ['User-Agent', userAgent],
    ['Accept', '*/*'],
    ['Accept-Encoding', 'identity'],
  ]);
  const lines = new Map<string, string | string[]>();
  for (const [name, value] of headers) {
    const before = lines.get(name);
    lines.set(name, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(lines);
}

function pairs(raw: readonly (string | Buffer)[]): Headers {
  const text = raw.map(String);
  return text.flatMap((name, n) => (n % 2 === 0 ? [[name, text[n + 1] ?? ''] as const] : []));
}
