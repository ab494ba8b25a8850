import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { packageRoot } from './package-root.js';
import type { Problem } from './problem.js';
import { suggest } from './suggest.js';
import type { Path, YamlFile } from './yaml-file.js';

const ajv = new Ajv2020({ allErrors: true, verbose: true, strict: true, strictRequired: false, strictTypes: false });
// ajv-formats is CommonJS whose type declarations put the function under `default`.
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);

const compiled = new Map<string, ValidateFunction>();

/** The validator of a file in `schemas/`, by its name without `.schema.json`. Compiled once per process. */
export function schemaNamed(name: string): ValidateFunction {
  let validate = compiled.get(name);
  if (validate === undefined) {
    const file = path.join(packageRoot, 'schemas', `${name}.schema.json`);
    validate = ajv.compile(JSON.parse(readFileSync(file, 'utf8')));
    compiled.set(name, validate);
  }
  return validate;
}

/**
 * Compiles a JSON Schema (draft 2020-12) that a user wrote.
 *
 * @throws Error that says what is wrong with the schema
 */
export function compileSchema(schema: object | boolean): ValidateFunction {
  return new Ajv2020({ allErrors: true, strict: false, validateFormats: false }).compile(schema);
}

/**
 * Checks a file against a schema of `schemas/`.
 *
 * @param under the part of the file to check, from its root
 * @returns one problem per thing that is wrong, each at its line and column
 */
export function schemaProblems(schema: string, file: YamlFile, under: Path = []): Problem[] {
  const validate = schemaNamed(schema);
  const value = under.reduce<unknown>((part, step) => (part as Record<string | number, unknown>)[step], file.value);
  if (validate(value)) return [];
  return (validate.errors ?? []).filter(isCause).map((error) => problemOf(error, file, under));
}

/** Errors of the applicators around a cause repeat it without saying more. */
function isCause({ keyword }: ErrorObject): boolean {
  return !['if', 'anyOf', 'oneOf', 'allOf'].includes(keyword);
}

function problemOf(error: ErrorObject, file: YamlFile, under: Path): Problem {
  const steps: Path = [...under, ...stepsOf(error.instancePath)];
  const subject = steps.length === 0 ? 'the file' : `'${steps.at(-1)}'`;
  const unexpected: unknown = error.params.additionalProperty ?? error.params.unevaluatedProperty;
  if (typeof unexpected === 'string') {
    const known = Object.keys((error.parentSchema?.properties as object | undefined) ?? {});
    return {
      at: file.atKey([...steps, unexpected]),
      message: `unknown key '${unexpected}'`,
      mend: suggest(unexpected, known),
    };
  }
  const at = file.at(steps);
  switch (error.keyword) {
    case 'propertyNames':
      return {
        at: file.atKey([...steps, error.params.propertyName]),
        message: `'${error.params.propertyName}' is no good name here`,
      };
    case 'required':
      return {
        at,
        message: `${subject} lacks the key '${error.params.missingProperty}'`,
        mend: `Add '${error.params.missingProperty}:'.`,
      };
    case 'enum': {
      const allowed = (error.params.allowedValues as unknown[]).map(String);
      return {
        at,
        message: `${subject} cannot be '${String(error.data)}'`,
        mend: suggest(String(error.data), allowed),
      };
    }
    case 'pattern':
      return {
        at,
        message: `'${String(error.data)}' is not of the form ${error.params.pattern}`,
        mend: descriptionOf(error),
      };
    default:
      return { at, message: `${subject} ${error.message ?? 'is not as its schema asks'}`, mend: descriptionOf(error) };
  }
}

function descriptionOf(error: ErrorObject): string {
  const description = (error.parentSchema as { description?: unknown } | undefined)?.description;
  return typeof description === 'string' ? description : `Its schema says '${error.keyword}'.`;
}

/** The steps of a JSON Pointer (RFC 6901). */
export function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
