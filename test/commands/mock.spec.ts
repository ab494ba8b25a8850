/** Deployments of any shape, recorded and served again, and drift from the record. */

import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { referenceCredentials } from '../../reference/deployment/reference-credentials.js';
import type { RequestPatch } from '../../src/cases/request-draft.js';
import { exitStatus } from '../../src/cli/exit-status.js';
import { loadRunInputs } from '../../src/config/run-inputs.js';
import type { RunOptions } from '../../src/config/run-options.js';
import { listCredentialSecrets } from '../../src/contract/operation.js';
import { openClient } from '../../src/http/client.js';
import { renderRunReport } from '../../src/outputs/terminal/run-report.js';
import { createBaseline } from '../../src/record/drift.js';
import { createRecord, readRecord, renderRecord, type TargetRecord } from '../../src/record/target-record.js';
import {
  commandLine,
  credentialVariables,
  makeTestFolder,
  runConformance,
  runConformanceInProcess,
  watchProcess,
} from '../support/cli.js';
import { type Answer, addMembers, certifyInProcess, suite } from '../support/in-process.js';
import { createIndependentDeployment, listen, type ShapeName, shapes } from '../support/independent-deployment.js';
import { createPatchedRequest } from '../support/patched-request.js';
import { createMockOfRecord, questionSuite, recordInProcess } from '../support/recorded-mock.js';
import { skipOnWindows } from '../support/skip-on-windows.js';

const { world } = suite;
const cwd = makeTestFolder();

/** Adds members to every successful body. */
const adding = (respond: Answer, create: () => object) =>
  addMembers(respond, ({ status }) => (status < 400 ? create() : {}));

async function driftOf(respond: Answer, record: TargetRecord, options: { tierPatterns?: readonly string[] } = {}) {
  const expected = createBaseline(record, {});
  const { certificate } = await certifyInProcess(respond, { expected, ...options });
  expect(certificate.verdict).toBe('conforms');
  return certificate.drift.map(({ text }) => text);
}

const filterBy = (key: string, value: string) =>
  createPatchedRequest(world, { query: { [`[filters][metadata.${key}][conditions][$is]`]: value } });
/** Requests that return many promotions, one and none. */
const requests = [createPatchedRequest(world), filterBy('level', 'marigold'), filterBy('no_such_key', '1')];

/** Shapes without one list of all promotions: a mock answers in its own shape. */
const unlisted: readonly string[] = [
  'linked-list',
  'tree',
  'grouped-by-campaign',
  'grouped-by-campaign-key',
  'indices-as-keys',
  'packed-in-a-string',
];

/** Shapes with members that differ by promotion, or that list skipped promotions. */
const inexact: readonly string[] = ['extra-fields', 'with-rejected'];

/** In the short run. */
const quick: readonly string[] = ['nested', 'wrapped-keyed-by-id', 'in-urls'];

for (const shape of Object.keys(shapes) as ShapeName[]) {
  const tag = quick.includes(shape) ? [] : '@long';
  test(`A mock of a recorded deployment does not drift: ${shape}`, { tag }, async () => {
    const options = shape === 'with-rejected' ? { tierPatterns: ['/promotions/*/id'] } : {};
    const respond = createIndependentDeployment(world, { shape });
    const record = await recordInProcess(respond, options);
    if (unlisted.includes(shape)) {
      expect(record.bodies?.promotions).toBeUndefined();
      return;
    }
    const mock = createMockOfRecord(record);
    expect(await driftOf(mock, record, options)).toEqual([]);
    if (inexact.includes(shape)) return;
    for (const request of requests) expect(JSON.parse(mock(request).body)).toEqual(JSON.parse(respond(request).body));
  });
}

test('A mock answers wrong requests with the status and the text of the deployment', async () => {
  const respond = createIndependentDeployment(world, { numericStrings: 'rejected', unknownCustomer: 'rejected' });
  const refusing: Answer = (request) => {
    const response = respond(request);
    return response.status === 400 ? { ...response, status: 422, body: '{"title":"Wrong quantity"}' } : response;
  };
  const mock = createMockOfRecord(await recordInProcess(refusing));
  const patches: readonly RequestPatch[] = [
    ...['three', '3', 3].map((quantity) => ({
      body: { order: { items: [{ product_id: '<product mug>', quantity }] } },
    })),
    { body: { customer: { id: 'no-such-customer' } } },
  ];
  for (const patch of patches) {
    const request = createPatchedRequest(world, patch);
    expect(mock(request).status, JSON.stringify(patch)).toBe(refusing(request).status);
  }
});

test('Volatile members are not recorded and do not drift', async () => {
  let number = 0;
  const volatile = adding(createIndependentDeployment(world), () => {
    number += 1;
    return { request: { id: `req-${number}-of-today`, number } };
  });
  const record = await recordInProcess(volatile);
  expect(record.bodies?.promotions).toMatchObject({ request: { id: '<changing>', number: '<changing number>' } });
  expect(await driftOf(createMockOfRecord(record), record)).toEqual([]);
  expect(await driftOf(volatile, record)).toEqual([]);
});

