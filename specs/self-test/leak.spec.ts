/** Credentials are looked for in everything that a run leaves behind, where the deployment does its best to leak them. */

import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import type { TestCase } from '../../src/cases/test-case.js';
import { createEvidenceKeeper } from '../../src/engine/evidence-keeper.js';
import { createReplay } from '../../src/engine/replay.js';
import type { Endpoint } from '../../src/http/connection-options.js';
import type { HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import { createRecognizer } from '../../src/recognition/recognizer.js';
import { indexExchanges } from '../../src/report/exchange-index.js';
import { createSigner, type Signer } from '../../src/report/signature.js';
import { renderSummary } from '../../src/report/terminal/summary.js';
import { writeResults } from '../../src/report/write-results.js';
import { packageRoot } from '../../src/support/package-root.js';
import { openTarget } from '../../src/targets/open-target.js';
import { loadTarget } from '../../src/targets/target.js';
import { createTemporaryFolder, runConformance } from './support/cli.js';
import { allEchoes, holdsSecret, secretArbitrary } from './support/echoes.js';
import { certifyOver, suite } from './support/in-process.js';
import { listen } from './support/independent-deployment.js';
import { readTexts } from './support/read-texts.js';

const secrets = {
  CLIENT_APPLICATION_ID: `app/Id+0815&"x'y<z>`,
  CLIENT_TOKEN: `t0k/En+4711&"q\\u'e=s<t>`,
  GATEWAY_KEY: `k3y/Of+2342&"g\\a't=e<w>`,
};

/** Text and what a search may find of it inside base64, at each of the three offsets at which it may begin. */
const base64At = (offset: number, text: string) => Buffer.from('-'.repeat(offset) + text).toString('base64');
const certainOf = (offset: number, text: string) =>
  base64At(offset, text).slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + text.length) * 8) / 6));
const urlSafe = (text: string) => text.replaceAll('+', '-').replaceAll('/', '_');
const everyUnit = (text: string, write: (hex: string) => string) =>
  [...text].map((each) => write(each.charCodeAt(0).toString(16).padStart(4, '0'))).join('');

/** How the deployment echoes a text, and how the text then looks in a file. */
const forms: Readonly<Record<string, { echo(text: string): string; trace(text: string): string }>> = {
  plain: { echo: (text) => text, trace: (text) => text },
  'URL-encoded': { echo: encodeURIComponent, trace: encodeURIComponent },
  'URL-encoded, lower case': {
    echo: (text) => encodeURIComponent(text).replace(/%../g, (byte) => byte.toLowerCase()),
    trace: (text) => encodeURIComponent(text).replace(/%../g, (byte) => byte.toLowerCase()),
  },
  'JSON-escaped': {
    echo: (text) => everyUnit(text, (hex) => `\\u${hex}`),
    trace: (text) => everyUnit(text, (hex) => `\\u${hex}`),
  },
  'JSON in JSON': {
    echo: (text) => JSON.stringify(JSON.stringify(text)),
    trace: (text) => JSON.stringify(JSON.stringify(text)).slice(3, -3),
  },
  ...Object.fromEntries(
    [0, 1, 2].flatMap((offset) => [
      [
        `base64 at offset ${offset}`,
        { echo: (text: string) => base64At(offset, text), trace: (text: string) => certainOf(offset, text) },
      ],
      [
        `base64url at offset ${offset}`,
        {
          echo: (text: string) => urlSafe(base64At(offset, text)),
          trace: (text: string) => urlSafe(certainOf(offset, text)),
        },
      ],
    ]),
  ),
};

/** Files escape what they hold, once or more: a text is searched with and without the backslashes. */
const bare = (text: string) => text.replaceAll('\\', '');
const traces = Object.values(secrets).flatMap((secret) =>
  Object.entries(forms).flatMap(([form, { trace }]) => [
    [form, trace(secret)] as const,
    [`${form}, escaped`, bare(trace(secret))] as const,
  ]),
);

