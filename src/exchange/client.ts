import { setTimeout as delay } from 'node:timers/promises';
import PQueue from 'p-queue';
import { credentialPlaceholders } from '../contract/request.js';
import { type Account, accountInMemory } from './account.js';
import { readBody } from './body.js';
import { type Channel, type Exchange, type Headers, type HttpRequest, headerValues } from './exchange.js';
import type { Budget, ClientOptions } from './options.js';
import { isPassing, waitAfter } from './patience.js';
import { redactor, type Secret } from './redact.js';
import { explained } from './trouble.js';
import { visible } from './visible.js';
import { wayTo } from './way.js';

export interface Client extends Channel {
  /** Ends what is under way; what is sent from now on comes back as trouble. */
  close(): Promise<void>;
}

/** After so many exchanges in a row that repeats did not help, nothing is repeated until one fares better. */
const mostFruitless = 3;

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
  const way = wayTo(options);
  const closing = new AbortController();
  const queue = new PQueue({
    concurrency: pacing.concurrency,
    ...(pacing.requestsPerSecond === undefined ? {} : { interval: 1_000 / pacing.requestsPerSecond, intervalCap: 1 }),
  });

  const sendOnce = async (request: HttpRequest): Promise<Exchange> => {
    if ('refusal' in way) return { request, trouble: 'not-sent', message: way.refusal };
    const exhausted = exhaustion(budget, account);
    if (exhausted !== undefined) return { request, trouble: 'not-sent', message: exhausted };
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
      return {
        request,
        response: { status: statusCode, headers: raw, body: await readBody(body, raw, limits.bodyBytes) },
      };
    } catch (error) {
      return { request, ...explained(error, limits, base.host) };
    }
  };

  const inTurn = (request: HttpRequest, priority: number): Promise<Exchange> =>
    queue
      .add(() => sendOnce(request), { priority, signal: closing.signal })
      .catch((error) => ({ request, ...explained(error, limits, base.host) }));

  let heldUntil = 0;
  let release: NodeJS.Timeout | undefined;
  const hold = (ms: number): void => {
    heldUntil = Math.max(heldUntil, Date.now() + ms);
    queue.pause();
    clearTimeout(release);
    release = setTimeout(() => queue.start(), heldUntil - Date.now());
  };

  const waitFor = async (exchange: Exchange, ownMs: number): Promise<void> => {
    const { ms, forAll } = waitAfter(exchange, ownMs, repeats, Date.now());
    if (!forAll) return delay(ms, undefined, { signal: closing.signal }).catch(() => undefined);
    queue.concurrency = 1;
    hold(ms);
  };

  let fruitless = 0;
  const send = async (request: HttpRequest): Promise<Exchange> => {
    const whole = withHeaders(request, options.extraHeaders);
    let exchange = await inTurn(whole, 0);
    let attempts = wasSent(exchange) ? 1 : 0;
    for (const ownMs of repeats.waitsMs) {
      if (!isPassing(exchange) || fruitless >= mostFruitless || closing.signal.aborted) break;
      await waitFor(exchange, ownMs);
      // Before those that have not been sent at all, so that none is overtaken for ever.
      const next = await inTurn(whole, 1);
      if (!wasSent(next)) break;
      exchange = next;
      attempts += 1;
    }
    fruitless = isPassing(exchange) ? fruitless + 1 : 0;
    return { ...exchange, attempts };
  };

  return {
    send,
    redact: (text) => visible(redacted(text)),
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
  return !('trouble' in exchange) || exchange.trouble !== 'not-sent';
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
