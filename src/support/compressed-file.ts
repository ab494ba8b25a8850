import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';

/** What the build generates is compressed: of what a user downloads and stores, it would be more than all the rest. */
export function writeCompressedFile(file: string, content: string | Uint8Array): void {
  writeFileSync(file, gzipSync(content, { level: 9 }));
}

export function readCompressedFile(file: string): Buffer {
  return gunzipSync(readFileSync(file));
}
