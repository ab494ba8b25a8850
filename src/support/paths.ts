import path, { type PlatformPath } from 'node:path';

/**
 * Renders the path of a file as outputs show it: relative to the working folder, and with `/` on every system. Each system reads
 * it, no shell takes it for an escape, and results of two systems are equal.
 *
 * @param system whose paths they are
 */
export function renderPath(file: string, system: PlatformPath = path): string {
  return toPosixPath(system.relative('', file) || file, system);
}

/** Replaces the separators of a system by `/`. */
export function toPosixPath(file: string, system: PlatformPath = path): string {
  return system.sep === '/' ? file : file.replaceAll(system.sep, '/');
}

/** Whether a file is in a folder, or in one within it. On Windows, it may be on another drive. */
export function isInside(folder: string, file: string, system: PlatformPath = path): boolean {
  const relative = system.relative(folder, file);
  return relative !== '' && !system.isAbsolute(relative) && relative.split(system.sep)[0] !== '..';
}
