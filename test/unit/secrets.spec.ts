/**
 * Secrets are replaced in whatever form a deployment echoes them, and nothing that a run leaves behind holds one.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import type { TestCase } from '../../src/cases/test-case.js';
import { openTarget } from '../../src/certify/open-target.js';
import { loadRunInputs } from '../../src/config/run-inputs.js';
import { listCredentialSecrets } from '../../src/contract/operation.js';
import { createRedactor } from '../../src/http/redactor.js';
import { renderRunReport } from '../../src/outputs/terminal/run-report.js';
import { writeResults } from '../../src/outputs/write-results.js';
import { startRun } from '../../src/run/run.js';
import { InternalError } from '../../src/support/problem.js';
import { renderReason } from '../../src/support/reason.js';
import { checkEachRow } from '../support/check-each-row.js';
import { commandLine, makeTestFolder, runConformance } from '../support/cli.js';
import { allEchoes, echoArbitrary, encodings, secretArbitrary } from '../support/echoes.js';
import { type Answer, channelTo, recognizer, suite } from '../support/in-process.js';
import { createIndependentDeployment, listen } from '../support/independent-deployment.js';
import { readTexts } from '../support/read-texts.js';
import { createArchive, judgeAgain, runWithEvidence } from '../support/run-with-evidence.js';
import { skipOnWindows } from '../support/skip-on-windows.js';

// Redaction of a text -------------------------------------------------------------------------------------------------

const secret = `tok/En+7&"q'é\\<9>`;
/** Replaces the first value by $1, the second one by $2. */
const redactor = (...values: readonly string[]) =>
  createRedactor(values.map((value, n) => ({ value, placeholder: `$${n + 1}` })));
const named = createRedactor([{ value: 'id-1', placeholder: '$1', name: 'X-Key' }]);
/** The application id is a word of the suite's own requests. */
const ordinary = createRedactor(listCredentialSecrets({ applicationId: 'application', token: 'a-token-4711' }));
const recode = (text: string, from: BufferEncoding, to: BufferEncoding) => Buffer.from(text, from).toString(to);

const values: readonly (readonly [what: string, value: string])[] = [
  ['of all sorts', secret],
  ['that means something in a regular expression', '^.*+?()[]{}|$\\/-'],
  ['of quotation marks', `'"\`"'\`""'`],
  ['of white space and punctuation', 'a b  c; d, e=f'],
  ['of letters beyond ASCII', 'sécrèt-ÿÀ'],
  ['with a tab', 'a-secret\tin-two-parts'],
  ['of one letter', 'aaaaaaaaaaaa'],
  ['whose base64 has / and +', 'abc???def>>>ghi'],
  ['that looks like a replacement pattern', '$&$1$`$$'],
  ['that looks like an escape', '%41\\u0041&amp;'],
  ['of 4,000 characters', 'abc???def>>>ghi/'.repeat(250)],
];

