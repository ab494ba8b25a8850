import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { expect, test } from '@playwright/test';
import { defaultConnectionOptions } from '../../src/http/connection-options.js';
import { packageRoot } from '../../src/support/package-root.js';
import { formatProblem, type Problem, UnusableInput } from '../../src/support/problem.js';
import { readAvailability } from '../../src/targets/availability.js';
import type { Environment } from '../../src/targets/environment.js';
import { completeRunOptions, type RunOptions } from '../../src/targets/run-options.js';
import { loadSettings } from '../../src/targets/settings.js';
import { loadTarget } from '../../src/targets/target.js';
import { bindWorld } from '../../src/world/bind-world.js';
import { loadWorld } from '../../src/world/world-file.js';
import { checkEachRow } from './support/check-each-row.js';
import { suite } from './support/in-process.js';
import { parseMarked } from './support/marked.js';

const credentials = { CLIENT_APPLICATION_ID: 'the-application', CLIENT_TOKEN: 'the-token' };

/** Writes a file for the running test. */
function written(name: string, text: string): string {
  const file = test.info().outputPath(name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** Loads a target from the text of a target file and the environment. */
const load = (text: string | undefined, environment: Environment = {}, options: RunOptions = {}) => {
  const file = text === undefined ? {} : { target: written('target.yaml', text) };
  return loadTarget(completeRunOptions({ ...options, ...file }, environment), environment);
};

/** What names a deployment, for files that do not. */
const elsewhere = { BASE_URL: 'https://a.test', ...credentials };

/** The world under the ids of a target. */
const worldOf = (file: string) => bindWorld(loadWorld(), readAvailability({ target: file }).availability);

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
  const table: readonly (readonly [
    what: string,
    file: string | undefined,
    environment: Environment,
    name: string,
    place: readonly [baseUrl: string, applicationId: string, token: string] | 'reference',
  ])[] = [
    ['nothing said', undefined, {}, 'reference', 'reference'],
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
      'the path of the operation at its end',
      undefined,
      { BASE_URL: 'https://a.test/api/v1/promotions/validation/', ...credentials },
      'a.test',
      ['https://a.test/api', 'the-application', 'the-token'],
    ],
    [
      'a file that leaves it to a variable',
      'name: mine\nbase_url: $SHOP_URL',
      { SHOP_URL: 'https://shop.test', ...credentials },
      'mine',
      ['https://shop.test', 'the-application', 'the-token'],
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
  test(
    'each place',
    checkEachRow(table, (_, file, environment, name, place) => {
      const { target, connection } = load(file, environment);
      expect(target.name).toBe(name);
      if (place === 'reference') {
        expect(connection.location).toEqual({ kind: 'reference' });
      } else {
        const [baseUrl, applicationId, token] = place;
        expect(connection.location).toEqual({ kind: 'deployment', baseUrl, credentials: { applicationId, token } });
      }
    }),
  );
});

test('--reference wins over every setting', () => {
  const { target, connection } = load(staging, elsewhere, { reference: true });
  expect([target.name, connection.location]).toEqual(['reference', { kind: 'reference' }]);
});

test('plain HTTP goes to another machine where that is meant, and to this one', () => {
  for (const [text, options] of [
    ['name: a\nallow_http: true', { baseUrl: 'http://a.test' }],
    ['name: a', { baseUrl: 'http://a.test', allowHttp: true }],
    ['name: a', { baseUrl: 'http://127.0.0.1:81' }],
  ] as const)
    expect(load(text, credentials, options).connection.location).toMatchObject({ baseUrl: options.baseUrl });
});

test('what the environment overrides is noted', () => {
  const all = { ...stagingEnvironment, ...credentials };
  expect(load(staging, stagingEnvironment).target).not.toHaveProperty('notes');
  expect(load(staging, { ...all, BASE_URL: 'https://b.test' }).target.notes).toEqual([
    'CLIENT_APPLICATION_ID of the environment is used, not $STAGING_ID, which the target file names.',
    'CLIENT_TOKEN of the environment is used, not $STAGING_TOKEN, which the target file names.',
    'BASE_URL of the environment, or --base-url, is used, not the base_url of the target file.',
  ]);
  expect(load(staging, { ...stagingEnvironment, BASE_URL: '' }).target.notes).toEqual([
    'BASE_URL of the environment, or --base-url, is empty: the base_url of the target file is used.',
  ]);
});

test('what is cut off a base URL is noted', () => {
  const { notes } = load(undefined, { ...elsewhere, BASE_URL: 'https://a.test/v1/promotions/validation' }).target;
  expect(notes).toEqual([
    'The base URL ends with /v1/promotions/validation, which is the path of the operation: it was cut off.',
  ]);
  const operation = 'name: mine\noperation: { path: /check }';
  expect(load(operation, { ...elsewhere, BASE_URL: 'https://a.test/x/check' }).connection.location).toMatchObject({
    baseUrl: 'https://a.test/x',
  });
});

test('what a file states of responses holds wherever the target is', () => {
  const text = 'name: mine\nresponse: { tier: /promotions/*/id }\npins: { empty-result: empty-list }';
  for (const [more, environment] of [
    ['', elsewhere],
    ['\nbase_url: https://b.test', credentials],
  ] as const) {
    const { tierPatterns, pins } = load(`${text}${more}`, environment).target;
    expect(tierPatterns).toEqual(['/promotions/*/id']);
    expect([...pins].map(([question, { outcome }]) => [question, outcome])).toEqual([['empty-result', 'empty-list']]);
  }
  expect(load('name: mine\nresponse: { tier: [/a, /b/*] }', elsewhere).target.tierPatterns).toEqual(['/a', '/b/*']);
  expect(load('name: mine', elsewhere).target).not.toHaveProperty('tierPatterns');
});

test('a schema of responses is read from a file beside the target file', () => {
  const schema = { type: 'object', required: ['data'] };
  written('shape.json', JSON.stringify(schema));
  expect(load('name: mine\nresponse: { schema: shape.json }', elsewhere).target.responseSchema).toEqual(schema);
});

test('how a deployment is reached', () => {
  const pem = (name: string) => `-----BEGIN CERTIFICATE-----\n${name}`;
  for (const name of ['ca', 'cert', 'key']) written(`${name}.pem`, pem(name));
  const { target, connection } = load(
    `
name: mine
version: "1.2"
contact: team@a.test
operation: { method: POST, path: /v2/validation }
headers: { Origin: https://a.test, Authorization: $GATEWAY_KEY }
proxy: $OWN_PROXY
pacing: { requests_per_second: 2.5, concurrency: 3 }
limits: { timeout_ms: 100, body_bytes: 200, body_values: 250, header_bytes: 300 }
retry: { delays_seconds: [0.5, 2], max_delay_seconds: 7 }
budget: { requests: 10, seconds: 60 }
tls: { ca: ca.pem, cert: cert.pem, key: key.pem }
allow_http: true`,
    { ...elsewhere, GATEWAY_KEY: 'the key', OWN_PROXY: 'http://me:hunter2@proxy.test' },
  );
  expect(target).toEqual({
    name: 'mine',
    kind: 'deployment',
    isWorldLoaded: false,
    pins: new Map(),
    version: '1.2',
    contact: 'team@a.test',
    operation: { method: 'POST', path: '/v2/validation' },
  });
  expect(connection.options).toEqual({
    extraHeaders: [
      ['Origin', 'https://a.test'],
      ['Authorization', '$GATEWAY_KEY'],
    ],
    secrets: [{ value: 'the key', placeholder: '$GATEWAY_KEY', name: 'Authorization' }],
    proxy: 'http://me:hunter2@proxy.test',
    pacing: { requestsPerSecond: 2.5, concurrency: 3 },
    limits: { timeoutMs: 100, bodyBytes: 200, bodyValues: 250, headerBytes: 300 },
    retry: { delaysMs: [500, 2_000], maxDelayMs: 7_000 },
    budget: { requests: 10, timeMs: 60_000 },
    tls: { ca: pem('ca'), cert: pem('cert'), key: pem('key') },
    allowHttp: true,
  });
  expect(load('name: mine', elsewhere).connection.options).toEqual({});
});

test('The example shows the default limits and retries', () => {
  const { connection } = loadTarget({ target: path.join(packageRoot, 'targets', 'example.yaml') }, credentials);
  const { limits, retry } = defaultConnectionOptions;
  expect(connection.options).toMatchObject({ limits, retry });
});

for (const name of readdirSync(path.join(packageRoot, 'targets')).filter((each) => each.endsWith('.yaml'))) {
  if (name.endsWith('.bindings.yaml')) continue;
  test(`targets/${name} is a good target file`, () => {
    const { connection } = loadTarget({ target: path.join(packageRoot, 'targets', name) }, credentials);
    expect(connection.location.kind).toBe('deployment');
  });
}

test('ids stand in the target file or beside it, as YAML or JSON', () => {
  written('own.bindings.yaml', 'customers: { ann: 17 }\n');
  written('own.bindings.json', '{ "customers": { "ann": 17 } }');
  const files = [
    written('inside.yaml', 'name: a\nids: { customers: { ann: 17 } }'),
    written('beside-yaml.yaml', 'name: a\nbindings: own.bindings.yaml'),
    written('beside-json.yaml', 'name: a\nbindings: own.bindings.json'),
  ];
  for (const file of files) {
    const { tiers, ids, unavailable } = worldOf(file);
    expect(ids.customer.get('ann')).toBe('17');
    expect(tiers[1]?.rules[0]).toMatchObject({ any_of: expect.arrayContaining(['17']) });
    expect([...unavailable.values()].some(({ name }) => name === 'ann')).toBe(false);
  }
});

test('ids are taken as they are written, numbers among them', () => {
  const texts = ['0012', '1e3', '12345678901234567890', '"0x1F"', "'a b'"];
  const names = ['ordinary', 'ann', 'ben', 'cleo', 'bulk'];
  const lines = names.map((name, n) => `    ${name}: ${texts[n]}`);
  const { ids } = worldOf(written('numbers.yaml', `name: a\nids:\n  customers:\n${lines.join('\n')}`));
  expect(names.map((name) => ids.customer.get(name))).toEqual(['0012', '1e3', '12345678901234567890', '0x1F', 'a b']);
});

test('the settings of a run can be handed on, and have nothing that is secret', () => {
  const pem = '-----BEGIN PRIVATE KEY-----\nhunter2';
  for (const name of ['cert', 'key']) written(`${name}.pem`, pem);
  const text = `${staging}
response: { tier: /promotions/*/id }
pins: { empty-result: empty-list }
headers: { X-Api-Key: $GATEWAY_KEY }
proxy: $OWN_PROXY
tls: { cert: cert.pem, key: key.pem }`;
  const environment = {
    STAGING_ID: 'hunter2-application',
    STAGING_TOKEN: 'hunter2',
    GATEWAY_KEY: 'hunter2',
    OWN_PROXY: 'http://me:hunter2@proxy.test',
  };
  const options = { target: written('target.yaml', text), explore: 7, recordTo: 'record.yaml' };
  const settings = loadSettings(options, environment, suite);
  const bytes = serialize(settings);
  expect(deserialize(bytes)).toEqual(settings);
  expect(bytes.toString('latin1')).not.toContain('hunter2');
});

test.describe('refuses a setting of the environment', () => {
  const fileAt = 'target.yaml:2:11';
  const writeOne = 'Write one such as https://api.example.com, with a path if the deployment has one.';
  const noUrl = (shown: string) => `BASE_URL: ${shown} is no base URL\n    ${writeOne}`;
  const noScheme = (shown: string, scheme: string, at = 'BASE_URL') =>
    `${at}: '${shown}' lacks its scheme\n    Write ${scheme}://${shown}.`;
  const noCredentials = 'BASE_URL: a base URL must not hold credentials\n    Leave out the part before the @.';
  const unset = (name: string) =>
    `${name}: is not set, and the target needs it\n    Put ${name}=… into the environment or into a .env file.`;
  const url = (BASE_URL: string) => ({ BASE_URL, ...credentials });
  const table: readonly (readonly [
    what: string,
    file: string | undefined,
    environment: Environment,
    ...problems: string[],
  ])[] = [
    ['a host alone', undefined, url('api.example.com'), noScheme('api.example.com', 'https')],
    ['a host and a port', undefined, url('localhost:8080'), noScheme('localhost:8080', 'http')],
    ['a host in a file', 'name: a\nbase_url: a.test/api', credentials, noScheme('a.test/api', 'https', fileAt)],
    ['no URL', undefined, url('::'), noUrl("'::'")],
    [
      'a variable',
      undefined,
      url('$SHOP_URL'),
      `BASE_URL: '$SHOP_URL' is a variable that was not replaced by its value\n    ${writeOne}`,
    ],
    [
      'a variable of a file that is not set',
      'name: a\nbase_url: $SHOP_URL',
      credentials,
      `${fileAt}: SHOP_URL is not set, and the target needs it\n    Put SHOP_URL=… into the environment or into a .env file.`,
    ],
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
      unset('CLIENT_APPLICATION_ID'),
    ],
    ['no token', undefined, { BASE_URL: 'https://a.test', CLIENT_APPLICATION_ID: 'hunter2' }, unset('CLIENT_TOKEN')],
    ['an empty token', undefined, { ...url('https://a.test'), CLIENT_TOKEN: '' }, unset('CLIENT_TOKEN')],
    [
      'no variable that the file names',
      staging,
      { STAGING_ID: 'hunter2' },
      `target.yaml:4:52: ${unset('STAGING_TOKEN').replace(':', '')}`,
    ],
    [
      'no credentials at all',
      undefined,
      { BASE_URL: 'https://a.test' },
      unset('CLIENT_APPLICATION_ID'),
      unset('CLIENT_TOKEN'),
    ],
    [
      'no credentials, and a bad URL',
      undefined,
      { BASE_URL: 'a' },
      noScheme('a', 'https'),
      unset('CLIENT_APPLICATION_ID'),
      unset('CLIENT_TOKEN'),
    ],
    [
      'a bad URL that wins over that of a file',
      staging,
      { ...stagingEnvironment, BASE_URL: 'a' },
      noScheme('a', 'https'),
    ],
  ];
  test(
    'each, with all that is wrong',
    checkEachRow(table, (_, file, environment, ...expected) => {
      const problems = problemsOf(() => load(file, environment));
      const shown = problems.map((problem) => formatProblem(problem).replace(/^.*\/(?=target\.yaml)/, ''));
      expect(shown).toEqual(expected);
      expect(JSON.stringify(problems)).not.toContain('hunter2');
    }),
  );
});

