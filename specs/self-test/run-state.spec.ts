import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { budgetInMemory } from '../../src/http/request-budget.js';
import { loadSession, saveSession, shareRun } from '../../src/playwright/run-state.js';

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
  const places = new Map([[`/${secrets.CLIENT_TOKEN}/*/id`, ['promo_1']]]);
  const naming = { places, unplaced: new Set([]), hinted: new Set([]), isInTexts: false, isInOtherCase: false };
  const target = { name: 'shop', base_url: process.env.BASE_URL ?? '' };
  const calibration = { namings: [naming], requestsSent: 1 };
  const evidence = { exchanges: [], uses: [] };
  saveSession({ target, calibration, evidence, requestBudget: budgetInMemory() });
  const contents = readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'latin1'));
  for (const text of [...Object.values(secrets), 'api.example.com']) expect(contents.join()).not.toContain(text);
  expect(loadSession()).toMatchObject({ target, calibration });
  unshare();
  expect(existsSync(folder)).toBe(false);
  for (const name of ['BASE_URL', ...Object.keys(secrets)]) delete process.env[name];
});
