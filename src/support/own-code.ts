import path from 'node:path';
import { bundleFolderName, distFolder, packageRoot } from './package-root.js';
import { isInside } from './paths.js';

const folders = [path.join(packageRoot, 'src'), path.join(distFolder, 'src'), path.join(distFolder, bundleFolderName)];

/** Whether a file is code of the suite, as a source, compiled or bundled. */
export function isOwnCode(file: string): boolean {
  return folders.some((folder) => isInside(folder, file));
}
