/** A failed case looks failed in every report, and does not cost a new worker. */

import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from '@playwright/test';
import { WebSocket } from 'undici';
import { referenceCredentials } from '../../reference/reference-credentials.js';
import { packageRoot } from '../../src/support/package-root.js';
import { type CommandResult, credentialVariables, makeTestFolder, runConformance } from '../support/cli.js';
import { createReference } from '../support/in-process.js';
import { listen } from '../support/independent-deployment.js';
import { readTexts } from '../support/read-texts.js';

const cwd = makeTestFolder();

const broken = createReference({ faults: ['quantity-ignored'], credentials: referenceCredentials });
const deployment = listen(broken);
test.afterAll(async () => (await deployment).close());

const config = path.join(packageRoot, 'dist', 'playwright.config.js');
const reporter = path.join(packageRoot, 'dist', 'src', 'runner', 'certificate-reporter.js');
const playwright = path.join(packageRoot, 'node_modules', '@playwright', 'test', 'cli.js');

/** Two cases that fail, and one that passes. */
const ids = ['integer-quantity', 'integer-quantity-of-a-sku', 'json-content-type'];
const few = ['--grep', ids.map((id) => `${id}:`).join('|')];
const ends = { 'integer-quantity': 'failed', 'integer-quantity-of-a-sku': 'failed', 'json-content-type': 'passed' };

/** Where reporters of Playwright write, and what a run goes by. */
async function createEnvironment(): Promise<Record<string, string>> {
  return {
    BASE_URL: (await deployment).url,
    ...credentialVariables,
    PLAYWRIGHT_HTML_OPEN: 'never',
    PLAYWRIGHT_HTML_OUTPUT_DIR: path.join(cwd, 'html'),
    PLAYWRIGHT_JSON_OUTPUT_FILE: path.join(cwd, 'report.json'),
    PLAYWRIGHT_JUNIT_OUTPUT_FILE: path.join(cwd, 'junit.xml'),
    PLAYWRIGHT_BLOB_OUTPUT_DIR: path.join(cwd, 'blob'),
    // By itself, Playwright compiles what is compiled already, which spoils the counts of coverage.
    NODE_V8_COVERAGE: '',
  };
}

/** Runs Playwright itself. */
async function ran(args: readonly string[], env: Record<string, string> = {}): Promise<CommandResult> {
  return runConformance(args, { cwd, env: { ...(await createEnvironment()), ...env }, script: playwright });
}

interface JsonSpec {
  readonly title: string;
  readonly ok: boolean;
  readonly tests: readonly { readonly status: string; readonly results: readonly { readonly workerIndex: number }[] }[];
}

/** What the JSON report says. */
function jsonReport() {
  const specs: JsonSpec[] = [];
  JSON.parse(readFileSync(path.join(cwd, 'report.json'), 'utf8'), (_, value) => {
    if (value?.tests !== undefined) specs.push(value);
    return value;
  });
  const results = specs.flatMap(({ tests }) => tests.flatMap((each) => each.results));
  return {
    /** How each test ended last, by its title up to a colon. */
    ends: Object.fromEntries(
      specs.map(({ title, ok, tests }) => {
        const status = tests[0]?.status;
        const end = status === 'unexpected' && !ok ? 'failed' : status === 'expected' && ok ? 'passed' : 'neither';
        return [title.split(':')[0], end];
      }),
    ),
    attempts: results.length,
    workers: new Set(results.map(({ workerIndex }) => workerIndex)).size,
  };
}

function expectFailedInEachReport(output: string): void {
  expect(output.match(/^ +✘ +\d+ .*: /gm)).toHaveLength(2);
  expect(output).toMatch(/^ +✓ .* json-content-type: /m);
  expect(output).toContain('2 failed');
  expect(output.indexOf('DOES-NOT-CONFORM')).toBeGreaterThan(output.indexOf('2 failed'));
  expect(jsonReport().ends).toEqual(ends);
  const [, page = ''] = readTexts(path.join(cwd, 'html')).find(([name]) => name === 'index.html: report.json') ?? [];
  expect(JSON.parse(page).stats).toMatchObject({ total: 3, unexpected: 2, expected: 1, ok: false });
  const junit = readFileSync(path.join(cwd, 'junit.xml'), 'utf8');
  expect(junit.match(/<(failure|error) /g)).toHaveLength(2);
  expect(junit).toContain('Send it again with:');
}

test('The reporters of Playwright show failures on their lines of the case files, and one worker runs all tests', async () => {
  const command = ['certify', '--only', ids.join(','), '--out', 'own', '--', '--reporter=list,json,junit,html,github'];
  const { status, output } = await runConformance(command, { cwd, env: await createEnvironment() });
  expect(status).toBe(1);
  expectFailedInEachReport(output);
  const places = output.match(/(?<=^::error file=\S*cases\/requirements\/)\w+\.yaml,title=.*line=\d+(?=,col=\d+::)/gm);
  expect(places).toHaveLength(2);
  expect(jsonReport().workers).toBe(1);
  const { status: ended, failedTests } = JSON.parse(
    readFileSync(path.join(cwd, 'own', 'playwright', '.last-run.json'), 'utf8'),
  );
  expect([ended, failedTests.length]).toEqual(['failed', 2]);
});

