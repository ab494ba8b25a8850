import { fileURLToPath, pathToFileURL } from 'node:url';
import PQueue from 'p-queue';
import { type Location, refuse, UnusableInput } from '../support/problem.js';
import { type Client, redactResponse } from './client.js';
import {
  addHeaders,
  type Exchange,
  type Headers,
  type HttpRequest,
  type HttpResponse,
  type TransportErrorKind,
} from './exchange.js';
import { insertSecrets, type Secret } from './redactor.js';
import { isTransient } from './response-status.js';

/** A request as plain data. `path` is relative to the base URL and includes the query string. */
export type PlainRequest = Pick<HttpRequest, 'method' | 'path' | 'headers' | 'body'>;

/** What a transport is called with beside the request. */
export interface TransportContext {
  /**
   * Sends one request over HTTP, with the pacing, the retries and the headers of the target. It replaces header values that
   * are `$CLIENT_APPLICATION_ID` or `$CLIENT_TOKEN` by the credentials.
   *
   * @throws NoResponse if there is no response, or one that says nothing about the request, such as 429 or 503
   */
  readonly send: (request: PlainRequest) => Promise<HttpResponse>;
  readonly baseUrl: string;
  /** Aborts when the function has done nothing for the time of an exchange. */
  readonly signal: AbortSignal;
}

/**
 * A function from a documented request to a response. A GET has a body, too. The `body` of a response is text, decompressed.
 *
 * @throws Unsupported if the request cannot be expressed: its case is not applicable
 * @throws NoResponse if there is no response, which fails no deployment
 * @throws anything else: that ends the run
 */
export type Transport = (request: PlainRequest, context: TransportContext) => Promise<HttpResponse> | HttpResponse;

/** A transport throws it for a request that cannot be expressed. */
export class Unsupported extends Error {
  override readonly name = 'Unsupported';
}

/** A transport throws it where there is no response. Its message is shown. */
export class NoResponse extends Error {
  override readonly name = 'NoResponse';
}

/** Which transport a run used: the path in the target file, and the digest of the file. */
export interface TransportIdentity {
  readonly name: string;
  readonly digest: string;
}

export interface TransportChannel extends Client {
  /** Why the transport ended the run, if it did: no verdict is valid then. */
  findFailure(): UnusableInput | undefined;
}

interface TransportOptions {
  readonly baseUrl: string;
  /** How long the transport may do nothing but wait for itself, in milliseconds. */
  readonly idleMs: number;
  readonly extraHeaders?: Headers;
  /** They fill the headers of the requests that the transport gets; none leaves the placeholders. */
  readonly secrets?: readonly Secret[];
  readonly at?: Location | string;
}

const hint = "A transport returns a response, or throws Unsupported('reason') or NoResponse('reason').";
const responseForm = "{ status: 200, headers: [['name', 'value']], body: 'text' }";

/** Sends documented requests through a transport. Once it fails, nothing more is sent. @param client of `send` */
export function createTransportChannel(
  transport: Transport,
  client: Client,
  { baseUrl, idleMs, extraHeaders = [], secrets = [], at = 'transport' }: TransportOptions,
): TransportChannel {
  // The client has a queue of its own: each of these requests may be several there.
  const queue = new PQueue({ concurrency: client.maxConcurrency });
  let failure: UnusableInput | undefined;
  const exchange = async (documented: HttpRequest): Promise<Exchange> => {
    const request = addHeaders(documented, extraHeaders);
    const { method, path, headers, body, sent, again } = request;
    if (failure !== undefined) return { request, transportError: 'not-sent', message: failure.message, attempts: 0 };
    const idle = new AbortController();
    let pending = 0;
    const timer = setTimeout(() => (pending > 0 ? timer.refresh() : idle.abort(new Error('idle'))), idleMs);
    const aborted = new Promise<never>((_, reject) => {
      idle.signal.addEventListener('abort', () => reject(idle.signal.reason));
    });
    let attempts = 0;
    let lost: Exchange | undefined;
    const send: TransportContext['send'] = async (plain) => {
      pending += 1;
      // What the client waits for has limits of its own.
      const exchange = await client.send({ ...plain, ...(sent && { sent }), ...(again && { again }) });
      pending -= 1;
      timer.refresh();
      attempts += exchange.attempts ?? 1;
      if ('response' in exchange && !isTransient(exchange.response)) return exchange.response;
      lost ??= exchange;
      throw new NoResponse('message' in exchange ? exchange.message : `Answered ${exchange.response.status}.`);
    };
    const explain = (error: unknown): { transportError: TransportErrorKind; message: string } => {
      const { name, message } = error instanceof Error ? error : new Error(String(error));
      const shown = client.redact(message);
      if (name === 'Unsupported')
        return { transportError: 'unsupported', message: `The transport cannot express this: ${shown}` };
      if (name === 'NoResponse')
        return { transportError: 'broken-connection', message: `The transport has no response: ${shown}` };
      if (error === idle.signal.reason)
        return {
          transportError: 'timed-out',
          message: `There was no complete response within ${idleMs} ms (limits.timeout_ms).`,
        };
      const problem = () => refuse(locateThrow(error) ?? at, `the transport failed: ${shown}`, hint);
      failure ??= error instanceof UnusableInput ? error : problem();
      return { transportError: 'not-sent', message: failure.message };
    };
    const plain = insertSecrets({ method, path, headers, ...(body === undefined ? {} : { body }) }, secrets);
    try {
      const running = transport(plain, { send, baseUrl, signal: idle.signal });
      const response = await Promise.race([running, aborted]);
      // It must not make a result of what says nothing about the request.
      if (lost !== undefined) return { ...lost, request, attempts };
      const shown = JSON.stringify(response);
      if (!isResponse(response))
        throw refuse(at, `the transport failed: it returned ${shown}, not ${responseForm}`, hint);
      return { request, response: redactResponse(response, client.redact), ...(attempts > 0 && { attempts }) };
    } catch (error) {
      if (lost !== undefined) return { ...lost, request, attempts };
      const explained = explain(error);
      const isSent = attempts > 0 || !['unsupported', 'not-sent'].includes(explained.transportError);
      return { request, ...explained, attempts: isSent ? Math.max(attempts, 1) : 0 };
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    ...client,
    send: (...args) => queue.add(() => exchange(...args)),
    findFailure: () => failure,
  };
}

function isResponse({ status, headers, body }: Partial<HttpResponse> = {}): boolean {
  return Number.isInteger(status) && Array.isArray(headers) && typeof body === 'string';
}

function locateThrow(error: unknown): Location | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const [, file = '', line = '', column = '1'] =
    /(file:\/\/(?!.*node_modules)[^\s)]+?):(\d+)(?::(\d+))?/.exec(stack) ?? [];
  return file === '' ? undefined : { file: fileURLToPath(file), line: Number(line), column: Number(column) };
}

/** Loads the transport of a target. One that cannot be loaded ends the run as one that fails does. */
export async function loadTransport(file: string): Promise<Transport> {
  const fail =
    (message: string, at: Location = { file, line: 1, column: 1 }) =>
    (): never => {
      throw refuse(at, message, 'A transport is an ES module (.mjs) with one function as its default export.');
    };
  try {
    const { default: loaded } = await import(pathToFileURL(file).href);
    return typeof loaded === 'function' ? loaded : fail('the transport has no function as its default export');
  } catch (error) {
    const message = error instanceof Error ? error.message : error;
    return fail(`the transport cannot be loaded: ${message}`, locateThrow(error));
  }
}
