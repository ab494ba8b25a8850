/** A run never certifies a deployment that nobody named: every state of the settings that select one. */

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { packageRoot } from '../../src/support/package-root.js';
import { makeTestFolder, runConformance, runConformanceInProcess } from '../support/cli.js';

const cwd = makeTestFolder();

const nowhere = 'http://127.0.0.1:1';
const credentials = { CLIENT_APPLICATION_ID: 'the-application', CLIENT_TOKEN: 'the-token-of-the-test' };
writeFileSync(path.join(cwd, 'bare.yaml'), 'name: shop\n');
writeFileSync(path.join(cwd, 'named.yaml'), `name: shop\nbase_url: ${nowhere}\n`);
writeFileSync(path.join(cwd, 'variable.yaml'), 'name: shop\nbase_url: $SHOP_URL\n');

/** What a variable may be, or what `--target` may name; and what each state is called in the table of docs/which-deployment.md. */
const urls = { unset: undefined, empty: '', set: nowhere };
const targets = { none: undefined, empty: '', bare: 'bare.yaml', named: 'named.yaml', variable: 'variable.yaml' };
const secrets = { none: {}, empty: { CLIENT_APPLICATION_ID: '', CLIENT_TOKEN: '' }, one: { CLIENT_TOKEN: 'a-token' } };

type Outcome = 'reference' | 'refused' | 'deployment';

/** Every combination, in which nothing but the first may come to the reference deployment. */
const states = Object.entries(urls).flatMap(([url, BASE_URL]) =>
  Object.entries(targets).flatMap(([target, TARGET]) =>
    Object.entries({ ...secrets, both: credentials }).map(([secret, own]) => {
      const isUrlKnown = BASE_URL === nowhere || target === 'named';
      const isNothingSet = url === 'unset' && target === 'none' && secret === 'none';
      const outcome: Outcome = isNothingSet ? 'reference' : isUrlKnown && secret === 'both' ? 'deployment' : 'refused';
      const set = Object.entries({ BASE_URL, TARGET, ...own }).filter((entry) => entry[1] !== undefined);
      return { what: `${url} ${target} ${secret}`, env: Object.fromEntries(set) as Record<string, string>, outcome };
    }),
  ),
);

const isOfReference = (output: string) => output.includes('the reference deployment, which comes with the suite');

for (const command of [['certify', '--dry-run'], ['record', '--to', 'r.yaml', '--dry-run'], ['doctor']]) {
  test(`${command.join(' ')}: ${states.length} states of the settings that name a deployment`, async () => {
    const wrong: string[] = [];
    for (const { what, env, outcome } of states) {
      const { status, output } = await runConformanceInProcess(command, { cwd, env });
      const expected =
        outcome === 'refused'
          ? status === 2 && /BASE_URL|is not set/.test(output) && !isOfReference(output)
          : outcome === 'reference'
            ? status === 0 && isOfReference(output)
            : !isOfReference(output) && status === (command[0] === 'doctor' ? 1 : 0);
      if (!expected) wrong.push(`${what}: not ${outcome}, but ${status}: ${output.slice(0, 200)}`);
    }
    expect(wrong).toEqual([]);
  });
}

test('Plain `playwright test` refuses what `certify` refuses', async () => {
  const config = path.join(packageRoot, 'dist', 'playwright.config.js');
  const { status, output } = await runConformance(['test', '--config', config], {
    cwd,
    // By itself, Playwright compiles what is compiled already, which spoils the counts of coverage.
    env: { BASE_URL: '', NODE_V8_COVERAGE: '' },
    script: path.join(packageRoot, 'node_modules', '@playwright', 'test', 'cli.js'),
  });
  expect(status).not.toBe(0);
  expect(output).toMatch(/^BASE_URL: is set but empty, but no deployment is named\n {4}Set BASE_URL/m);
  expect(output).not.toContain('problems');
});

test('The table of docs/which-deployment.md has a line for each state', () => {
  const text = readFileSync(path.join(packageRoot, 'docs', 'which-deployment.md'), 'utf8');
  const rows = text
    .split('\n')
    .filter((line) => /^\| (unset|empty|set|any) /.test(line))
    .map((line) => line.split(/ *\| */).slice(1, 5));
  const fits = (cell: string | undefined, value: string | undefined) =>
    cell === 'any' || (cell ?? '').split(' or ').includes(value ?? '');
  for (const { what, outcome } of states) {
    const values = what.split(' ');
    const row = rows.find((cells) => values.every((value, n) => fits(cells[n], value)));
    expect(row?.[3], what).toBe(outcome);
  }
});
