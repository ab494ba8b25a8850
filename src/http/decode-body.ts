import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { Limits } from './connection-options.js';
import { getHeaderValues, type Headers } from './exchange.js';
import { ExchangeError } from './transport-error.js';

/** Bytes that are not text become U+FFFD. @throws ExchangeError if a body exceeds a limit or has an unknown coding */
export async function decodeBody(
  bytes: Uint8Array,
  headers: Headers,
  { body_bytes, body_values }: Pick<Limits, 'body_bytes' | 'body_values'>,
): Promise<string> {
  let plain = bytes;
  // Codings are listed in the order in which they were applied (RFC 9110, section 8.4). An empty body has none.
  const listed = getHeaderValues(headers, 'content-encoding').join().toLowerCase();
  const codings = listed.match(/[^\s,]+/g) ?? [];
  if (bytes.length > 0) for (const coding of codings.toReversed()) plain = await decompress(plain, coding, body_bytes);
  const text = createTextDecoder(headers).decode(plain);
  // A parsed value takes a hundred times the memory of its text. Separators in strings count, too.
  if (text.split(/[,[{]/, body_values + 1).length > body_values)
    throw new ExchangeError('too-large', `The body has more than ${body_values} values (limits.body_values).`);
  return text;
}

type Decoder = (bytes: Uint8Array, limit: { readonly maxOutputLength: number }) => Promise<Uint8Array>;

const decoders = new Map<string, Decoder>([
  ['identity', async (bytes) => bytes],
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

async function decompress(bytes: Uint8Array, coding: string, maxBytes: number): Promise<Uint8Array> {
  const decode = decoders.get(coding);
  if (decode === undefined)
    throw new ExchangeError('unreadable', `The body has the unknown content coding '${coding}'.`);
  return await decode(bytes, { maxOutputLength: maxBytes }).catch(({ code }) => {
    if (code !== 'ERR_BUFFER_TOO_LARGE') throw new ExchangeError('unreadable', `The body is not valid ${coding}.`);
    throw new ExchangeError('too-large', `The body expands to more than ${maxBytes} bytes (limits.body_bytes).`);
  });
}

function createTextDecoder(headers: Headers): InstanceType<typeof TextDecoder> {
  const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(getHeaderValues(headers, 'content-type')[0] ?? '')?.[1];
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
