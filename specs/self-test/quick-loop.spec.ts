/** The flags for working on a deployment: --only, --failed, --bail and --watch. */

import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { referenceCredentials } from '../../reference/reference-credentials.js';
import { findCasesByName } from '../../src/cases/case-selection.js';
import { determineExitStatus, exitStatus } from '../../src/cli/exit-status.js';
import { extractEntry, renderCodeFrame } from '../../src/report/code-frame.js';
import { listUnpassedCases } from '../../src/report/unpassed-cases.js';
import {
  copyPackage,
  credentialVariables as env,
  loadCertificate,
  makeTestFolder,
  runConformance,
  runConformanceInProcess,
  watchProcess,
} from './support/cli.js';
import { createReference, suite } from './support/in-process.js';
import { createIndependentDeployment, listen } from './support/independent-deployment.js';
import { createCertificateStub } from './support/stubs.js';

const cwd = makeTestFolder();

const honest = createIndependentDeployment(suite.world);
const broken = createReference({ faults: ['quantity-ignored'], credentials: referenceCredentials });
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

test('An unknown name is refused with a suggestion', async () => {
  const { status, output } = await runConformanceInProcess(['certify', '--only', 'order.quantty,no-such-thing'], {
    cwd,
  });
  expect(status).toBe(exitStatus.unusableInput);
  expect(output).toContain("unknown case, requirement, question, tag or group 'order.quantty'");
  expect(output).toContain("Did you mean 'order.quantity'?");
  expect(output).toContain("tag or group 'no-such-thing'");
});

test('The exit status is that of the selected cases', () => {
  const selected = (verdict: 'conforms' | 'incomplete') => ({ verdict, cases: {} });
  const whole = { verdict: 'incomplete', drift: [] } as const;
  expect(determineExitStatus(whole)).toBe(exitStatus.incomplete);
  expect(determineExitStatus({ ...whole, selected: selected('conforms') })).toBe(exitStatus.conforms);
  expect(determineExitStatus({ ...whole, selected: selected('incomplete') })).toBe(exitStatus.incomplete);
  const drift = [{ case: 'a', text: '' }];
  expect(determineExitStatus({ ...whole, drift, selected: selected('conforms') })).toBe(exitStatus.drift);
});

test('What did not pass is known from the last run that had the case', () => {
  type Entry = [id: string, verdict: 'pass' | 'fail' | 'not-run' | 'not-applicable', reason?: string];
  const requirement = (...entries: Entry[]) => {
    const cases = entries.map(([id, verdict, reason = '']) => ({ id, verdict, reason }));
    return { id: 'r', part: '', statement: '', verdict: 'fail', cases } as const;
  };
  const question = (id: string, outcome: string | null, reason = '') =>
    ({ id, part: '', outcome, reason, warning: false, drift: false }) as const;
  const whole = createCertificateStub({
    requirements: [
      requirement(
        ['corrected', 'fail'],
        ['broken', 'fail'],
        ['fine', 'pass'],
        ['drifted', 'pass'],
        ['elsewhere', 'not-applicable', 'The target does not have it.'],
        ['skipped', 'not-run', 'Not reached in this run.'],
      ),
    ],
    questions: [question('answered', 'rejected'), question('unanswered', null, 'It timed out.')],
    drift: [{ case: 'drifted', text: '' }],
  });
  const unselected = 'Not selected in this run.';
  const partial = createCertificateStub({
    requirements: [requirement(['corrected', 'pass'], ['broken', 'fail'], ['drifted', 'not-run', unselected])],
    questions: [question('unanswered', null, unselected)],
  });
  expect([...listUnpassedCases(partial, listUnpassedCases(whole))]).toEqual([
    'broken',
    'drifted',
    'skipped',
    'unanswered',
  ]);
});

test('--failed ends: each run of some cases keeps what earlier ones found out about others', async () => {
  const [fine = '', ...broken] = suite.cases.slice(0, 2).map(({ id }) => id);
  const failed = (...args: string[]) => ['certify', '--failed', '--out', 'failed', ...args];
  const none = await runConformanceInProcess(failed(), { cwd });
  expect(none.status).toBe(exitStatus.unusableInput);
  expect(none.output).toContain('there is no result in failed yet');

  mkdirSync(path.join(cwd, 'failed'));
  const cases = [fine, ...broken].map((id) => ({ id, verdict: id === fine ? 'pass' : 'fail', reason: '' }) as const);
  const requirements = [{ id: 'order.quantity', part: '', statement: '', verdict: 'fail', cases }] as const;
  writeFileSync(path.join(cwd, 'failed', 'certificate.json'), JSON.stringify(createCertificateStub({ requirements })));
  const listFailed = async () => {
    const { output } = await runConformanceInProcess(failed('--dry-run'), { cwd });
    return [fine, ...broken].filter((id) => output.includes(`\n${id}  (`));
  };
  expect(await listFailed()).toEqual(broken);
  for (const [n, id] of broken.entries()) {
    expect((await runConformance(['certify', '--only', id, '--out', 'failed'], { cwd })).status, id).toBe(0);
    expect(await listFailed()).toEqual(broken.slice(n + 1));
  }
  expect((await runConformanceInProcess(failed(), { cwd })).output).toContain('nothing is left to run');
});

