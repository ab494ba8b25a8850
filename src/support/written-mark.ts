/** How a run knows the files that a run wrote: the last words of each are a mark, with a digest of all that is before it. */

import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { readOwnPackage } from './package-root.js';

const owner = readOwnPackage().name;

/** Only the end of a comment, of a list or of an object may follow. */
const mark = new RegExp(`${owner} sha256:([0-9a-f]{64})[^0-9A-Za-z]*$`);

/** In bytes: longer than a mark and what follows it. */
const maxTail = 256;
const chunkSize = 1024 * 1024;

/** Git, editors and formatters change line ends and indentation. So white space is no part of the digest. */
const whiteSpace = /[ \t\r\n]+/g;

/** Joins the beginning of a file, its mark, and the end that closes the comment or the object that the mark is in. */
export function markAsWrittenByRun(beginning: readonly Buffer[], end: string): Buffer {
  const named = Buffer.concat([...beginning, Buffer.from(`${owner} sha256:`)]);
  const hash = createHash('sha256');
  for (let at = 0; at < named.length; at += chunkSize) updateDigest(hash, named.subarray(at, at + chunkSize));
  return Buffer.concat([named, Buffer.from(hash.digest('hex') + end)]);
}

/** Whether a run wrote a regular file, and nobody has changed it since, white space aside. */
export function isUnchangedRunOutput(file: string): boolean {
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const start = Math.max(0, size - maxTail);
    // One character for each byte.
    const tail = readPart(descriptor, start, size).toString('latin1');
    const found = mark.exec(tail);
    if (found === null) return false;
    const [, digest = ''] = found;
    const end = start + found.index + `${owner} sha256:`.length;
    const hash = createHash('sha256');
    for (let at = 0; at < end; at += chunkSize)
      updateDigest(hash, readPart(descriptor, at, Math.min(at + chunkSize, end)));
    return hash.digest('hex') === digest;
  } finally {
    closeSync(descriptor);
  }
}

function updateDigest(hash: ReturnType<typeof createHash>, part: Buffer): void {
  hash.update(part.toString('latin1').replaceAll(whiteSpace, ''), 'latin1');
}

function readPart(descriptor: number, start: number, end: number): Buffer {
  const part = Buffer.alloc(end - start);
  const count = readSync(descriptor, part, 0, part.length, start);
  return part.subarray(0, count);
}
