/** The documents: examples are valid, commands and programs run, links lead somewhere. */

import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { referenceCredentials } from '../../reference/deployment/reference-credentials.js';
import { readCaseFile } from '../../src/cases/case-file.js';
import { packageRoot } from '../../src/support/package-root.js';
import { readSchema } from '../../src/support/schema-validation.js';
import { parseYaml } from '../../src/support/yaml-file.js';
import {
  credentialVariables,
  makeProject,
  playwright,
  runConformance,
  runConformanceInProcess,
  watchProcess,
} from '../support/cli.js';
import { certifyInProcess, createReference, suite } from '../support/in-process.js';
import { listen } from '../support/independent-deployment.js';

const docs = readdirSync(path.join(packageRoot, 'docs')).filter((name) => name.endsWith('.md'));
const guide = ['README.md', ...docs.map((name) => `docs/${name}`)];
const documents = [...guide, 'CONTRIBUTING.md'].map((name) => ({
  name,
  text: readFileSync(path.join(packageRoot, name), 'utf8'),
}));
const findDocument = (name: string) => documents.find((document) => document.name === name)?.text ?? '';

/** Lists the blocks of a language, without the indentation of the list that they are in. */
function listBlocks(text: string, language: string): string[] {
  const found = text.matchAll(new RegExp(`^( *)\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\``, 'gm'));
  return [...found].map(([, indentation, block = '']) => block.replaceAll(new RegExp(`^${indentation}`, 'gm'), ''));
}

const caseLanguage = 'docs/case-language.md';
const examples = documents
  .filter(({ name }) => name !== caseLanguage)
  .flatMap(({ name, text }) => listBlocks(text, 'yaml').map((example) => [name, example] as const));

test('Examples of cases are valid, and pass on the reference deployment', async () => {
  const files = examples.filter(([, example]) => /^cases:$/m.test(example));
  expect(files).not.toEqual([]);
  for (const [name, example] of files) {
    const { cases, problems } = readCaseFile(parseYaml(example, name), suite);
    expect(problems, name).toEqual([]);
    const { results } = await certifyInProcess(createReference(), { suite: { ...suite, cases } });
    expect(
      results.map(({ verdict }) => verdict),
      name,
    ).toEqual(cases.map(() => 'pass'));
  }
});