/** What a run with --bail selected: one case failed, and some were not run. */
const stopped = {
  verdict: 'does-not-conform',
  cases: expect.objectContaining({ fail: 1, 'not-run': expect.any(Number) }),
};

test('--bail stops at the first failure and shows its line, in an installed package too', async () => {
  const root = copyPackage(path.join(cwd, 'node_modules', 'installed'));
  const { url, close } = await listen(broken);
  const args = ['certify', url, '--only', 'order.quantity', '--bail', '--out', 'bail'];
  const { status, output } = await runConformance(args, { cwd, env, root });
  await close();
  expect(status).toBe(exitStatus['does-not-conform']);
  expect(output).toMatch(/^ *> +\d+ \| .*exclude/m);
  expect(output).toContain('DOES-NOT-CONFORM as far as selected');
  const { selected, requirements } = loadCertificate(cwd, 'bail/partial');
  expect(selected).toEqual(stopped);
  const reasons = requirements.find(({ id }) => id === 'order.quantity')?.cases.map(({ reason }) => reason);
  expect(reasons?.at(-1)).toBe('Not reached in this run.');
});

test('--watch runs again when the target, the target file or a case changes', async () => {
  const root = copyPackage(path.join(cwd, 'package'));
  let answer = broken;
  const { url, close } = await listen((request) => answer(request));
  const target = path.join(cwd, 'target.yaml');
  writeFileSync(target, `name: shop\nbase_url: ${url}\n`);
  const script = path.join(root, 'dist', 'src', 'cli', 'conformance.js');
  const args = ['certify', '--watch', '--bail', '--only', 'order.quantity', '--target', target, '--out', 'watched'];
  const child = spawn(process.execPath, [script, ...args], {
    cwd,
    env: { PATH: process.env.PATH, NODE_V8_COVERAGE: process.env.NODE_V8_COVERAGE, ...env },
  });
  const { readOutput, ended } = watchProcess(child);
  const rounds = () => readOutput().split('Waiting for a change').length - 1;
  const round = async (number: number, change: () => void) => {
    change();
    await expect.poll(rounds, { timeout: 120_000 }).toBe(number);
  };

  await round(1, () => undefined);
  const { selected } = loadCertificate(cwd, 'watched/partial');
  expect(selected).toEqual(stopped);
  // The line of the case, with a mark.
  expect(readOutput()).toMatch(/^ *> +\d+ \| .*exclude/m);
  // The page shows the exchange of the result: no others are kept.
  expect(readFileSync(path.join(cwd, 'watched', 'partial', 'certificate.html'), 'utf8')).toContain('class="exchange"');

  await round(2, () => {
    answer = honest;
  });
  expect(loadCertificate(cwd, 'watched/partial').selected?.cases).toEqual({ pass: ofQuantity.length });
  // At once: a file that is half written would be a change of its own.
  const replaceFile = (file: string, text: string) => {
    writeFileSync(path.join(cwd, 'new.yaml'), text);
    renameSync(path.join(cwd, 'new.yaml'), file);
  };
  await round(3, () => replaceFile(target, `name: another shop\nbase_url: ${url}\n`));
  expect(loadCertificate(cwd, 'watched/partial').target.name).toBe('another shop');

  const file = path.join(root, 'cases', 'requirements', 'order.yaml');
  const text = readFileSync(file, 'utf8');
  await round(4, () => replaceFile(file, text.replace('verifies:', 'verfies:')));
  expect(readOutput()).toContain("'verfies'");
  await round(5, () => replaceFile(file, text.replace('title: ', 'title: Once more, ')));
  child.kill('SIGINT');
  expect((await ended).status).toBe(exitStatus.conforms);
  await close();
});

test('A code frame shows the lines around a location and escapes control characters', () => {
  const file = path.join(cwd, 'frame.yaml');
  writeFileSync(file, 'one\ntwo\n  three\n\u001bfour\nfive\nsix\n');
  expect(renderCodeFrame({ file, line: 3, column: 3 })).toEqual([
    '  1 | one',
    '  2 | two',
    '> 3 |   three',
    '    |   ^',
    '  4 | \\u001bfour',
    '  5 | five',
  ]);
  expect(renderCodeFrame({ file: path.join(cwd, 'no-such.yaml'), line: 1, column: 1 })).toEqual([]);
});

test('The lines of a case are those with its indentation, or up to its closing brace', () => {
  const yaml = 'cases:\n  - id: one\n    title: a\n\n  - id: two\n    title: b\nlast: 1';
  const json = JSON.stringify({ cases: [{ id: 'one', tags: ['x'] }, { id: 'two' }] }, null, 1);
  const flow = 'cases: [\n  { id: one },\n  { id: two }\n]';
  for (const [text, line, column, entry] of [
    [yaml, 2, 5, '- id: one\n  title: a'],
    [yaml, 5, 5, '- id: two\n  title: b'],
    ['cases:\n  - id: one\n    title: a\n', 2, 5, '- id: one\n  title: a'],
    [json, 3, 3, '{\n "id": "one",\n "tags": [\n  "x"\n ]\n},'],
    [json, 9, 3, '{\n "id": "two"\n}'],
    [flow, 2, 3, '{ id: one },'],
    [flow, 3, 3, '{ id: two }'],
  ] as const)
    expect(extractEntry(text.split('\n'), { line, column })).toBe(entry);
});
