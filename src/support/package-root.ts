import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of this package. Modules run as sources and from `dist/`, so the number of levels up differs. */
export const packageRoot: string = (() => {
  let folder = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(folder, 'package.json'))) folder = path.dirname(folder);
  return folder;
})();

/** The folder with the compiled files: `dist/`, or the new one while it is built. */
export const distFolder: string = (() => {
  const [folder = ''] = path.relative(packageRoot, fileURLToPath(import.meta.url)).split(path.sep);
  return path.join(packageRoot, folder === 'src' ? 'dist' : folder);
})();

function readManifest(): { name: string; version: string; engines: { node: string } } {
  return JSON.parse(readFileSync(path.join(packageRoot, 'package.json'), 'utf8'));
}

export function readOwnPackage(): { name: string; version: string } {
  const { name, version } = readManifest();
  return { name, version };
}

/** Reads which versions of Node.js the package needs, such as `>=20.19`. */
export function readNeededNodeVersion(): string {
  return readManifest().engines.node;
}
