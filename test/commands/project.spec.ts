/** The suite in a user's project: `init`, the API, and GitHub Actions. */

import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { createDeployment } from '../../reference/deployment/deployment.js';
import { referenceCredentials } from '../../reference/deployment/reference-credentials.js';
import { type CertifyOptions, certify, NoResponse, type Transport, UnusableInput } from '../../src/api.js';
import { renderRecord } from '../../src/record/target-record.js';
import { readNeededVersions } from '../../src/support/needed-versions.js';
import { packageRoot } from '../../src/support/package-root.js';
import { loadValidator } from '../../src/support/schema-validation.js';
import { readYaml } from '../../src/support/yaml-file.js';
import { supportedNodeVersions } from '../../tools/node-versions/supported-versions.js';
import {
  credentialVariables,
  loadCertificate,
  makeTestFolder,
  runConformanceInProcess,
  watchProcess,
} from '../support/cli.js';
import { certifyInProcess, createReference, requirementSuite, suite } from '../support/in-process.js';
import { listen } from '../support/independent-deployment.js';
import { createData, writeData } from '../support/own-data.js';
import { renderOutput } from '../support/render-output.js';
import { skipOnWindows } from '../support/skip-on-windows.js';

/** A new folder with these files. */
function projectWith(files: Readonly<Record<string, string>>, name = 'a shop') {
  const folder = makeTestFolder();
  const cwd = path.join(folder, name);
  mkdirSync(cwd);
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(cwd, file), text);
  return { cwd, read: (file: string) => readFileSync(path.join(cwd, file), 'utf8') };
}

