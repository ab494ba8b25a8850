/** What the build makes after the compiler: validators, and the expanded suite. */

import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import formats from 'ajv-formats';
import { precompileSuite } from '../src/suite/suite.js';
import { writeCompressedFile } from '../src/support/compressed-file.js';
import { distFolder, packageRoot } from '../src/support/package-root.js';
import { UnusableInput } from '../src/support/problem.js';

// Compiling schemas takes a tenth of the time of a run of one case. A test checks them against the meta-schema.
const schemas = path.join(packageRoot, 'schemas');
const validators = path.join(distFolder, 'validators');
const ids = readdirSync(schemas, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.schema.json'))
  .map((file) => file.replaceAll(path.sep, '/'));
const ajv = new Ajv2020({
  allErrors: true,
  verbose: true,
  strict: true,
  strictRequired: false,
  strictTypes: false,
  validateSchema: false,
  // Of a rule of some kind, only the problems of that kind are reported.
  discriminator: true,
  code: { source: true },
});
formats.default(ajv);
ajv.addSchema(ids.map((id) => JSON.parse(readFileSync(path.join(schemas, id), 'utf8'))));
mkdirSync(validators, { recursive: true });
for (const id of ids) {
  const validate = ajv.getSchema(id);
  if (validate === undefined) throw new Error(`schemas/${id} has another $id.`);
  const name = path.basename(id, '.schema.json');
  writeCompressedFile(path.join(validators, `${name}.cjs.gz`), standalone.default(ajv, validate));
}

// The build accepts a mistake in a case file: commands that load the suite report it.
try {
  precompileSuite();
} catch (error) {
  if (!(error instanceof UnusableInput)) throw error;
}
