/** Which cases run: --only, and arguments for Playwright; and how a failing one is shown. */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { referenceCredentials } from '../../reference/reference-credentials.js';
import { findCasesByName } from '../../src/cases/case-selection.js';
import { determineExitStatus, exitStatus } from '../../src/cli/exit-status.js';
import { renderCodeFrame } from '../../src/outputs/code-frame.js';
import { copyPackage, credentialVariables as env, makeTestFolder, runConformance } from '../support/cli.js';
import { createReference, suite } from '../support/in-process.js';
import { listen } from '../support/independent-deployment.js';

const cwd = makeTestFolder();

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

test('The exit status is that of the selected cases', () => {
  const selected = (verdict: 'conforms' | 'incomplete') => ({ verdict, cases: {} });
  const whole = { verdict: 'incomplete', drift: [] } as const;
  expect(determineExitStatus(whole)).toBe(exitStatus.incomplete);
  expect(determineExitStatus({ ...whole, selected: selected('conforms') })).toBe(exitStatus.conforms);
  expect(determineExitStatus({ ...whole, selected: selected('incomplete') })).toBe(exitStatus.incomplete);
  const drift = [{ case: 'a', text: '' }];
  expect(determineExitStatus({ ...whole, drift, selected: selected('conforms') })).toBe(exitStatus.drift);
});

test('The line of a failure is named in an installed package, too', { tag: '@long' }, async () => {
  const root = copyPackage(path.join(cwd, 'node_modules', 'installed'));
  const { url, close } = await listen(
    createReference({ faults: ['quantity-ignored'], credentials: referenceCredentials }),
  );
  const args = ['certify', '--base-url', url, '--only', 'order.quantity', '--out', 'stopped', '--', '-x'];
  const { status, output } = await runConformance(args, { cwd, env, root });
  await close();
  expect(status).toBe(exitStatus['does-not-conform']);
  expect(output).toMatch(/^ +fail .* node_modules\/installed\/cases\/\S+\.yaml:\d+:\d+$/m);
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
