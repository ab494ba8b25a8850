import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of this package. Modules run as sources and from `dist/`, so the number of levels up differs. */
export const packageRoot: string = (() => {
  let folder = path.dirname(fileURLToPath(import.meta.url));
  while (!existsSync(path.join(folder, 'package.json'))) folder = path.dirname(folder);
  return folder;
})();

const [top = '', second] = path.relative(packageRoot, fileURLToPath(import.meta.url)).split(path.sep);

/** The folder with what the build makes: `dist/`, or the new one while it is built. */
export const distFolder: string = path.join(packageRoot, top === 'src' ? 'dist' : top);

/** In the folder with what the build makes: what the package contains, in few files. */
export const bundleFolderName = 'bundle';

/**
 * The folder whose `src/` and `specs/` run: the bundle, in which a module may be anywhere, the output of the compiler, or the
 * package, for sources.
 */
export const codeFolder: string = chooseCodeFolder();

function chooseCodeFolder(): string {
  if (top === 'src') return packageRoot;
  return second === bundleFolderName ? path.join(distFolder, bundleFolderName) : distFolder;
}

export function readOwnPackage(): { name: string; version: string } {
  const { name, version } = JSON.parse(readFileSync(path.join(packageRoot, 'package.json'), 'utf8'));
  return { name, version };
}
