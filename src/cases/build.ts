import { appendFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../support/package-root.js';
import { UnusableInput } from '../support/problem.js';
import { precompileSuite } from './suite.js';

// The build runs this after the compiler. It accepts a mistake in a case file: commands that load the suite report it.
try {
  precompileSuite();
} catch (error) {
  if (!(error instanceof UnusableInput)) throw error;
}

// UI mode asks for the tests of a case file: Playwright looks for it among the sources of a spec.
const specs = path.join(packageRoot, 'dist', 'specs');
for (const spec of readdirSync(specs, { recursive: true, encoding: 'utf8' })) {
  const [, folder, file] = /^\d-(\w+)[/\\](.*\.yaml)\.spec\.js$/.exec(spec) ?? [];
  if (file === undefined) continue;
  const map = { version: 3, sources: [`../../../cases/${folder}/${file}`], names: [], mappings: '' };
  const url = `data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}`;
  appendFileSync(path.join(specs, spec), `\n//# sourceMappingURL=${url}\n`);
}