test('Each command that a document names exists with its options', async () => {
  const all = documents.map(({ text }) => text).join('\n');
  const shown = [...all.matchAll(/npx conformance ([a-z]+)([^\n`#]*)/g)];
  const commands = new Set(shown.map(([, command = '']) => command));
  expect(commands.size).toBeGreaterThan(5);
  for (const command of commands) {
    const { status, output } = await runConformanceInProcess([command, '--help'], { cwd: packageRoot });
    expect(status, command).toBe(0);
    const uses = shown.filter(([, named]) => named === command);
    const options = uses.flatMap(([, , rest = '']) => rest.split(' -- ')[0]?.match(/--[a-z-]+/g) ?? []);
    for (const option of options) expect(output, command).toContain(option);
  }
});

test('Each linked and each named file exists', () => {
  const isMissing = (file: string) => !existsSync(path.join(packageRoot, file));
  const named = documents.flatMap(({ name, text }) => [
    ...[...text.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map(([, link = '']) =>
      path.join(path.dirname(name), link),
    ),
    ...[...text.matchAll(/`((?:cases|examples|schemas|specs|src|reference)\/[A-Za-z0-9./-]*)`/g)].map(
      ([, file = '']) => file,
    ),
  ]);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter(isMissing)).toEqual([]);
});

test('The list of keys of the case language has those of the schemas', () => {
  type Schema = {
    readonly properties: Readonly<Record<string, Partial<Schema>>>;
    readonly $defs: Record<string, Schema>;
  };
  const { properties, $defs } = readSchema('cases') as Schema;
  const check = (readSchema('assertions') as Schema).$defs.check?.properties ?? {};
  const inGroups = Object.entries(check).flatMap(([key, group]) =>
    group.properties === undefined || key === 'status' || key === 'accepted'
      ? [key]
      : Object.keys(group.properties).map((member) => `${key}.${member}`),
  );
  const sections = findDocument(caseLanguage).split(/^## /m);
  for (const [title, known] of [
    ['A file', Object.keys(properties)],
    ['A case', Object.keys($defs.case?.properties ?? {})],
    ['A request', Object.keys($defs.request?.properties ?? {})],
    ['A check', inGroups],
  ] as const) {
    const section = sections.find((text) => text.startsWith(`${title}\n`)) ?? '';
    const documented = [...section.matchAll(/^### `(.*)`/gm)].map(([, key]) => key);
    expect(documented.sort(), title).toEqual([...known].sort());
  }
});

test('The case language explains every tag, and no other', () => {
  interface Tags {
    readonly $defs: { readonly case: { readonly properties: { readonly tags: { items: { enum: string[] } } } } };
  }
  const { enum: known } = (readSchema('cases') as unknown as Tags).$defs.case.properties.tags.items;
  const section = /^### `tags`$(.*?)^### /ms.exec(findDocument(caseLanguage))?.[1] ?? '';
  const entries = [...section.matchAll(/^- (.*?)(?: \(|:)/gm)].map(([, names = '']) => names);
  const documented = entries.flatMap((names) => [...names.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name));
  expect(documented.sort()).toEqual(known.toSorted());
});

test('Every schema is valid', () => {
  const ajv = new Ajv2020();
  const names = readdirSync(path.join(packageRoot, 'schemas')).filter((name) => name.endsWith('.schema.json'));
  for (const name of names) {
    ajv.validateSchema(readSchema(name.replace('.schema.json', '')));
    expect(ajv.errors, name).toBeNull();
  }
});

/** Ends what would run until Ctrl-C, and skips what needs a registry, a display or a failure. */
function makeRunnable(script: string): string {
  return script
    .replaceAll(/^npx conformance serve\b.*$/gm, (command) => `timeout --signal INT 5 ${command} || [ $? = 124 ]`)
    .replaceAll(/^npm .*$/gm, ':')
    .replaceAll(/^(npx .*) --(?:ui|last-failed)\b/gm, '$1 --list')
    .replaceAll(/^[A-Z_]+=\S+$/gm, ':');
}

function runScript(script: string, cwd: string, env: Record<string, string>) {
  const child = spawn('sh', ['-ex'], { cwd, env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env } });
  child.stdin.end(script);
  return watchProcess(child).ended;
}

/** For a deployment with the ids of the world. */
const loader = `
  import { json } from 'node:stream/consumers';
  const world = await json(process.stdin);
  for (const { id } of Object.values(world).flat()) console.log(id + ': ' + id);
`;

const listenAsReference = () => listen(createReference({ credentials: referenceCredentials }));

for (const { name, text } of documents.filter((document) => guide.includes(document.name))) {
  const scripts = listBlocks(text, 'sh').filter((block) => /^(npx|openssl|curl) /m.test(block));
  if (scripts.length === 0) continue;
  test(`${name}: each command ends with exit status 0`, { tag: '@long' }, async () => {
    const cwd = makeProject();
    const server = await listenAsReference();
    for (const folder of ['conformance/cases', 'node_modules/.bin', 'records', 'targets'])
      mkdirSync(path.join(cwd, folder), { recursive: true });
    for (const [command, file] of [
      ['conformance', 'dist/src/cli/conformance.js'],
      ['playwright', path.relative(packageRoot, playwright)],
    ] as const)
      writeFileSync(
        path.join(cwd, 'node_modules', '.bin', command),
        `#!/bin/sh\nexec '${process.execPath}' '${path.join(packageRoot, file)}' "$@"\n`,
        { mode: 0o755 },
      );
    for (const target of ['shop', 'live', 'mock'])
      writeFileSync(path.join(cwd, 'targets', `${target}.yaml`), `name: ${target}\nbase_url: ${server.url}\n`);
    writeFileSync(path.join(cwd, 'conformance', 'target.yaml'), 'name: shop\nrecord: record.yaml\n');
    writeFileSync(path.join(cwd, 'shop.yaml'), `name: shop\nbase_url: ${server.url}\n`);
    writeFileSync(path.join(cwd, 'load-shop.mjs'), loader);
    copyFileSync(path.join(packageRoot, 'templates/playwright.config.mjs'), path.join(cwd, 'playwright.config.mjs'));

    // What other commands, machines and pages of the guide leave.
    const certify = (...args: string[]) => runConformance(['certify', ...args], { cwd, env: credentialVariables });
    if (text.includes('results/shop')) await certify('--target', 'targets/shop.yaml');
    for (const [n, example] of listBlocks(text, 'yaml').entries()) {
      if (example.startsWith('cases:')) writeFileSync(path.join(cwd, 'conformance/cases', `${n}.yaml`), example);
    }
    try {
      for (const script of scripts) {
        const namesTarget = script.includes('--target targets/');
        const env = { ...credentialVariables, ...(namesTarget ? {} : { BASE_URL: server.url }) };
        const { status, output } = await runScript(makeRunnable(script), cwd, env);
        expect(status, output).toBe(0);
      }
    } finally {
      await server.close();
    }
  });
}
