/** No command changes or removes what a run did not write. */

import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { getuid } from 'node:process';
import { expect, test } from '@playwright/test';
import { referenceCredentials } from '../../reference/deployment/reference-credentials.js';
import { createRequestListener } from '../../reference/deployment/server.js';
import { outputFiles } from '../../src/outputs/result-files.js';
import { createRecord, renderRecord } from '../../src/record/target-record.js';
import {
  credentialVariables as env,
  loadCertificate,
  makeProject,
  makeTestFolder,
  playwright,
  runConformance,
  runConformanceInProcess,
} from '../support/cli.js';
import { createReference, suite } from '../support/in-process.js';
import { listen } from '../support/independent-deployment.js';
import { isWindows, skipOnWindows } from '../support/skip-on-windows.js';

/** All that is in a folder, save for installed packages: the texts of files, and where links lead. */
function readTree(folder: string): ReadonlyMap<string, string> {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !/^node_modules/.test(name),
  );
  return new Map(entries.map((name) => [name, readEntry(path.join(folder, name))]));
}

function readEntry(file: string): string {
  const stat = lstatSync(file);
  if (stat.isSymbolicLink()) return `-> ${readlinkSync(file)}`;
  return stat.isDirectory() ? '/' : readFileSync(file, 'utf8');
}

/** Expects that all of a tree is still there. New files are no loss. */
function expectKept(folder: string, before: ReadonlyMap<string, string>, what: string): void {
  const after = readTree(folder);
  for (const [name, content] of before) expect([name, after.get(name)], what).toEqual([name, content]);
}

const few = ['--only', 'window-with-few-valid'];
const onReference = ['certify', '--reference', ...few];

/** Where a run writes, and what a user may have there. */
const places: readonly string[] = [
  ...outputFiles,
  ...outputFiles.map((name) => `results/reference/${name}`),
  'certificate.json.tmp',
  'playwright/tests.spec.ts',
  'playwright/test-results/own.txt',
  'results/reference/playwright/own.txt',
  'results/.playwright/own.txt',
  'results/own.txt',
  'test-results/own.txt',
  'playwright-report/index.html',
  'blob-report/report.zip',
  'html-report/own.txt',
  'record.yaml',
  'known.yaml',
  'conformance/target.yaml',
  '.env.example',
  'playwright.config.mjs',
  '.github/workflows/conformance.yml',
];

/** Commands that find files of the user where they write: they leave them alone, or refuse to run. */
const commands: Readonly<Record<string, readonly [status: 0 | 2, args: readonly string[]]>> = {
  'certify into the project': [2, [...onReference, '--out', '.']],
  'certify into its folder': [2, onReference],
  'certify with reports of Playwright': [0, [...onReference, '--out', 'new', '--', '--reporter=html,blob']],
  'record over something else': [2, ['record', '--reference', ...few, '--to', 'record.yaml', '--out', 'new']],
  'record with known deviations over something else': [
    2,
    ['record', '--reference', ...few, '--to', 'new.yaml', '--out', 'new', '--known', 'known.yaml'],
  ],
  init: [0, ['init']],
  'certify --dry-run': [0, [...onReference, '--out', '.', '--dry-run']],
  'certify -- --list': [0, [...onReference, '--out', '.', '--', '--list']],
  'a replay into the project': [2, ['certify', '--replay', '../evidence.har', '--out', '.']],
};

/** What a run on the reference deployment left. */
const finished = path.join(makeTestFolder(), 'run');
const evidence = path.join(finished, 'evidence.har');
test.beforeAll(async () => {
  await runConformance([...onReference, '--out', finished], { cwd: path.dirname(finished) });
});

/** Creates a folder with the results of that run in the folder `out`. */
function makeFolderOfRun(out: string): string {
  const cwd = makeTestFolder();
  cpSync(finished, path.join(cwd, out), { recursive: true });
  return cwd;
}

for (const [what, [expected, args]] of Object.entries(commands))
  test(`A project with files of its own everywhere keeps them: ${what}`, async () => {
    const cwd = path.join(makeTestFolder(), 'project');
    for (const place of places) {
      mkdirSync(path.dirname(path.join(cwd, place)), { recursive: true });
      writeFileSync(path.join(cwd, place), `The user's: ${place}`);
    }
    cpSync(evidence, path.join(cwd, '..', 'evidence.har'));
    const before = readTree(cwd);
    const { status, output } = await runConformance(args, { cwd });
    expectKept(cwd, before, output);
    expect(status, output).toBe(expected);
    if (expected === 0) return;
    expect(output).toMatch(/Move or remove it|lacks the key|must be a mapping/);
    expect([...readTree(cwd).keys()], what).toEqual([...before.keys()]);
  });

