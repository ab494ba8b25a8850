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

test('--reference wins over the environment and excludes other targets', async () => {
  const env = { BASE_URL: nowhere, TARGET: 'named.yaml', ...credentials };
  for (const [command, ...args] of [['certify', '--dry-run'], ['doctor']] as const) {
    const { status, output } = await runConformanceInProcess([command, '--reference', ...args], { cwd, env });
    expect([status, isOfReference(output)]).toEqual([0, true]);
    for (const other of [
      ['--base-url', nowhere],
      ['--target', 'named.yaml'],
    ]) {
      const both = await runConformanceInProcess([command, '--reference', ...args, ...other], { cwd });
      expect([both.status, both.output]).toEqual([2, expect.stringContaining('name more than one deployment')]);
    }
  }
});

test('An argument without a flag is refused, and a wrong base URL with a hint', async () => {
  const table: readonly (readonly [args: readonly string[], says: string])[] = [
    [['--base-url', `${nowhere}/v1/promotions/validation`], 'was removed from the end of the base URL.'],
    [['--base-url', 'api.example.com'], 'Write https://api.example.com.'],
    [['--base-url', 'localhost:8080'], 'Write http://localhost:8080.'],
    [[nowhere], `${nowhere}: is an argument without a flag\n    Name a deployment with --base-url or --target.`],
    [['quantity'], 'quantity: is an argument without a flag\n'],
  ];
  for (const command of [['doctor'], ['certify', '--dry-run'], ['record', '--to', 'r.yaml', '--dry-run']])
    for (const [args, says] of table) {
      const { output } = await runConformanceInProcess([...command, ...args], { cwd, env: credentials });
      expect(output, args.join(' ')).toContain(says);
    }
});

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

test('The base URL of a target file that a flag names wins over .env; the environment must not contradict it', async () => {
  const folder = makeTestFolder();
  writeFileSync(path.join(folder, '.env'), 'BASE_URL=http://127.0.0.1:2\n');
  writeFileSync(path.join(folder, 'named.yaml'), `name: shop\nbase_url: ${nowhere}/\n`);
  writeFileSync(path.join(folder, 'bare.yaml'), 'name: shop\n');
  const readUrl = async (args: readonly string[], env: Record<string, string> = {}) => {
    const all = ['certify', '--dry-run', '--only', 'order.quantity', ...args];
    const { status, output } = await runConformanceInProcess(all, { cwd: folder, env: { ...credentials, ...env } });
    return status === 0 ? /http:\/\/127\.0\.0\.1:\d/.exec(output)?.[0] : output.split('\n')[0];
  };
  const another = { BASE_URL: 'http://127.0.0.1:3' };
  expect(await readUrl(['--target', 'named.yaml'])).toBe(nowhere);
  expect(await readUrl(['--target', 'bare.yaml'])).toBe('http://127.0.0.1:2');
  expect(await readUrl(['--target', 'named.yaml'], another)).toBe('BASE_URL: contradicts the base_url of named.yaml');
  expect(await readUrl(['--target', 'named.yaml'], { BASE_URL: nowhere })).toBe(nowhere);
  expect(await readUrl(['--target', 'named.yaml', '--base-url', another.BASE_URL])).toBe(another.BASE_URL);
  expect(await readUrl([], { TARGET: 'named.yaml', ...another })).toBe(another.BASE_URL);
});

test('In a project with a target file, and where CI is set, the reference deployment must be named', async () => {
  const folder = makeTestFolder();
  const run = async (args: readonly string[], env: Record<string, string> = {}) => {
    const { status, output } = await runConformanceInProcess(args, { cwd: folder, env });
    return [status, output];
  };
  const isFine = [0, expect.any(String)];
  for (const command of [['certify', '--dry-run'], ['doctor']]) {
    expect(await run(command, { CI: 'true' })).toEqual([2, expect.stringMatching(/^CI: is set, .*\n.*--reference/)]);
    expect(await run([...command, '--reference'], { CI: 'true' })).toEqual(isFine);
  }
  await run(['init']);
  const refused = [2, expect.stringMatching(/^conformance\/target.yaml: .*\n.*--reference/)];
  expect(await run(['certify', '--dry-run'])).toEqual(refused);
  expect(await run(['certify', '--dry-run', '--reference'])).toEqual(isFine);
});