/** The forms in which a text holds one of the secrets. */
function leaksIn(text: string): string[] {
  const without = bare(text);
  return traces.filter(([, trace]) => text.includes(trace) || without.includes(trace)).map(([form]) => form);
}

/** All that came with a request, in every form; as it is, where a header could not hold it otherwise. */
function echoes(request: HttpRequest): string[] {
  return Object.values(forms).flatMap(({ echo }) => request.headers.map(([name, value]) => `${name}: ${echo(value)}`));
}

const echoed = (request: HttpRequest, status: number, more: object = {}): HttpResponse => ({
  status,
  headers: [
    ['content-type', 'application/json'],
    ...echoes(request).map((echo, n) => [`x-echo-${n}`, echo] as const),
    ['deprecation', echoes(request).join(' ')],
    ['x-ratelimit-limit', echoes(request).join(' ')],
  ],
  body: JSON.stringify({ ...more, echo: echoes(request), [echoes(request).join()]: request }),
});

const { privateKey } = generateKeyPairSync('ed25519');

/** Signs as a run does. */
function sign(files: Parameters<Signer>[0]): string {
  const { folder, remove } = createTemporaryFolder();
  const file = path.join(folder, 'key.pem');
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const signature = createSigner(file)(files);
  remove();
  return signature;
}

const all = suite.world.tiers.map(({ id }) => ({ id }));

type Answer = (request: HttpRequest) => HttpResponse;

const returnsEverything: Answer = (request) => echoed(request, 200, { data: all });

const keysThatEcho = 'names promotions under keys that echo';

const deployments: Readonly<Record<string, Answer>> = {
  'refuses everything': (request) => echoed(request, 400),
  'returns everything': returnsEverything,
  'redirects, to a place with all of it': (request) => ({
    status: 307,
    headers: [['location', `https://elsewhere.test/?${encodeURI(echoes(request).join('&'))}`]],
    body: echoes(request).join('\n'),
  }),
  [keysThatEcho]: (request) => ({
    ...echoed(request, 200),
    body: JSON.stringify(Object.fromEntries(echoes(request).map((echo, n) => [echo, [all[n % all.length]]]))),
  }),
};

/** Serves a deployment that leaks all there is, and writes a target file for it. */
async function leaking(cwd: string, answer: Answer) {
  let sent = '';
  const { url, close } = await listen((request) => {
    const response = answer(request);
    sent = response.headers.flat().join('\n') + response.body;
    return response;
  });
  const file = path.join(cwd, 'leaky.yaml');
  writeFileSync(file, `name: leaky\nbase_url: ${url}\nheaders: { X-Api-Key: $GATEWAY_KEY }\n`);
  return {
    file,
    close,
    /** The search finds what there is to find. */
    expectEverythingEchoed() {
      expect(new Set(leaksIn(sent))).toEqual(new Set(traces.map(([form]) => form)));
      expect(sent).toContain(secrets.GATEWAY_KEY);
    },
  };
}

const found = (texts: readonly (readonly [name: string, text: string])[]) =>
  texts.flatMap(([name, text]) => leaksIn(text).map((form) => `${name}: ${form}`));

/** What kinds of statements a case makes, and what it verifies or takes for an answer. */
function kindsOf(testCase: TestCase): string[] {
  const made = JSON.stringify(testCase, (_, value) => (value instanceof Map ? [...value] : value));
  const taken = testCase.kind === 'question' && testCase.answer.kind === 'value' ? [testCase.answer.take.part] : [];
  const verified = testCase.kind === 'requirement' ? [testCase.verifies] : [];
  return [...[...made.matchAll(/"kind":"([\w.-]+)"/g)].map(([, kind = '']) => kind), ...taken, ...verified];
}

/** A case or two for each kind of statement, and for each requirement. */
function diverse(cases: readonly TestCase[]): TestCase[] {
  const known = new Set<string>();
  return cases.filter((testCase) => {
    const fresh = kindsOf(testCase).filter((kind) => !known.has(kind));
    for (const kind of fresh) known.add(kind);
    return fresh.length > 0;
  });
}

