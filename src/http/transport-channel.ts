import { createRedactor } from '../redaction/redactor.js';
import { escapeControlCharacters } from '../support/escape-control-characters.js';
import { addHeaders } from './client.js';
import { completeOptions, type PartialConnectionOptions } from './connection-options.js';
import { type Credentials, insertSecrets, listSecrets } from './credentials.js';
import { runWithDeadline } from './deadline.js';
import type { Channel, Exchange, HttpRequest, HttpResponse } from './exchange.js';
import { createPacedQueue } from './paced-queue.js';
import { UnusableResponse } from './transport-error.js';

/**
 * A function of somebody else that sends one request to a deployment, and gives what came back.
 *
 * `path` is relative to the base URL and goes out as it is, query string included; `headers` are pairs, of which a name
 * may occur more than once; a body goes along with GET, too. A response has its `body` as text, decompressed. Where there
 * is none, the function rejects: that is a transport error, which no deployment is failed for.
 *
 * @param signal ends when the time for the exchange is over
 */
export type Transport = (request: HttpRequest, signal: AbortSignal) => Promise<HttpResponse> | HttpResponse;

/**
 * A channel that sends with a function, where {@link openClient} sends over the network. Nothing is repeated.
 *
 * @param credentials put into the headers that carry them, and taken out of all that is shown
 * @param stated of the options, those that are about requests, time and pacing
 */
export function createTransportChannel(
  transport: Transport,
  credentials: Credentials,
  stated: PartialConnectionOptions,
): Channel {
  const { secrets: others, extraHeaders, pacing, limits } = completeOptions(stated);
  const secrets = listSecrets(credentials, others);
  const redacted = createRedactor(secrets);
  const queue = createPacedQueue(pacing, () => Number.POSITIVE_INFINITY);
  const exchangeOf = async (request: HttpRequest): Promise<Exchange> => {
    try {
      const response = await runWithDeadline(limits.timeoutMs, async (signal) =>
        checked(await transport(insertSecrets(request, secrets), signal)),
      );
      return { request, response };
    } catch (error) {
      const isLate = error instanceof Error && error.name === 'TimeoutError';
      if (isLate)
        return { request, transportError: 'timed-out', message: `No response within ${limits.timeoutMs} ms.` };
      const kind = error instanceof UnusableResponse ? error.transportError : 'broken-connection';
      const reason = error instanceof Error ? error.message : String(error);
      return { request, transportError: kind, message: `The transport brought no response: ${reason}` };
    }
  };
  return {
    send: (request, whyWithheld) =>
      queue.run(async () => {
        const whole = addHeaders(request, extraHeaders);
        const reason = whyWithheld?.();
        if (reason !== undefined) return { request: whole, transportError: 'not-sent', message: reason };
        return exchangeOf(whole);
      }, 0),
    redact: (text) => escapeControlCharacters(redacted(text)),
    reconnect: () => undefined,
    // The bodies are in the memory of whoever brings them.
    maxCaseBodyLength: Number.POSITIVE_INFINITY,
    maxConcurrency: pacing.concurrency,
  };
}

/** What somebody's function returned, if it is a response. */
function checked(response: HttpResponse): HttpResponse {
  const { status, headers, body } = (response ?? {}) as Partial<HttpResponse>;
  if (Number.isInteger(status) && Array.isArray(headers) && typeof body === 'string') return response;
  const shape = '{ status: 200, headers: [[name, value], …], body: text }';
  throw new UnusableResponse('unreadable', `what it returned is not of the form ${shape}.`);
}
