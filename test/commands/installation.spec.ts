/**
 * The package as users install it: packed, by npm and pnpm, in projects of several kinds. These tests ask the package registry,
 * so they are among the long ones.
 */

import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { referenceCredentials } from '../../reference/deployment/reference-credentials.js';
import { packageRoot } from '../../src/support/package-root.js';
import { type CommandResult, credentialVariables, makeTestFolder, watchProcess } from '../support/cli.js';
import { createReference } from '../support/in-process.js';
import { listen } from '../support/independent-deployment.js';

const name = 'promotion-validation-conformance';
const deployment = listen(createReference({ credentials: referenceCredentials }));
test.afterAll(async () => (await deployment).close());

/** Runs a program as a person does who has the settings of the deployment in the environment. */
async function run(cwd: string, line: string, env: Record<string, string> = {}): Promise<CommandResult> {
  const [command = '', ...args] = line.split(' ');
  const child = spawn(command, args, {
    cwd,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      BASE_URL: (await deployment).url,
      ...credentialVariables,
      NO_COLOR: '1',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // On Windows, npm and npx are scripts.
    shell: process.platform === 'win32',
  });
  return watchProcess(child).ended;
}

async function runWell(cwd: string, line: string, env: Record<string, string> = {}): Promise<string> {
  const { status, output } = await run(cwd, line, env);
  expect(status, `${line}\n${output}`).toBe(0);
  return output;
}

let packed: Promise<string> | undefined;

/** Packs this package, once. @returns the path of the file */
function packPackage(): Promise<string> {
  packed ??= (async () => {
    const folder = makeTestFolder();
    await runWell(packageRoot, `npm pack --ignore-scripts --pack-destination ${folder}`);
    return path.join(folder, readdirSync(folder)[0] ?? '');
  })();
  return packed;
}

/** A new folder of a project that needs these packages, and has not installed them. */
function makeUninstalledProject(devDependencies: Readonly<Record<string, string>> = {}): string {
  const folder = path.join(makeTestFolder(), 'shop');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: 'shop', version: '1.0.0', devDependencies }));
  return folder;
}

/** The name under which npm and pnpm find a file on every system. */
const nameFile = (file: string) => `file:${file.replaceAll(path.sep, '/')}`;

