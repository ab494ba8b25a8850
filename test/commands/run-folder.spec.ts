/** What the processes of a run share: a folder, reports of tests, and the exchanges of the run. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, type TestInfo, test } from '@playwright/test';
import type { TestResult } from '@playwright/test/reporter';
import { createMemoryBudget } from '../../src/http/request-budget.js';
import type { ExchangeUse, StoredExchange } from '../../src/run/evidence-keeper.js';
import { loadRunInputs, readRunOptions, shareRun } from '../../src/runner/run-inputs.js';
import { findSession, saveSession, saveTarget } from '../../src/runner/session.js';
import { attachTestReport, readTestReport, removeTestReport, type TestReport } from '../../src/runner/test-report.js';

test('A run removes the folders of killed runs and keeps those of running ones', () => {
  const { pid: gone } = spawnSync(process.execPath, ['-e', '']);
  const abandoned = path.join(tmpdir(), `conformance-run-${gone}-test`);
  const inUse = path.join(tmpdir(), `conformance-run-${process.ppid}-test`);
  for (const folder of [abandoned, inUse]) {
    mkdirSync(folder);
    writeFileSync(path.join(folder, 'session.json'), '');
  }
  const unshare = shareRun({ reference: true });
  expect([existsSync(abandoned), existsSync(inUse)]).toEqual([false, true]);
  unshare();
  rmSync(inUse, { recursive: true });
});

test('The run folder contains options and session but no credentials, and is removed at the end', () => {
  const secrets = { CLIENT_APPLICATION_ID: 'the-application-of-the-test', CLIENT_TOKEN: 'the "token" of-the-test' };
  Object.assign(process.env, secrets);
  const options = { baseUrl: 'https://api.example.com', only: ['order.quantity'] };
  const unshare = shareRun(options);
  const folder = process.env.CONFORMANCE_RUN ?? '';
  expect(readRunOptions()).toEqual(options);
  expect(loadRunInputs().settings.target.name).toBe('api.example.com');
  // A deployment may use a credential as a key.
  const createSession = (token: string) => ({
    target: { name: 'shop', base_url: options.baseUrl },
    calibration: { mentions: new Map([[`/${token}/*/id`, ['promo_1']]]), requestsSent: 1 } as never,
    evidence: { exchanges: [], uses: [] },
  });
  const requestBudget = createMemoryBudget();
  const redact = (text: string) => text.replaceAll(secrets.CLIENT_TOKEN, '$CLIENT_TOKEN');
  const { target, ...session } = createSession(secrets.CLIENT_TOKEN);
  saveTarget(target, redact);
  saveSession({ ...session, requestBudget }, redact);
  for (const name of readdirSync(folder)) {
    const text = readFileSync(path.join(folder, name), 'latin1');
    for (const secret of [...Object.values(secrets), 'token\\"']) expect(text, name).not.toContain(secret);
    expect(statSync(path.join(folder, name)).mode & 0o077, name).toBe(0);
  }
  expect(findSession()).toMatchObject(createSession('$CLIENT_TOKEN'));
  unshare();
  expect(existsSync(folder)).toBe(false);
  for (const name of Object.keys(secrets)) delete process.env[name];
});

test('The report of a test is attached in pieces and removed later; other attachments stay', () => {
  const exchanges = ['a', 'b', 'c'].map((id): StoredExchange => {
    const request = { method: 'GET', path: `/${id}`, headers: [] };
    return { id, exchange: { request, response: { status: 200, headers: [], body: id.repeat(700_000) } } };
  });
  const attachments = [{ name: 'of somebody else', contentType: 'text/plain', body: Buffer.from('') }];
  const result = { attachments } as unknown as TestInfo & TestResult;
  attachTestReport(result, { uses: [] as readonly ExchangeUse[] } as TestReport, exchanges);
  expect(result.attachments).toHaveLength(4);
  expect([...(readTestReport(result)?.exchanges ?? [])]).toEqual(exchanges);
  removeTestReport(result);
  expect(result.attachments.map(({ name }) => name)).toEqual(['of somebody else']);
});
