import type { Ajv2020, ValidateFunction } from 'ajv/dist/2020.js';
import { requireLazily } from './require-lazily.js';

const ajv = requireLazily<typeof import('ajv/dist/2020.js')>('ajv/dist/2020.js');

// Own properties only: a body may have a member `constructor`, and any object has one.
const options = { allErrors: true, strict: false, validateFormats: false, ownProperties: true };

let made: Ajv2020 | undefined;

function users(): Ajv2020 {
  made ??= new (ajv().Ajv2020)(options);
  return made;
}

const usersCompiled = new WeakMap<object, ValidateFunction>();

/**
 * Compiles a JSON Schema (draft 2020-12) that a user wrote or that was inferred. The same object is compiled once.
 *
 * @throws Error that says what is wrong with the schema
 */
export function compileSchema(schema: object | boolean): ValidateFunction {
  if (typeof schema === 'boolean') return users().compile(schema);
  const known = usersCompiled.get(schema);
  if (known !== undefined) return known;
  // A file that is read again brings its $id again.
  if ('$id' in schema) users().removeSchema(String(schema.$id));
  const validate = users().compile(schema);
  usersCompiled.set(schema, validate);
  return validate;
}

/** What is wrong with a JSON Schema, if anything. */
export function findSchemaFlaw(schema: object | boolean): string | undefined {
  try {
    compileSchema(schema);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
