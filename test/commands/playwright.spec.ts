/** What people know of Playwright works: its arguments, reporters, projects, `webServer`, editors, and tests of their own. */

import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, type Locator, test } from '@playwright/test';
import { referenceCredentials } from '../../reference/deployment/reference-credentials.js';
import type { Certificate } from '../../src/certificate/certificate.js';
import { packageRoot } from '../../src/support/package-root.js';
import { usePages } from '../support/browser.js';
import {
  type CommandResult,
  credentialVariables,
  loadCertificate,
  makeProject,
  playwright,
  reporter,
  runConformance,
  runConformanceInProcess,
  watchProcess,
} from '../support/cli.js';
import { createReference, suite } from '../support/in-process.js';
import { listen } from '../support/independent-deployment.js';
import { readTexts } from '../support/read-texts.js';

const cwd = makeProject('@types/node');
const inProject = (...names: readonly string[]) => path.join(cwd, ...names);
const read = (...names: readonly string[]) => readFileSync(inProject(...names), 'utf8');

const broken = createReference({ faults: ['quantity-ignored'], credentials: referenceCredentials });
const deployment = listen(broken);
test.beforeAll(async () => {
  await runConformanceInProcess(['init'], { cwd });
});
test.afterAll(async () => (await deployment).close());

/** Runs a command of the project as a person types it. Reporters write into its folder. */
async function run(line: string, env: Record<string, string> = {}): Promise<CommandResult> {
  const [command, ...args] = line.split(' ');
  return runConformance(command === 'playwright' ? args : [command ?? '', ...args], {
    cwd,
    env: {
      BASE_URL: (await deployment).url,
      ...credentialVariables,
      PLAYWRIGHT_HTML_OPEN: 'never',
      PLAYWRIGHT_HTML_OUTPUT_DIR: 'html',
      PLAYWRIGHT_JSON_OUTPUT_FILE: 'report.json',
      PLAYWRIGHT_JUNIT_OUTPUT_FILE: 'junit.xml',
      // By itself, Playwright compiles what is compiled already, which takes a second and spoils the counts of coverage.
      PW_DISABLE_TS_ESM: '1',
      NODE_V8_COVERAGE: '',
      ...env,
    },
    ...(command === 'playwright' ? { script: playwright } : {}),
  });
}

interface JsonSpec {
  readonly title: string;
  readonly ok: boolean;
  readonly tests: readonly {
    readonly status: string;
    readonly projectName: string;
    readonly annotations: readonly { readonly description: string }[];
    readonly results: readonly { readonly workerIndex: number }[];
  }[];
}

