/** GitHub Actions: job summary, action and workflows. */

import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { referenceCredentials } from '../../reference/reference-credentials.js';
import { appendJobSummary } from '../../src/outputs/files/summary.md.js';
import { writeResults } from '../../src/outputs/write-results.js';
import { renderRecord } from '../../src/record/target-record.js';
import { packageRoot } from '../../src/support/package-root.js';
import { readYaml } from '../../src/support/yaml-file.js';
import { credentialVariables, loadCertificate, makeTestFolder, watchProcess } from '../support/cli.js';
import { certifyInProcess, createReference, requirementSuite, suite } from '../support/in-process.js';
import { listen } from '../support/independent-deployment.js';

test('The job summary is appended, with verdict, counts and failures', async () => {
  const answer = createReference({ faults: ['window-of-the-oldest'] });
  const { results, certificate } = await certifyInProcess(answer, { suite: requirementSuite });
  const folder = makeTestFolder();
  const { files } = writeResults(certificate, suite, results, { out: path.join(folder, 'out') });
  const ofJob = path.join(folder, 'job');
  expect([appendJobSummary(files, ofJob), appendJobSummary(files, ofJob)]).toEqual(['', '']);
  const text = readFileSync(path.join(folder, 'out', 'summary.md'), 'utf8');
  expect(readFileSync(ofJob, 'utf8')).toBe(text.repeat(2));
  expect(text).toMatch(/^## DOES-NOT-CONFORM: in-process\n\n```text\n/);
  expect(text).toMatch(/^Requirements +\d+ fail/m);
  for (const { id } of certificate.requirements.filter(({ verdict }) => verdict === 'fail'))
    expect(text).toMatch(new RegExp(`^ +fail +${id} `, 'm'));
  expect(appendJobSummary(files, undefined)).toBe('');
  expect(appendJobSummary(files, folder)).toBe(`The job summary was not written to ${folder}: it is a folder\n`);
});

/** Runs the step `Certify` of the action as GitHub does: with bash, and inputs in place of expressions. */
async function runAction(inputs: Readonly<Record<string, string>>, variables: Readonly<Record<string, string>>) {
  const cwd = makeTestFolder();
  const { runs } = readYaml(path.join(packageRoot, 'action.yml')).value as {
    runs: { steps: { id?: string; run?: string; env?: Record<string, string> }[] };
  };
  const { run = '', env = {} } = runs.steps.find(({ id }) => id === 'certify') ?? {};
  const known: Readonly<Record<string, string>> = { 'github.action_path': packageRoot, ...inputs, ...variables };
  const fill = (text: string) =>
    text.replaceAll(
      /\$\{\{ (.*?) \}\}/g,
      (_, names: string) =>
        names
          .split(' || ')
          .map((name) => known[name])
          .find(Boolean) ?? '',
    );
  const filled = Object.entries(env).map(([name, text]) => [name, fill(text)]);
  const GITHUB_OUTPUT = path.join(cwd, 'output');
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', run], {
    cwd,
    env: { PATH: process.env.PATH, NO_COLOR: '1', GITHUB_OUTPUT, CI: 'true', ...Object.fromEntries(filled) },
  });
  const { status, output } = await watchProcess(child).ended;
  return { cwd, status, output, outputs: readFileSync(GITHUB_OUTPUT, 'utf8') };
}

test('The action passes its inputs to `certify`, and its exit status on', async () => {
  const { url, close } = await listen(createReference({ credentials: referenceCredentials }));
  const record = path.join(makeTestFolder(), 'record.yaml');
  const { name, version, digest } = suite;
  const questions = { 'quantity-zero': { outcome: 'rejected' } };
  writeFileSync(record, renderRecord({ target: 'shop', suite: { name, version, digest }, questions }));
  const { CLIENT_APPLICATION_ID, CLIENT_TOKEN } = credentialVariables;
  const inputs = {
    'inputs.base-url': url,
    'inputs.client-application-id': CLIENT_APPLICATION_ID,
    'inputs.against': record,
    'inputs.arguments': '--only  quantity-zero\n--world-loaded -- --reporter=github\n',
    'inputs.results': 'own',
  };
  const { cwd, status, output, outputs } = await runAction(inputs, { 'env.CLIENT_TOKEN': CLIENT_TOKEN });
  await close();
  expect([status, outputs], output).toEqual([3, 'exit-status=3\n']);
  expect(output).toMatch(/^::error file=\S*quantity\.yaml,title=.*quantity-zero/m);
  expect(loadCertificate(cwd, 'own').drift.map((each) => each.case)).toEqual(['quantity-zero']);
});

test('The action ends with status 2 if a variable of the repository is not set', async () => {
  const { status, output, outputs } = await runAction({ 'inputs.results': 'own' }, {});
  expect([status, outputs]).toEqual([2, 'exit-status=2\n']);
  expect(output).toContain('BASE_URL: is set but empty');
});
