import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { listedKinds } from '../../src/cli/commands/list.js';
import { makeTestFolder, runConformance, runConformanceInProcess } from '../support/cli.js';
import { suite } from '../support/in-process.js';

const cwd = makeTestFolder();

const list = async (...args: string[]) => (await runConformanceInProcess(['list', ...args], { cwd })).output;

test('list shows everything that a flag or a command can name', async () => {
  const all: Record<string, { id: string; outcomes?: object }[]> = JSON.parse(await list('--json'));
  expect(Object.keys(all)).toEqual(listedKinds);
  for (const [kind, entries] of Object.entries(all)) {
    const lines = await list(kind);
    for (const { id } of entries.slice(0, 100)) expect(lines, kind).toContain(id);
    expect(JSON.parse(await list(kind, '--json'))).toEqual(entries);
  }
  const listIds = (kind: string) => all[kind]?.map(({ id }) => id);
  expect(listIds('cases')).toEqual(suite.cases.map(({ id }) => id));
  expect(listIds('requirements')).toEqual(suite.contract.requirements.map(({ id }) => id));
  expect(all.questions?.every(({ outcomes }) => Object.keys(outcomes ?? {}).length > 0)).toBe(true);
  expect(listIds('outputs')).toContain('certificate.json');
});

test('--open opens the page in the browser', { tag: '@long' }, async () => {
  test.skip(process.platform !== 'linux', 'Other systems open it with another command.');
  const folder = path.join(cwd, 'bin');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'xdg-open'), `#!/bin/sh\nprintf %s "$1" > ${path.join(cwd, 'opened')}\n`);
  chmodSync(path.join(folder, 'xdg-open'), 0o755);
  const env = { PATH: `${folder}:${process.env.PATH}` };
  const args = ['certify', '--reference', '--open', '--only', 'integer-quantity', '--out', 'out'];
  expect((await runConformance(args, { cwd, env })).status).toBe(0);
  const opened = path.join(cwd, 'opened');
  await expect
    .poll(() => existsSync(opened) && readFileSync(opened, 'utf8'), { timeout: 60_000 })
    .toBe(path.join(cwd, 'out', 'certificate.html'));
  const { output } = await runConformanceInProcess(['verify', 'out'], { cwd });
  expect(output).toMatch(/^AGREES {2}out\/certificate\.json/);
});
