/** Credentials are looked for in everything that a run leaves behind, where the deployment does its best to leak them. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { unzipSync } from 'fflate';
import type { Endpoint } from '../../src/http/connection-options.js';
import type { HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import { writeResults } from '../../src/report/results.js';
import { summaryOf } from '../../src/report/summary.js';
import { openTarget } from '../../src/targets/open.js';
import { loadTarget } from '../../src/targets/target.js';
import { conformance, temporaryFolder } from './support/cli.js';
import { certifyOver, suite } from './support/in-process.js';
import { listen } from './support/independent.js';

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

/** A file as text and, where it is an archive or a page that holds one, all that is packed in it. */
function* textsOf(name: string, bytes: Buffer): Generator<readonly [name: string, text: string]> {
  const text = bytes.toString('latin1');
  yield [name, text];
  const packed = /data:application\/zip;base64,([A-Za-z0-9+/=]+)/.exec(text)?.[1];
  const archive = name.endsWith('.zip') ? bytes : Buffer.from(packed ?? '', 'base64');
  if (archive.length === 0) return;
  for (const [inner, content] of Object.entries(unzipSync(archive)))
    yield* textsOf(`${name}: ${inner}`, Buffer.from(content));
}

/** All that a folder holds, by the name of its file there. */
function textsIn(folder: string): (readonly [name: string, text: string])[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .flatMap((file) => [...textsOf(path.relative(folder, file), readFileSync(file))]);
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

const all = suite.world.tiers.map(({ id }) => ({ id }));

type Answer = (request: HttpRequest) => HttpResponse;

const returnsEverything: Answer = (request) => echoed(request, 200, { data: all });

const deployments: Readonly<Record<string, Answer>> = {
  'refuses everything': (request) => echoed(request, 400),
  'returns everything': returnsEverything,
  'redirects, to a place with all of it': (request) => ({
    status: 307,
    headers: [['location', `https://elsewhere.test/?${encodeURI(echoes(request).join('&'))}`]],
    body: echoes(request).join('\n'),
  }),
  'names promotions under keys that echo': (request) => ({
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

test.describe('nothing of the credentials is left in the results of any case, nor in what is written of them', () => {
  for (const [what, answer] of Object.entries(deployments)) {
    test(`against a deployment that ${what}`, async () => {
      const { folder: cwd, remove } = temporaryFolder();
      const { file, close, expectEverythingEchoed } = await leaking(cwd, answer);
      const { target, connection } = loadTarget({ ...secrets, TARGET: file });
      const client = openTarget(target, connection.place as Endpoint, connection.options);
      const { certificate, results } = await certifyOver(client, suite, { infersShape: true, isWorldLoaded: true });
      await client.close();
      await close();
      expectEverythingEchoed();
      if (what === 'refuses everything')
        expect(Object.keys(certificate.summary).sort()).toEqual(['fail', 'inconclusive']);

      const out = path.join(cwd, 'results');
      const written = writeResults(certificate, suite, results, { out, recordTo: path.join(cwd, 'record.yaml') });
      const texts = [
        ['results', JSON.stringify(results)],
        ['summary', summaryOf(certificate, written)],
        ...textsIn(cwd),
      ] as const;
      expect(found(texts)).toEqual([]);
      expect(texts.map(([name]) => name)).toEqual(
        expect.arrayContaining(
          ['certificate.json', 'certificate.html', 'observed.md'].map((name) => `results/${name}`),
        ),
      );
      remove();
    });
  }
});

/** Cases of several kinds, some of which fail, with traces: a failing test takes a new process each. */
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
  test(`nothing of the credentials is left by a run on the command line against a deployment ${what}`, async () => {
    const { folder: cwd, remove } = temporaryFolder();
    const { close, expectEverythingEchoed } = await leaking(cwd, answer);
    const command = ['record', '--target', 'leaky.yaml', '--to', 'record.yaml', '--out', 'results', '--explore', '5'];
    const reporters = ['--reporter', 'html,json,junit,blob,list'];
    const { output } = await conformance([...command, '--', ...reporters, ...few], {
      cwd,
      env: {
        ...secrets,
        PLAYWRIGHT_HTML_OPEN: 'never',
        PLAYWRIGHT_HTML_OUTPUT_DIR: path.join(cwd, 'playwright-report'),
        PLAYWRIGHT_JSON_OUTPUT_FILE: path.join(cwd, 'report.json'),
        PLAYWRIGHT_JUNIT_OUTPUT_FILE: path.join(cwd, 'results', 'junit.xml'),
        PLAYWRIGHT_BLOB_OUTPUT_FILE: path.join(cwd, 'blob.zip'),
      },
    });
    await close();
    expectEverythingEchoed();

    const texts = [['the terminal', output] as const, ...textsIn(cwd)];
    expect(found(texts)).toEqual([]);
    for (const written of [
      /^results\/partial\/certificate.json$/,
      /^results\/partial\/certificate.html$/,
      /^results\/partial\/observed.md$/,
      /^results\/junit.xml$/,
      /^results\/playwright\/.*trace.zip: .*trace$/,
      // No record is written where no question is answered.
      ...(what === 'that returns everything' ? [/^record.yaml$/] : []),
      /^report.json$/,
      /^playwright-report\/index.html: report.json$/,
      /^blob.zip: report.jsonl$/,
    ])
      expect(texts.map(([name]) => name)).toContainEqual(expect.stringMatching(written));
    remove();
  });
}