test.describe('nothing of the credentials is left in the results of cases, nor in what is written of them', () => {
  const whole = Object.entries(deployments).map(([what, answer]) => ({
    what,
    answer,
    cases: suite.cases,
    tag: '@long',
  }));
  const runs = [...whole, ...whole.map((each) => ({ ...each, cases: diverse(suite.cases), tag: [] as string[] }))];
  for (const { what, answer, cases, tag } of runs) {
    test(`${cases.length} cases against a deployment that ${what}`, { tag }, async () => {
      const { folder: cwd, remove } = createTemporaryFolder();
      const { file, close, expectEverythingEchoed } = await leaking(cwd, answer);
      const { target, connection } = loadTarget({ target: file }, secrets);
      const client = openTarget(target, connection.location as Endpoint, connection.options);
      const keeper = createEvidenceKeeper(client.redactSecrets);
      const options = { infersShape: true, isWorldLoaded: true };
      const { certificate, results } = await certifyOver(client, { ...suite, cases }, { ...options, keeper });
      await client.close();
      await close();
      expectEverythingEchoed();
      if (what === 'refuses everything') expect(results.some(({ verdict }) => verdict === 'fail')).toBe(true);

      const out = path.join(cwd, 'results');
      const evidence = keeper.take();
      const { name, version, digest } = suite;
      const extent = { isCutShort: false, judged: [], unjudged: [] };
      const origin = { suite: { name, version, digest }, baseUrl: 'http://leaky.test', inputs: {}, extent };
      const destination = { out, recordTo: path.join(cwd, 'record.yaml'), sign };
      const written = writeResults(certificate, suite, results, destination, { ...evidence, origin });
      const replay = createReplay(evidence);
      const again = await certifyOver(replay.createChannel(''), { ...suite, cases }, { ...options, replay });
      // Where keys differ in a secret alone, a text says how many there are; of a long one, how long it is.
      const withoutKeys = (of: typeof certificate) =>
        JSON.parse(JSON.stringify(of).replaceAll(/\(key of \d+ characters with SHA-256 [0-9a-f]+\)/g, '(key)'));
      if (what !== keysThatEcho) expect(withoutKeys(again.certificate)).toEqual(withoutKeys(certificate));
      const verdicts = (of: typeof results) => of.map(({ id, verdict }) => [id, verdict]);
      expect(verdicts(again.results)).toEqual(verdicts(results));
      const kept = indexExchanges(evidence, createRecognizer(suite.world)).listByCase('response-status');
      const texts = [
        ['exchanges that are shown', JSON.stringify(kept)],
        ['results', JSON.stringify(results)],
        ['summary', renderSummary(certificate, written)],
        ...readTexts(cwd),
      ] as const;
      expect(found(texts)).toEqual([]);
      expect(texts.map(([name]) => name)).toEqual(
        expect.arrayContaining(
          ['certificate.json', 'certificate.html', 'certificate.sig', 'observed.md', 'openapi.yaml'].map(
            (name) => `results/${name}`,
          ),
        ),
      );
      remove();
    });
  }
});

/** Cases of several kinds, some of which fail, with traces: a traced test that fails takes a new process. */
const few = ['--grep', 'window-with-few-valid|@response-shape|@error-shape|@deprecation-headers', '--trace=on'];

const others = Object.values(deployments).filter((answer) => answer !== returnsEverything);

