import { omitUndefined } from '../support/omit-undefined.js';
import { UnusableInput } from '../support/problem.js';
import type { AdaptedRequest } from './adapter.js';
import type { AdapterFunction, AdapterThread } from './adapter-thread.js';
import type { Channel, Exchange, HttpRequest, HttpResponse } from './exchange.js';
import { isTransient } from './response-status.js';

/** How many requests are sent for one documented request at most. */
const maxPages = 20;

/**
 * Wraps a channel so that an adapter makes what is sent, and the response that is judged. The exchanges contain the
 * documented request, the adapted response, and everything that went over the wire.
 * If the adapter fails, requests count as not sent from then on.
 */
export function createAdaptedChannel<T extends Channel>(channel: T, adapter: AdapterThread): T {
  const send = async (request: HttpRequest, whyWithheld?: () => string | undefined): Promise<Exchange> => {
    const wire: Exchange[] = [];
    const conclude = (result: Result): Exchange => ({ request, ...result, ...sumUp(wire) });
    const responses: HttpResponse[] = [];
    let next: AdaptedRequest | { readonly unsupported: string } | undefined = await adaptRequest(adapter, request);
    while (next !== undefined) {
      if ('unsupported' in next) return conclude(describeUnsupported(next.unsupported));
      if (wire.length === maxPages)
        return conclude({
          transportError: 'too-large',
          message: `nextRequest of the adapter asked for more than ${maxPages} requests in place of one. After the last page it must return undefined.`,
        });
      const { sent, again } = request;
      const exchange: Exchange = await channel.send({ ...next, ...omitUndefined({ sent, again }) }, whyWithheld);
      wire.push(exchange);
      if (!('response' in exchange)) {
        const { transportError, message } = exchange;
        return conclude({ transportError, message });
      }
      // Says nothing about the request, so the adapter must not turn it into a result.
      if (isTransient(exchange.response)) return conclude({ response: exchange.response });
      responses.push(exchange.response);
      next = (await adapter.has('nextRequest'))
        ? await callAdapter(
            adapter,
            'nextRequest',
            [responses, request],
            (value) => value === undefined || isRequest(value),
          )
        : undefined;
    }
    const response = await callAdapter<HttpResponse>(adapter, 'toResponse', [responses, request], isResponse);
    return conclude('unsupported' in response ? describeUnsupported(response.unsupported) : { response });
  };
  return {
    ...channel,
    send: (request, whyWithheld) =>
      send(request, whyWithheld).catch((error): Exchange => {
        if (!(error instanceof UnusableInput)) throw error;
        return { request, transportError: 'not-sent', message: error.message, attempts: 0 };
      }),
  };
}

type Result = Pick<Extract<Exchange, { response: unknown }>, 'response'> | Failure;
type Failure = Pick<Extract<Exchange, { message: unknown }>, 'transportError' | 'message'>;

/** Makes the first request in place of a documented one. @throws UnusableInput if the adapter fails */
export function adaptRequest(
  adapter: AdapterThread,
  request: HttpRequest,
): Promise<AdaptedRequest | { readonly unsupported: string }> {
  return callAdapter(adapter, 'toRequest', [request], isRequest);
}

async function callAdapter<T>(
  adapter: AdapterThread,
  name: AdapterFunction,
  args: readonly unknown[],
  isValid: (value: unknown) => boolean,
): Promise<T | { readonly unsupported: string }> {
  const value = await adapter.call(name, args);
  if (isValid(value) || isUnsupported(value)) return value as T | { readonly unsupported: string };
  const text = JSON.stringify(value) ?? String(value);
  const shown = text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
  throw adapter.refuse(name, `${name} returned ${shown}`, `It must return ${forms[name]}.`);
}

const maxShown = 200;
const requestForm =
  "{ method: 'POST', path: '/…', headers: [[name, value], …], body: text } or context.unsupported(reason)";
const forms = {
  toRequest: requestForm,
  nextRequest: `${requestForm} or undefined`,
  toResponse: '{ status: 200, headers: [[name, value], …], body: text } or context.unsupported(reason)',
} as const;

function isRequest(value: unknown): boolean {
  const { method, path, headers, body } = (value ?? {}) as Partial<AdaptedRequest>;
  const isText = (text: unknown, pattern: RegExp) => typeof text === 'string' && pattern.test(text);
  // What an HTTP client can send (RFC 9110, sections 5.6.2 and 9.1).
  return (
    isText(method, /^[A-Za-z]+$/) &&
    isText(path, /^\/[\x21-\xff]*$/) &&
    isHeaders(headers) &&
    (body === undefined || typeof body === 'string')
  );
}

function isResponse(value: unknown): boolean {
  const { status, headers, body } = (value ?? {}) as Partial<HttpResponse>;
  const isStatus = Number.isInteger(status) && Number(status) >= 100 && Number(status) <= 599;
  return isStatus && isHeaders(headers) && typeof body === 'string';
}

function isHeaders(value: unknown): boolean {
  const isPair = (pair: unknown) => {
    const [name, text, ...others] = Array.isArray(pair) ? pair : [];
    const areTexts = typeof name === 'string' && typeof text === 'string' && others.length === 0;
    return areTexts && /^[\w!#$%&'*+.^`|~-]+$/.test(name) && !/[\r\n\0]/.test(text);
  };
  return Array.isArray(value) && value.every(isPair);
}

function isUnsupported(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'unsupported' in value && typeof value.unsupported === 'string';
}

function describeUnsupported(reason: string): Failure {
  return { transportError: 'unsupported', message: `${unsupportedPrefix}${reason}` };
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