test.describe('refuses a target file, at the line and column', () => {
  const table: readonly (readonly [what: string, text: string, message: string, hint?: string])[] = [
    ['without a name', '▸base_url: https://a.test', "the file lacks the key 'name'", "Add 'name:'."],
    [
      'with a name that is no good name for a folder',
      'name: ▸../elsewhere',
      "'../elsewhere' does not match ^[A-Za-z0-9][A-Za-z0-9 ._-]*$",
    ],
    ['with an unknown key', 'name: a\n▸base_ulr: https://a.test', "unknown key 'base_ulr'", "Did you mean 'base_url'?"],
    [
      'with a literal secret, which it does not repeat',
      'name: a\ncredentials:\n  application_id: $ID\n  token: ▸hunter2',
      "'token' does not match ^\\$[A-Za-z_][A-Za-z0-9_]*$",
    ],
    [
      'with a password in its base URL',
      'name: a\nbase_url: ▸https://me:hunter2@a.test',
      'a base URL must not hold credentials',
      'Leave out the part before the @.',
    ],
    [
      'with a password in a base URL that does not match',
      'name: a\nbase_url: ▸https://me:hunter2@a.test?q',
      "'base_url' does not match ^[^\\s?#]+$",
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
      "'promotions' does not match ^(/[^/]*)+$",
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
      "'proxy' does not match ^(https?://[^\\s@]+|\\$[A-Za-z_][A-Za-z0-9_]*)?$",
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
    [
      'with an unknown kind of ids',
      'name: a\nids: { ▸customer: {} }',
      "unknown key 'customer'",
      "Did you mean 'customers'?",
    ],
    [
      'with an id for an unknown name',
      'name: a\nids: { customers: { anne: ▸x } }',
      "there is no customer 'anne' in the world",
      "Did you mean 'ann'?",
    ],
    [
      'with an id that is bound twice',
      'name: a\nids: { customers: { ann: x, ben: ▸x } }',
      "customer 'ben' has the id of customer 'ann'",
    ],
    ['with ids and bindings', 'name: a\nids: {}\n▸bindings: b.yaml', "'bindings' is not allowed here", 'Remove it.'],
    ['with bindings that are not there', 'name: a\nbindings: ▸none.yaml', 'none.yaml cannot be read'],
    [
      'with a provision command and no bindings',
      '▸name: a\nprovision: [x]',
      "the file lacks the key 'bindings'",
      "Add 'bindings:'.",
    ],
    [
      'with an unknown capability',
      'name: a\ncapabilities: [▸metadate]',
      "entry 1 of 'capabilities' cannot be 'metadate'",
      "Did you mean 'metadata'?",
    ],
    [
      'with a credential among its headers',
      'name: a\nheaders: { ▸X-Client-Token: hunter2 }',
      "'X-Client-Token' is no header to set here",
    ],
    [
      'with a header of two lines',
      'name: a\nheaders: { Origin: ▸"a\\nb" }',
      "'a\nb' does not match ^[\\t\\x20-\\x7e]*$",
    ],
    [
      'with a certificate authority that is not there',
      'name: a\nbase_url: https://a.test\ntls: { ca: ▸none.pem }',
      'none.pem cannot be read (ENOENT)',
      'Paths are relative to the target file.',
    ],
    [
      'with a certificate authority that is none',
      'name: a\nbase_url: https://a.test\ntls: { ca: ▸target.yaml }',
      'target.yaml is no PEM',
      'It begins with -----BEGIN …-----.',
    ],
    ['with no pace at all', 'name: a\npacing: { requests_per_second: ▸0 }', "'requests_per_second' must be > 0"],
    [
      'that pins no question',
      'name: a\npins: { empty-results: ▸empty-list }',
      "there is no question 'empty-results'",
      "Did you mean 'empty-result'?",
    ],
    [
      'that pins no outcome of a question',
      'name: a\npins: { empty-result: ▸empty-lists }',
      "'empty-result' has no outcome 'empty-lists'",
      "Did you mean 'empty-list'?",
    ],
    ['that is no YAML', 'name: a\n▸name: b', 'is not valid YAML: Map keys must be unique', ''],
  ];
  test(
    'each mistake, with its hint',
    checkEachRow(table, (_, yaml, message, ...[hint]) => {
      const { text, places } = parseMarked(yaml);
      const file = written('target.yaml', text);
      const problems = problemsOf(() => {
        worldOf(file);
        const environment = text.includes('base_url:') ? credentials : elsewhere;
        loadSettings(completeRunOptions({ target: file }, environment), environment, suite);
      });
      expect(problems).toHaveLength(1);
      expect(problems[0]).toMatchObject({ at: { file, ...places[0] }, message });
      if (hint !== undefined) expect(problems[0]?.hint ?? '').toBe(hint);
      expect(JSON.stringify(problems)).not.toContain('hunter2');
    }),
  );

  test('that is not there', () => {
    const file = test.info().outputPath('nowhere.yaml');
    expect(problemsOf(() => loadTarget({ target: file }, {}))).toEqual([
      { at: { file, line: 1, column: 1 }, message: 'cannot be read (ENOENT)', hint: 'Check the path.' },
    ]);
  });

  for (const [what, content] of [
    ['is not there', undefined],
    ['is no JSON', '{'],
    ['is no schema', '{"type":"objekt"}'],
  ] as const) {
    test(`with a schema that ${what}`, () => {
      const { text, places } = parseMarked('name: a\nresponse: { schema: ▸shape.json }');
      if (content !== undefined) written('shape.json', content);
      const [problem, ...others] = problemsOf(() => load(text, elsewhere));
      expect(others).toEqual([]);
      expect(problem).toMatchObject({
        at: places[0],
        message: expect.stringMatching(/^shape\.json cannot be used as a JSON Schema: /),
        hint: 'Name a file with a valid schema.',
      });
    });
  }
});

test.describe('credentials are checked before anything is sent', () => {
  const base = { BASE_URL: 'https://api.example.com', ...credentials };
  const problemsOf = (environment: Environment, text?: string): string[] => {
    try {
      load(text, environment);
      return [];
    } catch (error) {
      if (!(error instanceof UnusableInput)) throw error;
      return error.problems.map(({ message }) => message);
    }
  };

  const refused: readonly (readonly [what: string, environment: Environment, message: string])[] = [
    ['a line break within', { CLIENT_TOKEN: 'the\ntoken' }, 'CLIENT_TOKEN holds a character that no header can carry'],
    [
      'a character beyond Latin-1',
      { CLIENT_TOKEN: 'the-tökenЖ' },
      'CLIENT_TOKEN holds a character that no header can carry',
    ],
    ['nothing but spaces', { CLIENT_APPLICATION_ID: '   ' }, 'CLIENT_APPLICATION_ID is blank'],
    [
      'a variable that was not replaced',
      { CLIENT_TOKEN: 'Bearer $OTHER', OTHER: 'x' },
      'CLIENT_TOKEN holds $OTHER, which was not replaced by its value',
    ],
    [
      'itself in the path of the base URL',
      { BASE_URL: 'https://api.example.com/THE-token/x' },
      'a base URL must not contain a credential',
    ],
    [
      'itself in the base URL, encoded',
      { BASE_URL: 'https://api.example.com/the%2Dtoken' },
      'a base URL must not contain a credential',
    ],
  ];
  test(
    'each of them',
    checkEachRow(refused, (_, environment, message) =>
      expect(problemsOf({ ...base, ...environment })).toEqual([message]),
    ),
  );

  test('a dollar sign that names no variable is taken as it is, and so is an accented letter', () => {
    expect(problemsOf({ ...base, CLIENT_TOKEN: 'pa$$wörd$1' })).toEqual([]);
  });

  test('a header of a target file that is a variable in part: refused', () => {
    const text = 'name: a\nbase_url: https://api.example.com\nheaders: { Authorization: Bearer $KEY }\n';
    expect(problemsOf({ ...base, KEY: 'x' }, text)).toEqual(["the value of 'Authorization' is a variable in part"]);
  });

  test('one of few characters is taken, with a note', () => {
    const { target } = load(undefined, { ...base, CLIENT_TOKEN: 'a1' });
    expect(target.notes?.join()).toContain('CLIENT_TOKEN has fewer than 6 characters');
  });
});
