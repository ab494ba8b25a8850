import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { Limits } from './connection-options.js';
import { getHeaderValues, type Headers } from './exchange.js';
import { UnusableResponse } from './transport-error.js';

/**
 * Reads a body to its end, and keeps nothing of it but the text: the bytes of what has been decoded may be freed while
 * the rest comes in.
 *
 * @param body the bytes as they come
 * @param headers of the response: they say in which codings and in which character set the body is
 * @returns the text; bytes that are no text become U+FFFD, so that the ids beside them are still found
 * @throws UnusableResponse when it is larger than the limits, or in no coding that can be undone
 */
export async function readBody(
  body: AsyncIterable<Uint8Array>,
  headers: Headers,
  { bodyBytes, bodyValues }: Pick<Limits, 'bodyBytes' | 'bodyValues'>,
): Promise<string> {
  const codings = contentCodings(headers);
  const bounded = atMost(bodyBytes, body);
  const plain = codings.length === 0 ? bounded : [await unpacked(await buffer(bounded), codings, bodyBytes)];
  const decoder = decoderFor(headers);
  let text = '';
  let values = 0;
  const add = (decoded: string): void => {
    text += decoded;
    values += valuesIn(decoded);
    if (values >= bodyValues)
      throw new UnusableResponse('too-large', `The body has more than ${bodyValues} values (limits.body_values).`);
  };
  for await (const chunk of plain) add(decoder.decode(chunk, { stream: true }));
  add(decoder.decode());
  return text;
}

/**
 * How many values a text may have at most, if it is JSON: each takes a hundred times the memory of its text. What
 * stands inside of strings is counted, too.
 */
function valuesIn(text: string): number {
  let separators = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text[at];
    if (unit === ',' || unit === '[' || unit === '{') separators += 1;
  }
  return separators;
}

async function* atMost(maxBytes: number, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    // Leaving the loop closes the connection: the rest is not waited for.
    if (size > maxBytes)
      throw new UnusableResponse('too-large', `The body is larger than ${maxBytes} bytes (limits.body_bytes).`);
    yield chunk;
  }
}

/** The codings of a body in the order in which they were applied (RFC 9110, section 8.4). */
function contentCodings(headers: Headers): string[] {
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

/** Each may unpack to the whole limit, so what takes more than two is made to waste time. */
const maxCodings = 4;

/** Undoes content codings, although none was requested. */
async function unpacked(bytes: Buffer, codings: readonly string[], maxBytes: number): Promise<Buffer> {
  if (bytes.length === 0) return bytes;
  if (codings.length > maxCodings)
    throw new UnusableResponse(
      'unreadable',
      `The body is encoded ${codings.length} times over, which was not requested.`,
    );
  let plain = bytes;
  for (const coding of codings.toReversed()) {
    const decoder = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined;
    if (decoder === undefined)
      throw new UnusableResponse('unreadable', `The body is encoded as '${coding}', which was not requested.`);
    try {
      plain = await decoder(plain, { maxOutputLength: maxBytes });
    } catch (error) {
      const tooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
      throw tooLarge
        ? new UnusableResponse('too-large', `The body unpacks to more than ${maxBytes} bytes (limits.body_bytes).`)
        : new UnusableResponse('unreadable', `The body is no valid ${coding}.`);
    }
  }
  return plain;
}

function decoderFor(headers: Headers): InstanceType<typeof TextDecoder> {
  const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(getHeaderValues(headers, 'content-type')[0] ?? '')?.[1];
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
