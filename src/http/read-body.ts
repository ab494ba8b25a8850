import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { Limits } from './connection-options.js';
import { getHeaderValues, type Headers } from './exchange.js';
import { ExchangeError } from './transport-error.js';

/**
 * Reads a body to its end as text. Decodes chunk by chunk, so that the bytes can be freed early.
 *
 * @param headers of the response; they name the content codings and the charset
 * @returns the text; bytes that are not text become U+FFFD, so that ids beside them are still found
 * @throws ExchangeError if the body exceeds a limit or has an unknown coding
 */
export async function readBody(
  body: AsyncIterable<Uint8Array>,
  headers: Headers,
  { bodyBytes, bodyValues }: Pick<Limits, 'bodyBytes' | 'bodyValues'>,
): Promise<string> {
  const codings = parseContentCodings(headers);
  const bounded = limitBytes(bodyBytes, body);
  const plain = codings.length === 0 ? bounded : [await decodeContent(await buffer(bounded), codings, bodyBytes)];
  const decoder = createTextDecoder(headers);
  let text = '';
  let values = 0;
  const append = (decoded: string): void => {
    text += decoded;
    values += countValues(decoded);
    if (values >= bodyValues)
      throw new ExchangeError('too-large', `The body has more than ${bodyValues} values (limits.body_values).`);
  };
  for await (const chunk of plain) append(decoder.decode(chunk, { stream: true }));
  append(decoder.decode());
  return text;
}

/**
 * Counts the values that a JSON text has at most: a parsed value takes a hundred times the memory of its text. Also
 * counts separators in strings.
 */
function countValues(text: string): number {
  let separators = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text[at];
    if (unit === ',' || unit === '[' || unit === '{') separators += 1;
  }
  return separators;
}

async function* limitBytes(maxBytes: number, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    // Leaving the loop closes the connection, so the rest is not read.
    if (size > maxBytes)
      throw new ExchangeError('too-large', `The body is larger than ${maxBytes} bytes (limits.body_bytes).`);
    yield chunk;
  }
}

/** Lists content codings in the order in which they were applied (RFC 9110, section 8.4). */
function parseContentCodings(headers: Headers): string[] {
  return getHeaderValues(headers, 'content-encoding')
    .flatMap((value) => value.split(','))
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
}

const decoders: Readonly<Record<string, (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/** Decodes content codings, although the client requests none. */
async function decodeContent(bytes: Buffer, codings: readonly string[], maxBytes: number): Promise<Buffer> {
  if (bytes.length === 0) return bytes;
  const unreadable = (message: string) => new ExchangeError('unreadable', message);
  let plain = bytes;
  for (const coding of codings.toReversed()) {
    const decode = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined;
    if (decode === undefined) throw unreadable(`The body has the content coding '${coding}', which was not requested.`);
    try {
      plain = await decode(plain, { maxOutputLength: maxBytes });
    } catch (error) {
      const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
      if (!isTooLarge) throw unreadable(`The body is not valid ${coding}.`);
      throw new ExchangeError('too-large', `The body expands to more than ${maxBytes} bytes (limits.body_bytes).`);
    }
  }
  return plain;
}

function createTextDecoder(headers: Headers): InstanceType<typeof TextDecoder> {
  const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(getHeaderValues(headers, 'content-type')[0] ?? '')?.[1];
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
