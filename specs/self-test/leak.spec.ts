/** Searches everything that a run leaves behind for secrets, while the deployment echoes them in every form. */

import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { TestCase } from '../../src/cases/test-case.js';
import { createEvidenceKeeper } from '../../src/engine/evidence-keeper.js';
import type { Endpoint } from '../../src/http/connection-options.js';
import type { HttpRequest } from '../../src/http/exchange.js';
import { createRecognizer } from '../../src/recognition/recognizer.js';
import { indexExchanges } from '../../src/report/exchange-index.js';
import { renderRunReport } from '../../src/report/terminal/run-report.js';
import { writeResults } from '../../src/report/write-results.js';
import { openTarget } from '../../src/targets/open-target.js';
import { createRunReplay } from '../../src/targets/recorded-run.js';
import { loadTarget } from '../../src/targets/target.js';
import { commandLine, makeTestFolder, runConformance } from './support/cli.js';
import { allEchoes } from './support/echoes.js';
import { type Answer, certifyOver, suite } from './support/in-process.js';
import { listen } from './support/independent-deployment.js';
import { readTexts } from './support/read-texts.js';
import { bareOrigin, prepareEvidence } from './support/run-with-evidence.js';

// Nothing in them is escaped in JSON or in a JSON Pointer, so each form reaches the outputs encoded once.
const secrets = {
  CLIENT_APPLICATION_ID: `app+Id_0815&é'x=y<z>`,
  CLIENT_TOKEN: `t0k.En+4711&é'e=s<t>`,
  GATEWAY_KEY: `k3y-Of+2342&é'a=t<w>`,
};

const echoes = Object.values(secrets).flatMap((secret) =>
  allEchoes.map(({ form, write }) => ({ form, text: write(secret) })),
);

/** Files escape what they hold, so texts are compared without backslashes, too. */
const dropBackslashes = (text: string) => text.replaceAll('\\', '');

/** Lists the forms in which a text contains one of the secrets. Files are read as Latin-1. */
function findLeaks(text: string): string[] {
  const readings = [
    text,
    Buffer.from(text, 'latin1').toString('utf8'),
    Buffer.from(text, 'latin1').toString('utf16le'),
  ];
  const bare = readings.map(dropBackslashes);
  const isIn = (echo: string) =>
    readings.some((each) => each.includes(echo)) || bare.some((each) => each.includes(dropBackslashes(echo)));
  return [...new Set(echoes.filter((echo) => isIn(echo.text)).map(({ form }) => form))];
}

type Texts = readonly (readonly [name: string, text: string])[];

const listLeaks = (texts: Texts) => texts.flatMap(([name, text]) => findLeaks(text).map((form) => `${name}: ${form}`));

/** A JSON string of an echo. Forms of JSON are such strings already. */
const renderString = ({ form, text }: (typeof echoes)[number]) =>
  form.includes('JSON string') ? `"${text}"` : JSON.stringify(text);

const strings = echoes.map(renderString).join();
const printable = echoes.map(({ text }) => text).filter((text) => /^[\x20-\x7e\xa1-\xff]+$/.test(text));
const all = suite.world.tiers.map(({ id }) => ({ id }));

const headers: [string, string][] = [
  ['content-type', 'application/json'],
  ...printable.map((text, n): [string, string] => [`x-echo-${n}`, text]),
  ['deprecation', printable.slice(0, 50).join(' ')],
  ['x-ratelimit-limit', printable.slice(0, 50).join(' ')],
];

const createEcho = (status: number): Answer => {
  const body = `{"data":${status === 200 ? JSON.stringify(all) : '[]'},"echo":[${strings}],${renderString(echoes[0] as (typeof echoes)[number])}:1}`;
  return () => ({ status, headers, body });
};

const returnsEverything = createEcho(200);

