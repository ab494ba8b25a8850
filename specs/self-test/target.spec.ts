import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { defaultOptions } from '../../src/http/connection-options.js';
import { packageRoot } from '../../src/support/package-root.js';
import { formatProblem, type Problem, UnusableInput } from '../../src/support/problem.js';
import { type Environment, loadTarget, type Target } from '../../src/targets/target.js';
import { marked } from './support/marked.js';

const credentials = { CLIENT_APPLICATION_ID: 'the-application', CLIENT_TOKEN: 'the-token' };

/** Writes a target file for the running test. */
function targetFile(text: string): string {
  const file = test.info().outputPath('target.yaml');
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** Loads a target from the text of a target file and the environment. */
const load = (text: string | undefined, environment: Environment = {}): Target =>
  loadTarget(text === undefined ? environment : { ...environment, TARGET: targetFile(text) });

function problemsOf(loading: () => unknown): readonly Problem[] {
  try {
    loading();
  } catch (error) {
    if (error instanceof UnusableInput) return error.problems;
    throw error;
  }
  return [];
}

const staging = `
name: staging
base_url: https://staging.test/api
credentials: { application_id: $STAGING_ID, token: $STAGING_TOKEN }`;
const stagingEnvironment = { STAGING_ID: 'the-staging-application', STAGING_TOKEN: 'the-staging-token' };

test.describe('where the target is: the environment wins over the file', () => {
  const nothing = { TARGET: '', BASE_URL: '', CLIENT_APPLICATION_ID: '', CLIENT_TOKEN: '' };
  const table: readonly (readonly [
    what: string,
    file: string | undefined,
    environment: Environment,
    name: string,
    place: readonly [baseUrl: string, applicationId: string, token: string] | 'reference',
  ])[] = [
    ['nothing said', undefined, {}, 'reference', 'reference'],
    ['empty variables, as a .env file may have them', undefined, nothing, 'reference', 'reference'],
    ['credentials without a base URL', undefined, credentials, 'reference', 'reference'],
    ['a file without a base URL', 'name: mine', {}, 'mine', 'reference'],
    [
      'a base URL',
      undefined,
      { BASE_URL: 'https://a.test', ...credentials },
      'a.test',
      ['https://a.test', 'the-application', 'the-token'],
    ],
    [
      'a base URL with port and path',
      undefined,
      { BASE_URL: 'http://127.0.0.1:8080/api/v2', ...credentials },
      '127.0.0.1:8080',
      ['http://127.0.0.1:8080/api/v2', 'the-application', 'the-token'],
    ],
    [
      'slashes at its end',
      undefined,
      { BASE_URL: 'https://a.test/api//', ...credentials },
      'a.test',
      ['https://a.test/api', 'the-application', 'the-token'],
    ],
    [
      'a file',
      staging,
      stagingEnvironment,
      'staging',
      ['https://staging.test/api', 'the-staging-application', 'the-staging-token'],
    ],
    [
      'a file with variables of the usual names',
      'name: s\nbase_url: https://s.test/',
      credentials,
      's',
      ['https://s.test', 'the-application', 'the-token'],
    ],
    [
      'a file, and another base URL',
      staging,
      { ...stagingEnvironment, BASE_URL: 'https://b.test' },
      'staging',
      ['https://b.test', 'the-staging-application', 'the-staging-token'],
    ],
    [
      'a file without a base URL, and one',
      'name: mine',
      { BASE_URL: 'https://b.test', ...credentials },
      'mine',
      ['https://b.test', 'the-application', 'the-token'],
    ],
    [
      'a file, and another token',
      staging,
      { ...stagingEnvironment, CLIENT_TOKEN: 'the-token' },
      'staging',
      ['https://staging.test/api', 'the-staging-application', 'the-token'],
    ],
    [
      'a file, and empty variables',
      staging,
      { ...stagingEnvironment, BASE_URL: '', CLIENT_TOKEN: '' },
      'staging',
      ['https://staging.test/api', 'the-staging-application', 'the-staging-token'],
    ],
  ];
  for (const [what, file, environment, name, place] of table) {
    test(what, () => {
      const target = load(file, environment);
      expect(target.name).toBe(name);
      if (place === 'reference') {
        expect(target.place).toEqual({ kind: 'reference' });
      } else {
        const [baseUrl, applicationId, token] = place;
        expect(target.place).toEqual({ kind: 'deployment', baseUrl, credentials: { applicationId, token } });
      }
    });
  }
});

test('plain HTTP goes to another machine where that is meant, and to this one', () => {
  for (const [text, environment] of [
    ['name: a\nallow_http: true', { BASE_URL: 'http://a.test' }],
    ['name: a', { BASE_URL: 'http://a.test', CONFORMANCE_ALLOW_HTTP: '1' }],
    ['name: a', { BASE_URL: 'http://127.0.0.1:81' }],
  ] as const)
    expect(load(text, { ...credentials, ...environment }).place).toMatchObject({ baseUrl: environment.BASE_URL });
});

test('what the environment overrides is told', () => {
  const all = { ...stagingEnvironment, ...credentials };
  expect(load(staging, stagingEnvironment)).not.toHaveProperty('notes');
  expect(load(staging, { ...all, BASE_URL: 'https://b.test' }).notes).toEqual([
    'CLIENT_APPLICATION_ID of the environment is used, not $STAGING_ID, which the target file names.',
    'CLIENT_TOKEN of the environment is used, not $STAGING_TOKEN, which the target file names.',
    'BASE_URL of the environment, or --base-url, is used, not the base_url of the target file.',
  ]);
});

test('what a file states of responses holds wherever the target is', () => {
  const text = 'name: mine\nresponse: { tier: /promotions/*/id }\npins: { empty-result: empty-list }';
  for (const environment of [{}, { BASE_URL: 'https://a.test', ...credentials }]) {
    const { tierPatterns, pins } = load(text, environment);
    expect(tierPatterns).toEqual(['/promotions/*/id']);
    expect([...pins].map(([question, { outcome }]) => [question, outcome])).toEqual([['empty-result', 'empty-list']]);
  }
  expect(load('name: mine\nresponse: { tier: [/a, /b/*] }').tierPatterns).toEqual(['/a', '/b/*']);
  expect(load('name: mine')).not.toHaveProperty('tierPatterns');
});

test('a schema of responses is read from a file beside the target file', () => {
  const schema = { type: 'object', required: ['data'] };
  writeFileSync(path.join(path.dirname(targetFile('')), 'shape.json'), JSON.stringify(schema));
  expect(load('name: mine\nresponse: { schema: shape.json }').responseSchema).toEqual(schema);
});

test('how a deployment is asked', () => {
  const pem = (name: string) => `-----BEGIN CERTIFICATE-----\n${name}`;
  const folder = path.dirname(targetFile(''));
  for (const name of ['ca', 'cert', 'key']) writeFileSync(path.join(folder, `${name}.pem`), pem(name));
  const { version, contact, operation, manners } = load(
    `
name: mine
version: "1.2"
contact: team@a.test
operation: { method: POST, path: /v2/validation }
headers: { Origin: https://a.test, Authorization: $GATEWAY_KEY }
proxy: $OWN_PROXY
pacing: { requests_per_second: 2.5, concurrency: 3 }
limits: { timeout_ms: 100, body_bytes: 200, body_values: 250, header_bytes: 300 }
repeats: { waits_seconds: [0.5, 2], longest_wait_seconds: 7 }
budget: { requests: 10, seconds: 60 }
tls: { ca: ca.pem, cert: cert.pem, key: key.pem }
allow_http: true`,
    { GATEWAY_KEY: 'the key', OWN_PROXY: 'http://me:hunter2@proxy.test' },
  );
  expect({ version, contact, operation }).toEqual({
    version: '1.2',
    contact: 'team@a.test',
    operation: { method: 'POST', path: '/v2/validation' },
  });
  expect(manners).toEqual({
    headers: [
      ['Origin', 'https://a.test'],
      ['Authorization', '$GATEWAY_KEY'],
    ],
    secrets: [{ value: 'the key', placeholder: '$GATEWAY_KEY' }],
    proxy: 'http://me:hunter2@proxy.test',
    pacing: { requestsPerSecond: 2.5, concurrency: 3 },
    limits: { timeoutMs: 100, bodyBytes: 200, bodyValues: 250, headerBytes: 300 },
    repeats: { waitsMs: [500, 2_000], longestWaitMs: 7_000 },
    budget: { requests: 10, seconds: 60 },
    tls: { ca: pem('ca'), cert: pem('cert'), key: pem('key') },
    allowHttp: true,
  });
  expect(load('name: mine')).not.toHaveProperty('manners');
});

test('the example states the limits and repeats that hold unless others are given', () => {
  const { manners } = loadTarget({ ...credentials, TARGET: path.join(packageRoot, 'targets', 'example.yaml') });
  const { limits, repeats } = defaultOptions;
  expect(manners).toMatchObject({ limits, repeats });
});

test.describe('refuses a setting of the environment', () => {
  const noUrl = (shown: string) =>
    `BASE_URL: ${shown} is no base URL\n    Write one such as https://api.example.com, with a path if the deployment has one.`;
  const noCredentials = 'BASE_URL: a base URL must not hold credentials\n    Leave out the part before the @.';
  const missing = (name: string) =>
    `${name}: is not set, and the target needs it\n    Put ${name}=… into the environment or into a .env file.`;
  const url = (BASE_URL: string) => ({ BASE_URL, ...credentials });
  const table: readonly (readonly [
    what: string,
    file: string | undefined,
    environment: Environment,
    ...problems: string[],
  ])[] = [
    ['no URL', undefined, url('api.example.com'), noUrl("'api.example.com'")],
    ['a host and a port', undefined, url('localhost:8080'), noUrl("'localhost:8080'")],
    ['another protocol', undefined, url('ftp://a.test'), noUrl("'ftp://a.test'")],
    ['a query', undefined, url('https://a.test?x=1'), noUrl("'https://a.test?x=1'")],
    ['a fragment', undefined, url('https://a.test#x'), noUrl("'https://a.test#x'")],
    [
      'plain HTTP to another machine',
      undefined,
      url('http://a.test:81'),
      'BASE_URL: credentials do not go to another machine (a.test:81) over plain HTTP\n    Use https, or say --allow-http (allow_http: true in a target file) where that is meant.',
    ],
    ['no host', undefined, url('https://'), noUrl("'https:'")],
    ['a password in the URL', undefined, url('https://me:hunter2@a.test'), noCredentials],
    ['a user in the URL', undefined, url('https://hunter2@a.test'), noCredentials],
    ['a password in a URL of another protocol', undefined, url('ftp://me:hunter2@a.test'), noCredentials],
    ['a password in a URL that is none', undefined, url('https://me:hunter2@a.test:port'), noUrl('this')],
    [
      'no application id',
      undefined,
      { BASE_URL: 'https://a.test', CLIENT_TOKEN: 'hunter2' },
      missing('CLIENT_APPLICATION_ID'),
    ],
    ['no token', undefined, { BASE_URL: 'https://a.test', CLIENT_APPLICATION_ID: 'hunter2' }, missing('CLIENT_TOKEN')],
    ['an empty token', undefined, { ...url('https://a.test'), CLIENT_TOKEN: '' }, missing('CLIENT_TOKEN')],
    [
      'no variable that the file names',
      staging,
      { STAGING_ID: 'hunter2' },
      `target.yaml:4:52: ${missing('STAGING_TOKEN').replace(':', '')}`,
    ],
    [
      'no credentials at all',
      undefined,
      { BASE_URL: 'https://a.test' },
      missing('CLIENT_APPLICATION_ID'),
      missing('CLIENT_TOKEN'),
    ],
    [
      'no credentials, and a bad URL',
      undefined,
      { BASE_URL: 'a' },
      noUrl("'a'"),
      missing('CLIENT_APPLICATION_ID'),
      missing('CLIENT_TOKEN'),
    ],
    ['a bad URL that wins over that of a file', staging, { ...stagingEnvironment, BASE_URL: 'a' }, noUrl("'a'")],
  ];
  for (const [what, file, environment, ...expected] of table) {
    test(what, () => {
      const problems = problemsOf(() => load(file, environment));
      const shown = problems.map((problem) => formatProblem(problem).replace(/^.*\/(?=target\.yaml)/, ''));
      expect(shown).toEqual(expected);
      expect(JSON.stringify(problems)).not.toContain('hunter2');
    });
  }
});

test.describe('refuses a target file, at the line and column', () => {
  const table: readonly (readonly [what: string, text: string, message: string, hint: string])[] = [
    ['without a name', '▸base_url: https://a.test', "the file lacks the key 'name'", "Add 'name:'."],
    [
      'with a name that is no good name for a folder',
      'name: ▸../elsewhere',
      "'../elsewhere' is not of the form ^[A-Za-z0-9][A-Za-z0-9 ._-]*$",
      'What the deployment is called, in reports and in the name of the results folder.',
    ],
    ['with an unknown key', 'name: a\n▸base_ulr: https://a.test', "unknown key 'base_ulr'", "Did you mean 'base_url'?"],
    [
      'with a literal secret, which it does not repeat',
      'name: a\ncredentials:\n  application_id: $ID\n  token: ▸hunter2',
      "'token' is not of the form ^\\$[A-Za-z_][A-Za-z0-9_]*$",
      'A reference to an environment variable, as in $STAGING_TOKEN. A literal secret is refused.',
    ],
    [
      'with a password in its base URL',
      'name: a\nbase_url: ▸https://me:hunter2@a.test',
      'a base URL must not hold credentials',
      'Leave out the part before the @.',
    ],
    [
      'with a password in a base URL that is not of the form',
      'name: a\nbase_url: ▸https://me:hunter2@a.test?q',
      "'base_url' is not of the form ^https?://[^\\s?#]+$",
      'The endpoint is asked at {base_url}/v1/promotions/validation. Without it the reference deployment is started.',
    ],
    [
      'with a base URL that is none',
      'name: a\nbase_url: ▸https://a.test:port',
      "'https://a.test:port' is no base URL",
      'Write one such as https://api.example.com, with a path if the deployment has one.',
    ],
    [
      'with a place of tiers that is no path',
      'name: a\nresponse: { tier: ▸promotions }',
      "'promotions' is not of the form ^(/[^/]*)+$",
      'Where the ids of returned tiers stand: a JSON Pointer with * for any step, such as an array index or a key that is an id, as in /promotions/*/id; or several of them, where now one occurs and now another. Needed only where the suite finds tiers under several paths that disagree.',
    ],
    [
      'with a secret among its headers',
      'name: a\nheaders: { AUTHORIZATION: ▸Bearer hunter2 }',
      "the value of 'AUTHORIZATION' is a secret",
      'Name a variable of the environment that holds it, as in $GATEWAY_KEY.',
    ],
    [
      'with the key of a gateway among its headers',
      'name: a\nheaders: { X-Api-Key: ▸hunter2 }',
      "the value of 'X-Api-Key' is a secret",
      'Name a variable of the environment that holds it, as in $GATEWAY_KEY.',
    ],
    [
      'with a header of the client among its headers',
      'name: a\nheaders: { ▸HOST: b.test }',
      "'HOST' is no header to set here",
      "Leave it out: credentials have their own place, content is the cases', and framing the client's.",
    ],
    [
      'with a password in the URL of its proxy',
      'name: a\nproxy: ▸http://me:hunter2@proxy.test',
      "'proxy' is not of the form ^(https?://[^\\s@]+|\\$[A-Za-z_][A-Za-z0-9_]*)?$",
      "The URL of an HTTP proxy, or a reference to an environment variable that holds it; needed where it has a password. It wins over HTTPS_PROXY and HTTP_PROXY, and '' means none. Deployments on this machine, and hosts that NO_PROXY names, are asked directly.",
    ],
    [
      'that names a variable which is not set',
      'name: a\nheaders: { Authorization: ▸$GATEWAY_KEY }',
      'GATEWAY_KEY is not set, and the target needs it',
      'Put GATEWAY_KEY=… into the environment or into a .env file.',
    ],
    [
      'with a client certificate without its key',
      'name: a\ntls: ▸{ cert: cert.pem }',
      "'tls' lacks the key 'key'",
      "Add 'key:'.",
    ],
    ['that is no YAML', 'name: a\n▸name: b', 'is no valid YAML: Map keys must be unique', ''],
  ];
  for (const [what, yaml, message, hint] of table) {
    test(what, () => {
      const { text, places } = marked(yaml);
      const problems = problemsOf(() => load(text, credentials));
      const file = test.info().outputPath('target.yaml');
      expect(problems).toEqual([{ at: { file, ...places[0] }, message, ...(hint === '' ? {} : { hint }) }]);
      expect(JSON.stringify(problems)).not.toContain('hunter2');
    });
  }

  test('that is not there', () => {
    const file = test.info().outputPath('missing.yaml');
    expect(problemsOf(() => loadTarget({ TARGET: file }))).toEqual([
      { at: { file, line: 1, column: 1 }, message: 'cannot be read (ENOENT)', hint: 'Check the path.' },
    ]);
  });

  for (const [what, content] of [
    ['is not there', undefined],
    ['is no JSON', '{'],
    ['is no schema', '{"type":"objekt"}'],
  ] as const) {
    test(`with a schema that ${what}`, () => {
      const { text, places } = marked('name: a\nresponse: { schema: ▸shape.json }');
      if (content !== undefined) writeFileSync(path.join(path.dirname(targetFile('')), 'shape.json'), content);
      const [problem, ...others] = problemsOf(() => load(text));
      expect(others).toEqual([]);
      expect(problem).toMatchObject({
        at: places[0],
        message: expect.stringMatching(/^shape\.json cannot be used as a JSON Schema: /),
        hint: 'Name a file with a valid schema.',
      });
    });
  }
});