/** Without a result, the text stays as it is. */
const texts: readonly (readonly [text: string, redact: (text: string) => string, result?: string])[] = [
  // In Latin-1, as HTTP carries it
  ['<a-t%F6k%e9ns>', redactor('a-tökéns'), '<$1>'],
  [recode('<a-tökéns>', 'latin1', 'utf8'), redactor('a-tökéns'), '<$1>'],
  [recode('<a-tökéns>', 'utf8', 'latin1'), redactor('a-tökéns'), '<$1>'],
  // HTTP drops white space around a value.
  ['<the-token>', redactor(' the-token\t'), '<$1>'],
  // Texts that resemble the secret
  ...['token.471', 'oken.4711', 'token 4711', 'token-4711', recode('token.5711', 'utf8', 'base64')].map(
    (text) => [text, redactor('token.4711')] as const,
  ),
  // Eight characters are enough to be replaced anywhere; fewer ones must be a whole value, or follow their name.
  ['xabcdefgh ABCdefgh abcdefgh9', redactor('abcdefgh'), 'x$1 $1 $19'],
  ['X-Key: id-1', named, 'X-Key: $1'],
  ['"x_key":"ID-1", x-key=id-1&', named, '"x_key":"$1", x-key=$1&'],
  ...['id-1 android-1', 'X-Key: id-12', 'X-Keyid-1', 'X-Key: no, id-1'].map((text) => [text, named] as const),
  ['X-Key: id-1', redactor('id-1')],
  ['{"a":"id-1","id-1":1}', named, '{"a":"$1","id-1":1}'],
  // A word of the suite's own requests must be a whole value or follow its header.
  ['Content-Type: application/json', ordinary],
  ['Set CLIENT_APPLICATION_ID, or X-Client-Application-Id.', ordinary],
  ['{"application": 1, "note": "an application"}', ordinary],
  ['$CLIENT_APPLICATION_ID', ordinary],
  ['X-Client-Application-Id: application', ordinary, 'X-Client-Application-Id: $CLIENT_APPLICATION_ID'],
  ['{"x-client-application-id":"application"}', ordinary, '{"x-client-application-id":"$CLIENT_APPLICATION_ID"}'],
  ['{"client":"Application","b":1}', ordinary, '{"client":"$CLIENT_APPLICATION_ID","b":1}'],
  ['application', ordinary, '$CLIENT_APPLICATION_ID'],
  ['application a-token-4711', ordinary, 'application $CLIENT_TOKEN'],
  // Blank secrets, and none
  ['any  text', redactor('', '  ')],
  ['any  text', redactor()],
  // A secret that holds another, secrets that overlap, equal ones
  ['a-shared a-shared-and-more a-shared-and', redactor('a-shared', 'a-shared-and-more'), '$1 $2 $1-and'],
  ['a the-same b', redactor('the-same', 'the-same'), 'a $1 b'],
];

