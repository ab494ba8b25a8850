import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import PQueue from 'p-queue';
import { Agent } from 'undici';
import { credentialPlaceholders } from '../contract/request.js';
import {
  type Channel,
  type Exchange,
  type Headers,
  type HttpRequest,
  type HttpResponse,
  headerValues,
  type Trouble,
} from './exchange.js';
import { redactor } from './redact.js';

export interface Credentials {
  readonly applicationId: string;
  readonly token: string;
}

/** Where requests go, and how far the client goes with a response. */
export interface ClientOptions {
  /** With a path of its own, if the deployment has one; without a trailing slash. */
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly limits: Limits;
}

export interface Limits {
  /** How long a whole exchange may take, in milliseconds. */
  readonly timeoutMs: number;
  /** The largest body, in bytes; both as it comes and decompressed. */
  readonly bodyBytes: number;
  /** All headers of a response together, in bytes. */
  readonly headerBytes: number;
  /** How many requests may be under way at once. */
  readonly concurrency: number;
}

export const defaultLimits: Limits = {
  timeoutMs: 10_000,
  bodyBytes: 8 * 1024 * 1024,
  headerBytes: 64 * 1024,
  concurrency: 8,
};

export interface Client extends Channel {
  close(): Promise<void>;
}

/**
 * Opens a client for one target: connections are kept alive; redirects are not followed, cookies not kept, and
 * responses are bounded in time and size. Credentials are put in at the last moment.
 */
export function openClient({ baseUrl, credentials, limits }: ClientOptions): Client {
  const base = new URL(baseUrl);
  const prefix = base.pathname.replace(/\/+$/, '');
  const redact = redactor([
    { value: credentials.token, placeholder: credentialPlaceholders.token },
    { value: credentials.applicationId, placeholder: credentialPlaceholders.applicationId },
  ]);
  const agent = new Agent({
    connections: limits.concurrency,
    pipelining: 1,
    maxHeaderSize: limits.headerBytes,
    // The whole exchange is timed by the signal; these only keep undici from waiting longer.
    connect: { timeout: limits.timeoutMs },
    headersTimeout: limits.timeoutMs,
    bodyTimeout: limits.timeoutMs,
  });
  const queue = new PQueue({ concurrency: limits.concurrency });

  const exchange = async (request: HttpRequest): Promise<Exchange> => {
    try {
      const signal = AbortSignal.timeout(limits.timeoutMs);
      const { statusCode, headers, body } = await agent.request({
        origin: base.origin,
        path: `${prefix}${request.path}`,
        method: request.method as 'GET',
        headers: headerLines(request, credentials),
        body: request.body ?? null,
        reset: false,
        responseHeaders: 'raw',
        signal,
      });
      const raw = pairs(headers as unknown as (string | Buffer)[]);
      const bytes = await collect(body, limits.bodyBytes);
      const response: HttpResponse = {
        status: statusCode,
        headers: raw,
        body: await decode(bytes, raw, limits.bodyBytes),
      };
      return { request, response };
    } catch (error) {
      return { request, ...troubleFrom(error, limits, base.host) };
    }
  };

  return {
    send: (request) => queue.add(() => exchange(request)) as Promise<Exchange>,
    redact,
    close: () => agent.destroy(),
  };
}

function headerLines({ headers }: HttpRequest, credentials: Credentials): string[] {
  const real = new Map<string, string>([
    [credentialPlaceholders.applicationId, credentials.applicationId],
    [credentialPlaceholders.token, credentials.token],
  ]);
  const lines = headers.flatMap(([name, value]) => [name, real.get(value) ?? value]);
  return [...lines, 'Accept', '*/*', 'Accept-Encoding', 'identity'];
}

function pairs(raw: readonly (string | Buffer)[]): Headers {
  const text = raw.map(String);
  return text.flatMap((name, n) => (n % 2 === 0 ? [[name, text[n + 1] ?? ''] as const] : []));
}

/** Thrown when a response exceeds a limit or cannot be decoded; its message is shown to the user. */
class Unusable extends Error {
  constructor(
    readonly trouble: Trouble,
    message: string,
  ) {
    super(message);
  }
}

