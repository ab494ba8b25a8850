import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { stepsOf } from './json.js';
import { packageRoot } from './package-root.js';
import { type Problem, UnusableInput } from './problem.js';
import { suggest } from './suggest.js';
import type { Path, YamlFile } from './yaml-file.js';

const ajv = new Ajv2020({ allErrors: true, verbose: true, strict: true, strictRequired: false, strictTypes: false });
// ajv-formats is CommonJS whose type declarations put the function under `default`.
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);

const compiled = new Map<string, ValidateFunction>();

/** The validator of a file in `schemas/`, by its name without `.schema.json`. Compiled once per process. */
export function schemaNamed(name: string): ValidateFunction {
  const known = compiled.get(name);
  if (known !== undefined) return known;
  const text = readFileSync(path.join(packageRoot, 'schemas', `${name}.schema.json`), 'utf8');
  // A schema that another one refers to has to be known before.
  for (const [, other = ''] of text.matchAll(/"\$ref": "([a-z-]+)\.schema\.json/g)) schemaNamed(other);
  const validate = ajv.compile(JSON.parse(text));
  compiled.set(name, validate);
  return validate;
}

/** The validator of a part of such a schema. @param pointer to that part, as a JSON Pointer (RFC 6901) */
export function schemaPiece(name: string, pointer: string): ValidateFunction {
  schemaNamed(name);
  const validate = ajv.getSchema(`${name}.schema.json#${pointer}`);
  if (validate === undefined) throw new Error(`schemas/${name}.schema.json has nothing at ${pointer}.`);
  return validate;
}

/**
 * Checks a file against a schema of `schemas/`.
 *
 * @returns one problem per thing that is wrong, each at its line and column
 */
export function schemaProblems(schema: string, file: YamlFile): Problem[] {
  const validate = schemaNamed(schema);
  if (validate(file.value)) return [];
  return (validate.errors ?? []).filter(isCause).map((error) => problemOf(error, file));
}

/**
 * The value of a file that is as a schema of `schemas/` asks.
 *
 * @throws UnusableInput with all that is wrong, each at its line and column
 */
export function checkedValue(schema: string, file: YamlFile): unknown {
  const problems = schemaProblems(schema, file);
  if (problems.length > 0) throw new UnusableInput(problems);
  return file.value;
}

/** Errors of the applicators around a cause repeat it without saying more, save where too much fits a oneOf. */
function isCause({ keyword, params }: ErrorObject): boolean {
  if (keyword === 'oneOf') return params.passingSchemas !== null;
  return !['if', 'anyOf', 'allOf', 'propertyNames'].includes(keyword);
}

function problemOf(error: ErrorObject, file: YamlFile): Problem {
  const steps: Path = stepsOf(error.instancePath);
  const subject = subjectOf(steps);
  const unexpected: unknown = error.params.additionalProperty ?? error.params.unevaluatedProperty;
  if (typeof unexpected === 'string') {
    const known = Object.keys((error.parentSchema?.properties as object | undefined) ?? {});
    return {
      at: file.atKey([...steps, unexpected]),
      message: `unknown key '${unexpected}'`,
      hint: suggest(unexpected, known),
    };
  }
  if (error.propertyName !== undefined) {
    return {
      at: file.atKey([...steps, error.propertyName]),
      message: `'${error.propertyName}' is no good name here`,
      hint: descriptionOf(error),
    };
  }
  const at = file.at(steps);
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
        at: file.at([...steps, again]),
        message: `${subjectOf([...steps, again])} is the same as entry ${first + 1}`,
        hint: 'Leave out one of them.',
      };
    }
    case 'false schema':
      return { at: file.atKey(steps), message: `${subject} cannot stand here`, hint: 'Leave it out.' };
    default:
      return { at, message: `${subject} ${error.message ?? 'is not as its schema asks'}`, hint: descriptionOf(error) };
  }
}

function subjectOf(steps: Path): string {
  const last = steps.at(-1);
  if (last === undefined) return 'the file';
  const list = steps.at(-2);
  return list !== undefined && /^\d+$/.test(String(last)) ? `entry ${Number(last) + 1} of '${list}'` : `'${last}'`;
}

function descriptionOf(error: ErrorObject): string {
  const description = (error.parentSchema as { description?: unknown } | undefined)?.description;
  return typeof description === 'string' ? description : `Its schema says '${error.keyword}'.`;
}