test.describe('Redaction', () => {
  test('finds a secret in each encoding that depends on the text before it', () => {
    checkEachRow(Object.entries(encodings), (_, write) => {
      const redacted = redactor(secret)(`"${write(secret)}"`);
      expect(redacted).toContain('$1');
      // The digits left beside it stand for its first or last character together with a neighbour.
      const left = recode(redacted.replaceAll('"', '').replaceAll('$1', ''), 'base64', 'latin1');
      expect(left).not.toContain(secret.slice(0, 4));
      expect(left).not.toContain(secret.slice(-4));
    });
  });

  test('finds secrets of all sorts in each form', () => {
    checkEachRow(values, (_, value) => {
      const redact = redactor(value);
      for (const { form, write } of allEchoes) {
        const redacted = redact(`<${write(value)}>`);
        expect(redacted, form).toContain('$1');
        expect(redact(redacted), form).toBe(redacted);
      }
    });
  });

  test('replaces secrets and nothing else', () => {
    checkEachRow(texts, (text, redact, result = text) => expect(redact(text)).toBe(result));
  });

  /** Nothing in it begins an escape, which could take the first characters of the secret with it. */
  const around = fc.stringMatching(/^[ -$'-*,-:<-[\]-}]{0,30}$/);

  for (const numRuns of [50, 1_500])
    test(`finds each form of any secret, ${numRuns} times`, { tag: numRuns > 50 ? '@long' : [] }, () => {
      const property = fc.property(
        secretArbitrary,
        around,
        around,
        echoArbitrary,
        (value, before, after, { write }) => {
          const redacted = createRedactor([{ value, placeholder: '\u2603' }])(before + write(value) + after);
          expect(redacted).toContain('\u2603');
          expect(redacted.toLowerCase()).not.toContain(write(value).toLowerCase());
        },
      );
      fc.assert(property, { seed: 20_261_121, numRuns });
    });
});

// What a run leaves behind --------------------------------------------------------------------------------------------

// Nothing in them is escaped in JSON or in a JSON Pointer, so each form reaches the outputs encoded once.
const secrets = {
  CLIENT_APPLICATION_ID: `app+Id_0815&é'x=y<z>`,
  CLIENT_TOKEN: `t0k.En+4711&é'e=s<t>`,
  GATEWAY_KEY: `k3y-Of+2342&é'a=t<w>`,
};
/** Parts of secrets, which deployments echo without the rest. */
const parts = { ofBearer: 'b3ar.Er+9911&x', ofCookie: 'c00k.Ie+5522&y', ofBasic: 'p4ss.Wo+7733&z' };
const structured = {
  GATEWAY_BEARER: `Bearer ${parts.ofBearer}`,
  GATEWAY_COOKIE: `theme=dark; session=${parts.ofCookie}; last=1`,
  GATEWAY_BASIC: `Basic ${Buffer.from(`shop-user:${parts.ofBasic}`).toString('base64')}`,
};
const variables = { ...secrets, ...structured };
const targetHeaders =
  '{ X-Api-Key: $GATEWAY_KEY, Authorization: $GATEWAY_BEARER, Cookie: $GATEWAY_COOKIE, X-Basic: $GATEWAY_BASIC }';
/** A deployment makes it itself. */
const newSession = 'n3w-s3ss10n-8844';
const echoes = [...Object.values(secrets), ...Object.values(parts)].flatMap((value) =>
  allEchoes.map(({ form, write }) => ({ form, text: write(value) })),
);

/** Files escape what they hold, so texts are compared without backslashes, too. */
const dropBackslashes = (text: string) => text.replaceAll('\\', '');

/** Lists the forms in which a text contains one of the secrets. Files are read as Latin-1. */
function findLeaks(text: string): string[] {
  const readings = [text, recode(text, 'latin1', 'utf8'), recode(text, 'latin1', 'utf16le')];
  const bare = readings.map(dropBackslashes);
  const isIn = (echo: string) =>
    readings.some((reading) => reading.includes(echo)) ||
    bare.some((reading) => reading.includes(dropBackslashes(echo)));
  const shown = [...echoes, { form: 'a cookie', text: newSession }].filter((echo) => isIn(echo.text));
  return [...new Set(shown.map(({ form }) => form))];
}

function expectNoLeaks(found: readonly (readonly [name: string, text: string])[]): void {
  expect(found.flatMap(([name, text]) => findLeaks(text).map((form) => `${name}: ${form}`))).toEqual([]);
}

/** Renders an echo as a JSON string. Forms of JSON are such strings already. */
const renderString = ({ form, text }: (typeof echoes)[number]) =>
  form.includes('JSON string') ? `"${text}"` : JSON.stringify(text);

const strings = echoes.map(renderString);
const printable = echoes.map(({ text }) => text).filter((text) => /^[\x20-\x7e\xa1-\xff]+$/.test(text));
const headers: readonly (readonly [string, string])[] = [
  ['content-type', 'application/json'],
  ...printable.map((text, n) => [`x-echo-${n}`, text] as const),
  ['set-cookie', `session=${newSession}; Path=/; HttpOnly`],
  ['set-cookie', `session=${parts.ofCookie}`],
  ['www-authenticate', `Bearer realm="${parts.ofBearer}"`],
  ['deprecation', printable.slice(0, 50).join(' ')],
  ['x-ratelimit-limit', printable.slice(0, 50).join(' ')],
];
const ids = suite.world.tiers.map(({ id }) => ({ id }));
const echo = (status: number, data: object) => ({
  status,
  headers,
  body: `{"data":${JSON.stringify(data)},"echo":[${strings}],${strings[0]}:1}`,
});

const deployments = {
  'refuses everything': () => echo(400, []),
  'returns everything': () => echo(200, ids),
  'has a content coding that echoes': () => ({
    status: 200,
    headers: [...headers, ['content-encoding', printable.filter((text) => !text.includes(',')).join(' ')]],
    body: echo(200, ids).body,
  }),
  redirects: () => ({
    status: 307,
    headers: [...headers, ['location', `https://elsewhere.test/?${encodeURIComponent(secrets.CLIENT_TOKEN)}`]],
    body: echoes.map(({ text }) => text).join('\n'),
  }),
  'names promotions under keys that echo': () => ({
    status: 200,
    headers,
    // Those of whole secrets alone, so that promotions are missing and cases fail.
    body: `{${strings.slice(0, 3 * allEchoes.length).map((text, n) => `${text}:${JSON.stringify([ids[n % ids.length]])}`)}}`,
  }),
} satisfies Record<string, Answer>;

/** Serves a deployment, and writes a target file for it. */
async function serve(cwd: string, answer: Answer) {
  const { url, close } = await listen(answer);
  writeFileSync(path.join(cwd, 'leaky.yaml'), `name: leaky\nbase_url: ${url}\nheaders: ${targetHeaders}\n`);
  return close;
}

const kinds = new Set<string>();
/** Cases with something that those before them do not have: a requirement, an assertion, a part of responses. */
const diverse = suite.cases.filter((testCase) => {
  const json = JSON.stringify(testCase, (_, value) => (value instanceof Map ? [...value] : value));
  const count = kinds.size;
  for (const [kind] of json.matchAll(/"(?:kind|verifies|part)":"[\w.-]+"/g)) kinds.add(kind);
  return kinds.size > count;
});
const selects = (testCase: TestCase) => diverse.includes(testCase);

test('The search for leaks finds each form', () => {
  const forms = new Set(allEchoes.map(({ form }) => form));
  for (const answer of [deployments['refuses everything'], deployments['returns everything']])
    expect(new Set(findLeaks(answer().body))).toEqual(forms);
  expect(findLeaks(JSON.stringify(headers))).toContain('a cookie');
});

for (const [title, answer] of Object.entries<Answer>(deployments))
  test(`The results of a run hold no secret: the deployment ${title}`, {
    tag: title.startsWith('names') ? '@long' : [],
  }, async () => {
    const cwd = makeTestFolder();
    const close = await serve(cwd, answer);
    const { connection } = loadRunInputs({ target: path.join(cwd, 'leaky.yaml') }, variables);
    const client = await openTarget(connection);
    const recordTo = path.join(cwd, 'record.yaml');
    const run = await runWithEvidence(client, { options: { recordTo }, selects });
    await client.close();
    await close();
    if (title === 'refuses everything') expect(run.results.some(({ verdict }) => verdict === 'fail')).toBe(true);

    const destination = { out: path.join(cwd, 'results'), recordTo };
    const evidence = createArchive(run.evidence, run.origin);
    const written = writeResults(run, suite, destination, evidence);
    const report = renderRunReport(run.certificate, written);
    const files = readTexts(cwd);
    expectNoLeaks([['results', JSON.stringify(run.results)], ['report', report], ...files]);
    for (const file of ['certificate.json', 'certificate.html', 'observed.md', 'openapi.yaml'])
      expect(files.map(([name]) => name)).toContain(`results/${file}`);
    // Redaction changes no verdict.
    expect((await judgeAgain(run)).summary).toEqual(run.certificate.summary);
  });

/** Refuses, redirects, and names promotions under keys that echo. */
const mixed: Answer = ({ path, body = '' }) => {
  if (path.includes('?')) return deployments.redirects();
  return deployments[
    body.includes('"metadata":{}}') ? 'names promotions under keys that echo' : 'refuses everything'
  ]();
};

test("Commands and Playwright's reports leave no secret", { tag: '@long' }, async () => {
  const cwd = makeTestFolder();
  const close = await serve(cwd, mixed);
  mkdirSync(path.join(cwd, 'tmp'));
  const env = {
    ...variables,
    DEBUG: '*',
    NODE_DEBUG: 'undici,fetch,http,net,tls',
    TMPDIR: path.join(cwd, 'tmp'),
    PLAYWRIGHT_HTML_OPEN: 'never',
    PLAYWRIGHT_HTML_OUTPUT_DIR: path.join(cwd, 'playwright-report'),
    PLAYWRIGHT_JSON_OUTPUT_FILE: path.join(cwd, 'report.json'),
    PLAYWRIGHT_JUNIT_OUTPUT_FILE: path.join(cwd, 'results', 'junit.xml'),
    PLAYWRIGHT_BLOB_OUTPUT_FILE: path.join(cwd, 'blob.zip'),
    GITHUB_ACTIONS: 'true',
  };
  const record = ['record', '--target', 'leaky.yaml', '--to', 'record.yaml', '--out', 'results'];
  const reporters = ['--add-reporter', 'html,json,junit,blob,list'];
  // Some of these cases fail. A failing test with a trace takes a new process.
  const some = [
    '--grep',
    'window-with-few-valid|metadata-accepted|@response-shape|@error-shape|@deprecation-headers',
    '--trace=on',
  ];
  const recorded = await runConformance([...record, '--', ...reporters, ...some], { cwd, env });
  const diagnosed = await runConformance(['doctor', '--target', 'leaky.yaml'], { cwd, env });
  await close();
  const files = readTexts(cwd);
  expectNoLeaks([['record', recorded.output], ['doctor', diagnosed.output], ...files]);
  for (const written of [
    /^results\/certificate.json$/,
    /^results\/certificate.html$/,
    /^results\/evidence\.har$/,
    /^results\/observed.md$/,
    /^results\/junit.xml$/,
    /^results\/playwright\/.*trace.zip: .*trace$/,
    /^results\/playwright\/.*trace.zip: attachments\//,
    /^results\/playwright\/.*error-context.md$/,
    /^report.json$/,
    /^playwright-report\/index.html: report.json$/,
    /^playwright-report\/data\/.*\.md$/,
    /^blob.zip: report.jsonl$/,
    /^blob.zip: resources\/.*\.md$/,
    /^results\/summary.md$/,
  ])
    expect(files.map(([name]) => name)).toContainEqual(expect.stringMatching(written));
});

test('A run that crashes leaves no secret, and says so', { tag: '@long' }, async () => {
  const cwd = makeTestFolder();
  const close = await serve(cwd, deployments['returns everything']);
  mkdirSync(path.join(cwd, 'tmp'));
  // It breaks in each process what searches every response for ids, with text and variables in the message.
  const breaking = path.join(cwd, 'break.mjs');
  writeFileSync(
    breaking,
    `const { exec } = RegExp.prototype;
     RegExp.prototype.exec = function (text) {
       if (this.source.includes('promo_')) throw new RangeError(text + JSON.stringify(process.env));
       return exec.call(this, text);
     };`,
  );
  const env = { ...variables, DEBUG: '*', TMPDIR: path.join(cwd, 'tmp'), NODE_OPTIONS: `--import=${breaking}` };
  const commands = [
    ['doctor', '--target', 'leaky.yaml'],
    ['certify', '--target', 'leaky.yaml', '--out', 'out', '--only', 'response-status,limit.newest-150'],
  ];
  const outputs: [string, string][] = [];
  for (const [command = '', ...args] of commands)
    outputs.push([command, (await runConformance([command, ...args], { cwd, env })).output]);
  await close();
  expectNoLeaks([...outputs, ...readTexts(cwd)]);
  for (const [command, output] of outputs) expect(output, command).toContain('RangeError at ');
});

test('A killed run leaves no secret', { tag: '@long' }, async () => {
  skipOnWindows('groups of processes');
  const cwd = makeTestFolder();
  const temporary = path.join(cwd, 'tmp');
  mkdirSync(temporary);
  const env = { PATH: process.env.PATH ?? '', ...variables, TMPDIR: temporary };
  let received = 0;
  const close = await serve(cwd, () => {
    received += 1;
    if (received === 5) process.kill(-(child.pid ?? 0), 'SIGKILL');
    return deployments['returns everything']();
  });
  const command = ['certify', '--target', 'leaky.yaml', '--out', 'out'];
  const child = spawn(process.execPath, [commandLine, ...command], { cwd, env, detached: true, stdio: 'ignore' });
  const [, signal] = await once(child, 'exit');
  await close();
  expect([signal, received >= 5]).toEqual(['SIGKILL', true]);
  expectNoLeaks(readTexts(cwd));
});

test('An internal error does not show the message of its cause, which may quote a secret', async () => {
  let fails = false;
  const findMentions = (body: string) => {
    if (!fails) return recognizer.findMentions(body);
    throw new RangeError(`Invalid: /${secret}/ in\n    at ${secret} (${body}:1:1)`);
  };
  const options = { recognizer: { ...recognizer, findMentions }, isWorldLoaded: true };
  const some = { ...suite, cases: suite.cases.slice(0, 3) };
  const run = await startRun(some, channelTo(createIndependentDeployment(suite.world)), options);
  fails = true;
  for (const testCase of some.cases) {
    const { verdict, ...result } = (await run.reportCase(testCase)).result;
    const reason = renderReason(result.reason);
    expect(verdict).toBe('error');
    expect(reason).toMatch(/^Internal error, please report it: RangeError at \S+secrets.spec.*:\d+:\d+, /);
    expect(reason).not.toContain(secret);
  }
  expect(new InternalError(secret).stack).not.toContain(secret);
});
