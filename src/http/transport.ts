import { fileURLToPath } from 'node:url';
import PQueue from 'p-queue';
import { isOwnCode } from '../support/own-code.js';
import { createInputError, type Location, UnusableInput } from '../support/problem.js';
import { type Client, runWithDeadline } from './client.js';
import {
  addHeaders,
  type Exchange,
  type Headers,
  type HttpRequest,
  type HttpResponse,
  type RetriedAttempt,
  type TransportErrorKind,
} from './exchange.js';
import { redactExchange } from './redact-exchange.js';
import { insertSecrets, type Secret } from './redactor.js';
import { hasTransientStatus, wasSent } from './response-status.js';
import { createSilenceWatch, createUnsentExchange } from './silence-watch.js';

/** A request as plain data. `path` is relative to the base URL and includes the query string. */
export type TransportRequest = Pick<HttpRequest, 'method' | 'path' | 'headers' | 'body'>;

/** What a transport is called with beside the request. */
export interface TransportContext {
  /**
   * Sends one request over HTTP, with the pacing, the retries and the headers of the target. It replaces header values that
   * are `$CLIENT_APPLICATION_ID` or `$CLIENT_TOKEN` by the credentials.
   *
   * @throws NoResponse if there is no response, or one that says nothing about the request, such as 429 or 503
   */
  readonly send: (request: TransportRequest) => Promise<HttpResponse>;
  readonly baseUrl: string;
  /** Aborts when the function has done nothing for the time of an exchange. */
  readonly signal: AbortSignal;
}

/**
 * A function from a documented request to a response. A GET has a body, too. The `body` of a response is text, decompressed.
 *
 * @throws UnsupportedRequestError if the request cannot be expressed: its case is not applicable
 * @throws NoResponse if there is no response, which fails no deployment
 * @throws anything else: that ends the run
 */
export type Transport = (request: TransportRequest, context: TransportContext) => Promise<HttpResponse> | HttpResponse;

/**
 * The other way round: turns a request as its callers send it into the documented request, from which the transport makes it.
 * `judge` takes it for recorded traffic.
 *
 * @throws UnsupportedRequestError if it is another request, such as one with another path
 */
export type RequestRestorer = (sent: TransportRequest) => TransportRequest;

