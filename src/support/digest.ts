import { createHash } from 'node:crypto';

export function computeDigest(content: Buffer | string): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

/** Computes the digest of a text file: Git may write other line ends on Windows. */
export function computeTextDigest(text: string): string {
  return computeDigest(text.replaceAll('\r\n', '\n'));
}
