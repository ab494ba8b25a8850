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

/**
 * The folders beside `src/` whose imports run one way: a file imports from its own folder and from those before it. The
 * deployment answers, the faults break it, and the proof makes mistakes at its places.
 */
const layers = [
  'reference/deployment',
  'reference/faults',
  'tools/proof/mistakes',
  'tools/proof/places',
  'tools/proof/faults',
  'tools/proof',
] as const;

type Layer = (typeof layers)[number];

/** The rooms of which the reference deployment and its faults may import types. */
const referenceMayImport = ['http', 'contract'];

/** The rooms that may import the reference deployment. */
const mayImportReference: Readonly<Record<string, readonly Layer[]>> = {
  explanation: ['reference/deployment', 'reference/faults'],
  runner: ['reference/deployment'],
  cli: ['reference/deployment', 'reference/faults'],
};

/**
 * Lists the imports of a package that go against the order of the rooms, as `file -> imported file`.
 *
 * @param root the folder of the package
 */
export function listForbiddenImports(root: string): string[] {
  const files = ['src', 'reference', 'tools/proof'].flatMap((folder) =>
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
  const layer = findLayer(file);
  if (layer !== undefined) return isAllowedInLayer(layer, imported, isType);
  // A file of `reference/` that is in no layer would be in nobody's order.
  return file.startsWith('src/') && isAllowedInSrc(file, imported);
}

function isAllowedInLayer(layer: Layer, imported: string, isType: boolean): boolean {
  const importedLayer = findLayer(imported);
  if (importedLayer !== undefined) return layers.indexOf(importedLayer) <= layers.indexOf(layer);
  const [folder, room = ''] = imported.split('/');
  if (folder !== 'src') return false;
  return layer.startsWith('tools/') || (isType && referenceMayImport.includes(room));
}

function isAllowedInSrc(file: string, imported: string): boolean {
  const [, room = ''] = file.split('/');
  const importedLayer = findLayer(imported);
  if (importedLayer !== undefined) {
    return isFileOfSrc(file)
      ? importedLayer.startsWith('reference/')
      : (mayImportReference[room] ?? []).includes(importedLayer);
  }
  const [importedFolder, importedRoom = ''] = imported.split('/');
  if (importedFolder !== 'src') return false;
  // The files of src/ itself are what programs import: they may use every room but the last one, and so may `cli/`. Through
  // them, any other room could use all rooms.
  if (isFileOfSrc(imported)) return isFileOfSrc(file) || room === 'cli';
  const names: readonly string[] = rooms;
  const position = isFileOfSrc(file) ? names.indexOf('runner') : names.indexOf(room);
  const importedPosition = names.indexOf(importedRoom);
  return importedPosition >= 0 && importedPosition <= position;
}

/** The layer of a file: the longest folder that it is in. */
function findLayer(file: string): Layer | undefined {
  const holding = layers.filter((layer) => file.startsWith(`${layer}/`));
  return holding.toSorted((a, b) => b.length - a.length)[0];
}

function isFileOfSrc(file: string): boolean {
  return file.split('/').length === 2;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const forbidden = listForbiddenImports(packageRoot);
  for (const problem of forbidden) process.stderr.write(`${problem}: see \`rooms\` in tools/check-imports.ts\n`);
  process.exitCode = forbidden.length === 0 ? 0 : 1;
}
