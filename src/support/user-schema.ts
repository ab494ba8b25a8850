import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { getMember } from './json.js';

let ajv: Ajv2020 | undefined;

/**
 * Compiles a JSON Schema (draft 2020-12) that a user wrote or that was inferred. Ajv compiles the same object once.
 *
 * @throws Error if the schema is invalid
 */
export function compileSchema(schema: object | boolean): ValidateFunction {
  // `ownProperties`: every object inherits `constructor`, and a body may have a member of that name.
  ajv ??= new Ajv2020({ allErrors: true, strict: false, validateFormats: false, ownProperties: true });
  const id = getMember(schema, '$id');
  // Ajv refuses a second schema with the same $id. Reading a file twice yields one.
  if (typeof id === 'string' && ajv.getSchema(id)?.schema !== schema) ajv.removeSchema(id);
  return ajv.compile(schema);
}
