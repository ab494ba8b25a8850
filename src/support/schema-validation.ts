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

const loadAjv = requireLazily<typeof import('ajv/dist/2020.js')>('ajv/dist/2020.js');
const loadStandalone = requireLazily<typeof import('ajv/dist/standalone/index.js')>('ajv/dist/standalone');
const loadFormats = requireLazily<(ajv: Ajv2020) => void>('ajv-formats');

const loaded = new Map<string, ValidateFunction>();

/**
 * Loads the validator of a schema in `schemas/`, once per process. Uses the validator that the build compiled, unless
 * the schema was edited since.
 *
 * @param name of the file, without `.schema.json`
 */
export function loadValidator(name: string): ValidateFunction {
  const validate = loaded.get(name) ?? loadPrecompiled(name) ?? compile(name);
  loaded.set(name, validate);
  return validate;
}

const folder = path.join(packageRoot, 'schemas');

/** Reads a schema in `schemas/`. @param name of the file, without `.schema.json` */
export function readSchema(name: string): Readonly<Record<string, unknown>> {
  return JSON.parse(readText(name));
}

function readText(name: string): string {
  return readFileSync(path.join(folder, `${name}.schema.json`), 'utf8');
}

/** Reads a schema and the schemas that it refers to. Those come first. */
function readWithReferences(name: string, before: ReadonlyMap<string, string> = new Map()): Map<string, string> {
  const text = readText(name);
  const others = [...text.matchAll(/"\$ref": "([a-z-]+)\.schema\.json/g)].map(([, other = '']) => other);
  return new Map([...others.reduce((texts, other) => readWithReferences(other, texts), new Map(before)), [name, text]]);
}

let ajv: Ajv2020 | undefined;

/** Loading Ajv and compiling schemas takes a third of the time of a short command. */
function getAjv(): Ajv2020 {
  if (ajv !== undefined) return ajv;
  const leniency = { strictRequired: false, strictTypes: false };
  ajv = new (loadAjv().Ajv2020)({ allErrors: true, verbose: true, strict: true, ...leniency, code: { source: true } });
  loadFormats()(ajv);
  return ajv;
}

function compile(name: string): ValidateFunction {
  for (const [each, text] of readWithReferences(name))
    if (getAjv().getSchema(`${each}.schema.json`) === undefined) getAjv().addSchema(JSON.parse(text));
  return getAjv().getSchema(`${name}.schema.json`) as ValidateFunction;
}

/** The build writes compiled schemas here. Undefined while the suite runs from sources. */
const builtFolder = import.meta.filename.endsWith('.js') ? path.join(packageRoot, 'dist', 'schemas') : undefined;

/** The name of the compiled file contains a digest of the schema, so an edited schema has no compiled file. */
function getBuiltFile(inFolder: string, name: string): string {
  const hash = createHash('sha256');
  for (const text of readWithReferences(name).values()) hash.update(text);
  return path.join(inFolder, `${name}.${hash.digest('hex')}.cjs`);
}

function loadPrecompiled(name: string): ValidateFunction | undefined {
  if (builtFolder === undefined) return undefined;
  const file = getBuiltFile(builtFolder, name);
  return existsSync(file) ? requireLazily<ValidateFunction>(file)() : undefined;
}

/** Other schemas refer to them, or only tests validate with them: their code would only make the package larger. */
const uncompiled: ReadonlySet<string> = new Set(['assertions', 'badge', 'contract-ids', 'ctrf']);

/** Compiles schemas to files, for {@link loadValidator}. */
export function precompileSchemas(): void {
  if (builtFolder === undefined) return;
  rmSync(builtFolder, { recursive: true, force: true });
  mkdirSync(builtFolder);
  for (const file of readdirSync(folder)) {
    const [, name] = /^(.*)\.schema\.json$/.exec(file) ?? [];
    if (name === undefined || uncompiled.has(name)) continue;
    writeFileSync(getBuiltFile(builtFolder, name), loadStandalone().default(getAjv(), compile(name)));
  }
}

/** Loads the validator of a part of a schema. @param pointer to the part, as a JSON Pointer (RFC 6901) */
export function loadPartValidator(name: string, pointer: string): ValidateFunction {
  compile(name);
  const validate = getAjv().getSchema(`${name}.schema.json#${pointer}`);
  if (validate === undefined) throw new Error(`schemas/${name}.schema.json has nothing at ${pointer}.`);
  return validate;
}

export function findSchemaProblems(schema: string, file: YamlFile): Problem[] {
  const validate = loadValidator(schema);
  if (validate(file.value)) return [];
  const errors = (validate.errors ?? []).filter(isCause);
  const problems = errors.map((error) => ({ error, problem: createProblem(error, file) }));
  // A misspelt key is not missing, too.
  const isMisspelt = ({ instancePath, params }: ErrorObject) =>
    problems.some(
      ({ error, problem }) =>
        error.instancePath === instancePath && problem.hint === `Did you mean '${params.missingProperty}'?`,
    );
  return problems.filter(({ error }) => !isMisspelt(error)).map(({ problem }) => problem);
}

/** @throws UnusableInput with one problem for each error */
export function validateFile(schema: string, file: YamlFile): unknown {
  const problems = findSchemaProblems(schema, file);
  if (problems.length > 0) throw new UnusableInput(problems);
  return file.value;
}

/** Ajv repeats a cause for each keyword around it. Of these, only a oneOf with several matches is a cause itself. */
function isCause({ keyword, params }: ErrorObject): boolean {
  if (keyword === 'oneOf') return params.passingSchemas !== null;
  return !['if', 'anyOf', 'allOf', 'propertyNames'].includes(keyword);
}

function createProblem(error: ErrorObject, file: YamlFile): Problem {
  const steps: YamlPath = parseJsonPointer(error.instancePath);
  const subject = renderSubject(steps);
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
      message: `invalid name '${error.propertyName}'`,
      hint: findDescription(error),
    };
  }
  const at = file.locate(steps);
  switch (error.keyword) {
    case 'required':
    case 'dependentRequired': {
      const key = error.params.missingProperty;
      return { at, message: `${subject} lacks the key '${key}'`, hint: `Add '${key}:'.` };
    }
    case 'enum': {
      const allowed = (error.params.allowedValues as unknown[]).map(String);
      const value = String(error.data);
      return { at, message: `${subject} cannot be '${value}'`, hint: suggest(value, allowed) };
    }
    case 'pattern': {
      // A value that is `writeOnly` may be a secret.
      const shown = error.parentSchema?.writeOnly === true ? subject : `'${String(error.data)}'`;
      return { at, message: `${shown} does not match ${error.params.pattern}`, hint: findDescription(error) };
    }
    case 'oneOf': {
      const branches = error.schema as { required?: string[] }[];
      const keys = (error.params.passingSchemas as number[]).flatMap((n) => branches[n]?.required ?? []);
      return { at, message: `${subject} has both '${keys.join("' and '")}'`, hint: 'Remove one of them.' };
    }
    case 'false schema':
      return { at: file.locateKey(steps), message: `${subject} is not allowed here`, hint: 'Remove it.' };
    default:
      return {
        at,
        message: `${subject} ${error.message ?? 'does not match its schema'}`,
        hint: findDescription(error),
      };
  }
}

function renderSubject(steps: YamlPath): string {
  const last = steps.at(-1);
  if (last === undefined) return 'the file';
  const list = steps.at(-2);
  return list !== undefined && /^\d+$/.test(String(last)) ? `entry ${Number(last) + 1} of '${list}'` : `'${last}'`;
}

function findDescription(error: ErrorObject): string {
  const description = (error.parentSchema as { description?: unknown } | undefined)?.description;
  return typeof description === 'string' ? description : `The value violates '${error.keyword}' of its schema.`;
}
