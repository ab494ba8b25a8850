import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, type TestInfo, test } from '@playwright/test';
import type { TestResult } from '@playwright/test/reporter';
import type { ExchangeUse, KeptExchange } from '../../src/engine/evidence-keeper.js';
import { createMemoryBudget } from '../../src/http/request-budget.js';
import { createEvidenceStore } from '../../src/playwright/evidence-store.js';
import { loadSession, saveSession, shareRun } from '../../src/playwright/run-state.js';
import {
  attachTestReport,
  readTestReport,
  removeTestReport,
  type TestReport,
  unpackExchanges,
} from '../../src/playwright/test-report.js';

test('a run removes what one that was killed left behind, and leaves the folders of those that run', () => {
  const { pid: gone } = spawnSync(process.execPath, ['-e', '']);
  const leftBehind = path.join(tmpdir(), `conformance-run-${gone}-test`);
  const inUse = path.join(tmpdir(), `conformance-run-${process.ppid}-test`);
  for (const folder of [leftBehind, inUse]) {
    mkdirSync(folder);
    writeFileSync(path.join(folder, 'session'), '');
  }
  const unshare = shareRun();
  expect([existsSync(leftBehind), existsSync(inUse)]).toEqual([false, true]);
  unshare();
  rmSync(inUse, { recursive: true });
});

test('what the processes of a run share holds no credentials, and goes when the run ends', () => {
  const secrets = { CLIENT_APPLICATION_ID: 'the-application-of-the-test', CLIENT_TOKEN: 'the-token-of-the-test' };
  Object.assign(process.env, { BASE_URL: 'https://api.example.com', ...secrets });
  const unshare = shareRun();
  const folder = process.env.CONFORMANCE_RUN ?? '';
  // A deployment may write them anywhere.
  const idsByPattern = new Map([[`/${secrets.CLIENT_TOKEN}/*/id`, ['promo_1']]]);
  const naming = {
    idsByPattern,
    unlocatedIds: new Set([]),
    possibleIds: new Set([]),
    hasIdsInTexts: false,
    hasOtherLetterCase: false,
  };
  const target = { name: 'shop', base_url: process.env.BASE_URL ?? '' };
  const calibration = { namings: [naming], requestsSent: 1 };
  const evidence = { exchanges: [], uses: [] };
  saveSession({ target, calibration, evidence, requestBudget: createMemoryBudget() });
  const contents = readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'latin1'));
  for (const text of [...Object.values(secrets), 'api.example.com']) expect(contents.join()).not.toContain(text);
  expect(loadSession()).toMatchObject({ target, calibration });
  unshare();
  expect(existsSync(folder)).toBe(false);
  for (const name of ['BASE_URL', ...Object.keys(secrets)]) delete process.env[name];
});

test('of the exchanges of a run, what is too much for memory is on disk, unreadable, until it is removed', () => {
  const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith(`conformance-run-${process.pid}-`));
  const before = new Set(folders());
  const exchanges = ['one', 'two', 'three'].map((id) => kept(id, `${id} of a deployment`));
  const store = createEvidenceStore(400);
  const results = exchanges.map((each) => resultWith([each], [{ id: each.id, case: each.id, ...use }]));
  for (const result of results) {
    const { report, packed = [] } = readTestReport(result) ?? {};
    store.add(packed, report?.uses ?? [], undefined);
  }
  const [folder = '', ...others] = folders().filter((name) => !before.has(name));
  expect(others).toEqual([]);
  const written = readdirSync(path.join(tmpdir(), folder)).map((name) =>
    readFileSync(path.join(tmpdir(), folder, name)),
  );
  expect(written).toHaveLength(1);
  expect(() => unpackExchanges(written[0] as Buffer)).toThrow();
  expect([...store.readAll().exchanges]).toEqual(exchanges);
  expect(store.readAll().uses.map(({ id }) => id)).toEqual(exchanges.map(({ id }) => id));
  store.remove();
  expect(existsSync(path.join(tmpdir(), folder))).toBe(false);
});

test('a report is taken out of the result of a test, and what else is attached stays', () => {
  // More than is attached together.
  const exchanges = ['a', 'b', 'c'].map((id) => kept(id, id.repeat(700_000)));
  const result = resultWith(exchanges, []);
  const { packed = [] } = readTestReport(result) ?? {};
  expect(packed).toHaveLength(2);
  expect(packed.flatMap(unpackExchanges)).toEqual(exchanges);
  removeTestReport(result);
  expect(result.attachments.map(({ name }) => name)).toEqual(['of somebody else']);
});

const use = { row: 0, request: 'r', attempt: 1 };

function kept(id: string, body: string): KeptExchange {
  const request = { method: 'GET', path: `/${id}`, headers: [] };
  return { id, key: id, exchange: { request, response: { status: 200, headers: [], body } } };
}

/** Of a test with these exchanges. */
function resultWith(exchanges: readonly KeptExchange[], uses: readonly ExchangeUse[]): TestResult {
  const result = { attachments: [{ name: 'of somebody else', contentType: 'text/plain', body: Buffer.from('') }] };
  attachTestReport(result as unknown as TestInfo, { uses } as TestReport, exchanges);
  return result as unknown as TestResult;
}
