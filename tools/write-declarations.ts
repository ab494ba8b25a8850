import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { distFolder, readOwnPackage } from '../src/support/package-root.js';

/** In the declarations that the compiler writes, the paths of other modules. */
const relativeImport = /(?<=(?:from |import\()['"])(\.[^'"]+)\.js(?=['"])/g;

/**
 * Writes the declarations of modules, and of all modules that they name, into one file. There each module has a name that
 * nobody imports; beside each bundled module, a small file passes its declarations on.
 *
 * @param entries the modules that programs import, without endings
 */
export function writeDeclarations(entries: readonly string[], folder: string): void {
  const modules = new Set(entries);
  const blocks: string[] = [];
  for (const module of modules) {
    const text = readFileSync(path.join(distFolder, `${module}.d.ts`), 'utf8');
    const named = text.replaceAll(relativeImport, (_, relative: string) => {
      const imported = path.posix.join(path.posix.dirname(module), relative);
      modules.add(imported);
      return nameModule(imported);
    });
    // Everything within a declared module is declared.
    blocks.push(`declare module '${nameModule(module)}' {\n${named.replaceAll(/^(export )?declare /gm, '$1')}}\n`);
  }
  writeFileSync(path.join(folder, 'declarations.d.ts'), blocks.join('\n'));
  for (const entry of entries) {
    const reference = path.posix.relative(path.posix.dirname(entry), 'declarations.d.ts');
    const lines = [`/// <reference path="${reference}" />`, `export * from '${nameModule(entry)}';`];
    if (hasDefaultExport(entry)) lines.push(`export { default } from '${nameModule(entry)}';`);
    writeFileSync(path.join(folder, `${entry}.d.ts`), `${lines.join('\n')}\n`);
  }
}

function nameModule(module: string): string {
  return `${readOwnPackage().name}/internal/${module}`;
}

function hasDefaultExport(module: string): boolean {
  return /^export default |^export \{ default/m.test(readFileSync(path.join(distFolder, `${module}.d.ts`), 'utf8'));
}
