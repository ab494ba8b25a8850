/** GitHub Actions: job summary, action and workflows. */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { writeResults } from '../../src/outputs/write-results.js';
import { appendJobSummary } from '../../src/runner/certificate-reporter.js';
import { packageRoot } from '../../src/support/package-root.js';
import { makeTestFolder } from '../support/cli.js';
import { certifyInProcess, createReference, requirementSuite, suite } from '../support/in-process.js';
import { lintAction } from '../support/lint-action.js';

test('The job summary is appended, with verdict, counts and failures', async () => {
  const answer = createReference({ faults: ['window-of-the-oldest'] });
  const { results, certificate } = await certifyInProcess(answer, { suite: requirementSuite });
  const folder = makeTestFolder();
  const { files } = writeResults(certificate, suite, results, { out: path.join(folder, 'out') });
  const ofJob = path.join(folder, 'job');
  expect([appendJobSummary(files, ofJob), appendJobSummary(files, ofJob)]).toEqual(['', '']);
  const text = readFileSync(path.join(folder, 'out', 'summary.md'), 'utf8');
  expect(readFileSync(ofJob, 'utf8')).toBe(text.repeat(2));
  expect(text).toContain('<h2>DOES-NOT-CONFORM: in-process</h2>');
  expect(text).toContain('<td>');
  for (const { id, statement } of certificate.requirements.filter(({ verdict }) => verdict === 'fail'))
    expect(text).toMatch(new RegExp(`<li>fail: ${id}\\. .{${statement.length},}</li>`));
  expect(appendJobSummary(files, undefined)).toBe('');
  expect(appendJobSummary(files, folder)).toBe(`The job summary was not written to ${folder}: it is a folder\n`);
});

const workflows = path.join(packageRoot, 'templates', 'workflows');
const files = [
  path.join(packageRoot, 'action.yml'),
  ...readdirSync(workflows).map((name) => path.join(workflows, name)),
];

for (const file of files)
  test(`${path.basename(file)} passes GitHub's linter`, async () => {
    expect(await lintAction(path.basename(file), readFileSync(file, 'utf8'))).toEqual([]);
  });
