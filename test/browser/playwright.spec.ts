/** What Playwright shows of a case in its HTML report and in UI mode, in a real browser. */

import { spawn } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, type Locator, test } from '@playwright/test';
import { referenceCredentials } from '../../reference/reference-credentials.js';
import { usePages } from '../support/browser.js';
import {
  commandLine,
  credentialVariables,
  makeProject,
  playwright,
  runConformance,
  runConformanceInProcess,
  watchProcess,
} from '../support/cli.js';
import { createReference } from '../support/in-process.js';
import { listen } from '../support/independent-deployment.js';

const openPage = usePages();
const cwd = makeProject();
const deployment = listen(createReference({ faults: ['quantity-ignored'], credentials: referenceCredentials }));
const env = { ...credentialVariables, PLAYWRIGHT_HTML_OPEN: 'never', PLAYWRIGHT_HTML_OUTPUT_DIR: 'html' };
const few = ['--grep', 'integer-quantity:|json-content-type:'];
test.beforeAll(async () => {
  await runConformanceInProcess(['init'], { cwd });
});
test.afterAll(async () => (await deployment).close());

const cases = [
  { id: 'integer-quantity', exchange: 'failing exchange', says: 'An integer quantity is the number of units' },
  { id: 'json-content-type', exchange: 'exchanges', says: 'A body that is sent as application/json is accepted.' },
];

async function expectExchange(shown: Locator): Promise<void> {
  await expect(shown).toContainText(/curl -gi[\s\S]*\/v1\/promotions\/validation[\s\S]*^200$/m, { useInnerText: true });
  await expect(shown).not.toContainText(referenceCredentials.token);
}

test('The HTML report shows the exchange of a case, the statement of the documentation and the cause', async () => {
  const variables = { ...env, BASE_URL: (await deployment).url };
  await runConformance(['certify', '--', ...few, '--reporter=html'], { cwd, env: variables, script: commandLine });
  const page = await openPage();
  for (const { id, exchange, says } of cases) {
    await page.goto(pathToFileURL(path.join(cwd, 'html', 'index.html')).href);
    await page
      .getByRole('link', { name: `${id}: ` })
      .first()
      .click();
    await expect(page.getByText(`requirement: ${says}`)).toBeVisible();
    await expect(page.getByText('cause: Possibly: ')).toHaveCount(id === 'integer-quantity' ? 1 : 0);
    const shown = page.getByRole('group').filter({ hasText: exchange }).first();
    await shown.getByText(exchange, { exact: true }).click();
    await expectExchange(shown);
  }
  await page.close();
});

test('UI mode has the case files as its tree, runs them, and shows the exchange of a case', {
  tag: '@long',
}, async () => {
  const server = spawn(process.execPath, [playwright, 'test', '--ui-host=127.0.0.1', '--ui-port=0', ...few], {
    cwd,
    env: { PATH: process.env.PATH, ...env, BASE_URL: (await deployment).url },
    timeout: 180_000,
  });
  const { readOutput, ended } = watchProcess(server);
  const readUrl = () => /http:\S+/.exec(readOutput())?.[0] ?? '';
  await expect.poll(readUrl).not.toBe('');
  const page = await openPage();
  await page.setViewportSize({ width: 1600, height: 1000 });
  await page.goto(readUrl());
  for (const file of ['order.yaml', 'request.yaml'])
    await expect(page.getByRole('treeitem', { name: file })).toBeVisible();
  await page.getByTitle('Run all').click();
  await expect(page.getByText('1 passed, 1 failed')).toBeVisible();
  await page.getByTitle('Expand all').click();
  for (const { id, exchange } of cases) {
    await page.getByRole('treeitem', { name: `${id}: ` }).click();
    await page.getByRole('tab', { name: 'Attachments' }).click();
    const shown = page.getByRole('tabpanel', { name: 'Attachments' });
    await shown.getByText(exchange, { exact: true }).click();
    await expectExchange(shown);
  }
  await page.close();
  server.kill('SIGINT');
  await ended;
});
