import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync, unzipSync } from 'fflate';

/** A file as text and, where it is an archive or a page that holds one, all that is packed in it. */
function* textsOf(name: string, bytes: Buffer): Generator<readonly [name: string, text: string]> {
  const text = bytes.toString('latin1');
  yield [name, text];
  if (name.endsWith('.gz')) yield [`${name}: unpacked`, Buffer.from(gunzipSync(bytes)).toString('latin1')];
  const packed = /data:application\/zip;base64,([A-Za-z0-9+/=]+)/.exec(text)?.[1];
  const archive = name.endsWith('.zip') ? bytes : Buffer.from(packed ?? '', 'base64');
  if (archive.length === 0) return;
  for (const [inner, content] of Object.entries(unzipSync(archive)))
    yield* textsOf(`${name}: ${inner}`, Buffer.from(content));
}

/** All that a folder holds, by the name of its file there. */
export function readTexts(folder: string): (readonly [name: string, text: string])[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .flatMap((file) => [...textsOf(path.relative(folder, file), readFileSync(file))]);
}
