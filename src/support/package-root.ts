import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The folder that holds the package.json of this package. The same modules run as sources and, compiled, from `dist/`,
 * so how far up it is differs.
 */
export const packageRoot: string = (() => {
  let folder = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(folder, 'package.json'))) folder = path.dirname(folder);
  return folder;
})();

/** What the package.json of this package says of it. */
export function readOwnPackage(): { name: string; version: string } {
  const { name, version } = JSON.parse(readFileSync(path.join(packageRoot, 'package.json'), 'utf8'));
  return { name, version };
}
