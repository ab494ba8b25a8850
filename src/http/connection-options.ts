import type { Secret } from '../redaction/redactor.js';
import type { Credentials } from './credentials.js';
import type { Headers } from './exchange.js';

/** Where a deployment is, and the credentials that it takes. */
export interface Endpoint {
  /** With a path of its own, if the deployment has one; without a slash at its end. */
  readonly baseUrl: string;
  readonly credentials: Credentials;
}

/** How requests reach a deployment, and how far the client goes with them. Some of it is secret. */
export interface ConnectionOptions extends Options, Groups {}

/** Some of the options, as a target file or a test states them; the others are as {@link completeOptions} says. */
export type PartialConnectionOptions = Partial<Options> & { readonly [Group in keyof Groups]?: Partial<Groups[Group]> };

interface Options {
  /** Whether credentials may go to another machine over plain HTTP. */
  readonly allowHttp: boolean;
  /**
   * Sent with every request that has no header of the same name. A value that is a placeholder of `secrets` is sent as
   * that secret, and shown as the placeholder.
   */
  readonly extraHeaders: Headers;
  /** Secrets beside the credentials, each with its placeholder, such as `$GATEWAY_KEY`. */
  readonly secrets: readonly Secret[];
  /**
   * The URL of a proxy; it wins over HTTPS_PROXY and HTTP_PROXY of the environment, and '' means none. Hosts that
   * NO_PROXY names, and this machine, are reached without one.
   */
  readonly proxy?: string;
}

/** Options that come in groups, of each of which a part may be stated. */
interface Groups {
  readonly tls: Tls;
  readonly limits: Limits;
  readonly pacing: Pacing;
  readonly budget: BudgetLimits;
  readonly retry: RetryOptions;
}

/** Certificates in PEM. */
export interface Tls {
  /** Certificates of authorities that are trusted beside the public ones. */
  readonly ca?: string;
  /** The certificate of the client, and its private key. */
  readonly cert?: string;
  readonly key?: string;
}

/** How far the client goes with a response. */
export interface Limits {
  /** How long a whole exchange may take, in milliseconds. */
  readonly timeoutMs: number;
  /** The largest body, in bytes; both as it comes and decompressed. */
  readonly bodyBytes: number;
  /** How many values a body may have at most, counted by its commas and brackets. */
  readonly bodyValues: number;
  /** All headers of a response together, in bytes. */
  readonly headerBytes: number;
}

/** How gently requests are sent. */
export interface Pacing {
  /** How many requests begin in a second, evenly spread; without it, as many as there are. */
  readonly requestsPerSecond?: number;
  /** How many exchanges there may be at once. */
  readonly concurrency: number;
}

/** What a run may cost the deployment, and the user. */
export interface BudgetLimits {
  readonly requests: number;
  /** In milliseconds, from the opening of the request budget. */
  readonly timeMs: number;
}

/** How often a request is repeated that found the deployment busy or out of reach. */
export interface RetryOptions {
  /** The wait before each repeat, in milliseconds: there are as many repeats as waits. */
  readonly waitsMs: readonly number[];
  /** The longest wait that a deployment may ask for with Retry-After, in milliseconds. */
  readonly longestWaitMs: number;
}

/** For those who send once and want to know. */
export const noRetry: RetryOptions = { waitsMs: [], longestWaitMs: 0 };

/** What holds unless something else is stated. */
export const defaultConnectionOptions: ConnectionOptions = {
  allowHttp: false,
  extraHeaders: [],
  secrets: [],
  tls: {},
  limits: { timeoutMs: 10_000, bodyBytes: 8 * 1024 * 1024, bodyValues: 100_000, headerBytes: 64 * 1024 },
  pacing: { concurrency: 8 },
  budget: { requests: 5_000, timeMs: 15 * 60_000 },
  retry: { waitsMs: [1_000, 3_000], longestWaitMs: 30_000 },
};

/** The whole options: what is stated, and {@link defaultConnectionOptions} for the rest. */
export function completeOptions(stated: PartialConnectionOptions): ConnectionOptions {
  return {
    ...defaultConnectionOptions,
    ...stated,
    tls: { ...defaultConnectionOptions.tls, ...stated.tls },
    limits: { ...defaultConnectionOptions.limits, ...stated.limits },
    pacing: { ...defaultConnectionOptions.pacing, ...stated.pacing },
    budget: { ...defaultConnectionOptions.budget, ...stated.budget },
    retry: { ...defaultConnectionOptions.retry, ...stated.retry },
  };
}
