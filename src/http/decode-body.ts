import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { Limits } from './connection-options.js';
import { getHeaderValues, type Headers } from './exchange.js';
import { ExchangeError } from './transport-error.js';

/**
 * Decodes a body to text.
 *
 * @param headers of the response; they name the content codings and the charset
 * @returns the text; bytes that are not text become U+FFFD, so that ids beside them are still found
 * @throws ExchangeError if the body exceeds a limit or has an unknown coding
 */
export async function decodeBody(
  bytes: Uint8Array,
  headers: Headers,
  { body_bytes, body_values }: Pick<Limits, 'body_bytes' | 'body_values'>,
): Promise<string> {
  let plain = bytes;
  // An empty body has no coding, whatever the headers say.
  const codings = bytes.length === 0 ? [] : parseContentCodings(headers);
  for (const coding of codings.toReversed()) plain = await decompress(plain, coding, body_bytes);
  const text = createTextDecoder(headers).decode(plain);
  // A parsed value takes a hundred times the memory of its text. Separators in strings count, too.
  if (text.split(/[,[{]/, body_values + 1).length > body_values)
    throw new ExchangeError('too-large', `The body has more than ${body_values} values (limits.body_values).`);
  return text;
}

/** Lists content codings in the order in which they were applied (RFC 9110, section 8.4). */
function parseContentCodings(headers: Headers): string[] {
  return getHeaderValues(headers, 'content-encoding')
    .flatMap((value) => value.split(','))
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
}

const decoders = new Map([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

/** Undoes a content coding, although the client requests none. */
async function decompress(bytes: Uint8Array, coding: string, maxBytes: number): Promise<Uint8Array> {
  const decode = decoders.get(coding);
  if (decode === undefined)
    throw new ExchangeError('unreadable', `The body has the content coding '${coding}', which was not requested.`);
  try {
    return await decode(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw new ExchangeError('too-large', `The body expands to more than ${maxBytes} bytes (limits.body_bytes).`);
    throw new ExchangeError('unreadable', `The body is not valid ${coding}.`);
  }
}

function createTextDecoder(headers: Headers): InstanceType<typeof TextDecoder> {
  const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(getHeaderValues(headers, 'content-type')[0] ?? '')?.[1];
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
