/** The results of a run replace those of the run before, however the run ends. */

import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { referenceCredentials } from '../../reference/reference-credentials.js';
import { listOutputFiles } from '../../src/outputs/output.js';
import { writeFiles } from '../../src/outputs/write-files.js';
import {
  type CommandResult,
  commandLine,
  credentialVariables as env,
  loadCertificate,
  makeTestFolder,
  runConformance,
  runConformanceInProcess,
  watchProcess,
} from '../support/cli.js';
import { type Answer, createReference, suite } from '../support/in-process.js';
import { createIndependentDeployment, listen } from '../support/independent-deployment.js';

const cwd = makeTestFolder();
const inFolder = (...names: readonly string[]) => path.join(cwd, ...names);

const honest = createIndependentDeployment(suite.world);
const broken = createReference({ faults: ['window-of-151'], credentials: referenceCredentials });
const refusing: Answer = () => ({ status: 401, headers: [], body: '{}' });
const writeTarget = (name: string, url: string, more = '') =>
  writeFileSync(inFolder(`${name}.yaml`), `name: ${name}\nbase_url: ${url}\n${more}`);

/** The name and the address of the deployment of the run before. No file of a later run has them. */
const before = { name: 'shop-of-the-run-before', url: '' };

test.beforeAll(async () => {
  const { url, close } = await listen(honest);
  before.url = url;
  writeTarget(before.name, url);
  const args = ['certify', '--target', `${before.name}.yaml`, '--out', 'before'];
  const { status, output } = await runConformance(args, { cwd, env });
  await close();
  expect(status, output).toBe(0);
});

interface LaterRun {
  readonly answer?: Answer;
  /** Of the target file. */
  readonly more?: string;
  readonly args?: readonly string[];
  /** Ends the command when a request arrives. */
  readonly signal?: NodeJS.Signals;
  readonly status: number | null;
  readonly verdict: string | undefined;
  /** In the certificate. */
  readonly says?: string;
}

const failingTransport = "export default () => { throw new Error('out of order'); };";

const endings: Readonly<Record<string, LaterRun>> = {
  'finds that the deployment does not conform': { answer: broken, status: 1, verdict: 'does-not-conform' },
  'cannot reach the deployment': { status: 4, verdict: 'incomplete', says: 'No connection' },
  'sends wrong credentials': { answer: refusing, status: 4, verdict: 'incomplete', says: 'credentials' },
  'runs selected cases': { answer: honest, args: ['--only', 'order.quantity'], status: 0, verdict: 'incomplete' },
  'sends only the quick rows': { answer: honest, args: ['--quick'], status: 0, verdict: 'incomplete' },
  'is ended by Ctrl-C': { answer: honest, signal: 'SIGINT', status: 4, verdict: 'incomplete', says: 'interrupted' },
  'is killed': { answer: honest, signal: 'SIGKILL', status: null, verdict: undefined },
  'has a transport that fails': {
    answer: honest,
    more: 'transport: ./failing.mjs\n',
    status: 2,
    verdict: 'incomplete',
    says: 'out of order',
  },
  'selects no case': {
    answer: honest,
    args: ['--', '--grep', 'no-such-case'],
    status: 2,
    verdict: 'incomplete',
    says: 'No tests found',
  },
};