/** What the JSON report says. */
function readJsonReport() {
  const specs: JsonSpec[] = [];
  JSON.parse(read('report.json'), (_, value) => {
    if (value?.tests !== undefined) specs.push(value);
    return value;
  });
  const results = specs.flatMap(({ tests }) => tests.flatMap((ended) => ended.results));
  return {
    specs,
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

/** Two cases that fail, and one that passes. */
const few = '--grep integer-quantity:|integer-quantity-of-a-sku:|json-content-type:';
const ends = { 'integer-quantity': 'failed', 'integer-quantity-of-a-sku': 'failed', 'json-content-type': 'passed' };
const stopped = { ...ends, 'integer-quantity-of-a-sku': 'neither', 'json-content-type': 'neither' };
const both = { fail: 2, pass: 1 };
const ofOrder = suite.cases.filter(({ at }) => at.file.endsWith('requirements/order.yaml'));
const single = ofOrder.find(({ id }) => id === 'item-with-product-id');
const failures = /(?:<failure[\s\S]*?){2}|(?:<error [\s\S]*?){2}/;

/** Counts the files of the project with this path and content, those in archives too. */
const countFiles = (name: RegExp, text = /(?:)/) =>
  readTexts(cwd).filter((file) => name.test(file[0]) && text.test(file[1])).length;
const certificate = /^results\/shop\/certificate/;

interface Row {
  readonly line: string;
  /** The selected cases of the certificate, by verdict; undefined without a certificate. */
  readonly cases?: Readonly<Record<string, number>>;
  readonly shows: Partial<Omit<ReturnType<typeof readJsonReport>, 'specs'>>;
  readonly status?: number;
  readonly check?: (output: string) => void;
  /** Whether the row is for `npm run test:long`. */
  readonly isLong?: boolean;
}

/** In this order: `--last-failed` needs the row before it. */
const rows: readonly Row[] = [
  {
    line: `playwright test order.yaml:${single?.at.line}`,
    cases: { pass: 1 },
    shows: { ends: { 'item-with-product-id': 'passed' } },
    status: 0,
  },
  {
    line: 'playwright test order.yaml',
    cases: { fail: 5, pass: 6 },
    shows: { attempts: ofOrder.length, workers: 1 },
    isLong: true,
  },
  { line: 'playwright test --last-failed', cases: { fail: 5 }, shows: { attempts: 5, workers: 1 }, isLong: true },
  {
    line: `playwright test ${few} -x`,
    cases: { fail: 1, 'not-run': 2 },
    shows: { ends: stopped },
    check: (output) => expect(output).toMatch(/^Testing stopped early after 1 maximum allowed failures\.$/m),
    isLong: true,
  },
  { line: `playwright test ${few} --repeat-each 2`, cases: both, shows: { attempts: 6 }, isLong: true },
  { line: `playwright test ${few} --retries 1`, cases: both, shows: { ends, attempts: 5, workers: 5 }, isLong: true },
  { line: `playwright test ${few} --workers 2`, cases: both, shows: { ends, attempts: 3, workers: 2 }, isLong: true },
  {
    line: `playwright test ${few} --trace on`,
    cases: both,
    shows: { ends, attempts: 3 },
    check: () => expect(countFiles(/trace\.zip$/)).toBe(3),
    isLong: true,
  },
  {
    line: `certify -- ${few} --reporter=junit`,
    cases: both,
    shows: { ends, attempts: 3, workers: 1 },
    check: () => expect(read('junit.xml')).toMatch(failures),
    isLong: true,
  },
  // Without the reporter of the suite there is no certificate, and each failure takes a new worker.
  { line: `playwright test ${few} --reporter=html`, shows: { ends, attempts: 3, workers: 3 }, isLong: true },
  {
    line: `playwright test ${few} --reporter=line,${reporter}`,
    cases: both,
    shows: { ends, attempts: 3, workers: 3 },
    isLong: true,
  },
];

for (const { line, cases, shows, status = 1, check, isLong } of rows)
  test(`\`${line.replace(few, '--grep …').replace(packageRoot, '…')}\` does what it says`, {
    tag: isLong ? '@long' : [],
  }, async () => {
    const ended = await run(`${line} --add-reporter=json`);
    expect(readJsonReport()).toEqual(expect.objectContaining(shows));
    expect(ended.status, ended.output).toBe(status);
    check?.(ended.output);
    expect(countFiles(certificate)).toBe(cases === undefined ? 0 : 2);
    if (cases === undefined) return;
    const { selected, incomplete_because, verdict } = loadCertificate(cwd, 'results/shop');
    expect(selected?.cases).toEqual(cases);
    const conforms = ['incomplete', expect.stringMatching(/ cases were not selected in this run\. .*order\./)];
    expect([verdict, incomplete_because?.[0]]).toEqual(status === 0 ? conforms : ['does-not-conform', undefined]);
  });

test('Without the certificate reporter, too, a deployment that does not answer is red', async () => {
  // Each failing test takes a new worker, which examines the target again.
  const line = 'playwright test --grep json-content-type: --reporter=list';
  const { output, status } = await run(line, { BASE_URL: 'http://127.0.0.1:1' });
  expect(status, output).toBe(1);
  expect(output).toMatch(/inconclusive: .*127\.0\.0\.1:1/);
});

test('Where colors are turned off, no warning of Node.js comes first', async () => {
  for (const variable of ['NO_COLOR', 'NODE_DISABLE_COLORS']) {
    const env = { NO_COLOR: '', [variable]: '1' };
    const { output } = await run('playwright test --grep json-content-type: --reporter=list', env);
    expect(output, variable).toMatch(/^\s*Running \d/);
    expect(output, variable).not.toMatch(/Warning/);
  }
});

/** A failing run that several tests look at. */
let failing: Promise<CommandResult> | undefined;
const runFailing = () => {
  failing ??= run(`certify -- ${few} --reporter=list,github,json,html`);
  return failing;
};

test('The reports of a failing run name lines of case files, and say that the deployment is to be changed', async () => {
  const { status, output } = await runFailing();
  expect(status).toBe(1);
  expect(readJsonReport()).toMatchObject({ ends, attempts: 3, workers: 1 });
  expect(output.match(/^ +✘ +\d+ .*: /gm)).toHaveLength(2);
  expect(output).toMatch(/^ +✓ .* json-content-type: /m);
  expect(output.indexOf('DOES-NOT-CONFORM')).toBeGreaterThan(output.indexOf('2 failed'));
  const annotations = output.match(/^::error file=\S*cases\/requirements\/\w+\.yaml,title=.*line=\d+(?=,col=\d+::)/gm);
  expect(annotations).toHaveLength(2);
  for (const text of [
    /^# A deployment does not conform\n\nThe deployment is to be changed\./,
    /^- The documentation says: An integer quantity is the number of units of an order item\.$/m,
    /^- What is wrong: Cases of order\.quantity fail/m,
    /^Expected:\n.* does not return .*\n\nReceived:\n200 .*\n[\s\S]*^curl -gi /m,
  ])
    expect(countFiles(/error-context\.md$/, text), String(text)).toBe(2);
  expect(countFiles(/error-context\.md$/, /Playwright/)).toBe(0);
});

test.describe('In a browser', () => {
  const openPage = usePages();
  const shownCases = [
    { id: 'integer-quantity', exchange: 'failing exchange', says: 'An integer quantity is the number of units' },
    { id: 'json-content-type', exchange: 'exchanges', says: 'A body that is sent as application/json is accepted.' },
  ];

  async function expectExchange(shown: Locator): Promise<void> {
    const exchange = /curl -gi[\s\S]*\/v1\/promotions\/validation[\s\S]*^200$/m;
    await expect(shown).toContainText(exchange, { useInnerText: true });
    await expect(shown).not.toContainText(referenceCredentials.token);
  }

  test('The HTML report shows the exchange of a case, the statement of the documentation and the cause', async () => {
    await runFailing();
    const page = await openPage();
    for (const { id, exchange, says } of shownCases) {
      await page.goto(pathToFileURL(inProject('html', 'index.html')).href);
      await page
        .getByRole('link', { name: `${id}: ` })
        .first()
        .click();
      await expect(page.getByText(`requirement: ${says}`)).toBeVisible();
      const cause = page.getByText('cause: Cases of order.quantity');
      await expect(cause).toHaveCount(id === 'integer-quantity' ? 1 : 0);
      const shown = page.getByRole('group').filter({ hasText: exchange }).first();
      await shown.getByText(exchange, { exact: true }).click();
      await expectExchange(shown);
    }
    await page.close();
  });

  test('UI mode has the case files as its tree, runs them, and shows the exchange of a case', {
    tag: '@long',
  }, async () => {
    const args = [playwright, 'test', '--ui-host=127.0.0.1', '--ui-port=0', ...few.split(' ')];
    const server = spawn(process.execPath, args, {
      cwd,
      env: { PATH: process.env.PATH, ...credentialVariables, BASE_URL: (await deployment).url },
      timeout: 180_000,
    });
    const { readOutput, ended } = watchProcess(server);
    const readUrl = () => /http:\S+/.exec(readOutput())?.[0] ?? '';
    await expect.poll(readUrl).not.toBe('');
    const page = await openPage();
    await page.setViewportSize({ width: 1600, height: 1000 });
    await page.goto(readUrl());
    for (const file of ['order.yaml', 'sending.yaml'])
      await expect(page.getByRole('treeitem', { name: file })).toBeVisible();
    await page.getByTitle('Run all').click();
    await expect(page.getByText('1 passed, 2 failed')).toBeVisible();
    await page.getByTitle('Expand all').click();
    for (const { id, exchange } of shownCases) {
      await page.getByRole('treeitem', { name: `${id}: ` }).click();
      await page.getByRole('tab', { name: 'Attachments' }).click();
      const shown = page.getByRole('tabpanel', { name: 'Attachments' });
      await shown.getByText(exchange, { exact: true }).click();
      await expectExchange(shown);
    }
    await page.close();
    server.kill('SIGINT');
    await ended;
  });
});

const merge = 'playwright merge-reports --reporter=promotion-validation-conformance/reporter';

/** Runs a part of the tests. @param part its number, a slash and the count of the parts */
async function runPart(line: string, part: string, env = {}): Promise<void> {
  const ended = await run(`playwright test ${line} --shard=${part} --reporter=blob`, {
    PLAYWRIGHT_BLOB_OUTPUT_FILE: `parts/${part[0]}.zip`,
    ...env,
  });
  expect(ended.output).toContain(`shard ${part.replace('/', ' of ')}`);
  expect(countFiles(certificate)).toBe(0);
}

test('The certificate of merged parts is that of one run', { tag: '@long' }, async () => {
  const load = (): Partial<Certificate> => {
    const { requests_sent, started_at, duration_ms, evidence, ...rest } = loadCertificate(cwd, 'results/shop');
    return rest;
  };
  expect((await run(`playwright test ${few}`)).status).toBe(1);
  const whole = load();
  for (const part of ['1/2', '2/2']) await runPart(few, part);
  const merged = await run(`${merge} parts`);
  expect([merged.status, load()]).toEqual([1, whole]);
  rmSync(inProject('parts'), { recursive: true });
});

test('Without a part, a merged certificate is incomplete and names what is missing', { tag: '@long' }, async () => {
  const { url, close } = await listen(createReference({ credentials: referenceCredentials }));
  await runPart('', '1/3', { BASE_URL: url });
  await close();
  const { status, output } = await run(`${merge} parts`);
  const { verdict, selected, incomplete_because = [], requirements } = loadCertificate(cwd, 'results/shop');
  expect([status, selected?.verdict], output).toEqual([1, 'conforms']);
  const missing = requirements.filter(({ cases }) => cases.some((entry) => entry.verdict === 'not-run'));
  const named = /(?<=lack cases: ).*(?=\.)/.exec(incomplete_because[0] ?? '')?.[0].split(', ');
  expect([verdict, named?.sort()]).toEqual(['incomplete', missing.map(({ id }) => id).sort()]);
  expect(missing).not.toEqual([]);
});

const config = 'playwright.config.mjs';
const only = '--only integer-quantity';

test('`certify` says which config it runs and starts its webServer', async () => {
  const written = read(config);
  const { url, close } = await listen(createReference({ credentials: referenceCredentials }));
  const port = Number(new URL(url).port);
  await close();
  writeFileSync(
    inProject('server.mjs'),
    `import { createServer } from 'node:http';
import { createMockListener } from 'promotion-validation-conformance/mock';
const credentials = { applicationId: process.env.CLIENT_APPLICATION_ID, token: process.env.CLIENT_TOKEN };
createServer(createMockListener({ credentials })).listen(${port}, '127.0.0.1');
`,
  );
  const started = written
    .replace('// webServer', 'webServer')
    .replace('npm start', 'node server.mjs')
    .replace("url: 'http://127.0.0.1:8080/health'", `port: ${port}`);
  writeFileSync(inProject(config), started);
  expect(started).toContain('\n  webServer: {');
  const byServer = await run(`certify ${only}`, { BASE_URL: url });
  writeFileSync(inProject(config), written);
  expect([byServer.status, byServer.output]).toEqual([
    0,
    expect.stringMatching(`^With ${config}\\.\n[^]*shop at ${url}`),
  ]);
});

test('A failing test of another project is shown', { tag: '@long' }, async () => {
  mkdirSync(inProject('basket'), { recursive: true });
  const lines = ["import { expect, test } from '@playwright/test';", "test('adds up', () => expect(2 + 2).toBe(5));"];
  writeFileSync(inProject('basket', 'basket.spec.mjs'), lines.join('\n'));
  const written = read(config);
  writeFileSync(
    inProject(config),
    written.replace(/projects: .*/, "projects: [{ name: 'basket', testDir: 'basket' }],"),
  );
  const { status, output } = await run('playwright test', {});
  writeFileSync(inProject(config), written);
  expect(status).toBe(1);
  expect(output).toMatch(/basket › adds up\n(\| .*\n)+\| Expected: 5/);
});

const [example = ''] =
  readFileSync(path.join(packageRoot, 'docs', 'playwright.md'), 'utf8').match(/(?<=```ts\n)[\s\S]*?(?=```)/) ?? [];

/** What a statement of a user says about a deployment that ignores quantities: an empty text is a success. */
const statements: readonly (readonly [statement: string, says: string])[] = [
  ["expect(await target.send(two)).toReturnTiers(['mug-1', 'mug-2'])", ''],
  ["expect(await target.send(two)).not.toReturnTiers(['mug-3', 'mug-10'])", 'Returned: mug-3, mug-10.'],
  ["expect(await target.send(two)).toReturnTiers(['mug-1', 'for-ben'])", 'Not returned: for-ben.'],
  ["expect(await target.send(two)).not.toReturnTiers(['mug-1', 'for-ben'])", 'Returned: mug-1'],
  [
    'expect(await target.send(two)).toConform()',
    "not be: 'mug-3' (rank 9: asks for 3 of product mug, and the order has 2), 'mug-10'",
  ],
  ['expect(await target.send(mugs(100))).toConform()', ''],
  ["expect(await target.send()).toReturnTiers(['no-such-tier'])", "The test data has no tier 'no-such-tier'."],
  ["expect(await target.send(mugs('2'))).toConform()", 'The request is not documented: '],
  ["await target.send({ body: { customer: { id: '<customer nobody>' } } })", "The target has no customer 'nobody'."],
  ['expect({ ...(await target.send()) }).toConform()', 'Only an exchange of target.send() can be judged.'],
];

/** The example of the documentation, and a test that notes what each statement says. */
const flow = `${example}
const mugs = (quantity: number | string) => ({
  body: { customer: { id: '<customer ann>' }, order: { items: [{ product_id: '<product mug>', quantity }] } },
});
const two = mugs(2);
test('statements', async ({ target }, { annotations }) => {
  const note = (description: string) => annotations.push({ type: 'says', description });
${statements.map(([statement]) => `  try { ${statement}; note(''); } catch (error) { note(String(error)); }`).join('\n')}
});
`;

test('Tests of a user have the right types, judge responses of the target with its test data, and show no credentials', {
  tag: '@long',
}, async () => {
  mkdirSync(inProject('flow'), { recursive: true });
  writeFileSync(inProject('flow', 'flow.spec.ts'), flow);
  const token = 'the-token-of-the-flow';
  const respond = createReference({ faults: ['quantity-ignored'], credentials: { ...referenceCredentials, token } });
  const { url, close } = await listen((request) => {
    const response = respond(request);
    const headers = [...response.headers, ['x-echo', token] as const];
    return { ...response, headers, body: response.body.replace('{', `{"echo":"${token}",`) };
  });
  writeFileSync(inProject('faulty.yaml'), `name: faulty\nbase_url: ${url}\n`);
  const written = read(config);
  const projects = [{ name: 'faulty', testDir: 'flow', use: { target: 'faulty.yaml' } }];
  writeFileSync(inProject(config), written.replace(/projects: .*/, `projects: ${JSON.stringify(projects)},`));
  // The flow is TypeScript.
  const env = { CLIENT_TOKEN: token, BASE_URL: '', PW_DISABLE_TS_ESM: '' };
  const { status, output } = await run('playwright test --reporter=json,html --trace on', env);
  writeFileSync(inProject(config), written);
  await close();
  expect(status, output).toBe(1);
  const [ofExample, ofStatements] = readJsonReport().specs.flatMap(({ tests }) => tests);
  expect(ofExample).toMatchObject({ projectName: 'faulty', status: 'unexpected' });
  const said = ofStatements?.annotations.map(({ description }) => description);
  expect(said).toEqual(statements.map(([, says]) => (says === '' ? '' : expect.stringContaining(says))));
  expect(countFiles(/html|trace/, /x-echo/)).toBeGreaterThan(0);
  expect(readTexts(cwd).flatMap(([name, text]) => (text.includes(token) ? name : []))).toEqual([]);
  const options = '--noEmit --strict --skipLibCheck --target es2023 --module nodenext --types node'.split(' ');
  const tsc = path.join(packageRoot, 'node_modules', 'typescript', 'bin', 'tsc');
  expect(spawnSync(process.execPath, [tsc, ...options, 'flow/flow.spec.ts'], { cwd, encoding: 'utf8' }).stdout).toBe(
    '',
  );
});

test('A test that expects its failure fails, however it ends', { tag: '@long' }, async () => {
  const folder = inProject('odd');
  mkdirSync(folder);
  const module = path.join(packageRoot, 'dist', 'src', 'runner', 'expected-failure.js');
  const odd: Readonly<Record<string, string>> = {
    throws: 'throw new Error();',
    'fails softly, too': 'expect.soft(1).toBe(2); throw new Error();',
    'throws nothing': '',
    hangs: 'testInfo.setTimeout(50); await new Promise(() => undefined);',
    'ends its process': 'process.exit(0);',
    'throws elsewhere': 'setTimeout(() => { throw new Error(); }); await new Promise((end) => setTimeout(end, 50));',
  };
  const tests = Object.entries(odd).map(
    ([title, code]) => `test('${title}', async ({}, testInfo) => { markFailureAsExpected(testInfo); ${code} });`,
  );
  writeFileSync(
    path.join(folder, 'odd.spec.mjs'),
    [
      "import { expect, test } from '@playwright/test';",
      `import { markFailureAsExpected } from '${module}';`,
      "test('passes', () => undefined);",
      ...tests,
    ].join('\n'),
  );
  const reporters = JSON.stringify([[reporter], ['json']]);
  writeFileSync(path.join(folder, 'playwright.config.mjs'), `export default { workers: 1, reporter: ${reporters} };`);
  const { status } = await run('playwright test --config odd/playwright.config.mjs');
  expect(status).toBe(1);
  const failed = Object.keys(odd).map((title) => [title, 'failed']);
  expect(readJsonReport().ends).toEqual({ passes: 'passed', ...Object.fromEntries(failed) });
});