for (const [what, answer] of [
  ['that returns everything', returnsEverything],
  [
    'that does something else for each kind of request',
    // The same for the same request, so that what is refuted is refuted again.
    (request: HttpRequest) => (others[(request.body?.length ?? 0) % others.length] as Answer)(request),
  ],
] as const) {
  test(`nothing of the credentials is left by a run on the command line against a deployment ${what}`, {
    tag: '@long',
  }, async () => {
    const { folder: cwd, remove } = createTemporaryFolder();
    const { close, expectEverythingEchoed } = await leaking(cwd, answer);
    const command = ['record', '--target', 'leaky.yaml', '--to', 'record.yaml', '--out', 'results', '--explore', '5'];
    const reporters = ['--reporter', 'html,json,junit,blob,list'];
    const { output } = await runConformance([...command, '--', ...reporters, ...few], {
      cwd,
      env: {
        ...secrets,
        PLAYWRIGHT_HTML_OPEN: 'never',
        PLAYWRIGHT_HTML_OUTPUT_DIR: path.join(cwd, 'playwright-report'),
        PLAYWRIGHT_JSON_OUTPUT_FILE: path.join(cwd, 'report.json'),
        PLAYWRIGHT_JUNIT_OUTPUT_FILE: path.join(cwd, 'results', 'junit.xml'),
        PLAYWRIGHT_BLOB_OUTPUT_FILE: path.join(cwd, 'blob.zip'),
        GITHUB_ACTIONS: 'true',
        GITHUB_STEP_SUMMARY: path.join(cwd, 'job-summary.md'),
      },
    });
    await close();
    expectEverythingEchoed();

    const texts = [['the terminal', output] as const, ...readTexts(cwd)];
    expect(found(texts)).toEqual([]);
    for (const written of [
      /^results\/partial\/certificate.json$/,
      /^results\/partial\/certificate.html$/,
      /^results\/partial\/evidence.har(.gz: unpacked)?$/,
      /^results\/partial\/observed.md$/,
      /^results\/junit.xml$/,
      // No record is written where no question is answered.
      ...(what === 'that returns everything' ? [/^record.yaml$/] : []),
      /^results\/playwright\/.*trace.zip: .*trace$/,
      /^report.json$/,
      /^playwright-report\/index.html: report.json$/,
      /^blob.zip: report.jsonl$/,
      /^job-summary.md$/,
    ])
      expect(texts.map(([name]) => name)).toContainEqual(expect.stringMatching(written));
    remove();
  });
}

