import { createContext, Script } from 'node:vm';
import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { getMember } from './json.js';
import { requireLazily } from './require-lazily.js';

const loadAjv = requireLazily<typeof import('ajv/dist/2020.js')>('ajv/dist/2020.js');

let ajv: Ajv2020 | undefined;

/**
 * Compiles a JSON Schema (draft 2020-12) that a user wrote or that was inferred. Ajv compiles the same object once.
 *
 * @throws Error if the schema is invalid
 */
export function compileSchema(schema: object | boolean): ValidateFunction {
  // `ownProperties`: every object inherits `constructor`, and a body may have a member of that name.
  ajv ??= new (loadAjv().Ajv2020)({ allErrors: true, strict: false, validateFormats: false, ownProperties: true });
  const id = getMember(schema, '$id');
  // Ajv refuses a second schema with the same $id. Reading a file twice yields one.
  if (typeof id === 'string' && ajv.getSchema(id)?.schema !== schema) ajv.removeSchema(id);
  return ajv.compile(schema);
}

/** The processor time that a value may take, in milliseconds. Only a pattern that backtracks takes longer. */
const maxMs = 1_000;

const tooSlow = new WeakSet<ValidateFunction>();
const check = new Script('check()');
/** One context for all checks: creating one takes longer than most checks. */
const context: { check?: () => void } = createContext({});

/**
 * Checks a value. The clock goes on while a busy machine runs other programs, so a check that was stopped starts again
 * until it has taken a second of processor time.
 *
 * @returns the errors; undefined if the check of this value, or of an earlier one, took longer
 */
export function listSchemaErrors(schema: object | boolean, value: unknown): readonly ErrorObject[] | undefined {
  const validate = compileSchema(schema);
  if (tooSlow.has(validate)) return undefined;
  context.check = () => void validate(value);
  const { user } = process.cpuUsage();
  while (process.cpuUsage().user - user < maxMs * 1_000)
    try {
      // A script with a time limit is the only way to stop a regular expression.
      check.runInContext(context, { timeout: maxMs });
      return validate.errors ?? [];
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    }
  tooSlow.add(validate);
  return undefined;
}

/** Returns what is wrong with a JSON Schema, or undefined. */
export function findSchemaFlaw(schema: object | boolean): string | undefined {
  try {
    compileSchema(schema);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