const deployments: Readonly<Record<string, Answer>> = {
  'refuses everything': createEcho(400),
  'returns everything': returnsEverything,
  redirects: () => ({
    status: 307,
    headers: [...headers, ['location', `https://elsewhere.test/?${encodeURIComponent(secrets.CLIENT_TOKEN)}`]],
    body: echoes.map(({ text }) => text).join('\n'),
  }),
  'names promotions under keys that echo': () => ({
    status: 200,
    headers,
    body: `{${echoes.map((echo, n) => `${renderString(echo)}:${JSON.stringify([all[n % all.length]])}`).join()}}`,
  }),
};

/** Serves a deployment, and writes a target file for it. */
async function serve(cwd: string, answer: Answer) {
  const { url, close } = await listen(answer);
  const file = path.join(cwd, 'leaky.yaml');
  writeFileSync(file, `name: leaky\nbase_url: ${url}\nheaders: { X-Api-Key: $GATEWAY_KEY }\n`);
  return { file, close };
}

/** Keeps one case for each kind of assertion, and for each requirement. */
function selectDiverse(cases: readonly TestCase[]): TestCase[] {
  const known = new Set<string>();
  return cases.filter((testCase) => {
    const json = JSON.stringify(testCase, (_, value) => (value instanceof Map ? [...value] : value));
    const kinds = [...json.matchAll(/"(?:kind|verifies|part)":"([\w.-]+)"/g)].map(([, kind = '']) => kind);
    const fresh = kinds.filter((kind) => !known.has(kind));
    for (const kind of fresh) known.add(kind);
    return fresh.length > 0;
  });
}

test('The search finds each form', () => {
  for (const answer of [deployments['refuses everything'], returnsEverything])
    expect(new Set(findLeaks(answer?.({} as HttpRequest).body ?? ''))).toEqual(
      new Set(allEchoes.map(({ form }) => form)),
    );
});

const cases = selectDiverse(suite.cases);

for (const [what, answer] of Object.entries(deployments))
  test(`No secret is in the results of a run for a deployment that ${what}`, {
    tag: what.startsWith('names') ? '@long' : [],
  }, async () => {
    const cwd = makeTestFolder();
    const { file, close } = await serve(cwd, answer);
    const { target, connection } = loadTarget({ target: file }, secrets);
    const client = openTarget(target, connection.endpoint as Endpoint, connection.options);
    const keeper = createEvidenceKeeper(client.redactSecrets);
    const options = { infersShape: true, isWorldLoaded: true };
    const { certificate, results } = await certifyOver(client, { ...suite, cases }, { ...options, keeper });
    await client.close();
    await close();
    if (what === 'refuses everything') expect(results.some(({ verdict }) => verdict === 'fail')).toBe(true);

    const out = path.join(cwd, 'results');
    const evidence = keeper.take();
    const destination = { out, recordTo: path.join(cwd, 'record.yaml') };
    const prepared = prepareEvidence({ evidence, origin: bareOrigin }, results);
    const written = writeResults(certificate, suite, results, destination, prepared);
    const replay = createRunReplay(evidence, target, suite);
    const again = await certifyOver(replay.createChannel(''), { ...suite, cases }, { ...options, replay });
    const listVerdicts = (of: typeof results) => of.map(({ id, verdict }) => [id, verdict]);
    expect(listVerdicts(again.results)).toEqual(listVerdicts(results));
    const shown = indexExchanges(evidence, createRecognizer(suite.world)).listByCase('response-status');
    const texts = [
      ['exchanges', JSON.stringify(shown)],
      ['results', JSON.stringify(results)],
      ['summary', renderRunReport(certificate, written)],
      ...readTexts(cwd),
    ] as const;
    expect(listLeaks(texts)).toEqual([]);
    for (const file of ['certificate.json', 'certificate.html', 'observed.md', 'openapi.yaml'])
      expect(texts.map(([name]) => name)).toContain(`results/${file}`);
  });

const others = Object.values(deployments).filter((answer) => answer !== returnsEverything);

