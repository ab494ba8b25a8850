import { createContext, Script } from 'node:vm';
import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { requireLazily } from './require-lazily.js';

const loadAjv = requireLazily<typeof import('ajv/dist/2020.js')>('ajv/dist/2020.js');

let ajv: Ajv2020 | undefined;

const compiled = new WeakMap<object, ValidateFunction>();

/**
 * Compiles a JSON Schema (draft 2020-12) that a user wrote or that was inferred. The same object is compiled once.
 *
 * @throws Error if the schema is invalid
 */
export function compileSchema(schema: object | boolean): ValidateFunction {
  // `ownProperties`: every object inherits `constructor`, and a body may have a member of that name.
  ajv ??= new (loadAjv().Ajv2020)({ allErrors: true, strict: false, validateFormats: false, ownProperties: true });
  if (typeof schema === 'boolean') return ajv.compile(schema);
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  // Ajv refuses a second schema with the same $id. Reading a file twice yields one.
  if ('$id' in schema) ajv.removeSchema(String(schema.$id));
  const validate = ajv.compile(schema);
  compiled.set(schema, validate);
  return validate;
}

const maxMs = 1_000;
const context = createContext({});
const script = new Script('call()');
/** Schemas that took too long: the next bodies do not wait for them. */
const slow = new Set<object | boolean>();

/** Lists what is wrong with a value. @throws Error if that takes longer than a second: a pattern can backtrack */
export function findSchemaErrors(schema: object | boolean, value: unknown): readonly ErrorObject[] {
  if (slow.has(schema)) throw new Error(slowReason);
  const validate = compileSchema(schema);
  context.call = () => validate(value);
  try {
    return script.runInContext(context, { timeout: maxMs }) ? [] : (validate.errors ?? []);
  } catch {
    slow.add(schema);
    throw new Error(slowReason);
  }
}

const slowReason = 'that takes longer than a second. Look for a pattern that backtracks';

/** Returns what is wrong with a JSON Schema, or undefined. */
export function findSchemaFlaw(schema: object | boolean): string | undefined {
  try {
    compileSchema(schema);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
