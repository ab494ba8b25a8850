import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { parseJsonPointer } from './json.js';
import { packageRoot } from './package-root.js';
import { type Problem, UnusableInput } from './problem.js';
import { requireLazily } from './require-lazily.js';
import { suggest } from './suggest.js';
import type { YamlFile, YamlPath } from './yaml-file.js';

const ajvPackage = requireLazily<typeof import('ajv/dist/2020.js')>('ajv/dist/2020.js');
const standalone = requireLazily<typeof import('ajv/dist/standalone/index.js')>('ajv/dist/standalone');
const formats = requireLazily<(ajv: Ajv2020) => void>('ajv-formats');

const known = new Map<string, ValidateFunction>();

/**
 * The validator of a file in `schemas/`, by its name without `.schema.json`: the one that the build has compiled, unless
 * the schema was edited since. Loaded once per process.
 */
export function loadValidator(name: string): ValidateFunction {
  const validate = known.get(name) ?? builtValidator(name) ?? compiled(name);
  known.set(name, validate);
  return validate;
}

const folder = path.join(packageRoot, 'schemas');

/** The document of a file in `schemas/`, by the same name. */
export function readSchema(name: string): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(path.join(folder, `${name}.schema.json`), 'utf8'));
}

/** The texts of a schema, and of those that it refers to: first those that have to be known before others. */
function textsOf(name: string, before: ReadonlyMap<string, string> = new Map()): Map<string, string> {
  const text = readFileSync(path.join(folder, `${name}.schema.json`), 'utf8');
  const others = [...text.matchAll(/"\$ref": "([a-z-]+)\.schema\.json/g)].map(([, other = '']) => other);
  return new Map([...others.reduce((texts, other) => textsOf(other, texts), new Map(before)), [name, text]]);
}

let made: Ajv2020 | undefined;

/** What compiles schemas. To load it and to compile them takes a third of what a short command takes. */
function ajv(): Ajv2020 {
  if (made !== undefined) return made;
  const code = { source: true };
  made = new (ajvPackage().Ajv2020)({
    allErrors: true,
    verbose: true,
    strict: true,
    strictRequired: false,
    strictTypes: false,
    code,
  });
  formats()(made);
  return made;
}

function compiled(name: string): ValidateFunction {
  for (const [each, text] of textsOf(name))
    if (ajv().getSchema(`${each}.schema.json`) === undefined) ajv().addSchema(JSON.parse(text));
  return ajv().getSchema(`${name}.schema.json`) as ValidateFunction;
}

/** Where the build leaves compiled schemas, beside the other compiled files; sources have none. */
const builtFolder = import.meta.filename.endsWith('.js') ? path.join(packageRoot, 'dist', 'schemas') : undefined;

/** The file that has the validator of a schema as it now is. */
function builtFile(inFolder: string, name: string): string {
  const hash = createHash('sha256');
  for (const text of textsOf(name).values()) hash.update(text);
  return path.join(inFolder, `${name}.${hash.digest('hex')}.cjs`);
}

function builtValidator(name: string): ValidateFunction | undefined {
  if (builtFolder === undefined) return undefined;
  const file = builtFile(builtFolder, name);
  return existsSync(file) ? requireLazily<ValidateFunction>(file)() : undefined;
}

/** Compiles all schemas for whoever asks for them from now on. */
export function precompileSchemas(): void {
  if (builtFolder === undefined) return;
  rmSync(builtFolder, { recursive: true, force: true });
  mkdirSync(builtFolder);
  for (const file of readdirSync(folder)) {
    const [, name] = /^(.*)\.schema\.json$/.exec(file) ?? [];
    if (name !== undefined) writeFileSync(builtFile(builtFolder, name), standalone().default(ajv(), compiled(name)));
  }
}

/** The validator of a part of such a schema. @param pointer to that part, as a JSON Pointer (RFC 6901) */
export function loadPartValidator(name: string, pointer: string): ValidateFunction {
  compiled(name);
  const validate = ajv().getSchema(`${name}.schema.json#${pointer}`);
  if (validate === undefined) throw new Error(`schemas/${name}.schema.json has nothing at ${pointer}.`);
  return validate;
}

/**
 * Checks a file against a schema of `schemas/`.
 *
 * @returns one problem per thing that is wrong, each at its line and column
 */
export function findSchemaProblems(schema: string, file: YamlFile): Problem[] {
  const validate = loadValidator(schema);
  if (validate(file.value)) return [];
  return (validate.errors ?? []).filter(isCause).map((error) => problemOf(error, file));
}

/**
 * The value of a file that is as a schema of `schemas/` asks.
 *
 * @throws UnusableInput with all that is wrong, each at its line and column
 */
export function validateFile(schema: string, file: YamlFile): unknown {
  const problems = findSchemaProblems(schema, file);
  if (problems.length > 0) throw new UnusableInput(problems);
  return file.value;
}

/** Errors of the applicators around a cause repeat it without saying more, save where too much fits a oneOf. */
function isCause({ keyword, params }: ErrorObject): boolean {
  if (keyword === 'oneOf') return params.passingSchemas !== null;
  return !['if', 'anyOf', 'allOf', 'propertyNames'].includes(keyword);
}

function problemOf(error: ErrorObject, file: YamlFile): Problem {
  const steps: YamlPath = parseJsonPointer(error.instancePath);
  const subject = subjectOf(steps);
  const unexpected: unknown = error.params.additionalProperty ?? error.params.unevaluatedProperty;
  if (typeof unexpected === 'string') {
    const known = Object.keys((error.parentSchema?.properties as object | undefined) ?? {});
    return {
      at: file.locateKey([...steps, unexpected]),
      message: `unknown key '${unexpected}'`,
      hint: suggest(unexpected, known),
    };
  }
  if (error.propertyName !== undefined) {
    return {
      at: file.locateKey([...steps, error.propertyName]),
      message: `'${error.propertyName}' is no good name here`,
      hint: descriptionOf(error),
    };
  }
  const at = file.locate(steps);
  switch (error.keyword) {
    case 'required':
    case 'dependentRequired':
      return {
        at,
        message: `${subject} lacks the key '${error.params.missingProperty}'`,
        hint: `Add '${error.params.missingProperty}:'.`,
      };
    case 'enum': {
      const allowed = (error.params.allowedValues as unknown[]).map(String);
      return {
        at,
        message: `${subject} cannot be '${String(error.data)}'`,
        hint: suggest(String(error.data), allowed),
      };
    }
    case 'pattern': {
      // What is only ever written may be a secret, so it is not shown.
      const shown = error.parentSchema?.writeOnly === true ? subject : `'${String(error.data)}'`;
      return { at, message: `${shown} is not of the form ${error.params.pattern}`, hint: descriptionOf(error) };
    }
    case 'oneOf': {
      const branches = error.schema as { required?: string[] }[];
      const keys = (error.params.passingSchemas as number[]).flatMap((n) => branches[n]?.required ?? []);
      return { at, message: `${subject} has both '${keys.join("' and '")}'`, hint: 'Leave out one of them.' };
    }
    case 'uniqueItems': {
      const { i, j } = error.params as { i: number; j: number };
      const [first, again] = [Math.min(i, j), Math.max(i, j)];
      return {
        at: file.locate([...steps, again]),
        message: `${subjectOf([...steps, again])} is the same as entry ${first + 1}`,
        hint: 'Leave out one of them.',
      };
    }
    case 'false schema':
      return { at: file.locateKey(steps), message: `${subject} cannot stand here`, hint: 'Leave it out.' };
    default:
      return { at, message: `${subject} ${error.message ?? 'is not as its schema asks'}`, hint: descriptionOf(error) };
  }
}

function subjectOf(steps: YamlPath): string {
  const last = steps.at(-1);
  if (last === undefined) return 'the file';
  const list = steps.at(-2);
  return list !== undefined && /^\d+$/.test(String(last)) ? `entry ${Number(last) + 1} of '${list}'` : `'${last}'`;
}

function descriptionOf(error: ErrorObject): string {
  const description = (error.parentSchema as { description?: unknown } | undefined)?.description;
  return typeof description === 'string' ? description : `Its schema says '${error.keyword}'.`;
}