async function collect(body: AsyncIterable<Uint8Array>, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > most) throw new Unusable('too-large', `The body is larger than ${most} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const decoders: Readonly<Record<string, (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/**
 * Undoes the content coding (RFC 9110, section 8.4), although none was asked for, and reads the text in its charset.
 * Bytes that are no text become U+FFFD: the ids that the suite looks for are still found beside them.
 */
async function decode(bytes: Buffer, headers: Headers, most: number): Promise<string> {
  const codings = headers
    .filter(([name]) => name.toLowerCase() === 'content-encoding')
    .flatMap(([, value]) => value.split(','))
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  let plain = bytes;
  if (plain.length > 0) {
    for (const coding of codings.reverse()) {
      const decoder = decoders[coding];
      if (decoder === undefined)
        throw new Unusable('unreadable', `The body is encoded as '${coding}', which was not asked for.`);
      try {
        plain = await decoder(plain, { maxOutputLength: most });
      } catch (error) {
        const tooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
        throw tooLarge
          ? new Unusable('too-large', `The body unpacks to more than ${most} bytes.`)
          : new Unusable('unreadable', `The body is no valid ${coding}.`);
      }
    }
  }
  return decoderFor(headers).decode(plain);
}

function decoderFor(headers: Headers): InstanceType<typeof TextDecoder> {
  const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(headerValues(headers, 'content-type')[0] ?? '')?.[1];
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

/** What network errors mean, by their code. Their own messages are not shown: they may hold headers. */
const meanings: readonly { codes: RegExp; trouble: Trouble; message: (limits: Limits, host: string) => string }[] = [
  {
    codes: /^ECONNREFUSED$/,
    trouble: 'unreachable',
    message: (_, host) => `${host} refuses the connection. Is the deployment running, and the base URL right?`,
  },
  {
    codes: /^(ENOTFOUND|EAI_AGAIN)$/,
    trouble: 'unreachable',
    message: (_, host) => `The name of ${host} cannot be resolved. Is the base URL right?`,
  },
  {
    codes: /^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/,
    trouble: 'unreachable',
    message: (_, host) => `${host} cannot be reached.`,
  },
  {
    codes: /^UND_ERR_CONNECT_TIMEOUT$/,
    trouble: 'unreachable',
    message: ({ timeoutMs }, host) => `${host} did not accept a connection within ${timeoutMs} ms.`,
  },
  {
    codes: /^(CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_SSL|EPROTO)/,
    trouble: 'unreachable',
    message: (_, host) => `The TLS connection to ${host} failed: its certificate is not trusted, or it speaks no TLS.`,
  },
  {
    codes: /TimeoutError|_TIMEOUT$/,
    trouble: 'timed-out',
    message: ({ timeoutMs }) => `There was no complete response within ${timeoutMs} ms.`,
  },
  {
    codes: /HEADERS_OVERFLOW$/,
    trouble: 'too-large',
    message: ({ headerBytes }) => `The headers are larger than ${headerBytes} bytes.`,
  },
  {
    codes: /^(HPE_|HTTPParserError$|UND_ERR_RES_CONTENT_LENGTH|UND_ERR_RESPONSE)/,
    trouble: 'unreadable',
    message: () => 'The response is no valid HTTP, or its length is not as announced.',
  },
];

function troubleFrom(error: unknown, limits: Limits, host: string): { trouble: Trouble; message: string } {
  if (error instanceof Unusable) return { trouble: error.trouble, message: error.message };
  const codes = codesOf(error);
  for (const { codes: known, trouble, message } of meanings) {
    if (codes.some((code) => known.test(code))) return { trouble, message: message(limits, host) };
  }
  if (codes.some((code) => code === 'UND_ERR_INVALID_ARG' || code === 'ERR_INVALID_CHAR')) {
    return {
      trouble: 'not-sent',
      message: 'The request cannot be sent: a header or the path holds a character that HTTP does not allow.',
    };
  }
  return {
    trouble: 'broken-connection',
    message: `The connection broke before the response was complete (${codes[0] ?? 'unknown cause'}).`,
  };
}

/** The codes of an error, of its causes and of the errors it gathers. */
function codesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const { code, name, cause } = error as NodeJS.ErrnoException & { cause?: unknown };
  const gathered = error instanceof AggregateError ? error.errors.flatMap(codesOf) : [];
  return [...(code === undefined ? [] : [String(code)]), name, ...gathered, ...codesOf(cause)];
}
