/** The results of a run replace those of the run before, however the run ends. */

import { spawn } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { referenceCredentials } from '../../reference/deployment/reference-credentials.js';
import type { TestCase } from '../../src/cases/test-case.js';
import type { Certificate } from '../../src/certificate/certificate.js';
import { interruptionNotice } from '../../src/certificate/notices.js';
import { outputFiles, writeFiles } from '../../src/outputs/result-files.js';
import { writeResults } from '../../src/outputs/write-results.js';
import { notReachedReason } from '../../src/run/case-result.js';
import {
  commandLine,
  credentialVariables as env,
  loadCertificate,
  makeTestFolder,
  runConformance,
  runConformanceInProcess,
} from '../support/cli.js';
import { type Answer, channelTo, createReference, suite } from '../support/in-process.js';
import { createIndependentDeployment, listen } from '../support/independent-deployment.js';
import { createArchive, runWithEvidence } from '../support/run-with-evidence.js';
import { skipOnWindows } from '../support/skip-on-windows.js';

const cwd = makeTestFolder();
const inFolder = (...names: readonly string[]) => path.join(cwd, ...names);

const honest = createIndependentDeployment(suite.world);
const broken = createReference({ faults: ['window-of-151'], credentials: referenceCredentials });

/** The name and the address of the deployment of the run before. No file of a later run has them. */
const before = { name: 'shop-of-the-run-before', base_url: 'https://shop-of-the-run-before.test' };

test.beforeAll(async () => {
  writeFileSync(inFolder(`${before.name}.yaml`), `name: ${before.name}\nbase_url: ${before.base_url}\n`);
  const selects = ({ id }: TestCase) => id.startsWith('window') || id === 'response-shape';
  const run = await runWithEvidence(channelTo(honest), { selects });
  const certificate = { ...run.certificate, target: before };
  const archive = createArchive(run.evidence, run.origin);
  writeResults({ ...run, certificate }, suite, { out: inFolder('before') }, archive);
});

interface LaterRun {
  readonly answer?: Answer;
  readonly args?: readonly string[];
  readonly status: number;
  readonly verdict: string;
  /** In the certificate. */
  readonly says?: string;
  /** Whether the run is for `npm run test:long`. */
  readonly isLong?: boolean;
}

const few = ['--only', 'window-with-few-valid'];
const endings: Readonly<Record<string, LaterRun>> = {
  'finds that the deployment does not conform': {
    answer: broken,
    args: few,
    status: 1,
    verdict: 'does-not-conform',
    isLong: true,
  },
  'cannot reach the deployment': { args: few, status: 4, verdict: 'incomplete', says: 'No connection', isLong: true },
  'selects no case': {
    answer: honest,
    args: ['--', '--grep', 'no-such-case'],
    status: 2,
    verdict: 'incomplete',
    says: 'No tests found',
    isLong: true,
  },
};

/** Puts the results of the run before where a later run writes. */
const leaveResults = (folder: string) => cpSync(inFolder('before'), path.join(folder, 'out'), { recursive: true });

/** Expects a certificate that agrees with its evidence, and nothing of the run before. */
async function expectOwnResults(folder: string): Promise<Certificate> {
  const out = path.join(folder, 'out');
  const files = readdirSync(out).filter((name) => name !== 'playwright');
  expect(files.sort()).toEqual(outputFiles.toSorted());
  for (const name of files)
    for (const stale of Object.values(before))
      expect(readFileSync(path.join(out, name), 'utf8'), name).not.toContain(stale);
  const certificate = loadCertificate(folder, 'out');
  const { output } = await runConformanceInProcess(['verify', 'out'], { cwd: folder });
  expect(output).toBe(`AGREES  out/certificate.json: ${certificate.verdict}\n`);
  return certificate;
}

