import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../support/package-root.js';
import { UnusableInput } from '../support/problem.js';
import { precompileSchemas } from '../support/schema-validation.js';
import { precompileSuite } from './suite.js';

/**
 * Runs after the compiler: removes compiled files without a source, and declarations that the package does not export;
 * compiles the schemas; expands the suite.
 */

const compiled = path.join(packageRoot, 'dist');
const declarations = new Set(
  ['api.d.ts', 'mock.d.ts'].flatMap((name) => [...findDeclarations(path.join(compiled, 'src', name))]),
);
for (const folder of ['reference', 'specs', 'src']) {
  for (const name of readdirSync(path.join(compiled, folder), { recursive: true, encoding: 'utf8' })) {
    const [, source] = /^(.*)\.(?:d\.ts|js(?:\.map)?)$/.exec(path.join(folder, name)) ?? [];
    // An old file in a folder of assertion kinds or commands would be loaded.
    const isUnused = name.endsWith('.d.ts') && !declarations.has(path.join(compiled, folder, name));
    if (source !== undefined && (isUnused || !existsSync(path.join(packageRoot, `${source}.ts`))))
      rmSync(path.join(compiled, folder, name));
  }
}

/** Finds a declaration file and all files that it imports. */
function findDeclarations(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, other = ''] of readFileSync(file, 'utf8').matchAll(/(?:from|import)\(? ?'(\.[^']+)\.js'/g))
    findDeclarations(path.resolve(path.dirname(file), `${other}.d.ts`), found);
  return found;
}

precompileSchemas();

try {
  precompileSuite();
} catch (error) {
  // A mistake in a case file does not fail the build: commands that load the suite report it.
  if (!(error instanceof UnusableInput)) throw error;
}