for (const [n, [what, { answer, more = '', args = [], signal, status, verdict, says = '' }]] of Object.entries(
  endings,
).entries())
  test(`No result of the run before is left by a run that ${what}`, async () => {
    const out = `later-${n}`;
    cpSync(inFolder('before'), inFolder(out), { recursive: true });
    writeFileSync(inFolder('failing.mjs'), failingTransport);
    let received = 0;
    let end = () => {};
    const deployment = await listen((request) => {
      received += 1;
      if (received === 20) end();
      return (answer ?? honest)(request);
    });
    const url = answer === undefined ? 'http://127.0.0.1:1' : deployment.url;
    writeTarget(out, url, `retry: { delays_seconds: [] }\n${more}`);
    const child = spawn(process.execPath, [commandLine, 'certify', '--target', `${out}.yaml`, '--out', out, ...args], {
      cwd,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (signal !== undefined) end = () => child.kill(signal);
    const ended: CommandResult = await watchProcess(child).ended;
    await deployment.close();

    expect(ended.status, ended.output).toBe(status);
    const files = readdirSync(inFolder(out)).filter((name) => name !== 'playwright');
    for (const name of files) {
      const text = readFileSync(inFolder(out, name), 'utf8');
      for (const stale of Object.values(before)) expect(text, name).not.toContain(stale);
    }
    if (verdict === undefined) return expect(files).toEqual([]);
    expect(files.sort()).toEqual(listOutputFiles().sort());
    const certificate = loadCertificate(cwd, out);
    expect([certificate.target.name, certificate.verdict]).toEqual([out, verdict]);
    expect(JSON.stringify(certificate)).toContain(says);
    const verified = await runConformanceInProcess(['verify', out], { cwd });
    expect(verified).toEqual({ status: 0, output: `AGREES  ${path.join(out, 'certificate.json')}: ${verdict}\n` });
  });

test('What sends nothing keeps the results of the run before', async () => {
  const read = () => readdirSync(inFolder('kept')).map((name) => [name, readFileSync(inFolder('kept', name), 'utf8')]);
  cpSync(inFolder('before'), inFolder('kept'), { recursive: true, filter: (file) => !file.endsWith('playwright') });
  const kept = read();
  const target = ['--target', `${before.name}.yaml`];
  writeFileSync(inFolder('wrong.yaml'), 'nmae: shop\n');
  const rows: readonly (readonly [status: number, args: readonly string[], says: string])[] = [
    [0, [...target, '--dry-run'], 'Nothing was sent.'],
    [2, [...target, '--only', 'no-such-case'], "unknown case, requirement, question, tag or group 'no-such-case'"],
    [2, ['--target', 'wrong.yaml'], "unknown key 'nmae'"],
    [2, [...target, 'a'], 'is an argument without a flag'],
    [2, ['--replay', path.join('kept', 'evidence.har')], 'is the folder of the evidence'],
  ];
  for (const [status, args, says] of rows) {
    const ended = await runConformance(['certify', '--out', 'kept', ...args], { cwd, env });
    expect([ended.status, ended.output], args.join(' ')).toEqual([status, expect.stringContaining(says)]);
  }
  const unset = await runConformance(['certify', '--out', 'kept', ...target], { cwd });
  expect([unset.status, unset.output]).toEqual([2, expect.stringContaining('is not set')]);
  const listed = await runConformance(['certify', '--out', 'kept', ...target, '--', '--list'], { cwd, env });
  expect([listed.status, listed.output]).toEqual([0, expect.stringContaining('window-with-few-valid')]);
  const refused = await runConformance(['certify', '--out', 'kept', ...target, '--', '--no-such-flag'], { cwd, env });
  expect(refused.status).toBe(2);
  expect(read()).toEqual(kept);
});

test('A folder in the place of a result is refused before anything is sent, and files of others stay', async () => {
  mkdirSync(inFolder('occupied', 'observed.md'), { recursive: true });
  for (const name of ['certificate.json', 'notes.txt']) writeFileSync(inFolder('occupied', name), 'as it was');
  const args = ['certify', '--target', `${before.name}.yaml`, '--out', 'occupied'];
  const { status, output } = await runConformanceInProcess(args, { cwd, env });
  expect([status, output]).toEqual([2, expect.stringContaining('observed.md: is a folder in the place of a result')]);
  for (const name of ['certificate.json', 'notes.txt'])
    expect(readFileSync(inFolder('occupied', name), 'utf8')).toBe('as it was');
});

test.describe('Files are written beside their places', () => {
  const read = (folder: string) => ['one.txt', 'two.txt'].map((name) => readFileSync(inFolder(folder, name), 'utf8'));
  const createFiles = (folder: string, text: string) =>
    ['one.txt', 'two.txt'].map((name) => ({ file: inFolder(folder, name), text }));

  test('and replace files of the same names, but nothing if one of them cannot be written', () => {
    writeFiles(createFiles('whole', 'before'));
    // What a killed process left.
    writeFileSync(inFolder('whole', 'one.txt.tmp'), 'half');
    writeFiles(createFiles('whole', 'after'));
    expect(read('whole')).toEqual(['after', 'after']);
    mkdirSync(inFolder('whole', 'two.txt.tmp'));
    expect(() => writeFiles(createFiles('whole', 'later'))).toThrow('two.txt: cannot be written: it is a folder');
    expect(read('whole')).toEqual(['after', 'after']);
    expect(existsSync(inFolder('whole', 'one.txt.tmp'))).toBe(false);
  });

  test('and replace links', () => {
    mkdirSync(inFolder('links'));
    writeFileSync(inFolder('precious'), 'as it was');
    symlinkSync(inFolder('precious'), inFolder('links', 'one.txt'));
    writeFiles(createFiles('links', 'here'));
    expect(readFileSync(inFolder('precious'), 'utf8')).toBe('as it was');
    expect(() => readlinkSync(inFolder('links', 'one.txt'))).toThrow('EINVAL');
  });
});