/** A transport throws it for a request that cannot be expressed, or that it cannot restore. */
export class UnsupportedRequestError extends Error {
  override readonly name = 'UnsupportedRequestError';
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

/** What an error means, by its name: that of a class may come from another copy of this module. */
const meanings: Readonly<Record<string, readonly [kind: TransportErrorKind, beginning: string]>> = {
  UnsupportedRequestError: ['unsupported', 'The transport cannot express this: '],
  NoResponse: ['broken-connection', 'The transport has no response: '],
  TimeoutError: ['timed-out', 'The transport has no response: '],
};

const hint = "A transport returns a response, or throws UnsupportedRequestError('reason') or NoResponse('reason').";

/** Sends documented requests through a transport. Once it fails, nothing more is sent. @param client of `send` */
export function createTransportClient(
  transport: Transport,
  client: Client,
  { baseUrl, idleMs, extraHeaders = [], secrets = [], at = 'transport' }: TransportOptions,
): TransportChannel {
  // The client has a queue of its own: each of these requests may be several there.
  const queue = new PQueue({ concurrency: client.maxConcurrency });
  let failure: UnusableInput | undefined;
  const explain = (error: unknown): { transportError: TransportErrorKind; message: string } => {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    const [kind, beginning] = meanings[name] ?? [];
    if (kind !== undefined) return { transportError: kind, message: `${beginning}${message}` };
    const isRefusal = error instanceof UnusableInput;
    failure ??= isRefusal
      ? error
      : createInputError(locateThrow(error) ?? at, `the transport failed: ${message}`, hint);
    return { transportError: 'not-sent', message: failure.message };
  };
  const exchange = async (documented: HttpRequest): Promise<Exchange> => {
    const request = addHeaders(documented, extraHeaders);
    if (failure !== undefined) return { request, transportError: 'not-sent', message: failure.message, attempts: 0 };
    const { sent, again, ...plain } = request;
    let attempts = 0;
    let numbers: readonly number[] = [];
    const retried: RetriedAttempt[] = [];
    let lost: Exchange | undefined;
    let pending = 0;
    const receive = async (signal: AbortSignal, timer: NodeJS.Timeout) => {
      const send: TransportContext['send'] = async (inner) => {
        pending += 1;
        const received = await client.send({ ...inner, sent, again });
        pending -= 1;
        timer.refresh();
        attempts += received.attempts ?? 1;
        numbers = [...numbers, ...(received.numbers ?? [])];
        retried.push(...(received.retried ?? []));
        if ('response' in received && !hasTransientStatus(received.response)) return received.response;
        lost ??= received;
        throw new NoResponse('message' in received ? received.message : `Answered ${received.response.status}.`);
      };
      const response = await transport(insertSecrets(plain, secrets), { send, baseUrl, signal });
      const { status, headers, body }: Partial<HttpResponse> = response ?? {};
      if (Number.isInteger(status) && Array.isArray(headers) && typeof body === 'string') return { response };
      const form = "{ status: 200, headers: [['name', 'value']], body: 'text' }";
      throw createInputError(at, `the transport failed: it returned ${JSON.stringify(response)}, not ${form}`, hint);
    };
    // What the client waits for has limits of its own.
    const running = runWithDeadline(idleMs, receive, () => pending > 0);
    const ended = await running.catch((error) => lost ?? explain(error));
    const isUnsent = 'transportError' in ended && ['unsupported', 'not-sent'].includes(ended.transportError);
    // A transport that lost its own request may return something all the same. That says nothing about the deployment.
    const sum = { numbers, attempts: attempts || (isUnsent ? 0 : 1), ...(retried.length > 0 && { retried }) };
    return { ...(lost ?? ended), request, ...sum };
  };
  // The client watches what goes through `send`. A transport may send in another way.
  const watch = createSilenceWatch(async (request, countAttempt) => {
    countAttempt();
    return await exchange(request);
  });
  const exchangeWatched = async (request: HttpRequest): Promise<Exchange> => {
    const number = await watch.begin();
    if (number === undefined) return { ...createUnsentExchange(request, watch.findSilence()), attempts: 0 };
    const received = await exchange(request);
    if (!wasSent(received) || isUnsupported(received)) return received;
    const { numbers = [], attempts = 1 } = received;
    const probes = await watch.end(number, received);
    if (numbers.length > 0) return received;
    return { ...received, numbers: [number, ...probes], attempts: attempts + probes.length };
  };
  return {
    ...client,
    // What the transport makes may have secrets that its requests had.
    send: async (...args) => redactExchange(await queue.add(() => exchangeWatched(...args)), client.redact),
    findFailure: () => failure && redactProblems(failure, client.redact),
  };
}

/** The documented request that was restored, or why there is none. */
type RestoredRequest = { readonly request: TransportRequest } | { readonly unsupported: string };

/** @throws UnusableInput if the function returns no request, and what it throws itself */
export function restoreDocumentedRequest(restore: RequestRestorer, sent: TransportRequest): RestoredRequest {
  let request: Partial<TransportRequest> | undefined;
  try {
    request = restore(sent);
  } catch (error) {
    // By its name: the class may come from another copy of this module.
    if (error instanceof Error && meanings[error.name]?.[0] === 'unsupported') return { unsupported: error.message };
    throw error;
  }
  const { method, path, headers, body } = request ?? {};
  const isBody = body === undefined || typeof body === 'string';
  if (typeof method === 'string' && typeof path === 'string' && Array.isArray(headers) && isBody)
    return { request: { method, path, headers, ...(body === undefined ? {} : { body }) } };
  // Without the value, which may have credentials.
  const returned = request instanceof Promise ? 'a promise' : `a value of type ${typeof request}`;
  const form = "{ method: 'GET', path: '/v1/…', headers: [['name', 'value']], body: 'text' }";
  throw createInputError('restoreRequest', `it returned ${returned}, not ${form}`, restorerHint);
}

const restorerHint = "It returns a documented request, or throws UnsupportedRequestError('reason').";

export function redactProblems({ problems }: UnusableInput, redact: (text: string) => string): UnusableInput {
  return new UnusableInput(problems.map((problem) => ({ ...problem, message: redact(problem.message) })));
}

function isUnsupported(exchange: Exchange): boolean {
  return 'transportError' in exchange && exchange.transportError === 'unsupported';
}

/**
 * Locates the place in code that the suite calls: what comes after the suite in a stack has called the suite.
 *
 * @returns a text if the stack names no column
 */
export function locateThrow(error: unknown): Location | string | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const frames = stack.matchAll(/(file:\/\/[^\s)]+?):(\d+)(?::(\d+))?/g);
  const places = Array.from(frames, ([, url = '', line, column]) => {
    const file = fileURLToPath(url);
    return {
      file,
      at: column === undefined ? `${file}:${line}` : { file, line: Number(line), column: Number(column) },
    };
  });
  const ownPlace = places.findIndex(({ file }) => isOwnCode(file));
  const called = ownPlace === -1 ? places : places.slice(0, ownPlace);
  return called.find(({ file }) => !file.includes('node_modules'))?.at;
}
