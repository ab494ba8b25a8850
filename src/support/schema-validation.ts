import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { compileFunction } from 'node:vm';
import type { Ajv2020, AnySchemaObject, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { computeOnce } from './caches.js';
import { readCompressedFile } from './compressed-file.js';
import { describeViolation } from './describe-violation.js';
import { parseJsonPointer } from './json.js';
import { distFolder, packageRoot } from './package-root.js';
import { maxProblems, type Problem, suggestName, UnusableInput } from './problem.js';
import { toOneLine } from './untrusted-text.js';
import type { ParsedFile, YamlFile, YamlPath } from './yaml-file.js';

const require = createRequire(import.meta.url);

const validators = new Map<string, ValidateFunction>();

/** Loads the validator of a schema, as the build compiled it. @param name of its file, without folder and ending */
export function loadValidator(name: string): ValidateFunction {
  const loaded = validators.get(name);
  if (loaded !== undefined) return loaded;
  const filename = path.join(distFolder, 'validators', `${name}.cjs.gz`);
  const module = { exports: {} as ValidateFunction };
  const run = compileFunction(readCompressedFile(filename).toString(), ['module', 'require'], { filename });
  run(module, require);
  validators.set(name, module.exports);
  return module.exports;
}

/** @param name of a file in `schemas/`, with its folder there and without its ending */
export function readSchema(name: string): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(path.join(packageRoot, 'schemas', `${name}.schema.json`), 'utf8'));
}

/** Only a few runs compile a schema, so Ajv is not loaded before. */
const createAjv = computeOnce((): Ajv2020 => {
  const ajv: typeof import('ajv/dist/2020.js') = require('ajv/dist/2020.js');
  // `ownProperties`: every object inherits `constructor`, and a body may have a member of that name.
  return new ajv.Ajv2020({ allErrors: true, strict: false, validateFormats: false, ownProperties: true });
});

/** Compiles a JSON Schema (draft 2020-12) that was inferred. @throws Error if it is invalid */
export function compileSchema(schema: object): ValidateFunction {
  return createAjv().compile(schema);
}

/** Finds the first problem of a document, which programs write; undefined if it fits its schema. */
export function findSchemaProblem(schema: string, document: unknown): string | undefined {
  if (document === undefined) return 'it is not JSON';
  const validate = loadValidator(schema);
  if (validate(document)) return undefined;
  const [first] = validate.errors ?? [];
  return first && toOneLine(`${first.instancePath || 'it'} ${describeViolation(first)}`);
}

export function findSchemaProblems(schema: string, file: ParsedFile): Problem[] {
  const validate = loadValidator(schema);
  if (validate(file.value)) return [];
  return createProblems(validate.errors ?? [], file);
}

/** To find the place of a problem takes time, so only the first ones are located. */
function createProblems(errors: readonly ErrorObject[], file: ParsedFile): Problem[] {
  const causes = errors.filter(isCause);
  if (causes.length <= maxProblems) return causes.map((error) => createProblem(error, file));
  const problems = causes.slice(0, maxProblems - 1).map((error) => createProblem(error, file));
  const message = `there are ${causes.length - problems.length} more problems like these`;
  return [...problems, { at: file.locate([]), message, hint: 'Correct the first ones, then run the command again.' }];
}

/** @throws UnusableInput */
export function validateFile(schema: string, file: YamlFile): unknown {
  const problems = findSchemaProblems(schema, file);
  if (problems.length > 0) throw new UnusableInput(problems);
  return file.value;
}

/**
 * Ajv repeats a cause for each keyword around it. Of these, only a oneOf is a cause itself: one with several matches, or one of
 * keys, which says in one message what its parts say in several.
 */
function isCause(error: ErrorObject): boolean {
  const { keyword, params, parentSchema, schemaPath } = error;
  if (keyword === 'oneOf') return params.passingSchemas !== null || listAlternativeKeys(error).length > 0;
  if (keyword === 'required' && isKeyOnly(parentSchema) && /\/oneOf\/\d+\/required$/.test(schemaPath)) return false;
  // A missing one is reported as such.
  if (keyword === 'discriminator') return params.tagValue !== undefined;
  return !['if', 'anyOf', 'allOf', 'propertyNames'].includes(keyword);
}

/** Lists the keys of a oneOf that is only about keys, such as `cause` and `rows`. Empty for any other one. */
function listAlternativeKeys({ parentSchema = {} }: ErrorObject): string[] {
  const alternatives = parentSchema.oneOf as readonly AnySchemaObject[];
  return alternatives.every(isKeyOnly) ? alternatives.flatMap(({ required }) => required) : [];
}

function isKeyOnly(schema: AnySchemaObject = {}): boolean {
  return Object.keys(schema).join() === 'required';
}

function createProblem(error: ErrorObject, file: ParsedFile): Problem {
  const { keyword, params, propertyName, data, parentSchema = {} } = error;
  const steps = parseJsonPointer(error.instancePath);
  const subject = renderSubject(steps);
  const described = String(parentSchema.description ?? `The value violates '${keyword}' of its schema.`);
  const report = (text: string, hint = described): Problem => ({ at: file.locate(steps), message: text, hint });
  const reportKey = (key: string, text: string, hint = described): Problem => {
    return { at: file.locateKey([...steps, key]), message: `${text} '${key}'`, hint };
  };
  if (propertyName !== undefined) return reportKey(propertyName, 'invalid name');
  switch (keyword) {
    case 'additionalProperties': {
      const known = Object.keys(parentSchema.properties ?? {});
      return reportKey(params.additionalProperty, 'unknown key', suggestName(params.additionalProperty, known));
    }
    case 'required':
    case 'dependentRequired':
      return report(`${subject} lacks the key '${params.missingProperty}'`, `Add '${params.missingProperty}:'.`);
    case 'oneOf': {
      const keys = listAlternativeKeys(error).map((key) => `'${key}'`);
      if (keys.length === 0) return report(`${subject} ${describeViolation(error)}`);
      if (params.passingSchemas === null) return report(`${subject} has none of the keys ${keys.join(' and ')}`);
      return report(`${subject} has more than one of the keys ${keys.join(' and ')}`);
    }
    case 'enum':
      return report(`${subject} cannot be '${data}'`, suggestName(`${data}`, params.allowedValues.map(String)));
    case 'discriminator': {
      const { tag, tagValue } = params;
      const kinds = parentSchema.oneOf.map(({ properties }: typeof parentSchema) => properties[tag].const);
      return report(`${subject} cannot have the ${tag} '${tagValue}'`, suggestName(`${tagValue}`, kinds));
    }
    case 'pattern':
      // A value that is `writeOnly` may be a secret.
      return report(`${parentSchema.writeOnly ? subject : `'${data}'`} does not match ${params.pattern}`);
    case 'false schema':
      return { at: file.locateKey(steps), message: `${subject} is not allowed here`, hint: 'Remove it.' };
    default:
      return report(`${subject} ${describeViolation(error)}`);
  }
}

function renderSubject(steps: YamlPath): string {
  const last = steps.at(-1);
  if (last === undefined) return 'the file';
  const list = steps.at(-2);
  return list !== undefined && /^\d+$/.test(String(last)) ? `entry ${Number(last) + 1} of '${list}'` : `'${last}'`;
}
