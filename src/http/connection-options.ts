import type { Headers } from './exchange.js';
import type { Secret } from './redactor.js';

/** Identifies a client to a deployment. */
export interface Credentials {
  readonly applicationId: string;
  readonly token: string;
}

export interface Endpoint {
  /** May have a path prefix; has no slash at its end. */
  readonly baseUrl: string;
  readonly credentials: Credentials;
}

/**
 * How requests reach a deployment, and the limits for them: `limits`, `pacing` and `retry` as a target file states them.
 * Contains secrets.
 */
export interface ConnectionOptions {
  /** Allows sending secrets to another machine over plain HTTP. */
  readonly allowHttp: boolean;
  /** Sent with every request that has no header of the same name. */
  readonly extraHeaders: Headers;
  /** Replace their placeholders in header values when a request is sent, and the other way round in all output. */
  readonly secrets: readonly Secret[];
  /**
   * The URL of a proxy; overrides HTTPS_PROXY and HTTP_PROXY. An empty text means no proxy. Hosts in NO_PROXY and
   * loopback addresses are never reached through a proxy.
   */
  readonly proxy?: string;
  /** Certificates in PEM: authorities to trust beside the public ones, and a client certificate with its key. */
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  readonly limits: {
    /** The timeout of a whole exchange, in milliseconds. */
    readonly timeout_ms: number;
    /** Compressed and decompressed. */
    readonly body_bytes: number;
    /** The largest number of values in a body, counted by commas and brackets. */
    readonly body_values: number;
    /** All headers of a response together. */
    readonly header_bytes: number;
  };
  readonly pacing: {
    /** The number of requests that start per second, evenly spread; unlimited by default. */
    readonly requests_per_second?: number;
    readonly concurrency: number;
  };
  readonly retry: {
    /** The delay before each retry. The number of delays is the number of retries. */
    readonly delays_seconds: readonly number[];
    /** The longest delay that Retry-After can ask for. */
    readonly max_delay_seconds: number;
  };
}

export type Limits = ConnectionOptions['limits'];
export type RetryOptions = ConnectionOptions['retry'];

type Group = 'tls' | 'limits' | 'pacing' | 'retry';

export type PartialConnectionOptions = Partial<Omit<ConnectionOptions, Group>> & {
  readonly [Name in Group]?: Partial<ConnectionOptions[Name]>;
};

export const noRetry: RetryOptions = { delays_seconds: [], max_delay_seconds: 0 };

export const defaultConnectionOptions: ConnectionOptions = {
  allowHttp: false,
  extraHeaders: [],
  secrets: [],
  tls: {},
  limits: { timeout_ms: 10_000, body_bytes: 8 * 1024 * 1024, body_values: 100_000, header_bytes: 64 * 1024 },
  pacing: { concurrency: 8 },
  retry: { delays_seconds: [1, 3], max_delay_seconds: 30 },
};

/** Adds {@link defaultConnectionOptions} for each option that is not set. */
export function completeOptions(options: PartialConnectionOptions): ConnectionOptions {
  const defaults = defaultConnectionOptions;
  return {
    ...defaults,
    ...options,
    tls: { ...defaults.tls, ...options.tls },
    limits: { ...defaults.limits, ...options.limits },
    pacing: { ...defaults.pacing, ...options.pacing },
    retry: { ...defaults.retry, ...options.retry },
  };
}
