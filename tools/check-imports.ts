/** Refuses imports against the order of the rooms. Biome refuses circles. Runs as a part of `npm run lint`. */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../src/support/package-root.js';

/** The rooms of `src/` from top to bottom: a file imports only from its own room and from rooms above it. */
export const rooms = [
  'support',
  'http',
  'contract',
  'recognition',
  'assertions',
  'cases',
  'own-data',
  'suite',
  'judge',
  'record',
  'run',
  'explanation',
  'certificate',
  'outputs',
  'config',
  'certify',
  'runner',
  'cli',
] as const;

/** What the reference deployment may import from `src/`, as types. */
const referenceMayImport = ['http', 'contract'];

/** The rooms that may import the reference deployment. */
const mayImportReference = ['explanation', 'runner', 'cli'];

/**
 * Lists the imports of a package that go against the order of the rooms, as `file -> imported file`.
 *
 * @param root the folder of the package
 */
export function listForbiddenImports(root: string): string[] {
  const files = ['src', 'reference'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => path.posix.join(folder, name.replaceAll(path.sep, '/'))),
  );
  return files.flatMap((file) =>
    listImports(readFileSync(path.join(root, file), 'utf8'))
      .map(({ specifier, isType }) => ({ imported: path.posix.join(path.posix.dirname(file), specifier), isType }))
      .filter(({ imported, isType }) => !isAllowed(file, imported, isType))
      .map(({ imported }) => `${file} -> ${imported}`),
  );
}

function listImports(source: string): { readonly specifier: string; readonly isType: boolean }[] {
  const found = source.matchAll(/(?:^(?:import|export)( type)?\b[^;]*?from |\bimport\(|^import )'(\.[^']+)'/gms);
  return [...found].map(([, type, specifier = '']) => ({ specifier, isType: type !== undefined }));
}

function isAllowed(file: string, imported: string, isType: boolean): boolean {
  const [folder, room = ''] = file.split('/');
  const [importedFolder, importedRoom = ''] = imported.split('/');
  if (folder === 'reference')
    return (
      importedFolder === 'reference' ||
      (isType && importedFolder === 'src' && referenceMayImport.includes(importedRoom))
    );
  if (importedFolder === 'reference') return isFileOfSrc(file) || mayImportReference.includes(room);
  if (importedFolder !== 'src') return false;
  // The files of src/ itself are what programs import: they may use every room but the last one, and so may `cli/`. Through
  // them, any other room could use all rooms.
  if (isFileOfSrc(imported)) return isFileOfSrc(file) || room === 'cli';
  const names: readonly string[] = rooms;
  const position = isFileOfSrc(file) ? names.indexOf('runner') : names.indexOf(room);
  const importedPosition = names.indexOf(importedRoom);
  return importedPosition >= 0 && importedPosition <= position;
}

function isFileOfSrc(file: string): boolean {
  return file.split('/').length === 2;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const forbidden = listForbiddenImports(packageRoot);
  for (const problem of forbidden) process.stderr.write(`${problem}: see \`rooms\` in tools/check-imports.ts\n`);
  process.exitCode = forbidden.length === 0 ? 0 : 1;
}
