/** The one place that turns the bytes of a file into text. */

import { readInputFile } from './problem.js';

/** The encodings that a byte order mark announces, with its bytes. PowerShell's `>` writes UTF-16. */
const encodings = [
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
] as const;

/** Decodes the encoding that a byte order mark announces, and UTF-8 without one. The mark is no part of the text. */
export function decodeText(bytes: Uint8Array): string {
  const isMarked = ([, mark]: (typeof encodings)[number]) => mark.every((byte, n) => bytes[n] === byte);
  const [encoding = 'utf-8'] = encodings.find(isMarked) ?? [];
  return new TextDecoder(encoding).decode(bytes);
}

/** The end of the lines of a text: Windows has another one, and what the suite adds has that of the file. */
export function findLineEnd(text: string): '\r\n' | '\n' {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** Reads a text file that a user names. @param terms as for {@link readInputFile} @throws UnusableInput */
export function readTextFile(file: string, hint: string, terms: Parameters<typeof readInputFile>[2] = {}): string {
  return decodeText(readInputFile(file, hint, terms));
}
