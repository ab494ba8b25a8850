import { createRequire } from 'node:module';
import type { Ajv2020, ValidateFunction } from 'ajv/dist/2020.js';
import { getMember } from './json.js';

const require = createRequire(import.meta.url);

let ajv: Ajv2020 | undefined;

/**
 * Compiles a JSON Schema (draft 2020-12) that a user wrote or that was inferred. Ajv compiles the same object once.
 *
 * @throws Error if the schema is invalid
 */
export function compileSchema(schema: object | boolean): ValidateFunction {
  // Only a few runs compile a schema, so Ajv is not loaded before.
  const ajv2020: typeof import('ajv/dist/2020.js') = require('ajv/dist/2020.js');
  // `ownProperties`: every object inherits `constructor`, and a body may have a member of that name.
  ajv ??= new ajv2020.Ajv2020({ allErrors: true, strict: false, validateFormats: false, ownProperties: true });
  const id = getMember(schema, '$id');
  // Ajv refuses a second schema with the same $id. Reading a file twice yields one.
  if (typeof id === 'string' && ajv.getSchema(id)?.schema !== schema) ajv.removeSchema(id);
  return ajv.compile(schema);
}
