import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { applyEdits, modify } from 'jsonc-parser';
import { assertionDefinitions } from '../../src/assertions/registry.js';
import type { Contract } from '../../src/contract/contract.js';
import { packageRoot } from '../../src/support/package-root.js';
import { readSchema } from '../../src/support/schema-validation.js';

/** Descriptions of the groups of assertions, for authors of cases. */
const groups: Readonly<Record<string, string>> = {
  body: 'The body of the response, as text.',
  returned: 'The promotions that were returned.',
};

type Definitions = Readonly<Record<string, object>>;

/**
 * Creates the definitions in `schemas/` that are derived from something else. Each schema has what it needs, because an editor
 * that opens a case file or a target file loads one schema. @returns definitions by their names, by the name of their schema
 */
export function createDerivedDefinitions(contract: Contract): ReadonlyMap<string, Definitions> {
  const { requirement, question, outcomes } = createIdDefinitions(contract);
  const { rows } = readSchema('known').$defs as { readonly rows: object };
  return new Map<string, Definitions>([
    ['cases', { requirement, question, ...createCheckDefinitions() }],
    ['requests', pickDefinitions(readSchema('cases').$defs as Definitions, ['name', 'change'])],
    ['known', { requirement }],
    ['target', { outcomes, requirement }],
    ['certificate', { rows }],
  ]);
}

/** Picks definitions, and all that they refer to. */
function pickDefinitions(all: Definitions, names: readonly string[]): Definitions {
  const picked: Record<string, object> = {};
  const add = (name: string): void => {
    const definition = all[name];
    if (definition === undefined || name in picked) return;
    picked[name] = definition;
    for (const [, referred = ''] of JSON.stringify(definition).matchAll(/"#\/\$defs\/([^"]+)"/g)) add(referred);
  };
  names.forEach(add);
  return picked;
}

/** Replaces definitions of a schema, and leaves the rest of its file as it is written. */
export function writeDefinitions(name: string, definitions: Definitions): void {
  const file = path.join(packageRoot, 'schemas', `${name}.schema.json`);
  const formattingOptions = { insertSpaces: true, tabSize: 2 };
  const text = Object.entries(definitions).reduce(
    (before, [definition, schema]) =>
      applyEdits(before, modify(before, ['$defs', definition], schema, { formattingOptions })),
    readFileSync(file, 'utf8'),
  );
  writeFileSync(file, text);
}

/** Formats the schemas. It comes right after they are written, so that a later step that fails leaves no other form. */
export function formatSchemas(): void {
  const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');
  execFileSync(process.execPath, [biome, 'check', '--write', 'schemas'], { cwd: packageRoot, stdio: 'inherit' });
}

/** Creates the definitions of checks from the kinds of assertions. */
function createCheckDefinitions() {
  const properties: Record<string, { readonly properties?: object } & Record<string, unknown>> = {};
  for (const { key, schema } of assertionDefinitions.values()) {
    const [group = '', member] = key.split('.');
    if (member === undefined) {
      properties[group] = { ...schema };
      continue;
    }
    properties[group] = {
      description: groups[group],
      type: 'object',
      additionalProperties: false,
      minProperties: 1,
      properties: { ...properties[group]?.properties, [member]: schema },
    };
  }
  const $comment = 'Written by `npm run update` from the kinds of assertions in src/assertions/kinds/.';
  return {
    checks: {
      $comment,
      description: 'Checks by the names of the requests whose responses they are about. All of them must hold.',
      type: 'object',
      minProperties: 1,
      propertyNames: {
        description: 'The name of a request; several names with `and` between them: `one and two`; or `every`.',
        pattern: '^[a-z0-9-]+( and [a-z0-9-]+)*$',
      },
      properties: {
        'any-of': {
          description: 'At least one of these alternatives holds: checks by the names of requests.',
          type: 'array',
          items: { $ref: '#/$defs/checks' },
          minItems: 2,
        },
      },
      additionalProperties: { $ref: '#/$defs/check' },
    },
    check: {
      $comment,
      description: 'Assertions about the response to a request. All of them must hold.',
      type: 'object',
      additionalProperties: false,
      minProperties: 1,
      properties,
    },
  };
}

/**
 * Creates the definitions of the ids that editors complete, and of the outcomes of each question. As an id they also accept
 * any other text, because the reader of a file suggests similar ones.
 */
function createIdDefinitions({ requirements, questions }: Contract) {
  const $comment = 'Written by `npm run update` from cases/contract.yaml.';
  const createIds = (entries: readonly { readonly id: string }[]) => ({
    $comment,
    anyOf: [{ enum: entries.map(({ id }) => id) }, { type: 'string' }],
  });
  const outcomes = questions.map(({ id, open, answer }) => [
    id,
    { description: open, type: 'string', ...(answer.kind === 'outcomes' && { enum: [...answer.outcomes.keys()] }) },
  ]);
  return {
    requirement: createIds(requirements),
    question: createIds(questions),
    outcomes: { $comment, type: 'object', additionalProperties: false, properties: Object.fromEntries(outcomes) },
  };
}
