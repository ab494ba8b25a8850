/** The commands of the guide, typed in a project that has the suite installed. */

import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { referenceCredentials } from '../../reference/reference-credentials.js';
import { packageRoot } from '../../src/support/package-root.js';
import { credentialVariables, makeTestFolder, runConformance, watchProcess } from '../support/cli.js';
import { createReference } from '../support/in-process.js';
import { listen } from '../support/independent-deployment.js';

const guide = ['README.md', ...readdirSync(path.join(packageRoot, 'docs')).map((name) => `docs/${name}`)]
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, text: readFileSync(path.join(packageRoot, name), 'utf8') }));

/** Lists the blocks of a language. */
function listBlocks(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, block = '']) => block);
}

/** Ends what would run until Ctrl-C, and skips what needs a registry or a display. */
function makeRunnable(script: string): string {
  return script
    .replaceAll(/^npx conformance serve\b.*$/gm, (command) => `timeout --signal INT 5 ${command} || [ $? = 124 ]`)
    .replaceAll(/^npm .*$/gm, ':')
    .replaceAll(/(npx playwright test) --ui$/gm, '$1 --list')
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

for (const { name, text } of guide) {
  const scripts = listBlocks(text, 'sh').filter((block) => /^(npx|openssl|curl) /m.test(block));
  if (scripts.length === 0) continue;
  test(`${name}: each command ends with exit status 0`, { tag: '@long' }, async () => {
    const cwd = makeTestFolder();
    const server = await listenAsReference();
    for (const folder of ['conformance/cases', 'node_modules/.bin', 'records', 'targets'])
      mkdirSync(path.join(cwd, folder), { recursive: true });
    symlinkSync(packageRoot, path.join(cwd, 'node_modules', 'promotion-validation-conformance'));
    symlinkSync(path.join(packageRoot, 'node_modules', '@playwright'), path.join(cwd, 'node_modules', '@playwright'));
    for (const [command, file] of [
      ['conformance', 'dist/src/cli/conformance.js'],
      ['playwright', 'node_modules/@playwright/test/cli.js'],
    ] as const)
      writeFileSync(
        path.join(cwd, 'node_modules', '.bin', command),
        `#!/bin/sh\nexec '${process.execPath}' '${path.join(packageRoot, file)}' "$@"\n`,
        { mode: 0o755 },
      );
    writeFileSync(path.join(cwd, 'package.json'), '{ "name": "shop" }');
    for (const target of ['shop', 'live', 'mock'])
      writeFileSync(path.join(cwd, 'targets', `${target}.yaml`), `name: ${target}\nbase_url: ${server.url}\n`);
    writeFileSync(path.join(cwd, 'conformance', 'target.yaml'), 'name: shop\n');
    writeFileSync(path.join(cwd, 'load-shop.mjs'), loader);
    copyFileSync(path.join(packageRoot, 'templates/playwright.config.mjs'), path.join(cwd, 'playwright.config.mjs'));

    // What other commands, machines and pages of the guide leave.
    const certify = (...args: string[]) => runConformance(['certify', ...args], { cwd, env: credentialVariables });
    if (text.includes('results/shop')) await certify('--target', 'targets/shop.yaml');
    for (const [n, example] of listBlocks(text, 'yaml').entries()) {
      if (example.startsWith('cases:')) writeFileSync(path.join(cwd, 'conformance/cases', `${n}.yaml`), example);
      if (example.includes('own-world')) writeFileSync(path.join(cwd, 'conformance/cases', 'world.yaml'), example);
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

test('README.md: the sample request returns the sample response', async () => {
  const { text = '' } = guide.find((page) => page.name === 'README.md') ?? {};
  const [request = ''] = listBlocks(text, 'sh').filter((block) => block.startsWith('curl '));
  const [response = ''] = listBlocks(text, 'json');
  const server = await listenAsReference();
  const env = { BASE_URL: server.url, ...credentialVariables };
  const { output } = await runScript(request.replace('curl', 'curl --silent'), '.', env);
  await server.close();
  expect(JSON.parse(output.slice(output.indexOf('\n{')))).toMatchObject(JSON.parse(response));
});