/** All that is in a folder, save for what Git keeps there. */
function contentOf(cwd: string): Record<string, string> {
  const entries = readdirSync(cwd, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const shown = files.map((file) => [path.relative(cwd, file), readFileSync(file, 'utf8')] as const);
  return Object.fromEntries(shown.filter(([name]) => !name.includes('.git/')));
}

const written = [
  '.env.example',
  '.github/workflows/conformance.yml',
  '.gitignore',
  'conformance/target.yaml',
  'playwright.config.mjs',
];

test.describe('init', () => {
  test('writes valid files and prints the next steps', async () => {
    const { cwd, read } = projectWith({ 'package.json': '{"name":"@acme/the shop"}', 'package-lock.json': '' });
    const { status, output } = await runConformanceInProcess(['init'], { cwd });
    expect(status).toBe(0);
    expect(Object.keys(contentOf(cwd)).sort()).toEqual([...written, 'package-lock.json', 'package.json'].sort());
    for (const file of written) expect(output.split('\nNext:')[0]).toContain(file);
    expect(output).toContain('1. Copy .env.example to .env. There, set BASE_URL, CLIENT_APPLICATION_ID, CLIENT_TOKEN');
    expect(read('conformance/target.yaml')).toContain('\nname: "the-shop"\n');
    expect(read('conformance/target.yaml')).toContain('\n# data: shop.json ');
    const workflow = read('.github/workflows/conformance.yml');
    expect(workflow).toMatch(/branches: \[main\][\s\S]*- run: npm install\n/);
    expect(workflow).not.toContain('__');
    expect(read('.gitignore').split('\n')).toEqual(expect.arrayContaining(['.env', 'results/']));

    // As .env.example says it, once it is copied and filled in.
    const values = { BASE_URL: 'https://api.test', CLIENT_APPLICATION_ID: 'an-application', CLIENT_TOKEN: 'a-token' };
    const filled = Object.entries(values).reduce(
      (text, [name, value]) => text.replace(`${name}=\n`, `${name}=${value}\n`),
      read('.env.example'),
    );
    writeFileSync(path.join(cwd, '.env'), filled);
    const planned = await runConformanceInProcess(['certify', '--dry-run'], { cwd });
    expect([planned.status, planned.output]).toEqual([0, expect.stringContaining('requests')]);
  });

  test('names the target in any folder', async () => {
    for (const [name, target] of [
      ['日本', 'target'],
      ['магазин-2', 'target'],
      ['Größe', 'Gro-e'],
      ['Café Süd', 'Cafe-Sud'],
      ['.shop', 'shop'],
      ['shop №', 'shop-No'],
    ] as const) {
      const { cwd, read } = projectWith({}, name);
      expect((await runConformanceInProcess(['init'], { cwd })).status).toBe(0);
      expect(read('conformance/target.yaml'), name).toContain(`\nname: "${target}"\n`);
      const env = { ...credentialVariables, BASE_URL: 'http://127.0.0.1:1' };
      const planned = await runConformanceInProcess(['certify', '--dry-run'], { cwd, env });
      expect([name, planned.status, planned.output]).toEqual([name, 0, expect.stringContaining('requests')]);
    }
  });

  test('changes nothing the second time', async () => {
    const { cwd, read } = projectWith({ '.gitignore': 'dist\n/results\n.env', '.env.example': 'OTHER=1\n' });
    await runConformanceInProcess(['init'], { cwd });
    expect(read('.gitignore')).toBe(
      'dist\n/results\n.env\n\n# Conformance suite\n.env\nnode_modules/\nplaywright-report/\nresults/\n',
    );
    expect(read('.env.example')).toBe('OTHER=1\n');
    writeFileSync(path.join(cwd, 'conformance', 'target.yaml'), 'name: mine\n');
    writeFileSync(path.join(cwd, '.gitignore'), read('.gitignore').replace('node_modules/\n', ''));
    writeFileSync(path.join(cwd, '.github', 'workflows', 'conformance.yml'), '# mine\n');
    const before = contentOf(cwd);
    const { status, output } = await runConformanceInProcess(['init'], { cwd });
    expect([status, contentOf(cwd)]).toEqual([0, before]);
    expect(output).not.toContain('Written');
    for (const file of written) expect(output).toContain(file);
  });
});

test.describe('The API', () => {
  const credentials = { applicationId: 'an-application', token: 'a-token-of-the-test' };
  const deployment = createDeployment({ world: suite.world, credentials });
  const some: CertifyOptions = { credentials, only: ['integer-quantity'] };
  const folder = makeTestFolder();

  test('certifies through a function and returns the certificate', async () => {
    const certificate = await certify(async (request) => deployment(request), { name: 'shop', credentials });
    expect(loadValidator('certificate')(certificate)).toBe(true);
    expect(certificate).toMatchObject({ verdict: 'conforms', target: { name: 'shop', base_url: 'http://localhost' } });
    expect(certificate.requests_sent).toBeGreaterThan(100);
  });

  test('takes the options of the command line', async () => {
    const target = path.join(folder, 'target.yaml');
    const pins = 'pins: { empty-result: not-found }\nheaders: { X-Own: own }\n';
    writeFileSync(target, `name: own\nversion: '7'\nbase_url: https://shop.test/api\n${pins}`);
    const seen = new Set<string>();
    const transport: Transport = (request) => {
      seen.add(request.headers.find(([name]) => name === 'X-Own')?.[1] ?? 'none');
      return deployment(request);
    };
    const options = { ...some, target, only: ['empty-result'], intrusive: false };
    const { drift, selected, target: stated } = await certify(transport, options);
    expect(stated).toMatchObject({ name: 'own', version: '7', base_url: 'https://shop.test/api' });
    expect(drift.map((change) => change.case)).toEqual(['empty-result']);
    expect([selected?.cases, [...seen]]).toEqual([{ pass: 1 }, ['own']]);
    const only = ['credentials-wrong-token'];
    const left = await certify(transport, { ...some, only, intrusive: false });
    expect(Object.keys(left.selected?.cases ?? {})).toEqual(['not-applicable']);
    const refused = await certify(transport, { ...some, only: ['no-such-case'] }).catch((error) => error);
    expect(refused).toBeInstanceOf(UnusableInput);
    expect(String(refused.message)).toContain("group 'no-such-case'");
  });

  test('measures the whole run', async () => {
    let first = 0;
    const transport: Transport = (request) => {
      first ||= Date.now();
      return deployment(request);
    };
    const before = Date.now();
    const { started_at, duration_ms } = await certify(transport, some);
    expect(Date.parse(started_at)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(started_at)).toBeLessThanOrEqual(first);
    expect(Date.parse(started_at) + duration_ms).toBeGreaterThanOrEqual(first);
  });

  test('counts every request of a run on own data whose credentials are refused, or that gets no response', async () => {
    const target = path.join(folder, 'own-data.yaml');
    writeFileSync(
      target,
      `name: own-data\nbase_url: https://shop.test\ndata: ${writeData(createData('small'), 'api')}\n`,
    );
    const answers: readonly Transport[] = [
      () => ({ status: 401, headers: [], body: '' }),
      () => {
        throw new NoResponse('nobody is there');
      },
    ];
    for (const answer of answers) {
      let sent = 0;
      const transport: Transport = (...args) => {
        sent += 1;
        return answer(...args);
      };
      const { verdict, requests_sent } = await certify(transport, { credentials, target });
      expect([verdict, requests_sent]).toEqual(['incomplete', sent]);
      expect(sent).toBeGreaterThan(0);
    }
  });

  test('redacts credentials that the deployment echoes', async () => {
    const certificate = await certify(
      (request) => {
        const token = request.headers.find(([name]) => name === 'X-Client-Token')?.[1] ?? '';
        return { status: 400, headers: [['content-type', 'text/plain']], body: `refused: ${token}` };
      },
      { ...some, worldLoaded: true },
    );
    const text = JSON.stringify(certificate);
    expect(certificate.verdict).toBe('does-not-conform');
    expect([text.includes('refused: $CLIENT_TOKEN'), text.includes(credentials.token)]).toEqual([true, false]);
  });
});

test('The summary has verdict, counts and failures', async () => {
  const answer = createReference({ faults: ['window-of-the-oldest'] });
  const run = await certifyInProcess(answer, { suite: requirementSuite });
  const { certificate } = run;
  const text = renderOutput('summary.md', run, suite);
  expect(text).toMatch(/^## DOES-NOT-CONFORM: in-process\n\n```text\n/);
  expect(text).toMatch(/^Requirements +\d+ fail/m);
  for (const { id } of certificate.requirements.filter(({ verdict }) => verdict === 'fail'))
    expect(text).toMatch(new RegExp(`^ +fail +${id} `, 'm'));
});

interface ActionStep {
  readonly id?: string;
  readonly if?: string;
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const actionSteps = (readYaml(path.join(packageRoot, 'action.yml')).value as { runs: { steps: readonly ActionStep[] } })
  .runs.steps;

/** Runs a step of the action as GitHub does: with bash, and inputs in place of expressions. */
async function runStep(
  { run = '', env = {} }: ActionStep,
  cwd: string,
  known: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>>,
) {
  skipOnWindows('the shell of the action on every PATH');
  const fill = (text: string) =>
    text.replaceAll(
      /\$\{\{ (.*?) \}\}/g,
      (_, names: string) =>
        names
          .split(' || ')
          .map((name) => known[name])
          .find(Boolean) ?? '',
    );
  const filled = Object.entries(env).map(([name, text]) => [name, fill(text)]);
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', run], {
    cwd,
    env: { PATH: process.env.PATH, NO_COLOR: '1', CI: 'true', ...files, ...Object.fromEntries(filled) },
  });
  return await watchProcess(child).ended;
}

function findStep(isWanted: (step: ActionStep) => boolean): ActionStep {
  const found = actionSteps.find(isWanted);
  if (found === undefined) throw new Error('The action has no such step.');
  return found;
}

/** Runs the step `Certify` of the action. */
async function runAction(
  inputs: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>>,
  cwd = makeTestFolder(),
) {
  const known = { 'github.action_path': packageRoot, ...inputs, ...variables };
  const GITHUB_OUTPUT = path.join(makeTestFolder(), 'output');
  const { status, output } = await runStep(
    findStep(({ id }) => id === 'certify'),
    cwd,
    known,
    { GITHUB_OUTPUT },
  );
  return { cwd, status, output, outputs: readFileSync(GITHUB_OUTPUT, 'utf8') };
}

/** Evaluates the condition of a step, which reads the outputs of the step `certify`. */
function isRun({ if: condition = '' }: ActionStep, outputs: string): boolean {
  const values = new Map(outputs.split('\n').map((line) => line.split('=') as [string, string]));
  const terms = condition.replace(/^\$\{\{ (.*) \}\}$/, '$1').split(' && ');
  return terms.every((term) => {
    if (term === '!cancelled()') return true;
    const [, name = '', unwanted = ''] = /^steps\.certify\.outputs\.([\w-]+)(?: != '(.*)')?$/.exec(term) ?? [];
    expect(name, term).not.toBe('');
    return (values.get(name) ?? '') !== unwanted;
  });
}

test('The action shows and uploads what its run wrote, and nothing of an earlier one', async () => {
  const [show, keep] = [
    ({ name }: ActionStep) => name === 'Show the summary',
    ({ uses }: ActionStep) => uses?.startsWith('actions/upload-artifact@') === true,
  ].map(findStep) as [ActionStep, ActionStep];
  const { url, close } = await listen(createReference({ credentials: referenceCredentials }));
  const folder = makeTestFolder();
  const { CLIENT_APPLICATION_ID, CLIENT_TOKEN } = credentialVariables;
  const inputs = {
    'inputs.base-url': url,
    'inputs.client-application-id': CLIENT_APPLICATION_ID,
    'inputs.arguments': '--only quantity-zero',
    'inputs.results': 'results/shop',
  };
  const run = (
    changed: Readonly<Record<string, string>>,
    variables: Readonly<Record<string, string>> = { 'env.CLIENT_TOKEN': CLIENT_TOKEN },
  ) => runAction({ ...inputs, ...changed }, variables, folder);
  const refusals = {
    'unusable input': { 'inputs.arguments': '--only no-such-case' },
    'an unknown flag': { 'inputs.arguments': '--nothing' },
  };
  const expectRefusals = async () => {
    for (const [what, changed] of Object.entries(refusals)) {
      const { status, outputs, output } = await run(changed);
      expect([status, isRun(show, outputs), isRun(keep, outputs)], `${what}: ${output}`).toEqual([2, false, false]);
    }
    const { status, outputs } = await run({}, {});
    expect([status, isRun(show, outputs), isRun(keep, outputs)]).toEqual([2, false, false]);
  };
  await expectRefusals();
  const whole = await run({});
  expect([whole.status, isRun(show, whole.outputs), isRun(keep, whole.outputs)], whole.output).toEqual([0, true, true]);
  await expectRefusals();
  // The second run is shown, too, and not the first.
  const second = await run({ 'inputs.arguments': '--only quantity-zero --world-loaded' });
  await close();
  expect([second.status, isRun(show, second.outputs)], second.output).toEqual([0, true]);
  const GITHUB_STEP_SUMMARY = path.join(folder, 'shown');
  await runStep(show, folder, inputs, { GITHUB_STEP_SUMMARY });
  expect(readFileSync(GITHUB_STEP_SUMMARY, 'utf8')).toBe(
    readFileSync(path.join(folder, 'results/shop/summary.md'), 'utf8'),
  );
  expect(isRun(show, '')).toBe(false);
});

test('Actions of others are pinned by the digest of a commit, with their version', () => {
  const files = ['action.yml', 'templates/workflows/conformance.yml', '.github/workflows/tests.yml'];
  const uses = files.flatMap((file) =>
    [...readFileSync(path.join(packageRoot, file), 'utf8').matchAll(/uses: (?!\.\/)(.*)/g)].map(
      ([, used = '']) => used,
    ),
  );
  expect(uses.length).toBeGreaterThan(3);
  for (const used of uses) expect(used).toMatch(/^actions\/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

test('The action passes its inputs to `certify`, which compares with the record, and its exit status on', {
  tag: '@long',
}, async () => {
  const { url, close } = await listen(createReference({ credentials: referenceCredentials }));
  const folder = makeTestFolder();
  const { name, version, digest } = suite;
  const questions = { 'quantity-zero': { outcome: 'rejected' } };
  const record = renderRecord({ target: 'shop', suite: { name, version, digest }, questions });
  writeFileSync(path.join(folder, 'record.yaml'), record);
  writeFileSync(path.join(folder, 'target.yaml'), 'name: shop\nrecord: record.yaml\n');
  const { CLIENT_APPLICATION_ID, CLIENT_TOKEN } = credentialVariables;
  const inputs = {
    'inputs.base-url': url,
    'inputs.client-application-id': CLIENT_APPLICATION_ID,
    'inputs.target': path.join(folder, 'target.yaml'),
    'inputs.arguments': '--only  quantity-zero\n--world-loaded -- --reporter=github\n',
    'inputs.results': 'own',
  };
  const { cwd, status, output, outputs } = await runAction(inputs, { 'env.CLIENT_TOKEN': CLIENT_TOKEN });
  await close();
  expect([status, outputs], output).toEqual([3, 'exit-status=3\n']);
  expect(output).toMatch(/^Compares with the record \S*record\.yaml\.\n/);
  expect(output).toMatch(/^drift {2}quantity-zero: was “.* is rejected with a 4xx status\.”, is “.*”/m);
  expect(output).toMatch(/^::error file=\S*quantity\.yaml,title=.*quantity-zero/m);
  expect(loadCertificate(cwd, 'own').drift.map((change) => change.case)).toEqual(['quantity-zero']);
});

test('The workflow of the repository tests on three systems, with each version of Node.js that the package supports', () => {
  const { jobs } = readYaml(path.join(packageRoot, '.github', 'workflows', 'tests.yml')).value as {
    jobs: { test: { strategy: { matrix: { os: string[]; node: number[] } }; steps: { run?: string }[] } };
  };
  const { strategy, steps } = jobs.test;
  expect(strategy.matrix.os).toEqual(['ubuntu-latest', 'macos-latest', 'windows-latest']);
  expect(strategy.matrix.node.map(String)).toEqual(supportedNodeVersions);
  expect(readNeededVersions().node).toContain(supportedNodeVersions[0]);
  const { scripts } = JSON.parse(readFileSync(path.join(packageRoot, 'package.json'), 'utf8'));
  const commands = steps.flatMap(
    ({ run = '' }) => /^npm run (.*)|^npm (test)$/.exec(run)?.slice(1).find(Boolean) ?? [],
  );
  expect(commands).toContain('test');
  for (const command of commands) expect(scripts).toHaveProperty([command]);
});
