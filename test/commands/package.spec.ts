/** The package as users get it: packed, installed into a project, and run there. */

import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { referenceCredentials } from '../../reference/reference-credentials.js';
import { serveReference } from '../../reference/server.js';
import { packageRoot } from '../../src/support/package-root.js';
import { type CommandResult, loadCertificate, makeTestFolder, watchProcess } from '../support/cli.js';
import { suite } from '../support/in-process.js';

const folder = makeTestFolder();
const project = path.join(folder, 'shop');
const installed = path.join(project, 'node_modules', 'promotion-validation-conformance');
const env = {
  PATH: process.env.PATH ?? '',
  HOME: process.env.HOME ?? '',
  NO_COLOR: '1',
  // What a cache has need not be fetched.
  npm_config_prefer_offline: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
};

/** Types a command in the project, without settings of this process. */
function type(command: string): Promise<CommandResult> {
  return watchProcess(spawn('bash', ['-c', command], { cwd: project, env })).ended;
}

/** The package of each import that is not of a file. */
const imports = /(?:^(?:import|export) [^;]*?from |\bimport\(|\brequire\()['"]([@a-z][^'"]*)['"]/gm;

let reference: Awaited<ReturnType<typeof serveReference>>;

test.describe('The installed package', { tag: '@long' }, () => {
  test.describe.configure({ mode: 'serial' });

  test.beforeAll(async () => {
    mkdirSync(project);
    const packed = execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], {
      cwd: packageRoot,
      encoding: 'utf8',
    });
    const { status, output } = await type(`npm init --yes && npm install ../${packed.trim()}`);
    expect(status, output).toBe(0);
    reference = await serveReference({ world: suite.world, credentials: referenceCredentials });
  });

  test.afterAll(() => reference.close());

  test('certifies after `init`', async () => {
    expect(await type('npx conformance init')).toEqual({ status: 0, output: expect.stringContaining('Written') });
    const { applicationId, token } = referenceCredentials;
    const values = { BASE_URL: reference.url, CLIENT_APPLICATION_ID: applicationId, CLIENT_TOKEN: token };
    const edits = Object.entries(values).map(([name, value]) => `-e 's#^${name}=.*#${name}=${value}#'`);
    const { status, output } = await type(`sed ${edits.join(' ')} .env.example > .env && npx conformance certify`);
    expect([status, output]).toEqual([0, expect.stringContaining(`\nCONFORMS  shop at ${reference.url}\n`)]);
    expect(loadCertificate(project, 'results/shop')).toMatchObject({ verdict: 'conforms', target: { name: 'shop' } });
  });

  test('contains what runs need, and no tests', () => {
    const names = readdirSync(installed, { recursive: true, encoding: 'utf8' });
    const caseFiles = new Set(suite.cases.map(({ at }) => at.file));
    expect(names.filter((name) => /^dist\/specs\/.*\.spec\.js$/.test(name))).toHaveLength(caseFiles.size + 3);
    expect(names.filter((name) => name.endsWith('.map') || /(?<!\.d)\.ts$/.test(name))).toEqual([]);
    const { dependencies, devDependencies } = JSON.parse(readFileSync(path.join(packageRoot, 'package.json'), 'utf8'));
    const imported = names
      .filter((name) => /^dist\/.*\.c?js$/.test(name))
      .flatMap((name) => [...readFileSync(path.join(installed, name), 'utf8').matchAll(imports)])
      .map(([, name = '']) =>
        name
          .split('/')
          .slice(0, name.startsWith('@') ? 2 : 1)
          .join('/'),
      )
      .filter((name) => !name.startsWith('node:'));
    // All that it needs is installed with it, and nothing else.
    expect([...new Set(imported)].sort()).toEqual(Object.keys(dependencies).sort());
    for (const name of Object.keys(devDependencies)) expect(imported).not.toContain(name);
  });
});
