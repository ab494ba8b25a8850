import { escapeControlCharacters } from '../support/escape-control.js';
import { readBody } from './body.js';
import { connectionTo } from './connection.js';
import { completed, type Endpoint, type StatedOptions } from './connection-options.js';
import { credentialPlaceholders } from './credentials.js';
import { type Channel, type Exchange, type Headers, type HttpRequest, headerValues } from './exchange.js';
import { pacedQueue } from './pacing.js';
import { redactor, type Secret } from './redact.js';
import { budgetInMemory, type RequestBudget, whyExhausted } from './request-budget.js';
import { isTransient, type Wait, waitAfter } from './retry.js';
import { transportErrorOf } from './transport-error.js';

export interface Client extends Channel {
  /** Breaks off all exchanges; what is sent from now on comes back as not sent. */
  close(): Promise<void>;
}

/** How many of the largest bodies one case may have: they are in memory together. */
const largestBodiesOfCase = 8;

/** After so many exchanges in a row that repeats did not help, nothing is repeated until one fares better. */
const maxFruitless = 3;

/**
 * Opens a client for one target: connections are kept alive; redirects are not followed, cookies not kept, and
 * responses are bounded in time and size. Credentials are put in at the last moment, and go to the target alone.
 *
 * What a busy deployment does not answer is repeated a few times. One that limits the rate holds up all requests while
 * it is waited for, and gets one at a time from then on.
 *
 * @param stated where the deployment is, and what differs from the usual options
 * @param requestBudget counts what is sent; a new one unless it is shared with others
 */
export function openClient(stated: StatedOptions & Endpoint, requestBudget: RequestBudget = budgetInMemory()): Client {
  const { baseUrl, credentials } = stated;
  const options = completed(stated);
  const { limits, budget, repeats, extraHeaders } = options;
  const base = new URL(baseUrl);
  const prefix = base.pathname.replace(/\/+$/, '');
  const secrets: readonly Secret[] = [
    { value: credentials.token, placeholder: credentialPlaceholders.token },
    { value: credentials.applicationId, placeholder: credentialPlaceholders.applicationId },
    ...options.secrets,
  ];
  const redacted = redactor(secrets);
  let connection = connectionTo(base, options);
  const queue = pacedQueue(options.pacing);
  const failed = (request: HttpRequest, error: unknown): Exchange => ({
    request,
    ...transportErrorOf(error, limits, base.host),
  });

  const sendOnce = async (request: HttpRequest, whyWithheld?: () => string | undefined): Promise<Exchange> => {
    if ('refusal' in connection) return { request, transportError: 'not-sent', message: connection.refusal };
    const reason = whyWithheld?.() ?? whyExhausted(requestBudget, budget);
    if (reason !== undefined) return { request, transportError: 'not-sent', message: reason };
    requestBudget.spend();
    try {
      const { statusCode, headers, body } = await connection.dispatcher.request({
        origin: base.origin,
        path: `${prefix}${request.path}`,
        method: request.method as 'GET',
        headers: headersToSend(request, secrets),
        body: request.body ?? null,
        reset: false,
        responseHeaders: 'raw',
        signal: AbortSignal.timeout(limits.timeoutMs),
      });
      const raw = pairs(headers as unknown as (string | Buffer)[]);
      return { request, response: { status: statusCode, headers: raw, body: await readBody(body, raw, limits) } };
    } catch (error) {
      return failed(request, error);
    }
  };

  let fruitless = 0;
  const send: Channel['send'] = async (request, whyWithheld) => {
    const whole = withHeaders(request, extraHeaders);
    /** Sends it after so many earlier attempts; with the wait before the next one, if there should be one. */
    const attempt = async (earlier: number): Promise<{ exchange: Exchange; wait?: Wait }> => {
      const exchange = await sendOnce(whole, whyWithheld);
      const ownMs = repeats.waitsMs[earlier];
      if (ownMs === undefined || fruitless >= maxFruitless || !isTransient(exchange)) return { exchange };
      const wait = waitAfter(exchange, ownMs, repeats, Date.now());
      // As long as it is this request's turn: after it, the next one has gone.
      if (wait.forAll) queue.holdUp(wait.ms);
      return { exchange, wait };
    };
    // What was sent before goes first.
    const inTurn = (earlier: number): ReturnType<typeof attempt> =>
      queue.inTurn(() => attempt(earlier), earlier).catch((error) => ({ exchange: failed(whole, error) }));

    let { exchange, wait } = await inTurn(0);
    let attempts = wasSent(exchange) ? 1 : 0;
    while (wait !== undefined) {
      if (!wait.forAll) await queue.wait(wait.ms);
      const next = await inTurn(attempts);
      if (!wasSent(next.exchange)) break;
      ({ exchange, wait } = next);
      attempts += 1;
    }
    fruitless = isTransient(exchange) ? fruitless + 1 : 0;
    return { ...exchange, attempts };
  };

  return {
    send,
    redact: (text) => escapeControlCharacters(redacted(text)),
    renew: () => {
      if ('dispatcher' in connection) void connection.dispatcher.close();
      connection = connectionTo(base, options);
    },
    maxOfCase: largestBodiesOfCase * limits.bodyBytes,
    close: async () => {
      queue.close();
      if ('dispatcher' in connection) await connection.dispatcher.destroy();
    },
  };
}

function wasSent(exchange: Exchange): boolean {
  return !('transportError' in exchange) || exchange.transportError !== 'not-sent';
}

/** Adds the headers that a request does not have itself. */
function withHeaders(request: HttpRequest, extra: Headers): HttpRequest {
  return {
    ...request,
    headers: [...request.headers, ...extra.filter(([name]) => headerValues(request.headers, name).length === 0)],
  };
}

/** All headers as they go over the wire, by name: a proxy agent of undici keeps repeated ones only in this form. */
function headersToSend(request: HttpRequest, secrets: readonly Secret[]): Record<string, string | string[]> {
  const { headers } = withHeaders(request, [
    ['Accept', '*/*'],
    ['Accept-Encoding', 'identity'],
  ]);
  const lines = new Map<string, string | string[]>();
  for (const [name, value] of headers) {
    const real = secrets.find(({ placeholder }) => placeholder === value)?.value ?? value;
    const before = lines.get(name);
    lines.set(name, before === undefined ? real : [before, real].flat());
  }
  return Object.fromEntries(lines);
}

function pairs(raw: readonly (string | Buffer)[]): Headers {
  const text = raw.map(String);
  return text.flatMap((name, n) => (n % 2 === 0 ? [[name, text[n + 1] ?? ''] as const] : []));
}
