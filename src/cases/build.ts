import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../support/package-root.js';
import { UnusableInput } from '../support/problem.js';
import { precompileSchemas } from '../support/schema-validation.js';
import { precompileSuite } from './suite.js';

/**
 * After the compiler: compiles the schemas, expands the suite, and removes what was compiled from sources that are there
 * no more, and the declarations that nobody who imports the package needs.
 */

const compiled = path.join(packageRoot, 'dist');
const declarations = declarationsFrom(path.join(compiled, 'src', 'api.d.ts'));
for (const folder of ['reference', 'specs', 'src']) {
  for (const name of readdirSync(path.join(compiled, folder), { recursive: true, encoding: 'utf8' })) {
    const [, source] = /^(.*)\.(?:d\.ts|js(?:\.map)?)$/.exec(path.join(folder, name)) ?? [];
    // A kind of assertion, or a command, is whatever lies in its folder.
    const isUnused = name.endsWith('.d.ts') && !declarations.has(path.join(compiled, folder, name));
    if (source !== undefined && (isUnused || !existsSync(path.join(packageRoot, `${source}.ts`))))
      rmSync(path.join(compiled, folder, name));
  }
}

/** A file of declarations, and all that it refers to. */
function declarationsFrom(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, other = ''] of readFileSync(file, 'utf8').matchAll(/(?:from|import)\(? ?'(\.[^']+)\.js'/g))
    declarationsFrom(path.resolve(path.dirname(file), `${other}.d.ts`), found);
  return found;
}

precompileSchemas();

// A mistake in a case file is no reason not to build: whoever loads the suite sees it.
try {
  precompileSuite();
} catch (error) {
  if (!(error instanceof UnusableInput)) throw error;
}