test('What explains other changes comes first, and only the terminal cuts them', async () => {
  const plain = createIndependentDeployment(world);
  const refusing: Answer = (request) => {
    const response = plain(request);
    if (response.status !== 200 || response.body.includes('"id"')) return response;
    return { status: 422, headers: [['content-type', 'application/json']], body: '{"error":"nothing"}' };
  };
  const changed = adding(refusing, () => ({ version: 2, page: 1 }));
  const expected = createBaseline(await recordInProcess(plain), { 'unknown-query-parameter': 'rejected' });
  const { certificate } = await certifyInProcess(changed, { expected });
  const [first, ...others] = certificate.drift;
  expect([first?.case, first?.is]).toEqual([
    'empty-result',
    'A request for which no promotion is valid is rejected with another 4xx status.',
  ]);
  expect(others.slice(4).map(({ kind }) => kind)).toEqual(['answer', 'new-members']);
  expect(others.at(-1)?.text).toBe('Responses have new members: /page, /version.');
  const headline = 'CONFORMS, but 6 answers changed, the shape of responses changed';
  const [summary, terminal] = [undefined, { certificate: '' }].map((of) => renderRunReport(certificate, of));
  for (const report of [summary, terminal]) expect(report).toContain(`\n${headline}  in-process at `);
  for (const { text } of certificate.drift) expect(summary).toContain(text);
  expect(terminal).toContain(`drift  ${first?.text}\n`);
});

/** Writes a record, and a target file that names it. */
function writeRecord(base_url: string): string {
  const { name, version, digest } = suite;
  const recordedAnswers = { 'quantity-numeric-string': { outcome: 'as-number' } };
  const record = renderRecord({ target: 'shop', suite: { name, version, digest }, questions: recordedAnswers });
  writeFileSync(path.join(cwd, 'shop.yaml'), record);
  writeFileSync(path.join(cwd, 'target.yaml'), `name: shop\nbase_url: ${base_url}\nrecord: shop.yaml\n`);
  return path.join(cwd, 'target.yaml');
}

// project.spec.ts shows what `certify` prints.
test('certify compares with the record of the target file', () => {
  const target = writeRecord('https://shop.test');
  const readSettings = (options: RunOptions) => loadRunInputs({ target, ...options }, credentialVariables).settings;
  expect(readSettings({}).expected?.outcomes).toMatchObject({ 'quantity-numeric-string': { outcome: 'as-number' } });
  expect(readSettings({ against: false }).expected).toEqual({ outcomes: {} });
  rmSync(path.join(cwd, 'shop.yaml'));
  const { expected, notes } = readSettings({});
  expect([expected, notes]).toEqual([{ outcomes: {} }, [expect.stringMatching(/ no record .*shop\.yaml yet/)]]);
});

test('record shows the changes and accepts them', { tag: '@long' }, async () => {
  const { url, close } = await listen(createIndependentDeployment(world, { numericStrings: 'rejected' }));
  const args = ['record', '--target', writeRecord(url), '--only', 'quantity-numeric-string'];
  const { status, output } = await runConformance(args, { cwd, env: credentialVariables });
  await close();
  const change = /^drift {2}quantity-numeric-string: was “.*”, is “.* is rejected with a 4xx status\.”/m;
  expect([status, output]).toEqual([exitStatus.conforms, expect.stringMatching(change)]);
  expect(readRecord(path.join(cwd, 'shop.yaml')).questions).toMatchObject({
    'quantity-numeric-string': { outcome: 'rejected' },
  });
});

test('serve --as serves what was recorded, under any name such as that of a container', async () => {
  skipOnWindows('signals');
  const file = path.join(cwd, 'served.yaml');
  const answer = createIndependentDeployment(world, { numericStrings: 'rejected' });
  const run = await certifyInProcess(answer, { suite: questionSuite });
  writeFileSync(file, renderRecord(createRecord(suite, run, 'shop')));
  const { PATH, NODE_V8_COVERAGE } = process.env;
  const child = spawn(process.execPath, [commandLine, 'serve', '--as', file, '--host', '0.0.0.0', '--port', '0'], {
    cwd,
    env: { PATH, NODE_V8_COVERAGE },
  });
  const { readOutput, ended } = watchProcess(child);
  await expect.poll(readOutput, { timeout: 60_000 }).toContain('Ctrl-C');
  const [, port] = /http:\/\/0\.0\.0\.0:(\d+)/.exec(readOutput()) ?? [];
  const secrets = listCredentialSecrets(referenceCredentials);
  const extraHeaders = [['Host', 'mock:80']] as const;
  const client = openClient({ baseUrl: `http://127.0.0.1:${port}`, secrets, extraHeaders });
  const exchanges = [3, '3'].map((quantity) =>
    client.send(
      createPatchedRequest(world, { body: { order: { items: [{ product_id: '<product mug>', quantity }] } } }),
    ),
  );
  const statuses = (await Promise.all(exchanges)).map((exchange) => 'response' in exchange && exchange.response.status);
  await client.close();
  child.kill('SIGTERM');
  await ended;
  expect(statuses).toEqual([200, 400]);
});

for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const)
  test(`serve ends with ${signal}, and leaves its port`, async () => {
    skipOnWindows('signals');
    const child = spawn(process.execPath, [commandLine, 'serve', '--port', '0'], { cwd });
    const { readOutput, ended } = watchProcess(child);
    await expect.poll(readOutput, { timeout: 60_000 }).toContain('Ctrl-C');
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(readOutput()) ?? [];
    expect((await fetch(url)).status).toBeGreaterThanOrEqual(400);
    child.kill(signal);
    expect((await ended).status).toBe(0);
    await expect(fetch(url)).rejects.toThrow();
  });

test('serve names a port that is in use', async () => {
  const { url, close } = await listen(() => ({ status: 200, headers: [], body: '' }));
  const { port } = new URL(url);
  const { status, output } = await runConformanceInProcess(['serve', '--port', port], { cwd });
  await close();
  expect([status, output]).toEqual([2, expect.stringMatching(new RegExp(`address already in use.*:${port}`))]);
});
