import { fileURLToPath, pathToFileURL } from 'node:url';
import PQueue from 'p-queue';
import { type Location, refuse, UnusableInput } from '../support/problem.js';
import { type Client, redactResponse } from './client.js';
import { addHeaders, type Exchange, type Headers, type HttpResponse, type TransportErrorKind } from './exchange.js';
import { insertSecrets, type Secret } from './redactor.js';
import { isTransient } from './response-status.js';

/** A request as plain data. `path` is relative to the base URL and includes the query string. */
export interface PlainRequest {
  readonly method: string;
  readonly path: string;
  /** Pairs in the order of the message: a name may occur more than once. */
  readonly headers: Headers;
  readonly body?: string;
}

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

/** How the reasons of cases begin that a transport cannot express. */
const unsupportedPrefix = 'The transport cannot express this: ';

/** Which transport a run used: the path in the target file, and the digest of the file. */
export interface TransportIdentity {
  readonly name: string;
  readonly digest: string;
}

/** A channel through a transport. */
export interface TransportChannel extends Client {
  /** Why the transport ended the run, if it did: no verdict is valid then. */
  findFailure(): UnusableInput | undefined;
}

/**
 * Sends documented requests through a transport. Once it fails, nothing more is sent.
 *
 * @param client what `send` sends with
 */
export function createTransportChannel(
  transport: Transport,
  client: Client,
  { baseUrl, idleMs, extraHeaders = [], secrets = [], at = 'transport' }: TransportOptions,
): TransportChannel {
  // The client has a queue of its own: each of these requests may be several there.
  const queue = new PQueue({ concurrency: client.maxConcurrency });
  let failure: UnusableInput | undefined;
  const exchange = async (...[documented, whyWithheld]: Parameters<Client['send']>): Promise<Exchange> => {
    const request = addHeaders(documented, extraHeaders);
    const { method, path, headers, body, sent, again } = request;
    const end = (transportError: TransportErrorKind, message: string) => ({ request, transportError, message });
    const reason = failure?.message ?? whyWithheld?.();
    if (reason !== undefined) return { ...end('not-sent', reason), attempts: 0 };
    const watch = watchForIdleness(idleMs);
    let attempts = 0;
    let lost: Exchange | undefined;
    const send: TransportContext['send'] = async (plain) => {
      const exchange = await watch.pauseFor(client.send({ ...plain, ...(sent && { sent }), ...(again && { again }) }));
      attempts += exchange.attempts ?? 1;
      if ('response' in exchange && !isTransient(exchange.response)) return exchange.response;
      lost ??= exchange;
      throw new NoResponse('message' in exchange ? exchange.message : `Answered ${exchange.response.status}.`);
    };
    const plain = insertSecrets({ method, path, headers, ...(body === undefined ? {} : { body }) }, secrets);
    try {
      const response = await watch.race(transport(plain, { send, baseUrl, signal: watch.signal }));
      // It must not make a result of what says nothing about the request.
      if (lost !== undefined) return { ...lost, request, attempts };
      if (!isResponse(response)) throw new WrongResult(`it returned ${JSON.stringify(response)}, not ${responseForm}`);
      return { request, response: redactResponse(response, client.redact), ...(attempts > 0 && { attempts }) };
    } catch (error) {
      const { name, message } = error instanceof Error ? error : new Error(String(error));
      if (lost !== undefined) return { ...lost, request, attempts };
      if (name === 'Unsupported')
        return { ...end('unsupported', `${unsupportedPrefix}${client.redact(message)}`), attempts };
      if (name === 'NoResponse')
        return end('broken-connection', `The transport has no response: ${client.redact(message)}`);
      if (error === watch.signal.reason)
        return end('timed-out', `There was no complete response within ${idleMs} ms (limits.timeout_ms).`);
      const where = error instanceof WrongResult ? undefined : locateThrow(error);
      failure ??=
        error instanceof UnusableInput
          ? error
          : refuse(where ?? at, `the transport failed: ${client.redact(message)}`, hint);
      return { ...end('not-sent', failure.message), attempts };
    }
  };
  return {
    ...client,
    send: (...args) => queue.add(() => exchange(...args)),
    findFailure: () => failure,
  };
}

interface TransportOptions {
  readonly baseUrl: string;
  /** How long the transport may do nothing but wait for itself, in milliseconds. */
  readonly idleMs: number;
  readonly extraHeaders?: Headers;
  /** They fill the headers of the requests that the transport gets; none leaves the placeholders. */
  readonly secrets?: readonly Secret[];
  /** Where it is, for messages. */
  readonly at?: Location | string;
}

class WrongResult extends Error {}

const hint = "A transport returns a response, or throws Unsupported('reason') or NoResponse('reason').";
const responseForm = "{ status: 200, headers: [['name', 'value']], body: 'text' }";

function isResponse({ status, headers, body }: Partial<HttpResponse> = {}): boolean {
  return Number.isInteger(status) && Array.isArray(headers) && typeof body === 'string';
}

/** Aborts after a time in which a function did nothing but wait for itself. */
function watchForIdleness(idleMs: number) {
  const idle = new AbortController();
  let pending = 0;
  let timer: NodeJS.Timeout | undefined;
  const start = () => {
    timer = setTimeout(() => idle.abort(new Error('idle')), idleMs);
  };
  return {
    signal: idle.signal,
    /** Waits for something that has limits of its own. */
    async pauseFor<T>(waiting: Promise<T>): Promise<T> {
      pending += 1;
      clearTimeout(timer);
      return await waiting.finally(() => {
        pending -= 1;
        if (pending === 0) start();
      });
    },
    async race<T>(running: Promise<T> | T): Promise<T> {
      start();
      const aborted = new Promise<never>((_, reject) => {
        idle.signal.addEventListener('abort', () => reject(idle.signal.reason));
      });
      return await Promise.race([running, aborted]).finally(() => clearTimeout(timer));
    },
  };
}

/** Where an error was thrown, outside of packages. */
function locateThrow(error: unknown): Location | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const [, file = '', line = '', column = '1'] =
    /(file:\/\/(?!.*node_modules)[^\s)]+?):(\d+)(?::(\d+))?/.exec(stack) ?? [];
  return file === '' ? undefined : { file: fileURLToPath(file), line: Number(line), column: Number(column) };
}

/**
 * Loads the transport of a target. One that cannot be loaded ends the run as one that fails does.
 *
 * @param file the path of a module whose default export is a {@link Transport}
 */
export async function loadTransport(file: string): Promise<Transport> {
  const fail = (message: string, at?: Location): Transport => {
    const problem = refuse(at ?? { file, line: 1, column: 1 }, message, moduleHint);
    return () => {
      throw problem;
    };
  };
  try {
    const { default: loaded } = await import(pathToFileURL(file).href);
    return typeof loaded === 'function' ? loaded : fail('the transport has no function as its default export');
  } catch (error) {
    const message = error instanceof Error ? error.message : error;
    return fail(`the transport cannot be loaded: ${message}`, locateThrow(error));
  }
}

const moduleHint =
  'A transport is an ES module with one function as its default export: name it .mjs, or .mts with Node.js 22.18 or newer.';
