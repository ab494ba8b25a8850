import { omitUndefined } from '../support/omit-undefined.js';
import { UnusableInput } from '../support/problem.js';
import type { AdaptedRequest, Adapter, Unsupported } from './adapter.js';
import type { AdapterFunction, AdapterThread } from './adapter-thread.js';
import type { Channel, Exchange, HttpRequest, HttpResponse } from './exchange.js';
import { isTransient } from './response-status.js';
import { ExchangeError } from './transport-error.js';

/** How many requests are sent for one documented request at most. */
const maxPages = 20;

/**
 * Wraps a channel so that an adapter makes what is sent, and the response that is judged. The exchanges contain the
 * documented request, the adapted response, and everything that went over the wire.
 * If the adapter fails, requests count as not sent from then on.
 */
export function createAdaptedChannel<T extends Channel>(channel: T, adapter: AdapterThread): T {
  /** @param wire receives what goes over the wire */
  const sendPages = async (
    request: HttpRequest,
    wire: Exchange[],
    whyWithheld?: () => string | undefined,
  ): Promise<HttpResponse> => {
    const { sent, again } = request;
    const responses: HttpResponse[] = [];
    let next: Result<'nextRequest'> = await adaptRequest(adapter, request);
    while (next !== undefined) {
      if ('unsupported' in next) throw createUnsupported(next);
      if (wire.length === maxPages) {
        const message = `nextRequest of the adapter asked for more than ${maxPages} requests in place of one.`;
        throw new ExchangeError('too-large', message);
      }
      const exchange = await channel.send({ ...next, ...omitUndefined({ sent, again }) }, whyWithheld);
      wire.push(exchange);
      if (!('response' in exchange)) throw new ExchangeError(exchange.transportError, exchange.message);
      // Says nothing about the request, so the adapter must not turn it into a result.
      if (isTransient(exchange.response)) return exchange.response;
      responses.push(exchange.response);
      next = await callAdapter(adapter, 'nextRequest', [responses, request]);
    }
    const response = await callAdapter(adapter, 'toResponse', [responses, request]);
    if ('unsupported' in response) throw createUnsupported(response);
    return response;
  };
  return {
    ...channel,
    async send(request, whyWithheld) {
      const wire: Exchange[] = [];
      try {
        return { request, response: await sendPages(request, wire, whyWithheld), ...sumUp(wire) };
      } catch (error) {
        if (error instanceof ExchangeError)
          return { request, transportError: error.transportError, message: error.message, ...sumUp(wire) };
        if (!(error instanceof UnusableInput)) throw error;
        return { request, transportError: 'not-sent', message: error.message, attempts: 0 };
      }
    },
  };
}

type Result<Name extends AdapterFunction> = Awaited<ReturnType<NonNullable<Adapter[Name]>>>;

/** Makes the first request in place of a documented one. @throws UnusableInput if the adapter fails */
export function adaptRequest(adapter: AdapterThread, request: HttpRequest): Promise<Result<'toRequest'>> {
  return callAdapter(adapter, 'toRequest', [request]);
}

async function callAdapter<Name extends AdapterFunction>(
  adapter: AdapterThread,
  name: Name,
  args: readonly unknown[],
): Promise<Result<Name>> {
  const value = await adapter.call(name, args);
  const { isValid, form } = results[name];
  if (isValid(value) || typeof Object(value).unsupported === 'string') return value as Result<Name>;
  const hint = `It must return ${form} or context.unsupported(reason).`;
  throw adapter.refuse(name, `${name} returned ${JSON.stringify(value)}`, hint);
}

const requestForm = "{ method: 'POST', path: '/…', headers: [[name, value], …], body: text }";
const responseForm = '{ status: 200, headers: [[name, value], …], body: text }';

/** What each function returns. */
const results: Readonly<Record<AdapterFunction, { isValid(value: unknown): boolean; form: string }>> = {
  toRequest: { isValid: isRequest, form: requestForm },
  nextRequest: { isValid: (value) => value === undefined || isRequest(value), form: `${requestForm}, undefined` },
  toResponse: { isValid: isResponse, form: responseForm },
};

/** Checks what an HTTP client can send (RFC 9110, sections 5.6.2 and 9.1). */
function isRequest(value: unknown): boolean {
  const { method, path, headers, body = '' } = Object(value) as Partial<AdaptedRequest>;
  return isText(method, /^[A-Za-z]+$/) && isText(path, /^\/[\x21-\xff]*$/) && areHeaders(headers) && isText(body);
}

function isResponse(value: unknown): boolean {
  const { status = 0, headers, body } = Object(value) as Partial<HttpResponse>;
  return Number.isInteger(status) && status >= 100 && status <= 599 && areHeaders(headers) && isText(body);
}

function areHeaders(value: unknown): boolean {
  const isHeader = (pair: unknown) =>
    Array.isArray(pair) &&
    pair.length === 2 &&
    isText(pair[0], /^[\w!#$%&'*+.^`|~-]+$/) &&
    isText(pair[1], /^[^\r\n\0]*$/);
  return Array.isArray(value) && value.every(isHeader);
}

function isText(value: unknown, pattern = /^/): boolean {
  return typeof value === 'string' && pattern.test(value);
}

function createUnsupported({ unsupported }: Unsupported): ExchangeError {
  return new ExchangeError('unsupported', `${unsupportedPrefix}${unsupported}`);
}

/** How the reasons of cases begin that the adapter cannot express. */
export const unsupportedPrefix = 'The adapter cannot express this: ';

function sumUp(wire: readonly Exchange[]): Pick<Exchange, 'attempts' | 'timing' | 'wire'> {
  const timings = wire.flatMap(({ timing }) => timing ?? []);
  const [first] = timings;
  const durationMs = timings.reduce((sum, each) => sum + each.durationMs, 0);
  return {
    attempts: wire.reduce((sum, { attempts = 1 }) => sum + attempts, 0),
    wire,
    ...(first === undefined ? {} : { timing: { startedAt: first.startedAt, durationMs } }),
  };
}