const stopped = { ...ends, 'integer-quantity-of-a-sku': 'neither', 'json-content-type': 'neither' };
const all = { ends, attempts: 3, workers: 3 };
/** In this order. Failures are not expected if the first reporter is not the suite's: each takes a new worker. */
const runs: readonly (readonly [args: readonly string[], report: Record<string, unknown>])[] = [
  [['--reporter=json'], all],
  [[`--reporter=json,${reporter}`], all],
  [['--add-reporter=json', '-x'], { ends: stopped }],
  [['--add-reporter=json', '--last-failed'], { ends }],
  [['--add-reporter=json', '--retries=1'], { ends, attempts: 5, workers: 5 }],
  [['--add-reporter=json', '--trace=retain-on-failure'], { ends }],
];
test('Other reporters, --max-failures, --retries and traces work as usual', { tag: '@long' }, async () => {
  for (const [args, report] of runs) {
    const { status } = await ran(['test', '--config', config, ...args, ...few]);
    expect([status, jsonReport()], args.join(' ')).toEqual([1, expect.objectContaining(report)]);
  }
  expect(readTexts(path.join(cwd, 'results')).filter(([name]) => name.endsWith('trace.zip'))).toHaveLength(2);
});

test('A test that expects its failure fails, however it ends', { tag: '@long' }, async () => {
  const folder = path.join(cwd, 'odd');
  mkdirSync(folder);
  symlinkSync(path.join(packageRoot, 'node_modules'), path.join(folder, 'node_modules'));
  const own = path.join(packageRoot, 'dist', 'src', 'runner', 'expected-failure.js');
  const odd: Readonly<Record<string, string>> = {
    throws: 'throw new Error();',
    'fails softly, too': 'expect.soft(1).toBe(2); throw new Error();',
    'throws nothing': '',
    hangs: 'testInfo.setTimeout(50); await new Promise(() => undefined);',
    'ends its process': 'process.exit(0);',
    'throws elsewhere': 'setTimeout(() => { throw new Error(); }); await new Promise((end) => setTimeout(end, 50));',
  };
  const tests = Object.entries(odd).map(
    ([title, code]) => `test('${title}', async ({}, testInfo) => { expectFailure(testInfo); ${code} });`,
  );
  writeFileSync(
    path.join(folder, 'odd.spec.mjs'),
    [
      "import { expect, test } from '@playwright/test';",
      `import { expectFailure } from '${own}';`,
      "test('passes', () => undefined);",
      ...tests,
    ].join('\n'),
  );
  const reporters = JSON.stringify([[reporter], ['json']]);
  writeFileSync(path.join(folder, 'playwright.config.mjs'), `export default { workers: 1, reporter: ${reporters} };`);
  const { status } = await ran(['test', '--config', path.join(folder, 'playwright.config.mjs')]);
  expect(status).toBe(1);
  const failed = Object.keys(odd).map((title) => [title, 'failed']);
  expect(jsonReport().ends).toEqual({ passes: 'passed', ...Object.fromEntries(failed) });
});

test('UI mode and editors see failures, with and without the configured reporters', {
  tag: '@long',
}, async () => {
  const server = spawn(process.execPath, [playwright, 'test-server', '--config', config], {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...(await createEnvironment()) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let address = '';
  for await (const line of createInterface(server.stdout)) {
    address = /^Listening on (ws:.*)$/.exec(line)?.[1] ?? '';
    if (address !== '') break;
  }
  server.stdout.resume();
  const socket = new WebSocket(address);
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  const ended: { status: string; expected: string }[] = [];
  const waiting = new Map<number, (result: unknown) => void>();
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error, method, params } = JSON.parse(data);
    if (id !== undefined) waiting.get(id)?.(error ?? result);
    if (method === 'report' && params.method === 'onTestEnd')
      ended.push({ status: params.params.result.status, expected: params.params.test.expectedStatus });
  });
  const call = (method: string, params: object) =>
    new Promise((resolve) => {
      waiting.set(waiting.size + 1, resolve);
      socket.send(JSON.stringify({ id: waiting.size, method, params }));
    });
  await call('initialize', { closeOnDisconnect: true });
  await call('runGlobalSetup', {});
  // As UI mode does; with the reporters of the configuration; and, in the same process, without.
  for (const wanted of [{ trace: 'on' }, {}, { disableConfigReporters: true }]) {
    ended.length = 0;
    const result = await call('runTests', { grep: few[1], ...wanted });
    expect(result).toEqual({ status: 'failed' });
    expect(ended.filter(({ status, expected }) => status === 'failed' && expected === 'passed')).toHaveLength(2);
    expect(ended.filter(({ status, expected }) => status === 'passed' && expected === 'passed')).toHaveLength(1);
  }
  await call('runGlobalTeardown', {});
  socket.close();
  await new Promise((resolve) => server.on('close', resolve));
});