for (const [what, { answer, args = [], status, verdict, says = '', isLong }] of Object.entries(endings))
  test(`No result of the run before is left by a run that ${what}`, { tag: isLong ? '@long' : [] }, async () => {
    const folder = makeTestFolder();
    leaveResults(folder);
    const deployment = await listen(answer ?? honest);
    const url = answer === undefined ? 'http://127.0.0.1:1' : deployment.url;
    writeFileSync(path.join(folder, 'later.yaml'), `name: later\nbase_url: ${url}\nretry: { delays_seconds: [] }\n`);
    const command = ['certify', '--target', 'later.yaml', '--out', 'out', ...args];
    const ended = await runConformance(command, { cwd: folder, env });
    await deployment.close();
    expect(ended.status, ended.output).toBe(status);
    expect(ended.output).not.toContain('Error Context');
    const certificate = await expectOwnResults(folder);
    expect([certificate.target.name, certificate.verdict]).toEqual(['later', verdict]);
    expect(JSON.stringify(certificate)).toContain(says);
  });

// Interruptions --------------------------------------------------------------------------------------------------------

/** Ends a run early. @param group of all its processes @param command that started it */
type Interrupt = (group: number, command: number) => void;

/** The other endings use the same handlers. */
const often = 'Ctrl-C, which a terminal sends to all processes';

const interruptions: Readonly<Record<string, Interrupt>> = {
  [often]: (group) => process.kill(-group, 'SIGINT'),
  'SIGTERM to the command': (_, command) => process.kill(command, 'SIGTERM'),
  'A closed terminal, which sends SIGHUP to all processes': (group) => process.kill(-group, 'SIGHUP'),
};

/** Starts a command, prints its process id, ignores signals, and ends with the status of the command. */
const shellScript = `
trap : INT TERM HUP
"$@" & command=$!
echo $command
while wait $command; status=$?; kill -0 $command 2> /dev/null; do :; done
exit $status
`;

for (const [what, end] of Object.entries(interruptions))
  test(`${what} leaves a certificate of the judged cases, and no process`, {
    tag: what === often ? [] : ['@long'],
  }, async () => {
    const { cwd: folder, by } = await endedEarly(end);
    expect(by).toEqual([4, null]);
    const { verdict, incomplete_because = [], requirements, questions, summary } = await expectOwnResults(folder);
    expect([verdict, incomplete_because[0]]).toEqual(['incomplete', interruptionNotice]);
    const cases = requirements.flatMap((requirement) => requirement.cases);
    expect(cases.some((judged) => judged.verdict === 'pass')).toBe(true);
    const unreached = [...cases, ...questions].filter(({ code }) => code === notReachedReason.code);
    expect(incomplete_because).toContain(`${unreached.length} of ${suite.cases.length} cases were not reached.`);
    expect(summary).not.toHaveProperty('error');
  });

test('Ctrl-C ends the runs of all targets, and the certificate of each says so', { tag: '@long' }, async () => {
  const { cwd: folder, by } = await endedEarly((group) => process.kill(-group, 'SIGINT'), ['one', 'two']);
  expect(by).toEqual([4, null]);
  for (const name of ['one', 'two'])
    expect(loadCertificate(folder, `out/${name}`).incomplete_because).toContain(interruptionNotice);
  expect(Object.keys(loadCertificate(folder, 'out/two').summary)).not.toContain('pass');
});

test('A killed command leaves no process, and no result of the run before', { tag: '@long' }, async () => {
  const { cwd: folder, by } = await endedEarly((_, command) => process.kill(command, 'SIGKILL'));
  expect(by).toEqual([137, null]);
  expect(readdirSync(path.join(folder, 'out')).filter((name) => name !== 'playwright')).toEqual([]);
});

