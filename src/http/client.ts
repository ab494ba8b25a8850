import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import PQueue from 'p-queue';
import { escapeControlCharacters } from '../support/escape-control.js';
import { readBody } from './body.js';
import { connectionTo } from './connection.js';
import type { Budget, ClientOptions } from './connection-options.js';
import { credentialPlaceholders } from './credentials.js';
import { type Channel, type Exchange, type Headers, type HttpRequest, headerValues } from './exchange.js';
import { memoryKeeper } from './memory.js';
import { redactor, type Secret } from './redact.js';
import { type Account, accountInMemory } from './request-budget.js';
import { isTransient, type Wait, waitAfter } from './retry.js';
import { explained } from './transport-error.js';

export interface Client extends Channel {
  /** Ends what is under way; what is sent from now on comes back as trouble. */
  close(): Promise<void>;
}

/** How many of the largest bodies one case may have. */
const largestBodiesOfCase = 4;

/** After so many exchanges in a row that repeats did not help, nothing is repeated until one fares better. */
const maxFruitless = 3;

/**
 * Opens a client for one target: connections are kept alive; redirects are not followed, cookies not kept, and
 * responses are bounded in time and size. Credentials are put in at the last moment, and go to the target alone.
 *
 * What a busy deployment does not answer is repeated a few times. One that limits the rate holds up all requests while
 * it is waited for, and is asked one at a time from then on.
 *
 * @param account where the requests are booked, for the budget
 */
export function openClient(options: ClientOptions, account: Account = accountInMemory()): Client {
  const { baseUrl, limits, pacing, budget, repeats } = options;
  const base = new URL(baseUrl);
  const prefix = base.pathname.replace(/\/+$/, '');
  const secrets = secretsOf(options);
  const redacted = redactor(secrets);
  const way = connectionTo(options);
  const keepMemory = memoryKeeper();
  const closing = new AbortController();
  // Everything that waits for its turn listens.
  setMaxListeners(0, closing.signal);
  const queue = new PQueue({
    concurrency: pacing.concurrency,
    ...(pacing.requestsPerSecond === undefined ? {} : { interval: 1_000 / pacing.requestsPerSecond, intervalCap: 1 }),
  });

  const sendOnce = async (request: HttpRequest): Promise<Exchange> => {
    if ('refusal' in way) return { request, transportError: 'not-sent', message: way.refusal };
    const exhausted = exhaustion(budget, account);
    if (exhausted !== undefined) return { request, transportError: 'not-sent', message: exhausted };
    account.book();
    try {
      const { statusCode, headers, body } = await way.dispatcher.request({
        origin: base.origin,
        path: `${prefix}${request.path}`,
        method: request.method as 'GET',
        headers: headersFor(request, secrets),
        body: request.body ?? null,
        reset: false,
        responseHeaders: 'raw',
        signal: AbortSignal.timeout(limits.timeoutMs),
      });
      const raw = pairs(headers as unknown as (string | Buffer)[]);
      const response = { status: statusCode, headers: raw, body: await readBody(body, raw, limits) };
      keepMemory(response.body.length);
      return { request, response };
    } catch (error) {
      return { request, ...explained(error, limits, base.host) };
    }
  };

  let heldUntil = 0;
  let release: NodeJS.Timeout | undefined;
  const holdUp = (ms: number): void => {
    heldUntil = Math.max(heldUntil, Date.now() + ms);
    queue.pause();
    queue.concurrency = 1;
    clearTimeout(release);
    release = setTimeout(() => queue.start(), heldUntil - Date.now());
  };

  let fruitless = 0;
  /** Sends a request when its turn comes; with the wait before the next time, if there should be one. */
  const inTurn = (request: HttpRequest, times: number): Promise<{ exchange: Exchange; wait?: Wait }> => {
    const turn = async () => {
      const exchange = await sendOnce(request);
      const ownMs = repeats.waitsMs[times];
      if (ownMs === undefined || fruitless >= maxFruitless || !isTransient(exchange)) return { exchange };
      const wait = waitAfter(exchange, ownMs, repeats, Date.now());
      // As long as it is this request's turn: after it, the next one is on its way.
      if (wait.forAll) holdUp(wait.ms);
      return { exchange, wait };
    };
    return queue
      .add(turn, { priority: times, signal: closing.signal })
      .catch((error) => ({ exchange: { request, ...explained(error, limits, base.host) } }));
  };

  const send = async (request: HttpRequest): Promise<Exchange> => {
    const whole = withHeaders(request, options.extraHeaders);
    let { exchange, wait } = await inTurn(whole, 0);
    let attempts = wasSent(exchange) ? 1 : 0;
    while (wait !== undefined) {
      if (!wait.forAll) await delay(wait.ms, undefined, { signal: closing.signal }).catch(() => undefined);
      const next = await inTurn(whole, attempts);
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
    maxOfCase: largestBodiesOfCase * limits.bodyBytes,
    close: async () => {
      closing.abort();
      clearTimeout(release);
      if ('dispatcher' in way) await way.dispatcher.destroy();
    },
  };
}

function secretsOf({ credentials, secrets }: ClientOptions): Secret[] {
  return [
    { value: credentials.token, placeholder: credentialPlaceholders.token },
    { value: credentials.applicationId, placeholder: credentialPlaceholders.applicationId },
    ...secrets,
  ];
}

/** Why a budget allows no further request; undefined while it does. */
function exhaustion({ requests, timeMs }: Budget, account: Account): string | undefined {
  if (account.spent() >= requests)
    return `The budget of ${requests} requests is used up. A larger one goes into the target file (budget.requests).`;
  if (Date.now() - account.openedAt >= timeMs)
    return `The budget of ${timeMs / 1_000} seconds is used up. A larger one goes into the target file (budget.seconds).`;
  return undefined;
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
function headersFor(request: HttpRequest, secrets: readonly Secret[]): Record<string, string | string[]> {
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
