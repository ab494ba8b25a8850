/** Credentials are looked for in everything that a run leaves behind, where the deployment does its best to leak them. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { unzipSync } from 'fflate';
import type { HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import { conformance, readCertificate, temporaryFolder } from './support/cli.js';
import { suite } from './support/in-process.js';
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

const deployments: Readonly<Record<string, (request: HttpRequest) => HttpResponse>> = {
  'that refuses everything': (request) => echoed(request, 400),
  'that returns everything': (request) => echoed(request, 200, { data: all }),
  'that redirects, to a place with all of it': (request) => ({
    status: 307,
    headers: [['location', `https://elsewhere.test/?${encodeURI(echoes(request).join('&'))}`]],
    body: echoes(request).join('\n'),
  }),
  'that names promotions under keys that echo': (request) => ({
    ...echoed(request, 200),
    body: JSON.stringify(Object.fromEntries(echoes(request).map((echo, n) => [echo, [all[n % all.length]]]))),
  }),
};

/** Of the first deployment, with which nothing passes, every case runs; a few, with traces, show the others. */
const few = ['--grep', 'window-with-few-valid|@response-shape|@error-shape|@deprecation-headers', '--trace=on'];

for (const [n, [what, answer]] of Object.entries(deployments).entries()) {
  test(`nothing of the credentials is left by a run against a deployment ${what}`, async () => {
    const { folder: cwd, remove } = temporaryFolder();
    let sent = '';
    const { url, close } = await listen((request) => {
      const response = answer(request);
      sent = response.headers.flat().join('\n') + response.body;
      return response;
    });
    writeFileSync(
      path.join(cwd, 'leaky.yaml'),
      `name: leaky\nbase_url: ${url}\nheaders: { X-Api-Key: $GATEWAY_KEY }\n`,
    );
    const command = ['record', '--target', 'leaky.yaml', '--to', 'record.yaml', '--out', 'results', '--explore', '5'];
    const reporters = ['--reporter', 'html,json,junit,blob,list'];
    const { status, output } = await conformance([...command, '--', ...reporters, ...(n === 0 ? [] : few)], {
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
    // The search finds what there is to find.
    expect(new Set(leaksIn(sent))).toEqual(new Set(traces.map(([form]) => form)));
    expect(sent).toContain(secrets.GATEWAY_KEY);
    if (n === 0) {
      expect(status).toBe(1);
      expect(Object.keys(readCertificate(cwd, 'results').summary).sort()).toEqual(['fail', 'inconclusive']);
    }

    const texts = [['the terminal', output] as const, ...textsIn(cwd)];
    const leaks = texts.flatMap(([name, text]) => leaksIn(text).map((form) => `${name}: ${form}`));
    expect(leaks).toEqual([]);
    for (const written of [
      /^results\/certificate.json$/,
      /^results\/certificate.html$/,
      /^results\/observed.md$/,
      /^results\/junit.xml$/,
      ...(n === 0 ? [] : [/^test-results\/.*trace.zip: .*trace$/]),
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