test('What is in the place of one result is named before anything is sent', async () => {
  let received = 0;
  const answer = createReference({ credentials: referenceCredentials });
  const { url, close } = await listen((request) => {
    received += 1;
    return answer(request);
  });
  const cwd = makeFolderOfRun('out');
  const out = path.join(cwd, 'out');
  const run = () => runConformanceInProcess(['certify', '--base-url', url, ...few, '--out', 'out'], { cwd, env });
  const whole = path.join(cwd, 'whole');
  cpSync(out, whole, { recursive: true });
  const rows: Readonly<Record<string, (file: string) => void>> = {
    'is a folder': (file) => void mkdirSync(file),
    ...(isWindows ? {} : { 'is a link': (file) => symlinkSync(path.join(whole, path.basename(file)), file) }),
    'a run did not write it, or it was changed since': (file) =>
      writeFileSync(file, readFileSync(path.join(whole, path.basename(file)), 'utf8').replace(/\w/, 'x')),
  };
  for (const name of outputFiles)
    for (const [says, create] of Object.entries(rows)) {
      rmSync(out, { recursive: true });
      cpSync(whole, out, { recursive: true });
      rmSync(path.join(out, name));
      create(path.join(out, name));
      const before = readTree(cwd);
      received = 0;
      const { status, output } = await run();
      expect([status, received, output], name).toEqual([
        2,
        0,
        expect.stringContaining(`out/${name}: is in the place of a result, and ${says}`),
      ]);
      expectKept(cwd, before, name);
    }
  await close();
});

test('A run replaces the results of a run, also after Git or a formatter changed white space, and a part of them', async () => {
  const cwd = makeFolderOfRun('results/reference');
  const inOut = (name: string) => path.join(cwd, 'results', 'reference', name);
  const run = () => runConformance(onReference, { cwd });
  const changes: readonly ((text: string) => string)[] = [
    (text) => text.replaceAll('\n', '\r\n'),
    (text) => `${text.replaceAll(/[ \t]+$/gm, '')}\n\n`,
    (text) => text,
  ];
  // Each file changes in another way: the file that is left alone is no exception.
  for (const [n, name] of outputFiles.entries())
    writeFileSync(inOut(name), changes[n % changes.length]?.(readFileSync(inOut(name), 'utf8')) ?? '');
  const { started_at: before } = loadCertificate(cwd, 'results/reference');
  const { status, output } = await run();
  expect(status, output).toBe(0);
  expect(loadCertificate(cwd, 'results/reference').started_at).not.toBe(before);
  for (const name of ['certificate.html', 'evidence.har']) rmSync(inOut(name));
  // A replay writes as a run does, and takes less time.
  const replay = (out: string) => runConformance(['certify', '--replay', evidence, '--out', out], { cwd });
  expect((await replay('results/reference')).status).toBe(0);
  expect(existsSync(inOut('evidence.har'))).toBe(true);
  // One of the files, alone.
  mkdirSync(path.join(cwd, 'kept'));
  renameSync(inOut('observed.md'), path.join(cwd, 'kept', 'observed.md'));
  expect((await replay('kept')).status).toBe(0);
});

test('A file of a user among those of Playwright is found, and what a run left there is replaced', async () => {
  const cwd = makeFolderOfRun('results/reference');
  const folder = path.join(cwd, 'results', 'reference', 'playwright');
  const run = () => runConformance(onReference, { cwd });
  expect((await run()).status).toBe(0);
  for (const name of ['own.txt', 'test-results/own.txt', 'test-results/.last-run.json']) {
    const file = path.join(folder, name);
    const before = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    writeFileSync(file, "The user's");
    const tree = readTree(cwd);
    const refused = await runConformanceInProcess(onReference, { cwd });
    expect(refused).toEqual({ status: 2, output: expect.stringContaining(`playwright/${name}: would be removed`) });
    expect(readTree(cwd)).toEqual(tree);
    if (before === undefined) rmSync(file);
    else writeFileSync(file, before);
  }
  // A run that was killed leaves no list of its files, and a lock that holds nobody.
  writeFileSync(path.join(folder, 'files.json'), '{}\n');
  writeFileSync(path.join(folder, 'running.json'), '{ "process": 999999999, "host": "x" }\n');
  writeFileSync(path.join(folder, 'test-results', 'half'), 'x');
  expect((await run()).status).toBe(0);
  expect(existsSync(path.join(folder, 'running.json'))).toBe(false);
});

