/** The documents: examples are valid, commands and programs run, links lead somewhere. */

import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { referenceCredentials } from '../../reference/deployment/reference-credentials.js';
import { readCaseFile } from '../../src/cases/case-file.js';
import { commands } from '../../src/cli/commands.js';
import { exitStatus } from '../../src/cli/exit-status.js';
import { readDataFile } from '../../src/contract/data-file.js';
import { defaultConnectionOptions } from '../../src/http/connection-options.js';
import { verdicts } from '../../src/judge/verdict.js';
import { outputFiles } from '../../src/outputs/result-files.js';
import { packageRoot } from '../../src/support/package-root.js';
import { fileSizeLimits } from '../../src/support/read-bytes.js';
import { findSchemaProblems, readSchema } from '../../src/support/schema-validation.js';
import { parseYaml } from '../../src/support/yaml-file.js';
import { maxQuickRequests } from '../../tools/proof/choose-rows.js';
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
import { skipOnWindows } from '../support/skip-on-windows.js';

const docs = readdirSync(path.join(packageRoot, 'docs')).filter((name) => name.endsWith('.md'));
const guide = ['README.md', ...docs.map((name) => `docs/${name}`)];
const documents = [...guide, 'CONTRIBUTING.md', 'reference/README.md'].map((name) => ({
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

/** The text of a section of the case language, such as "A request". */
const findSection = (title: string) =>
  findDocument(caseLanguage)
    .split(/^## /m)
    .find((text) => text.startsWith(`${title}\n`)) ?? '';

const examples = documents
  .filter(({ name }) => name !== caseLanguage)
  .flatMap(({ name, text }) => listBlocks(text, 'yaml').map((example) => [name, example] as const));

test('Examples of cases are valid, and pass on the reference deployment', async () => {
  const files = examples.filter(([, example]) => /^cases:$/m.test(example));
  expect(files).not.toEqual([]);
  for (const [name, example] of files) {
    const { cases, problems } = readCaseFile(parseYaml(example, name), suite);
    expect(problems, name).toEqual([]);
    expect(cases, name).not.toEqual([]);
    const { results } = await certifyInProcess(createReference(), { suite: { ...suite, cases } });
    expect(
      results.map(({ verdict }) => verdict),
      name,
    ).toEqual(cases.map(() => 'pass'));
  }
});

/** Completes an example of a key to a case: the examples show one key each, and what it needs. */
const exampleCases: Readonly<Record<string, (example: Readonly<Record<string, unknown>>) => object>> = {
  'A case': (example) => {
    const { requests, rows, statements, answers } = example;
    const sent = requests === undefined && rows === undefined ? { request: 'ann-with-a-mug' } : {};
    if (answers !== undefined) return { title: 'One', ...sent, ...example };
    if (statements !== undefined) return { ...sent, ...example };
    const stated = { id: 'one', verifies: 'order.quantity', title: 'One', expect: { request: { status: '2xx' } } };
    return { ...stated, ...sent, ...example };
  },
  'A request': (example) => ({
    answers: 'response-status',
    title: 'One',
    request: { from: 'ann-with-a-mug', ...example },
    value: { take: 'status' },
  }),
  'A check': (example) => {
    if ('answers' in example) return { title: 'One', ...example };
    const again = (number: number) => ({ from: 'ann-with-a-mug', again: number });
    return {
      answers: 'repeatability',
      title: 'One',
      requests: { plain: 'ann-with-a-mug', control: again(1), 'nothing-valid': again(2), probe: again(3) },
      outcomes: {
        identical: { probe: example },
        'same-promotions': { probe: { returned: { 'same-as': 'plain' } } },
        'different-promotions': { probe: { returned: { 'differs-from': 'plain' } } },
      },
    };
  },
};

test('Each example of the case language is usable', () => {
  const [file = ''] = listBlocks(findSection('A file'), 'yaml');
  const rows = Object.entries(exampleCases).flatMap(([title, complete]) =>
    listBlocks(findSection(title), 'yaml').map((example) => [example, completeExample(example, complete)] as const),
  );
  expect(rows.length).toBeGreaterThan(40);
  for (const [example, text] of [['', file] as const, ...rows]) {
    const { cases, problems } = readCaseFile(parseYaml(text, caseLanguage), suite);
    expect(problems, `${example}\n${text}`).toEqual([]);
    expect(cases, example).not.toEqual([]);
  }
});

function completeExample(example: string, complete: (example: Readonly<Record<string, unknown>>) => object): string {
  const { value } = parseYaml(example, caseLanguage);
  return JSON.stringify({ cases: [complete(value as Readonly<Record<string, unknown>>)] });
}

const commandNames = [...commands.keys()];

const findFlags = (text: string) => text.match(/(?<![\w-])--[a-z][a-z-]*/g) ?? [];

/** Lists the flags of a command, as its help names them. */
async function listFlags(command: string): Promise<ReadonlySet<string>> {
  const { status, output } = await runConformanceInProcess([command, '--help'], { cwd: packageRoot });
  expect(status, command).toBe(0);
  return new Set(findFlags(output));
}

test('Each command that a document names exists with its flags', async () => {
  const all = documents.map(({ text }) => text).join('\n');
  const shown = [...all.matchAll(/npx(?: --no)? conformance ([a-z]+)([^\n`#]*)/g)];
  const commands = new Set(shown.map(([, command = '']) => command));
  expect([...commands].toSorted()).toEqual(commandNames.toSorted());
  for (const command of commands) {
    const known = await listFlags(command);
    const uses = shown.filter(([, named]) => named === command);
    const flags = uses.flatMap(([, , rest = '']) => findFlags(rest.split(' -- ')[0] ?? ''));
    expect(
      flags.filter((flag) => !known.has(flag)),
      command,
    ).toEqual([]);
  }
});

test('Each flag that a text of the guide names exists, and each flag is in the guide', async () => {
  const known = new Set<string>();
  // One after another: their output is caught in this process.
  for (const command of commandNames) for (const flag of await listFlags(command)) known.add(flag);
  // Documents name flags of Playwright, too, and a few of other programs.
  const { output } = await runConformance(['test', '--help'], { cwd: packageRoot, script: playwright });
  const example = readFileSync(path.join(packageRoot, 'examples', 'traffic', 'judge-traffic.mjs'), 'utf8');
  const tool = readFileSync(path.join(packageRoot, 'tools', 'own-data', 'measure.ts'), 'utf8');
  const ofOthers = new Set([
    ...[output, example, tool].flatMap(findFlags),
    '--save-dev',
    '--no',
    '--max-old-space-size',
  ]);
  const named = guide.flatMap((name) =>
    Array.from(findDocument(name).matchAll(/`([^`\n]+)`/g), ([, code = '']) => findFlags(code))
      .flat()
      .map((flag) => [flag, name] as const),
  );
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(([flag]) => !known.has(flag) && !ofOthers.has(flag))).toEqual([]);
  const ofGuide = new Set(
    guide.filter((name) => name !== 'docs/commands.md').flatMap((name) => findFlags(findDocument(name))),
  );
  expect([...known].filter((flag) => flag !== '--help' && !ofGuide.has(flag))).toEqual([]);
});

/** Lists the rows of the tables of a text, each as its cells without marks of code. */
const listRows = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('|-'))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    );

test('Each table of exit statuses has all of them, with their verdicts', () => {
  const statuses = Object.values(exitStatus).map(String);
  const verdictOf = (status: string) => {
    const [verdict = ''] = Object.entries(exitStatus).find(([, value]) => String(value) === status) ?? [];
    return ['conforms', 'does-not-conform', 'incomplete'].includes(verdict) ? verdict : '';
  };
  for (const name of ['README.md', 'docs/results.md']) {
    const rows = listRows(findDocument(name)).filter(([status = '']) => /^\d+$/.test(status));
    expect(rows.map(([status]) => status).toSorted(), name).toEqual(statuses.toSorted());
    for (const [status = '', verdict] of rows) expect(verdict, `${name}: ${status}`).toBe(verdictOf(status));
  }
});

test('The page about results has each verdict and each file', () => {
  const page = findDocument('docs/results.md');
  const listed = Array.from(page.matchAll(/^- `([a-z-]+)`:/gm), ([, verdict = '']) => verdict);
  expect(listed.toSorted()).toEqual(verdicts.toSorted());
  const files = listRows(page).map(([file = '']) => file);
  expect(files).toEqual(expect.arrayContaining([...outputFiles]));
});

test('Each part of a failure that is explained is in the example above it', () => {
  const parts = findDocument('docs/reading-a-failure.md').split('<!-- example: ').slice(1);
  expect(parts).toHaveLength(2);
  for (const part of parts) {
    const [, example = '', table = ''] = /```text\n([\s\S]*?)```\n\n((?:\|.*\n)+)/.exec(part) ?? [];
    const explained = Array.from(table.matchAll(/^\| `([^`]+)`/gm), ([, text = '']) => text);
    expect(explained.length).toBeGreaterThan(3);
    for (const text of explained) expect(example).toContain(text);
  }
});

test('Each example of a target file or of known deviations is valid', () => {
  const kinds = { target: /^name: /m, known: /^deviations:/m } as const;
  for (const [schema, isMeant] of Object.entries(kinds)) {
    const files = examples.filter(([, example]) => isMeant.test(example));
    expect(files, schema).not.toEqual([]);
    for (const [name, example] of files)
      expect(findSchemaProblems(schema, parseYaml(example, name)), `${name}\n${example}`).toEqual([]);
  }
});

test('Messages that the page about troubleshooting quotes are those of the suite', () => {
  const files = ['src', 'reference'].flatMap((folder) =>
    readdirSync(path.join(packageRoot, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => path.join(folder, name)),
  );
  const said = ['templates/reasons.yaml', ...files]
    .map((file) => readFileSync(path.join(packageRoot, file), 'utf8'))
    .join('\n');
  const symptoms = listRows(findDocument('docs/troubleshooting.md')).map(([symptom = '']) => symptom);
  const quoted = symptoms.flatMap((symptom) => Array.from(symptom.matchAll(/"([^"]+)"/g), ([, text = '']) => text));
  // Between them are names, numbers and what was left out.
  const parts = quoted
    .flatMap((text) => text.split(/…|\d+|(?:the member )?'[^']*'|\b[A-Z_]+: /))
    .map((part) => part.replace(/^[:,.\s]+|[\s.]+$/g, ''));
  const long = parts.filter((part) => part.length > 10 && part !== 'JavaScript heap out of memory');
  expect(long.length).toBeGreaterThan(5);
  expect(long.filter((part) => !said.includes(part))).toEqual([]);
});

test('Limits that a page of the guide states are those of the code', () => {
  const { pacing, limits } = defaultConnectionOptions;
  const megabyte = 1024 * 1024;
  for (const [page, text] of [
    ['docs/limits-and-performance.md', `--quick   # at most ${maxQuickRequests} requests`],
    ['docs/verifying-a-certificate.md', `evidence may have ${fileSizeLimits.evidence / megabyte} MB`],
    ['docs/verifying-a-certificate.md', `a certificate ${fileSizeLimits.json / megabyte} MB`],
    ['docs/keys.md', `concurrent requests. Default: ${pacing.concurrency}.`],
    ...Object.values(limits).map((limit) => ['docs/keys.md', `Default: ${limit}.`] as const),
  ] as const)
    expect(findDocument(page).includes(text), `${page}: ${text}`).toBe(true);
});

test('The README lists each page of the guide', () => {
  expect(docs.filter((name) => !findDocument('README.md').includes(`](docs/${name})`))).toEqual([]);
});

/** The name of the place of a heading, as GitHub makes it. */
const createAnchor = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

test('Each link to a heading has one', () => {
  const links = documents.flatMap(({ name, text }) =>
    Array.from(text.matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g), ([, file = '', anchor = '']) => ({
      from: name,
      to: file === '' ? name : path.posix.join(path.posix.dirname(name), file),
      anchor,
    })),
  );
  expect(links.length).toBeGreaterThan(20);
  const isLost = ({ to, anchor }: (typeof links)[number]) => {
    const text = findDocument(to).replaceAll(/^```[\s\S]*?^```/gm, '');
    return !Array.from(text.matchAll(/^#+ (.*)$/gm), ([, heading = '']) => createAnchor(heading)).includes(anchor);
  };
  expect(links.filter(isLost)).toEqual([]);
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
  const { properties, $defs } = readSchema('cases') as unknown as Schema;
  const check = $defs.check?.properties ?? {};
  const inGroups = Object.entries(check).flatMap(([key, group]) =>
    group.properties === undefined || key === 'status' || key === 'accepted'
      ? [key]
      : Object.keys(group.properties).map((member) => `${key}.${member}`),
  );
  for (const [title, known] of [
    ['A file', Object.keys(properties)],
    ['A case', Object.keys($defs.case?.properties ?? {})],
    ['A request', Object.keys($defs.change?.properties ?? {})],
    ['A check', inGroups],
  ] as const) {
    const documented = [...findSection(title).matchAll(/^### `(.*)`/gm)].map(([, key]) => key);
    expect(documented.sort(), title).toEqual([...known].sort());
  }
});

test('The case language explains every tag, and no other', () => {
  interface Tags {
    readonly $defs: { readonly tags: { readonly items: { readonly enum: readonly string[] } } };
  }
  const { enum: known } = (readSchema('cases') as unknown as Tags).$defs.tags.items;
  const section = /^### `tags`$(.*?)^### /ms.exec(findDocument(caseLanguage))?.[1] ?? '';
  const entries = [...section.matchAll(/^- (.*?)(?: \(|:)/gm)].map(([, names = '']) => names);
  const documented = entries.flatMap((names) => [...names.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name));
  expect(documented.sort()).toEqual(known.toSorted());
});

/** What the programs of the guide import from files of the user. */
const filesOfUser = {
  'app.d.ts':
    'export declare const app: { inject(request: object): Promise<{ statusCode: number; body: string; headers: Record<string, string> }> };',
  'handler.d.ts':
    'export declare function handler(event: object): Promise<{ statusCode: number; headers: Record<string, string>; body: string }>;',
};

test('Each program of the guide has the right types', { tag: '@long' }, () => {
  const cwd = makeProject('@types/node');
  const programs = documents.flatMap(({ name, text }) =>
    listBlocks(text, 'ts').map((program) => [name, program] as const),
  );
  expect(programs.length).toBeGreaterThan(4);
  const files = programs.map(([name, program], n) => [`${path.parse(name).name}-${n}.mts`, program] as const);
  for (const [name, text] of [...files, ...Object.entries(filesOfUser)]) writeFileSync(path.join(cwd, name), text);
  const options = '--noEmit --strict --skipLibCheck --target es2023 --module nodenext --types node'.split(' ');
  const tsc = path.join(packageRoot, 'node_modules', 'typescript', 'bin', 'tsc');
  const { stdout, status } = spawnSync(process.execPath, [tsc, ...options, ...files.map(([name]) => name)], {
    cwd,
    encoding: 'utf8',
  });
  expect([stdout, status]).toEqual(['', 0]);
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
  skipOnWindows('the shell of the guide');
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

const listenAsReference = (world = suite.world) =>
  listen(createReference({ credentials: referenceCredentials, world }));

/** The example with data of its own, and the address at which a document serves it. */
const smallShop = { folder: 'examples/small-shop', address: 'http://127.0.0.1:8080' };

/** Serves the small shop, and puts the example into a project, with the address of the server. */
async function serveSmallShop(cwd: string) {
  const source = path.join(packageRoot, smallShop.folder);
  const copy = path.join(cwd, smallShop.folder);
  const server = await listenAsReference(readDataFile(path.join(source, 'shop.json')).world);
  cpSync(source, copy, { recursive: true });
  const target = path.join(copy, 'target.yaml');
  const text = readFileSync(target, 'utf8');
  expect(text).toContain(smallShop.address);
  writeFileSync(target, text.replaceAll(smallShop.address, server.url));
  return server;
}

for (const { name, text } of documents.filter((document) => guide.includes(document.name))) {
  const scripts = listBlocks(text, 'sh').filter((block) => /^(npx|openssl|curl) /m.test(block));
  if (scripts.length === 0) continue;
  test(`${name}: each command ends with exit status 0`, { tag: '@long' }, async () => {
    const cwd = makeProject();
    const server = await listenAsReference();
    const shop = text.includes(`--target ${smallShop.folder}`) ? await serveSmallShop(cwd) : undefined;
    for (const folder of ['conformance/cases', 'node_modules/.bin', 'records', 'targets'])
      mkdirSync(path.join(cwd, folder), { recursive: true });
    for (const [command, file] of [
      ['conformance', 'dist/bundle/src/cli/conformance.js'],
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
        const namesTarget = /--target (targets|examples)\//.test(script);
        const env = { ...credentialVariables, ...(namesTarget ? {} : { BASE_URL: server.url }) };
        const { status, output } = await runScript(makeRunnable(script), cwd, env);
        expect(status, output).toBe(0);
      }
    } finally {
      await server.close();
      await shop?.close();
    }
  });
}
