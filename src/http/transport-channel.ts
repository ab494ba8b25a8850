import { escapeControlCharacters } from '../support/escape-control-characters.js';
import { completeOptions, type PartialConnectionOptions } from './connection-options.js';
import { isTimeout, runWithDeadline } from './deadline.js';
import type { Channel, Exchange, HttpRequest, HttpResponse } from './exchange.js';
import { createPacedQueue } from './paced-queue.js';
import { createRedactor } from './redactor.js';
import { addHeaders, insertSecrets } from './request-headers.js';
import { classifyTransportError, ExchangeError } from './transport-error.js';

/**
 * A function that sends one request to a deployment and returns the response.
 *
 * `path` is relative to the base URL and includes the query string; send it as it is. `headers` are pairs, and a name may
 * occur more than once. A GET has a body, too. The `body` of a response is text, decompressed. If there is no response,
 * reject: a transport error never fails a deployment.
 *
 * @param signal aborts when the time for the exchange is over
 */
export type Transport = (request: HttpRequest, signal: AbortSignal) => Promise<HttpResponse> | HttpResponse;

/**
 * Creates a channel that sends with a function instead of the network. It retries nothing.
 *
 * @param stated of these options, those about requests, secrets, timeout and pacing
 */
export function createTransportChannel(transport: Transport, stated: PartialConnectionOptions): Channel {
  const { secrets, extraHeaders, pacing, limits } = completeOptions(stated);
  const redactSecrets = createRedactor(secrets);
  const queue = createPacedQueue(pacing, () => Number.POSITIVE_INFINITY);
  const exchange = async (request: HttpRequest): Promise<Exchange> => {
    try {
      const response = await runWithDeadline(limits.timeoutMs, async (signal) =>
        checkResponse(await transport(insertSecrets(request, secrets), signal)),
      );
      return { request, response };
    } catch (error) {
      if (error instanceof ExchangeError || isTimeout(error))
        return { request, ...classifyTransportError(error, limits, '') };
      const reason = error instanceof Error ? error.message : String(error);
      return {
        request,
        transportError: 'broken-connection',
        message: `The transport function returned no response: ${reason}`,
      };
    }
  };
  return {
    send: (request, whyWithheld) =>
      queue.run(async () => {
        const whole = addHeaders(request, extraHeaders);
        const reason = whyWithheld?.();
        if (reason !== undefined) return { request: whole, transportError: 'not-sent', message: reason };
        return exchange(whole);
      }, 0),
    redact: (text) => escapeControlCharacters(redactSecrets(text)),
    reconnect: () => undefined,
    // The transport keeps the bodies in its own memory.
    maxCaseBodyLength: Number.POSITIVE_INFINITY,
    maxConcurrency: pacing.concurrency,
  };
}

function checkResponse(response: HttpResponse): HttpResponse {
  const { status, headers, body } = (response ?? {}) as Partial<HttpResponse>;
  if (Number.isInteger(status) && Array.isArray(headers) && typeof body === 'string') return response;
  const form = '{ status: 200, headers: [[name, value], …], body: text }';
  throw new ExchangeError('unreadable', `The result of the transport does not have the form ${form}.`);
}