test('`playwright test` keeps files of the user, too', async () => {
  const cwd = makeProject();
  const lines = ["export { default } from 'promotion-validation-conformance/playwright.config.js';"];
  writeFileSync(path.join(cwd, 'playwright.config.mjs'), lines.join('\n'));
  const run = () => runConformance(['test', '--grep', 'window-with-few-valid'], { cwd, script: playwright });
  cpSync(finished, path.join(cwd, 'results', 'reference'), { recursive: true });
  rmSync(path.join(cwd, 'results', 'reference', 'playwright'), { recursive: true });
  for (const name of ['results/.playwright/own.txt', 'results/reference/summary.md', 'results/reference/playwright']) {
    const file = path.join(cwd, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, "The user's");
    const before = new Map(
      [...readTree(cwd)].filter(([entry]) => entry === name || entry.startsWith('results/reference')),
    );
    const { status, output } = await run();
    expectKept(cwd, before, output);
    expect([status === 0, output], name).toEqual([false, expect.stringContaining(name)]);
    rmSync(file);
  }
});

test('Of two runs in one folder at once, the second is refused, and the results of the first are whole', async () => {
  const cwd = makeTestFolder();
  const answer = createReference({ credentials: referenceCredentials });
  const answerRequest = createRequestListener(answer);
  let second: ReturnType<typeof runConformance> | undefined;
  // The first run waits for the end of the second one.
  const server = createServer((request, response) => {
    second ??= runConformance(['certify', '--base-url', url, ...few, '--out', 'out'], { cwd, env });
    void second.then(() => answerRequest(request, response));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const first = await runConformance(['certify', '--base-url', url, ...few, '--out', 'out'], { cwd, env });
  server.close();
  expect(await second).toEqual({
    status: 2,
    output: expect.stringMatching(/running\.json: another run writes here \(process \d+\)/),
  });
  expect(first.status, first.output).toBe(0);
  expect((await runConformance(['verify', 'out'], { cwd })).output).toMatch(/^AGREES/);
});

test('Folders that cannot be written are refused with a reason', async () => {
  skipOnWindows('links that anybody may make');
  const cwd = makeTestFolder();
  writeFileSync(path.join(cwd, 'file'), "The user's");
  symlinkSync('nowhere', path.join(cwd, 'link'));
  mkdirSync(path.join(cwd, 'closed'));
  chmodSync(path.join(cwd, 'closed'), 0o500);
  const before = readTree(cwd);
  const closed = getuid?.() === 0 ? [] : ['closed'];
  for (const out of ['/proc/x', '/proc/x/y', '/dev/null/x', 'file', 'file/x', 'link', ...closed]) {
    const { status, output } = await runConformanceInProcess([...onReference, '--out', out], { cwd });
    expect([status, output], out).toEqual([2, expect.stringMatching(/^--out: .*: \w/)]);
  }
  expect(readTree(cwd)).toEqual(before);
});

test('Evidence is not replaced by its replay, however it is named, and links of records stay', async () => {
  skipOnWindows('links that anybody may make');
  const cwd = makeTestFolder();
  mkdirSync(path.join(cwd, 'real'));
  cpSync(evidence, path.join(cwd, 'real', 'evidence.har'));
  symlinkSync('real', path.join(cwd, 'alias'));
  symlinkSync('real/evidence.har', path.join(cwd, 'linked.har'));
  const before = readTree(cwd);
  for (const [file, out] of [
    ['alias/evidence.har', 'real'],
    ['real/evidence.har', 'alias'],
    ['linked.har', 'real'],
    ['real', './real/'],
  ] as const) {
    const { status, output } = await runConformanceInProcess(['certify', '--replay', file, '--out', out], { cwd });
    expect([status, output], file).toEqual([2, expect.stringContaining('is the folder of the evidence')]);
  }
  expect(readTree(cwd)).toEqual(before);
  // A record that is a link.
  const record = () =>
    runConformance(['record', '--reference', '--only', 'quantity-zero', '--to', 'link.yaml'], { cwd });
  symlinkSync('nowhere.yaml', path.join(cwd, 'link.yaml'));
  expect((await record()).status).toBe(2);
  rmSync(path.join(cwd, 'link.yaml'));
  const earlier = renderRecord(createRecord(suite, { results: [], showExchange: () => undefined }, 'reference'));
  writeFileSync(path.join(cwd, 'real.yaml'), earlier);
  symlinkSync('real.yaml', path.join(cwd, 'link.yaml'));
  expect((await record()).status).toBe(0);
  expect(readlinkSync(path.join(cwd, 'link.yaml'))).toBe('real.yaml');
  expect(readFileSync(path.join(cwd, 'real.yaml'), 'utf8')).not.toBe(earlier);
});
