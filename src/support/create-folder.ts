import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';

/**
 * Creates a folder with all folders around it. The recursive `mkdirSync` of Node.js never returns where the system lets
 * nobody create a folder, as in `/proc/x`, nor for a relative path after the working folder was removed.
 *
 * @throws an Error of the system
 */
export function createFolder(folder: string): void {
  const absolute = path.resolve(folder);
  if (existsSync(absolute)) return;
  createFolder(path.dirname(absolute));
  try {
    mkdirSync(absolute);
  } catch (error) {
    // Another process may have created it.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
