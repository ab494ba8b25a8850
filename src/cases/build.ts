import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../support/package-root.js';
import { UnusableInput } from '../support/problem.js';
import { precompileSchemas } from '../support/schema-validation.js';
import { precompileSuite } from './suite.js';

/** Runs after the compiler: removes compiled files without a source, compiles the schemas, expands the suite. */

const compiled = path.join(packageRoot, 'dist');
for (const folder of ['reference', 'specs', 'src']) {
  for (const name of readdirSync(path.join(compiled, folder), { recursive: true, encoding: 'utf8' })) {
    const [, source] = /^(.*)\.(?:d\.ts|js(?:\.map)?)$/.exec(path.join(folder, name)) ?? [];
    // An old file in a folder of assertion kinds or commands would be loaded.
    if (source !== undefined && !existsSync(path.join(packageRoot, `${source}.ts`)))
      rmSync(path.join(compiled, folder, name));
  }
}

precompileSchemas();

try {
  precompileSuite();
} catch (error) {
  // A mistake in a case file does not fail the build: commands that load the suite report it.
  if (!(error instanceof UnusableInput)) throw error;
}
