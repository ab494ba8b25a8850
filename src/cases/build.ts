import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../support/package-root.js';
import { UnusableInput } from '../support/problem.js';
import { buildSchemas } from '../support/schema.js';
import { buildSuite } from './suite.js';

/** After the compiler: compiles the schemas, expands the suite, and removes what was compiled from sources that are there no more. */

const compiled = path.join(packageRoot, 'dist');
for (const folder of ['reference', 'specs', 'src']) {
  for (const name of readdirSync(path.join(compiled, folder), { recursive: true, encoding: 'utf8' })) {
    const [, source] = /^(.*)\.js(?:\.map)?$/.exec(path.join(folder, name)) ?? [];
    // A kind of assertion, or a command, is whatever lies in its folder.
    if (source !== undefined && !existsSync(path.join(packageRoot, `${source}.ts`)))
      rmSync(path.join(compiled, folder, name));
  }
}

buildSchemas();

// A mistake in a case file is no reason not to build: whoever loads the suite sees it.
try {
  buildSuite();
} catch (error) {
  if (!(error instanceof UnusableInput)) throw error;
}
