/** The schemas: each one that the package exports is complete, and describes what an author may write. */

import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { parse } from 'yaml';
import { pickWorldLists } from '../../src/contract/world.js';
import { packageRoot } from '../../src/support/package-root.js';
import { readSchema } from '../../src/support/schema-validation.js';
import { suite } from '../support/in-process.js';

const require = createRequire(import.meta.url);

const listSchemas = (folder: string) =>
  readdirSync(path.join(packageRoot, 'schemas', folder))
    .filter((file) => file.endsWith('.schema.json'))
    .map((file) => path.posix.join(folder, path.basename(file, '.schema.json')));
const exported = listSchemas('');
const internal = listSchemas('internal');

/** As an editor does, which loads one schema and nothing else. @throws Error if it refers to another one */
function compileAlone(name: string) {
  const ajv = new Ajv2020({ strict: false, discriminator: true });
  formats.default(ajv);
  return ajv.compile(readSchema(name));
}

const readDocument = (file: string): unknown => parse(readFileSync(path.join(packageRoot, file), 'utf8'));
const listFiles = (folder: string) => readdirSync(path.join(packageRoot, folder)).map((file) => `${folder}/${file}`);

test('There is an exported schema of each file that a user writes or reads', () => {
  expect(exported).toEqual(['bindings', 'cases', 'certificate', 'data', 'known', 'record', 'requests', 'target']);
});

test('The package exports these schemas, and no internal one', () => {
  const { name } = JSON.parse(readFileSync(path.join(packageRoot, 'package.json'), 'utf8'));
  const resolve = (schema: string) => require.resolve(`${name}/schemas/${schema}.schema.json`);
  for (const schema of exported) expect(resolve(schema)).toBe(path.join(packageRoot, `schemas/${schema}.schema.json`));
  expect(internal.length).toBeGreaterThan(0);
  for (const schema of internal) expect(() => resolve(schema), schema).toThrow('not defined by "exports"');
});

for (const name of [...exported, ...internal]) {
  test(`${name} is a valid schema`, () => {
    const ajv = new Ajv2020();
    ajv.validateSchema(readSchema(name));
    expect(ajv.errors).toBeNull();
  });
}

for (const name of exported) {
  test(`${name} can be used without any other file, and describes each member`, () => {
    expect(() => compileAlone(name)).not.toThrow();
    expect(listUndescribedMembers(readSchema(name))).toEqual([]);
  });
}

for (const [name, documents, wrong] of [
  [
    'cases',
    [...listFiles('cases/requirements'), ...listFiles('cases/questions')].map(readDocument),
    { cases: [{ id: 'own-tea', verifies: 'order.quantity', title: 'Tea', request: {}, expects: {} }] },
  ],
  [
    'target',
    [
      ...['example', 'reference', 'small-shop/target', 'voucherify/target', 'voucherify/qualifications/target'],
      ...['voucherify/spellings/post', 'voucherify/spellings/query'],
    ].map((name) => readDocument(`examples/${name}.yaml`)),
    { name: 'shop', pins: { 'empty-result': 'an outcome of no question' } },
  ],
  ['data', [JSON.parse(JSON.stringify(pickWorldLists(suite.world)))], { customers: [] }],
] as const) {
  test(`${name}, used alone, accepts what the suite accepts, and refuses a mistake`, () => {
    const validate = compileAlone(name);
    expect(documents.length).toBeGreaterThan(0);
    for (const document of documents) expect(validate(document), JSON.stringify(validate.errors)).toBe(true);
    expect(validate(wrong)).toBe(false);
  });
}

test('The example of a target file has each key, some of them in comments, with a valid value', () => {
  const example = readFileSync(path.join(packageRoot, 'examples', 'example.yaml'), 'utf8');
  const document = parse(example.replaceAll(/^# (?=[a-z_]+: \S)/gm, ''));
  const validate = compileAlone('target');
  expect(validate(document), JSON.stringify(validate.errors)).toBe(true);
  const expectEachKey = (value: object, schema: unknown) => {
    const { properties = {} } = schema as { properties?: Readonly<Record<string, unknown>> };
    const keys = Object.keys(properties);
    expect(Object.keys(value)).toEqual(expect.arrayContaining(keys));
    for (const [key, member] of Object.entries(value))
      if (isSchema(member)) expectEachKey(member, properties[key] ?? {});
  };
  expectEachKey(document, readSchema('target'));
});

type Schema = Readonly<Record<string, unknown>>;
const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;

test('A member without a description is found, wherever it is', () => {
  const member = { type: 'string' };
  const described = { description: 'A text.', type: 'string' };
  const schema = {
    properties: { a: member, b: { ...described, properties: { c: member } }, d: { $ref: '#/$defs/e' }, no: false },
    $defs: { e: { items: { properties: { f: member, g: { $ref: '#/$defs/h' } } } }, h: described },
  };
  expect(listUndescribedMembers(schema).sort()).toEqual(['a', 'c', 'd', 'f']);
});

/** Lists the members that have no description and refer to nothing that has one. A condition (`if`) allows no members. */
function listUndescribedMembers(root: Schema): string[] {
  const definitions = (root.$defs ?? {}) as Readonly<Record<string, Schema>>;
  const isDescribed = (schema: unknown): boolean =>
    !isSchema(schema) ||
    'description' in schema ||
    (typeof schema.$ref === 'string' && isDescribed(definitions[schema.$ref.replace('#/$defs/', '')] ?? {}));
  const visit = (schema: unknown): string[] => {
    if (!isSchema(schema)) return [];
    const members = isSchema(schema.properties) ? Object.entries(schema.properties) : [];
    const { properties, if: condition, const: constant, enum: values, ...rest } = schema;
    return [
      ...members.filter(([, member]) => !isDescribed(member)).map(([key]) => key),
      ...members.flatMap(([, member]) => visit(member)),
      ...Object.values(rest).flatMap(visit),
    ];
  };
  return visit(root);
}
