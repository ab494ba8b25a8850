/** Commands that show the suite: list, explain and world; a run without settings; which cases run, and how a failing one is shown. */

import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { listableKinds } from '../../src/cli/commands/list.js';
import { pickWorldLists } from '../../src/contract/world.js';
import { renderCaseExplanation } from '../../src/outputs/terminal/case-explanation.js';
import { findCasesByName } from '../../src/suite/case-selection.js';
import { loadValidator } from '../../src/support/schema-validation.js';
import { loadCertificate, makeTestFolder, runConformance, runConformanceInProcess } from '../support/cli.js';
import { suite } from '../support/in-process.js';

const cwd = makeTestFolder();

test('Without settings, the reference deployment conforms and every question is answered', async () => {
  const { status, output } = await runConformance(['certify', '--out', 'reference'], { cwd });
  expect(output).toContain('CONFORMS');
  expect(status).toBe(0);
  // Nobody may take it for their own: it is said once, at the end, where it is read.
  const notice = 'the reference deployment, which comes';
  expect(output.trim().split('\n').at(-1)).toContain(notice);
  expect(output.split(notice)).toHaveLength(2);
  for (const name of ['certificate.json', 'certificate.html', 'summary.md'])
    expect(readFileSync(path.join(cwd, 'reference', name), 'utf8')).toContain('the reference deployment, which comes');
  const certificate = loadCertificate(cwd, 'reference');
  expect(loadValidator('certificate')(certificate), JSON.stringify(loadValidator('certificate').errors)).toBe(true);
  expect(certificate.verdict).toBe('conforms');
  expect(certificate.summary).toEqual({ pass: 17 });
  expect(certificate.requests_sent).toBeGreaterThan(200);
});

const list = async (...args: string[]) => (await runConformanceInProcess(['list', ...args], { cwd })).output;

test('list shows everything that a flag or a command can name', async () => {
  for (const kind of listableKinds) expect((await list(kind)).split('\n').length, kind).toBeGreaterThan(5);
  const names = { cases: suite.cases, requirements: suite.contract.requirements, questions: suite.contract.questions };
  for (const [kind, entries] of Object.entries(names)) {
    const lines = (await list(kind)).split('\n').filter((line) => /^\S/.test(line));
    expect(lines.map((line) => line.split(' ')[0])).toEqual(entries.map(({ id }) => id));
  }
});

test('list says that no entry has a text', async () => {
  const { status, output } = await runConformanceInProcess(['list', 'faults', 'no-such-fault'], { cwd });
  expect([status, output]).toEqual([2, expect.stringContaining("no entry of 'faults' has this text")]);
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

test('`world` prints JSON that fits its schema', async () => {
  const { status, output } = await runConformanceInProcess(['world'], { cwd });
  expect(status).toBe(0);
  expect(loadValidator('data')(JSON.parse(output))).toBe(true);
  expect(JSON.parse(output)).toEqual(JSON.parse(JSON.stringify(pickWorldLists(suite.world))));
  // A name tells a person what an id stands for.
  for (const { name } of Object.values<{ name?: string }[]>(JSON.parse(output)).flat()) expect(name).toBeDefined();
  expect(JSON.parse(output).customers[1]).toEqual({ id: suite.world.ids.customer.get('ann'), name: 'ann' });
  expect(JSON.parse(output).skus[0]).toMatchObject({ name: 'shirt-blue' });
});

function explained(id: string): string {
  const testCase = suite.cases.find((candidate) => candidate.id === id);
  if (testCase === undefined) throw new Error(`There is no case ${id}.`);
  return renderCaseExplanation(testCase, suite);
}

test('A requirement case is explained: statement, commands, and what is required, forbidden and open, and why', () => {
  const text = explained('sample-campaign-filter');
  for (const line of [
    /^It verifies the requirement filter\.promotion-id:\n {2}With the promotion_id filter, .*\n {2}In the documentation: Endpoints$/m,
    /^Request 'plain' is sent as\n {4}curl -gi \\$/m,
    /^ {2}Required to be returned: \d+\n {4}'greeting' \(rank 1\), /m,
    /^ {4}'beyond-first' \(rank 151\), .*: is older than the newest 150$/m,
    /^ {2}Open: \d+\n {4}'beyond-first' \(rank 151\), .*: is older than the newest 150, and the filter may come first$/m,
    /^Given that\n {2}- request 'plain' is answered 2xx$/m,
    /^It is expected that\n {2}- request 'probe' is answered 2xx\n {2}- request 'probe' returns 'greeting' \(rank 1\), /m,
  ])
    expect(text).toMatch(line);
});

const ofQuantity = suite.cases.filter(({ tags }) => tags.includes('order.quantity')).map(({ id }) => id);

test('--only takes ids, subjects, tags and groups of cases', () => {
  const [first = ''] = ofQuantity;
  expect(findCasesByName([first], suite, '--only')).toEqual([first]);
  expect(findCasesByName(['order.quantity'], suite, '--only')).toEqual(ofQuantity);
  const together = findCasesByName(['quantity'], suite, '--only');
  expect(together).toEqual(expect.arrayContaining([...ofQuantity, 'quantity-zero']));
  expect(findCasesByName(['bad input'], suite, '--only')).toContain('malformed-json');
  expect(findCasesByName(['intrusive'], suite, '--only')).toContain('credentials-wrong-token');
  // A name of its own names nothing else.
  expect(findCasesByName(['empty-items'], suite, '--only')).toEqual(['empty-items']);
});