test.describe('of drawn secrets, echoed in every form, nothing is left by the command line', () => {
  const anyCredentials = fc.record({
    CLIENT_APPLICATION_ID: secretArbitrary,
    CLIENT_TOKEN: secretArbitrary,
    GATEWAY_KEY: secretArbitrary,
  });
  type Drawn = Readonly<Record<keyof typeof secrets, string>>;

  /** A deployment that answers each request with some of the forms, until it has answered with all of them. */
  function echoing(drawn: Drawn): { answer: Answer; echoed(): number } {
    let turn = 0;
    const answer: Answer = (request) => {
      const some = Array.from({ length: 8 }, (_, n) => allEchoes[(turn + n) % allEchoes.length]);
      turn += some.length;
      const echoes = some.flatMap((echo) => Object.values(drawn).map((secret) => echo?.write(secret) ?? ''));
      const shortest = echoes
        .filter((echo) => /^[\x20-\x7e\xa1-\xff]{1,2000}$/.test(echo))
        .join(' ')
        .trim();
      const headers = [
        ['content-type', 'application/json'],
        ...['deprecation', 'x-ratelimit-limit', 'x-echo'].map((name) => [name, shortest]),
      ];
      const body = JSON.stringify({ data: all, echoes, [echoes.join()]: 1 });
      const status = [200, 400, 200, 307][(request.body?.length ?? 0) % 4] as number;
      const location = status === 307 ? [['location', `https://elsewhere.test/?${encodeURI(shortest)}`]] : [];
      return { status, headers: [...headers, ...location] as [string, string][], body };
    };
    return { answer, echoed: () => turn };
  }

  /** Where one of the secrets is. What is no text may hold it in either of the encodings in which V8 keeps texts. */
  const foundIn = (texts: readonly (readonly [name: string, text: string])[], drawn: Drawn) =>
    texts.flatMap(([name, text]) => {
      const readings = [
        text,
        Buffer.from(text, 'latin1').toString('utf8'),
        Buffer.from(text, 'latin1').toString('utf16le'),
      ];
      return Object.entries(drawn).flatMap(([which, secret]) =>
        readings.some((reading) => holdsSecret(reading, secret)) ? [`${which} in ${name}`] : [],
      );
    });

  for (const [n, drawn] of fc.sample(anyCredentials, { seed: 20_261_122, numRuns: 10 }).entries()) {
    test(`draw ${n + 1}`, { tag: '@long' }, async () => {
      const { folder: cwd, remove } = createTemporaryFolder();
      const { answer, echoed } = echoing(drawn);
      const { url, close } = await listen(answer);
      mkdirSync(path.join(cwd, 'tmp'));
      writeFileSync(
        path.join(cwd, 'leaky.yaml'),
        `name: leaky\nbase_url: ${url}\nheaders: { X-Api-Key: $GATEWAY_KEY }\n`,
      );
      const env = { ...drawn, TMPDIR: path.join(cwd, 'tmp') };
      const of = n % 2 === 0 ? ['certify'] : ['record', '--to', 'record.yaml'];
      const { output } = await runConformance([...of, '--target', 'leaky.yaml', '--out', 'results', '--', ...few], {
        cwd,
        env,
      });
      const diagnosed = await runConformance(['doctor', '--target', 'leaky.yaml'], { cwd, env });
      await close();
      expect(echoed()).toBeGreaterThan(allEchoes.length);
      // The search finds what there is to find.
      const sent = answer({ method: 'GET', path: '/', headers: [] }).body;
      expect(foundIn([['an answer', sent]], drawn)).toHaveLength(Object.keys(drawn).length);
      expect(output).toMatch(/^DOES-NOT-CONFORM|^INCOMPLETE/m);
      const texts = [
        ['the terminal', output],
        ['the terminal of doctor', diagnosed.output],
        ...readTexts(cwd),
      ] as const;
      expect(foundIn(texts, drawn)).toEqual([]);
      for (const name of Object.keys(drawn)) expect(texts.map(([, text]) => text).join()).toContain(`$${name}`);
      remove();
    });
  }

  test('not even where all its processes are killed: the next run removes their folders', {
    tag: '@long',
  }, async () => {
    const { folder: cwd, remove } = createTemporaryFolder();
    const [drawn] = fc.sample(anyCredentials, { seed: 20_261_123, numRuns: 1 }) as [Drawn];
    const { answer } = echoing(drawn);
    let received = 0;
    let group = 0;
    const { url, close } = await listen((request) => {
      received += 1;
      if (received === 20) process.kill(-group, 'SIGKILL');
      return answer(request);
    });
    const temporary = path.join(cwd, 'tmp');
    mkdirSync(temporary);
    writeFileSync(
      path.join(cwd, 'leaky.yaml'),
      `name: leaky\nbase_url: ${url}\nheaders: { X-Api-Key: $GATEWAY_KEY }\n`,
    );
    const env = { ...drawn, TMPDIR: temporary };
    const script = path.join(packageRoot, 'dist', 'src', 'cli', 'conformance.js');
    const child = spawn(process.execPath, [script, 'certify', '--target', 'leaky.yaml', '--out', 'out'], {
      cwd,
      env: { PATH: process.env.PATH, ...env },
      detached: true,
      stdio: 'ignore',
    });
    group = child.pid ?? 0;
    await new Promise((resolve) => child.on('exit', resolve));
    const foldersOfRuns = () => readdirSync(temporary).filter((name) => name.startsWith('conformance-run-'));
    expect(foldersOfRuns()).toHaveLength(1);
    expect(foundIn(readTexts(cwd), drawn)).toEqual([]);
    await runConformance(
      ['certify', '--target', 'leaky.yaml', '--out', 'out', '--', '--grep', 'window-with-few-valid'],
      {
        cwd,
        env,
      },
    );
    await close();
    expect(foldersOfRuns()).toEqual([]);
    remove();
  });
});
