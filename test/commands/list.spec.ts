import { chmodSync, existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { listedKinds } from '../../src/cli/commands/list.js';
import { credentialVariables, makeTestFolder, runConformance, runConformanceInProcess } from '../support/cli.js';
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

test('explain takes cases, requirements, questions, groups and tags', async () => {
  const explain = (name: string) => runConformanceInProcess(['explain', name], { cwd });
  const [requirement] = suite.contract.requirements.filter(({ id }) => id === 'limit.newest-150');
  const byRequirement = (await explain('limit.newest-150')).output;
  expect(byRequirement).toContain(requirement?.statement);
  const verifying = suite.cases.filter((each) => each.kind === 'requirement' && each.verifies === requirement?.id);
  for (const { id, title } of verifying)
    expect(byRequirement).toMatch(new RegExp(`^ {2}${id} +${title.slice(0, 9)}`, 'm'));
  const [group] = suite.contract.groups;
  expect((await explain(group?.name ?? '')).output).toContain(group?.asks);
  expect((await explain('intrusive')).output).toContain('  method-post');
  // A question has one case, which is explained in full.
  expect((await explain('quantity-zero')).output).toContain('It answers the question quantity-zero');
  const unknown = await explain('limit.newest-15');
  expect([unknown.status, unknown.output]).toEqual([2, expect.stringContaining("'limit.newest-150'")]);
});

test('doctor prints JSON for programs', async () => {
  const { status, output } = await runConformanceInProcess(['doctor', '--reference', '--json'], { cwd });
  const { target, findings } = JSON.parse(output);
  expect([status, target]).toEqual([0, 'reference']);
  expect(findings).toContainEqual({ area: 'Ids', state: 'fine', text: expect.any(String) });
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

test('A folder with the target file of init may be the folder of own cases', async () => {
  await runConformanceInProcess(['init'], { cwd });
  const dryRun = ['certify', '--reference', '--cases', 'conformance', '--dry-run'];
  expect((await runConformanceInProcess(dryRun, { cwd })).output).toContain('the folder has no case file');
  writeFileSync(
    path.join(cwd, 'conformance', 'own.yaml'),
    `cases:
  - id: own-quantity
    verifies: order.quantity
    title: Three mugs meet the threshold 3
    requests: { three: { body: { order: { items: [{ product_id: <product mug>, quantity: 3 }] } } } }
    expect: { three: { returned: { include: mug-3 } } }
`,
  );
  const { status, output } = await runConformanceInProcess(dryRun, { cwd });
  expect([status, output]).toEqual([0, expect.stringContaining('own-quantity  (')]);
});

test('Folders of runs, missing files and empty names are explained in words', async () => {
  const table: readonly (readonly [args: readonly string[], says: string])[] = [
    [['verify', '.'], 'cannot be read: there is no such file'],
    [['compare', 'conformance', 'none.json'], 'cannot be read: there is no such file'],
    [['certify', '--replay', 'none.har'], 'cannot be read: there is no such file'],
    [['certify', '--reference', '--against', '.'], 'cannot be read: it is a folder'],
    [['certify', '--replay', 'large.har'], 'cannot be read: it has more than 512 MB'],
    [['certify', '--reference', '--only', ''], '--only: is empty'],
    [['compare', 'package.json', 'package.json'], 'package.json: is not a certificate'],
    [['serve', '--fault', 'window'], "Unknown fault 'window'. Did you mean"],
    [['serve', '--behaviour', 'empty=x'], 'No question is called "empty"; did you mean'],
    [
      ['certify', '--reference', '--out', 'package.json'],
      '--out: cannot write into package.json: there is a file of that name',
    ],
    [['certify', '--base-url', 'htp://a.test'], "--base-url: 'htp://a.test' is not a base URL"],
  ];
  writeFileSync(path.join(cwd, 'package.json'), '{}');
  writeFileSync(path.join(cwd, 'large.har'), '');
  truncateSync(path.join(cwd, 'large.har'), 512 * 1024 * 1024 + 1);
  for (const [args, says] of table) {
    const { status, output } = await runConformanceInProcess(args, { cwd, env: credentialVariables });
    expect([status, output], args.join(' ')).toEqual([2, expect.stringContaining(says)]);
  }
});