for (const [what, answer] of [
  ['returns everything', returnsEverything],
  // Equal requests get equal answers, so that a failure is confirmed.
  ['answers in different ways', (request: HttpRequest) => others[(request.body?.length ?? 0) % 3]?.(request)],
] as readonly (readonly [string, Answer])[])
  test(`No secret is left by a command for a deployment that ${what}`, { tag: '@long' }, async () => {
    const cwd = makeTestFolder();
    const { close } = await serve(cwd, answer);
    mkdirSync(path.join(cwd, 'tmp'));
    const env = {
      ...secrets,
      TMPDIR: path.join(cwd, 'tmp'),
      PLAYWRIGHT_HTML_OPEN: 'never',
      PLAYWRIGHT_HTML_OUTPUT_DIR: path.join(cwd, 'playwright-report'),
      PLAYWRIGHT_JSON_OUTPUT_FILE: path.join(cwd, 'report.json'),
      PLAYWRIGHT_JUNIT_OUTPUT_FILE: path.join(cwd, 'results', 'junit.xml'),
      PLAYWRIGHT_BLOB_OUTPUT_FILE: path.join(cwd, 'blob.zip'),
      GITHUB_ACTIONS: 'true',
      GITHUB_STEP_SUMMARY: path.join(cwd, 'job-summary.md'),
    };
    const command = ['record', '--target', 'leaky.yaml', '--to', 'record.yaml', '--out', 'results'];
    const reporters = ['--add-reporter', 'html,json,junit,blob,list'];
    // Some of these cases fail. A failing test with a trace takes a new process.
    const some = ['--grep', 'window-with-few-valid|@response-shape|@error-shape|@deprecation-headers', '--trace=on'];
    const { output } = await runConformance([...command, '--', ...reporters, ...some], { cwd, env });
    const doctor = await runConformance(['doctor', '--target', 'leaky.yaml'], { cwd, env });
    await close();
    const texts = [['the terminal', output] as const, ['doctor', doctor.output] as const, ...readTexts(cwd)];
    expect(listLeaks(texts)).toEqual([]);
    for (const written of [
      /^results\/partial\/certificate.json$/,
      /^results\/partial\/certificate.html$/,
      /^results\/partial\/evidence.har(.gz: unpacked)?$/,
      /^results\/partial\/observed.md$/,
      /^results\/junit.xml$/,
      /^results\/playwright\/.*trace.zip: .*trace$/,
      /^report.json$/,
      /^playwright-report\/index.html: report.json$/,
      /^blob.zip: report.jsonl$/,
      /^job-summary.md$/,
    ])
      expect(texts.map(([name]) => name)).toContainEqual(expect.stringMatching(written));
  });

test('A killed run leaves no secret, and the next run removes its folder', { tag: '@long' }, async () => {
  const cwd = makeTestFolder();
  let received = 0;
  let group = 0;
  const { close } = await serve(cwd, (request) => {
    received += 1;
    if (received === 20) process.kill(-group, 'SIGKILL');
    return returnsEverything(request);
  });
  const temporary = path.join(cwd, 'tmp');
  mkdirSync(temporary);
  const env = { ...secrets, TMPDIR: temporary };
  const child = spawn(process.execPath, [commandLine, 'certify', '--target', 'leaky.yaml', '--out', 'out'], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    detached: true,
    stdio: 'ignore',
  });
  group = child.pid ?? 0;
  await new Promise((resolve) => child.on('exit', resolve));
  const listFolders = () => readdirSync(temporary).filter((name) => name.startsWith('conformance-run-'));
  expect(listFolders()).toHaveLength(1);
  expect(listLeaks(readTexts(cwd))).toEqual([]);
  const command = ['certify', '--target', 'leaky.yaml', '--out', 'out', '--', '--grep', 'window-with-few-valid'];
  await runConformance(command, { cwd, env });
  await close();
  expect(listFolders()).toEqual([]);
});