test.describe('Installed', { tag: '@long' }, () => {
  test('by npx, in an empty folder, the suite gives a verdict', async () => {
    const cwd = makeTestFolder();
    const { url } = await deployment;
    const certify = `npx --yes --package ${nameFile(await packPackage())} ${name} certify --base-url`;
    const conforming = await run(cwd, `${certify} ${url}`, { BASE_URL: '' });
    expect([conforming.status, conforming.output]).toEqual([0, expect.stringMatching(/^CONFORMS {2}127\.0\.0\.1/m)]);
    expect(readdirSync(cwd)).toEqual(['results']);

    const wrong = await listen(createReference({ faults: ['quantity-ignored'], credentials: referenceCredentials }));
    const failing = await run(cwd, `${certify} ${wrong.url}`, { BASE_URL: '' });
    await wrong.close();
    expect([failing.status, failing.output]).toEqual([1, expect.stringMatching(/^DOES-NOT-CONFORM {2}/m)]);
  });

  test('by pnpm, which hides what a project does not name, all commands work', async () => {
    const cwd = makeUninstalledProject();
    // The last version without a script that runs at its installation.
    const pnpm = 'npx --yes pnpm@10';
    await runWell(cwd, `${pnpm} add --save-dev ${nameFile(await packPackage())}`);
    expect(readdirSync(path.join(cwd, 'node_modules'))).toContain(name);
    expect(readdirSync(path.join(cwd, 'node_modules'))).not.toContain('@playwright');
    await runWell(cwd, `${pnpm} exec conformance init`);
    const certified = await runWell(cwd, `${pnpm} exec conformance certify`);
    expect(certified).toMatch(/^With playwright\.config\.mjs\.[\s\S]*^CONFORMS {2}shop/m);
    expect(await runWell(cwd, `${pnpm} exec playwright test window`)).toContain('CONFORMS as far as selected  shop');
    expect(await runWell(cwd, 'npx playwright test window')).toContain('CONFORMS as far as selected  shop');
  });

  const { peerDependencies } = JSON.parse(readFileSync(path.join(packageRoot, 'package.json'), 'utf8'));
  const oldest = peerDependencies['@playwright/test'].replace('>=', '');

  test('beside the oldest Playwright that works, all commands work', async () => {
    const cwd = makeUninstalledProject({ '@playwright/test': `${oldest}.0` });
    await runWell(cwd, `npm install --save-dev ${nameFile(await packPackage())}`);
    expect(await runWell(cwd, 'npx playwright --version')).toContain(`${oldest}.0`);
    await runWell(cwd, 'npx conformance init');
    expect(await runWell(cwd, 'npx conformance certify')).toMatch(/^CONFORMS {2}shop/m);
    expect(await runWell(cwd, 'npx playwright test window')).toContain('CONFORMS as far as selected  shop');
  });

  for (const [found, devDependencies] of [
    ['is not installed', {}],
    ['is 1.51.1', { '@playwright/test': '1.51.1' }],
  ] as const)
    test(`where Playwright ${found}, one sentence says which version is needed`, async () => {
      const cwd = makeUninstalledProject(devDependencies);
      // Without this flag, npm installs what is missing, and refuses what is too old.
      await runWell(cwd, `npm install --save-dev --legacy-peer-deps ${nameFile(await packPackage())}`);
      const says = `@playwright/test: ${found}, but the suite needs ${oldest} or newer\n    Run: npm install --save-dev @playwright/test@latest\n`;
      expect(await run(cwd, 'npx conformance certify')).toEqual({ status: 2, output: says });
      expect((await runWell(cwd, 'npx conformance init')).split('\n')).toContain('Written  playwright.config.mjs');
      expect(await run(cwd, 'npx conformance certify')).toEqual({ status: 2, output: says });
      if (found === 'is not installed') return;
      expect(await run(cwd, 'npx playwright test')).toEqual({ status: 1, output: says });
    });

  test("in a CommonJS project with the config of Playwright's generator, all ways to import the suite work", async () => {
    const cwd = path.join(makeTestFolder(), 'shop');
    mkdirSync(cwd);
    await runWell(cwd, 'npx --yes create-playwright@latest --quiet --no-browsers --lang=TypeScript');
    const file = path.join(cwd, 'playwright.config.ts');
    const generated = readFileSync(file, 'utf8');
    expect(JSON.parse(readFileSync(path.join(cwd, 'package.json'), 'utf8')).type).not.toBe('module');
    await runWell(cwd, `npm install --save-dev ${nameFile(await packPackage())}`);
    expect(await runWell(cwd, 'npx conformance init')).toContain('Kept     playwright.config.ts');
    expect(await runWell(cwd, 'npx conformance certify --target conformance/target.yaml')).toMatch(
      /^CONFORMS {2}shop/m,
    );

    // As docs/playwright.md says it.
    const config = addSuite(generated);
    writeFileSync(file, config);
    mkdirSync(path.join(cwd, 'flow'));
    writeFileSync(path.join(cwd, 'flow', 'mug.spec.ts'), readDocumentedExample('ts', 'a mug for Ann'));
    expect(await runWell(cwd, 'npx playwright test --project shop')).toMatch(/^CONFORMS {2}shop/m);
    expect(await runWell(cwd, 'npx conformance certify -- --project shop')).toMatch(
      /^With playwright\.config\.ts\.[\s\S]*^CONFORMS {2}shop/m,
    );
    expect(await runWell(cwd, 'npx playwright test --project flow --reporter=list')).toContain('1 passed');
    const tsc = path.join(packageRoot, 'node_modules', 'typescript', 'bin', 'tsc');
    const check = '--noEmit --strict --module nodenext --target es2023 --types node';
    await runWell(cwd, `node ${tsc} ${check} playwright.config.ts flow/mug.spec.ts`);

    const program = `
      const { certify } = require('${name}');
      const { createMock } = require('${name}/mock');
      const credentials = { applicationId: 'an-application', token: 'a-token-of-the-test' };
      const mock = createMock({ credentials });
      certify(async (request) => mock(request), { credentials }).then(({ verdict }) => console.log(verdict));`;
    writeFileSync(path.join(cwd, 'program.cjs'), program);
    expect(await runWell(cwd, 'node program.cjs', { BASE_URL: '' })).toBe('conforms\n');
  });
});

/** Returns an example of docs/playwright.md. @param text that it contains */
function readDocumentedExample(language: string, text: string): string {
  const page = readFileSync(path.join(packageRoot, 'docs', 'playwright.md'), 'utf8');
  const examples = page.split(`\`\`\`${language}\n`).slice(1);
  return examples.find((example) => example.includes(text))?.split('```')[0] ?? '';
}

/** Adds the suite to a config that Playwright's generator wrote. */
function addSuite(generated: string): string {
  const changes = [
    [/^import/m, `import conformance from '${name}/playwright.config.js';\nimport`],
    ['defineConfig({', 'defineConfig(conformance, {'],
    ["reporter: 'html'", `reporter: [['${name}/reporter'], ['html', { open: 'never' }]]`],
    [
      /projects: \[/,
      `projects: [
    { name: 'shop', testDir: conformance.testDir, use: { target: 'conformance/target.yaml' } },
    { name: 'flow', testDir: 'flow', use: { target: 'conformance/target.yaml' } },`,
    ],
  ] as const;
  return changes.reduce((text, [from, to]) => {
    expect(text.replace(from, '')).not.toBe(text);
    return text.replace(from, to);
  }, generated);
}
