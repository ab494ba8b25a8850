import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { Limits } from './connection-options.js';
import { type Headers, headerValues } from './exchange.js';
import { Unusable } from './transport-error.js';

/**
 * Reads a body to its end.
 *
 * @returns its text; bytes that are no text become U+FFFD, so that the ids beside them are still found
 * @throws Unusable when it is larger than the limits, or in no coding that can be undone
 */
export async function readBody(
  body: AsyncIterable<Uint8Array>,
  headers: Headers,
  { bodyBytes, bodyValues }: Pick<Limits, 'bodyBytes' | 'bodyValues'>,
): Promise<string> {
  const text = decoderFor(headers).decode(await unpacked(await collected(body, bodyBytes), headers, bodyBytes));
  if (hasMoreValues(text, bodyValues))
    throw new Unusable('too-large', `The body has more than ${bodyValues} values (limits.body_values).`);
  return text;
}

/** Whether a text, if it is JSON, may have more values than that: a value takes a hundred times the memory of its text. */
function hasMoreValues(text: string, most: number): boolean {
  if (text.length <= most) return false;
  // Those inside of strings are counted, too.
  let separators = 0;
  for (let at = 0; at < text.length && separators < most; at += 1) {
    const unit = text[at];
    if (unit === ',' || unit === '[' || unit === '{') separators += 1;
  }
  return separators === most;
}

async function collected(body: AsyncIterable<Uint8Array>, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    // Leaving the loop closes the connection: the rest is not waited for.
    if (size > most) throw new Unusable('too-large', `The body is larger than ${most} bytes (limits.body_bytes).`);
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

/** Each may unpack to the whole limit, so what takes more than two is made to waste time. */
const maxCodings = 4;

/** Undoes the content coding (RFC 9110, section 8.4), although none was asked for. */
async function unpacked(bytes: Buffer, headers: Headers, most: number): Promise<Buffer> {
  const codings = headerValues(headers, 'content-encoding')
    .flatMap((value) => value.split(','))
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (bytes.length === 0) return bytes;
  if (codings.length > maxCodings)
    throw new Unusable('unreadable', `The body is encoded ${codings.length} times over, which was not asked for.`);
  let plain = bytes;
  for (const coding of codings.reverse()) {
    const decoder = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined;
    if (decoder === undefined)
      throw new Unusable('unreadable', `The body is encoded as '${coding}', which was not asked for.`);
    try {
      plain = await decoder(plain, { maxOutputLength: most });
    } catch (error) {
      const tooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
      throw tooLarge
        ? new Unusable('too-large', `The body unpacks to more than ${most} bytes (limits.body_bytes).`)
        : new Unusable('unreadable', `The body is no valid ${coding}.`);
    }
  }
  return plain;
}

function decoderFor(headers: Headers): InstanceType<typeof TextDecoder> {
  const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(headerValues(headers, 'content-type')[0] ?? '')?.[1];
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
