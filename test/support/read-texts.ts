import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { unzipSync } from 'fflate';

/** Yields a file as text, and everything in it if it is an archive or a page with one. */
function* unpackTexts(name: string, bytes: Buffer): Generator<readonly [name: string, text: string]> {
  const text = bytes.toString('latin1');
  yield [name, text];
  const packed = /data:application\/zip;base64,([A-Za-z0-9+/=]+)/.exec(text)?.[1];
  const archive = name.endsWith('.zip') ? bytes : Buffer.from(packed ?? '', 'base64');
  if (archive.length === 0) return;
  for (const [inner, content] of Object.entries(unzipSync(archive)))
    yield* unpackTexts(`${name}: ${inner}`, Buffer.from(content));
}

/** Reads all files of a folder. */
export function readTexts(folder: string): (readonly [name: string, text: string])[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .flatMap((file) => [...unpackTexts(path.relative(folder, file), readFileSync(file))]);
}
