/**
 * What earlier versions wrote, and what was written for them, still works. The files are as version 0.1.0 left them:
 * record and certificate of its reference deployment, and its example of a target file.
 */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { createDeployment } from '../../reference/deployment.js';
import { credentialPlaceholders } from '../../src/contract/operation.js';
import { compareCertificates } from '../../src/report/compare/compare-certificates.js';
import { describeUncompared } from '../../src/report/baseline.js';
import { readCertificate } from '../../src/report/read-certificate.js';
import { readRecord } from '../../src/report/target-record.js';
import { packageRoot, readOwnPackage } from '../../src/support/package-root.js';
import { createTemporaryFolder, runConformanceInProcess } from './support/cli.js';
import { certifyInProcess, suite } from './support/in-process.js';

const { folder: cwd, remove } = createTemporaryFolder();
test.afterAll(remove);

const fixture = (name: string) => path.join(packageRoot, 'specs', 'self-test', 'fixtures', '0.1.0', name);
const credentials = { CLIENT_APPLICATION_ID: 'a', CLIENT_TOKEN: 'b' };

test('a record is compared with: each of its answers is one that can still be given', async () => {
  const record = readRecord(fixture('record.yaml'));
  const questions = Object.entries(record.questions);
  expect(questions.length).toBe(80);
  for (const [id, { outcome }] of questions) {
    const answer = suite.contract.questions.find((question) => question.id === id)?.answer;
    expect(answer?.kind === 'value' || answer?.outcomes.has(outcome), `${id}: ${outcome}`).toBe(true);
  }
  // What came with the world since is no change of the target, and the run says how to go on.
  expect(describeUncompared(record, suite)).toContain('Compared: the 80 questions that both have.');
  expect(describeUncompared(record, suite)).toContain('record --update accepts');
  const against = ['certify', '--against', fixture('record.yaml'), '--dry-run'];
  const { status, output } = await runConformanceInProcess(against, { cwd });
  expect([status, output]).toEqual([0, expect.stringContaining('The record was made with')]);
});

test('a certificate is compared with one of this version', async () => {
  const old = readCertificate(fixture('certificate.json'));
  expect([old.verdict, old.suite.version]).toEqual(['conforms', '0.1.0']);
  const { certificate } = await certifyInProcess(
    createDeployment({ world: suite.world, credentials: credentialPlaceholders }),
  );
  const known = new Set(old.questions.map(({ id }) => id));
  // All that differs is what there was not.
  const differing = compareCertificates([old, certificate], suite.contract).filter(({ differs }) => differs);
  expect(differing.filter(({ kind, id }) => kind === 'requirement' || known.has(id))).toEqual([]);
  const files = [fixture('certificate.json'), fixture('certificate.json')];
  expect((await runConformanceInProcess(['compare', ...files], { cwd })).status).toBe(0);
});

test('a target file is taken, with every key', async () => {
  const dryRun = ['certify', '--target', fixture('target.yaml'), '--dry-run'];
  const { status, output } = await runConformanceInProcess(dryRun, { cwd, env: credentials });
  expect(status, output).toBe(0);
});

test('the log of changes begins with this version', () => {
  const log = readFileSync(path.join(packageRoot, 'CHANGELOG.md'), 'utf8');
  const [, latest] = /^## \[?(\d+\.\d+\.\d+)/m.exec(log) ?? [];
  expect(latest).toBe(readOwnPackage().version);
});
