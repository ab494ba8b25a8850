import type { Headers } from './exchange.js';
import type { Secret } from './redactor.js';

export interface Credentials {
  readonly applicationId: string;
  readonly token: string;
}

export interface Endpoint {
  /** May have a path prefix; has no slash at its end. */
  readonly baseUrl: string;
  readonly credentials: Credentials;
}

/** How requests reach a deployment, as schemas/target.schema.json explains it. Contains secrets. */
export interface ConnectionOptions {
  /** Allows sending secrets to another machine over plain HTTP. */
  readonly allowHttp: boolean;
  /** Sent with every request that has no header of the same name. */
  readonly extraHeaders: Headers;
  /** Replace their placeholders in header values when a request is sent, and the other way round in all output. */
  readonly secrets: readonly Secret[];
  /** Overrides HTTPS_PROXY and HTTP_PROXY; an empty text means no proxy. Loopback addresses are reached without one. */
  readonly proxy?: string;
  /** In PEM. The authorities are trusted beside the public ones. */
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  readonly limits: {
    /** The timeout of a whole exchange. */
    readonly timeout_ms: number;
    /** Compressed and decompressed. */
    readonly body_bytes: number;
    /** The largest number of values in a body, counted by commas and brackets. */
    readonly body_values: number;
    readonly header_bytes: number;
  };
  readonly pacing: { readonly requests_per_second?: number; readonly concurrency: number };
  /** The number of delays is the number of retries. Retry-After can ask for the longest delay at most. */
  readonly retry: { readonly delays_seconds: readonly number[]; readonly max_delay_seconds: number };
}

export type ConnectionLimits = ConnectionOptions['limits'];
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

export function completeConnectionOptions(options: PartialConnectionOptions): ConnectionOptions {
  return {
    ...defaultConnectionOptions,
    ...options,
    tls: { ...defaultConnectionOptions.tls, ...options.tls },
    limits: { ...defaultConnectionOptions.limits, ...options.limits },
    pacing: { ...defaultConnectionOptions.pacing, ...options.pacing },
    retry: { ...defaultConnectionOptions.retry, ...options.retry },
  };
}

/** Whether requests to a URL reach another machine in plain text. */
export function exposesCredentials(url: URL): boolean {
  return url.protocol === 'http:' && !isLoopback(url);
}

/** Host names of this machine (RFC 6761, section 6.3; RFC 5735, section 3), as a URL normalizes them. */
const loopback = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]+\])$/;

export function isLoopback({ hostname }: URL): boolean {
  return loopback.test(hostname);
}
