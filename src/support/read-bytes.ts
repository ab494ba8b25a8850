import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

const megabyte = 1024 * 1024;

/** In bytes. Files of each kind come from somebody else, too, and none of them is nearly as large. */
export const fileSizeLimits = {
  /** YAML: a parser of YAML reads about a megabyte in a second. */
  text: 8 * megabyte,
  /** JSON: certificates, and data files with all customers of a shop. */
  json: 128 * megabyte,
  /** A run keeps 128 million characters of bodies. */
  evidence: 256 * megabyte,
} as const;

/** A file that is not read, although the system would. The message is the reason. */
export class RefusedFileError extends Error {
  override readonly name = 'RefusedFileError';
}

/**
 * Reads a regular file up to a limit. A pipe or a device is not read: it may never end.
 *
 * @param limit in bytes @throws RefusedFileError, or an error of the system
 */
export function readBytes(file: string, limit: number): Buffer {
  // Without O_NONBLOCK, to open a pipe waits for somebody who writes to it.
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    return readDescriptor(descriptor, limit);
  } finally {
    closeSync(descriptor);
  }
}

function readDescriptor(descriptor: number, limit: number): Buffer {
  const stat = fstatSync(descriptor);
  if (stat.isDirectory()) throw new RefusedFileError('it is a folder');
  if (!stat.isFile()) throw new RefusedFileError('it is not a regular file');
  if (stat.size > limit) throw createSizeError(limit);
  // The stated size is no bound: files of /proc state 0, and a file may grow.
  const chunks: Buffer[] = [];
  let size = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(Math.max(stat.size - size, 64 * 1024));
    const count = readSync(descriptor, chunk);
    if (count === 0) return Buffer.concat(chunks, size);
    chunks.push(chunk.subarray(0, count));
    size += count;
    if (size > limit) throw createSizeError(limit);
  }
}

function createSizeError(limit: number): RefusedFileError {
  return new RefusedFileError(`it has more than ${limit / megabyte} MB`);
}