/** Starts a run that ends early, and waits until all its processes have ended. @param targets names, all at one address */
async function endedEarly(end: Interrupt, targets: readonly string[] = []): Promise<{ cwd: string; by: unknown }> {
  skipOnWindows('signals');
  const folder = makeTestFolder();
  leaveResults(folder);
  let received = 0;
  let group = 0;
  let command = 0;
  const { url, close } = await listen((request) => {
    received += 1;
    if (received === 60) end(group, command);
    return honest(request);
  });
  for (const name of targets) writeFileSync(path.join(folder, `${name}.yaml`), `name: ${name}\nbase_url: ${url}\n`);
  const where = targets.length === 0 ? ['--base-url', url] : targets.flatMap((name) => ['--target', `${name}.yaml`]);
  const args = ['-c', shellScript, 'sh', process.execPath, commandLine];
  const shell = spawn('sh', [...args, 'certify', ...where, '--out', 'out'], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = new Promise((resolve) => shell.on('exit', (...by) => resolve(by)));
  group = shell.pid ?? 0;
  command = await new Promise<number>((resolve) => {
    shell.stdout.setEncoding('utf8').once('data', (text: string) => resolve(Number.parseInt(text, 10)));
  });
  // As with a closed terminal, output fails from now on.
  shell.stdout.destroy();
  const by = await ended;
  await expect.poll(() => isRunning(group), { timeout: 60_000 }).toBe(false);
  await close();
  return { cwd: folder, by };
}

/** Whether a process of a group is running. */
function isRunning(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}

// What else keeps or refuses -------------------------------------------------------------------------------------------

test('What sends nothing keeps the results of the run before', async () => {
  const read = () => readdirSync(inFolder('kept')).map((name) => [name, readFileSync(inFolder('kept', name), 'utf8')]);
  cpSync(inFolder('before'), inFolder('kept'), { recursive: true, filter: (file) => !file.endsWith('playwright') });
  const kept = read();
  const target = ['--target', `${before.name}.yaml`];
  writeFileSync(inFolder('wrong.yaml'), 'nmae: shop\n');
  const rows: readonly (readonly [status: number, args: readonly string[], says: string, variables?: object])[] = [
    [0, [...target, '--dry-run'], 'Nothing was sent.'],
    [0, [...target, '--', '--list'], 'window-with-few-valid'],
    [2, [...target, '--only', 'no-such-case'], "'no-such-case'"],
    [2, [...target, 'a'], 'too many arguments'],
    [2, target, 'is not set', {}],
    [2, ['--target', 'wrong.yaml'], "unknown key 'nmae'"],
    [2, ['--replay', path.join('kept', 'evidence.har')], '--out: '],
  ];
  for (const [status, args, says, variables = env] of rows) {
    const startsPlaywright = args.includes('--');
    const runCommand = startsPlaywright ? runConformance : runConformanceInProcess;
    const ended = await runCommand(['certify', '--out', 'kept', ...args], { cwd, env: { ...variables } });
    expect([ended.status, ended.output], args.join(' ')).toEqual([status, expect.stringContaining(says)]);
  }
  expect(read()).toEqual(kept);
});

test.describe('Files are written beside their places', () => {
  const read = (folder: string) => ['one.txt', 'two.txt'].map((name) => readFileSync(inFolder(folder, name), 'utf8'));
  const createFiles = (folder: string, text: string) =>
    ['one.txt', 'two.txt'].map((name) => ({ file: inFolder(folder, name), text }));

  test('and replace files of the same names, but nothing if one of them cannot be written', () => {
    skipOnWindows('links that anybody may make');
    writeFiles(createFiles('whole', 'before'));
    // What somebody put where a draft may have been.
    writeFileSync(inFolder('elsewhere.txt'), 'elsewhere');
    symlinkSync(inFolder('elsewhere.txt'), inFolder('whole', 'one.txt.tmp'));
    writeFiles(createFiles('whole', 'after'));
    expect(read('whole')).toEqual(['after', 'after']);
    const kept = ['one.txt', 'one.txt.tmp', 'two.txt'];
    expect([readdirSync(inFolder('whole')), readFileSync(inFolder('elsewhere.txt'), 'utf8')]).toEqual([
      kept,
      'elsewhere',
    ]);
    const files = [...createFiles('whole', 'later'), { file: inFolder('elsewhere.txt', 'three.txt'), text: 'later' }];
    expect(() => writeFiles(files)).toThrow('three.txt: cannot be written: ');
    expect([read('whole'), readdirSync(inFolder('whole'))]).toEqual([['after', 'after'], kept]);
  });
});
