/** Target files, and the settings that override them. */

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { loadRunInputs } from '../../src/config/run-inputs.js';
import {
  checkRunOptions,
  completeRunOptions,
  type Environment,
  type RunOptions,
} from '../../src/config/run-options.js';
import { readTargetFile, readWorldAvailability } from '../../src/config/target-file.js';
import { occursInSuiteRequests } from '../../src/contract/operation.js';
import { bindWorld, loadWorld } from '../../src/contract/world-file.js';
import { defaultConnectionOptions } from '../../src/http/connection-options.js';
import { packageRoot } from '../../src/support/package-root.js';
import { checkEachRow } from '../support/check-each-row.js';
import { suite } from '../support/in-process.js';
import { listProblems, parseMarked } from '../support/marked.js';

const credentials = { CLIENT_APPLICATION_ID: 'the-application', CLIENT_TOKEN: 'the-token' };
/** A deployment, for target files without base URL. */
const deployment = { BASE_URL: 'https://a.test', ...credentials };

/** Writes a file for the running test. */
function writeFile(name: string, text: string): string {
  const file = test.info().outputPath(name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** Loads the inputs of a run from the text of a target file. */
const load = (text: string | undefined, environment: Environment = {}, options: RunOptions = {}) => {
  const file = text === undefined ? {} : { TARGET: writeFile('target.yaml', text) };
  return loadRunInputs(completeRunOptions(options, { ...environment, ...file }), environment);
};

/** The world with the ids of a target file. */
const loadBoundWorld = (file: string) =>
  bindWorld(loadWorld(), readWorldAvailability(readTargetFile({ target: file })));

const staging = `
name: staging
base_url: https://staging.test/api
credentials: { application_id: $STAGING_ID, token: $STAGING_TOKEN }`;
const stagingEnvironment = { STAGING_ID: 'the-staging-application', STAGING_TOKEN: 'the-staging-token' };
const stagingUrl = 'https://staging.test/api';
const url = (BASE_URL: string) => ({ BASE_URL, ...credentials });

type LocationRow = readonly [
  what: string,
  file: string | undefined,
  environment: Environment,
  baseUrl: string,
  credentials?: Environment,
];
const mine = 'name: mine\nbase_url: $SHOP';
const locations: readonly LocationRow[] = [
  ['a base URL', undefined, url('http://127.0.0.1:81/api'), 'http://127.0.0.1:81/api'],
  ['slashes at the end', undefined, url('https://a.test/api//'), 'https://a.test/api'],
  ['the path of the operation', undefined, url('https://a.test/v1/promotions/validation/'), 'https://a.test'],
  ['a variable', mine, { SHOP: 'https://b.test', ...credentials }, 'https://b.test'],
  ['a file', staging, stagingEnvironment, stagingUrl, stagingEnvironment],
  ['a file without credentials', 'name: s\nbase_url: https://s.test/', credentials, 'https://s.test'],
  [
    'an overridden URL',
    staging,
    { ...stagingEnvironment, ...url('https://b.test') },
    'https://b.test',
    stagingEnvironment,
  ],
  ['credentials of its own', staging, { ...stagingEnvironment, ...credentials }, stagingUrl, stagingEnvironment],
  [
    'empty variables',
    staging,
    { ...stagingEnvironment, BASE_URL: '', CLIENT_TOKEN: '' },
    stagingUrl,
    stagingEnvironment,
  ],
];
test('The environment overrides the target file', () =>
  checkEachRow(locations, (_, file, environment, baseUrl, stated = credentials) => {
    const [applicationId, token] = Object.values(stated);
    expect(load(file, environment).connection.endpoint).toEqual({ baseUrl, credentials: { applicationId, token } });
  }));

test('Plain HTTP to another machine must be allowed', () => {
  const baseUrl = 'http://a.test';
  expect(load('name: a\nallow_http: true', url(baseUrl)).connection.endpoint).toMatchObject({ baseUrl });
  expect(load('name: a', url(baseUrl), { allowHttp: true }).connection.endpoint).toMatchObject({ baseUrl });
});

test('Overridden base URLs and weak secrets are noted', () => {
  const notes = (text: string | undefined, environment: Environment) =>
    load(text, environment).settings.notes.join(' ');
  expect(notes(staging, stagingEnvironment)).toBe('');
  const replaced = { ...stagingEnvironment, BASE_URL: 'https://b.test' };
  expect(notes(staging, replaced)).toBe('BASE_URL overrides the base_url of the target file.');
  expect(notes(undefined, { ...deployment, CLIENT_TOKEN: 'a1' })).toMatch(
    /^CLIENT_TOKEN is a word .*fewer than 8 characters/,
  );
});

test('A target file states how responses are read', () => {
  const text = 'name: mine\nresponse: { tier: /promotions/*/id }';
  const { target } = load(text, deployment).settings;
  expect(target.tierPatterns).toEqual(['/promotions/*/id']);
  expect(load('name: mine\nresponse: { tier: [/a, /b/*] }', deployment).settings.target.tierPatterns).toEqual([
    '/a',
    '/b/*',
  ]);
  expect(load('name: mine\nworld: loaded', deployment).settings.target.isWorldLoaded).toBe(true);
});

test('A target file states how the deployment is reached', () => {
  const ownProxy = 'http://me:hunter2@proxy.test';
  const pem = (name: string) => `-----BEGIN CERTIFICATE-----\n${name}`;
  for (const name of ['ca', 'cert', 'key']) writeFile(`${name}.pem`, pem(name));
  const { settings, connection } = load(
    `
name: mine
version: "1.2"
headers: { Origin: https://a.test, Authorization: $GATEWAY_KEY }
proxy: $OWN_PROXY
pacing: { requests_per_second: 2.5, concurrency: 3 }
limits: { timeout_ms: 100, body_bytes: 200, body_values: 250, header_bytes: 300 }
retry: { delays_seconds: [0.5, 2], max_delay_seconds: 7 }
tls: { ca: ca.pem, cert: cert.pem, key: key.pem }
allow_http: true`,
    { ...deployment, GATEWAY_KEY: 'the-long-key', OWN_PROXY: ownProxy },
  );
  expect(settings.target).toEqual({
    name: 'mine',
    kind: 'deployment',
    baseUrl: 'https://a.test',
    isWorldLoaded: false,
    version: '1.2',
    file: expect.stringMatching(/target\.yaml$/),
  });
  expect(connection.options).toEqual({
    extraHeaders: [
      ['Origin', 'https://a.test'],
      ['Authorization', '$GATEWAY_KEY'],
    ],
    secrets: [
      {
        value: 'the-long-key',
        placeholder: '$GATEWAY_KEY',
        name: 'Authorization',
        occursInSuiteRequests,
      },
      {
        value: ownProxy,
        placeholder: '$OWN_PROXY',
        name: 'Proxy-Authorization',
        occursInSuiteRequests,
      },
    ],
    proxy: ownProxy,
    pacing: { requests_per_second: 2.5, concurrency: 3 },
    limits: { timeout_ms: 100, body_bytes: 200, body_values: 250, header_bytes: 300 },
    retry: { delays_seconds: [0.5, 2], max_delay_seconds: 7 },
    tls: { ca: pem('ca'), cert: pem('cert'), key: pem('key') },
    allowHttp: true,
  });
  expect(load('name: mine', deployment).connection.options).toEqual({});
});

test('The files in examples/ are valid, and the example states the default limits and retries', () => {
  const folder = path.join(packageRoot, 'examples');
  for (const name of readdirSync(folder).filter((file) => /(?<!\.ids)\.yaml$/.test(file)))
    expect(loadRunInputs({ target: path.join(folder, name) }, credentials).connection.endpoint).toBeDefined();
  const { connection } = loadRunInputs({ target: path.join(folder, 'example.yaml') }, credentials);
  const { limits, retry } = defaultConnectionOptions;
  expect(connection.options).toMatchObject({ limits, retry });
});

const { ids: worldIds } = loadWorld();
/** Renders a line of a bindings file for a customer. */
const bindCustomer = (name: string, id: string) => `"${worldIds.customer.get(name)}": ${id}`;

test('Ids are in a bindings file beside the target file, as YAML or JSON', () => {
  writeFile('shop.ids.yaml', `# rule_1: val_1\n${bindCustomer('ann', '17')}\n`);
  writeFile('shop.ids.json', `{ ${bindCustomer('ann', '17')} }`);
  for (const bindings of ['shop.ids.yaml', 'shop.ids.json']) {
    const { tiers, ids, unavailable } = loadBoundWorld(writeFile('bound.yaml', `name: a\nbindings: ${bindings}`));
    expect(ids.customer.get('ann')).toBe('17');
    expect(tiers[1]?.rules[0]).toMatchObject({ any_of: expect.arrayContaining(['17']) });
    expect([...unavailable.values()].some(({ name }) => name === 'ann')).toBe(false);
    expect([...unavailable.values()].some(({ name }) => name === 'ben')).toBe(true);
  }
});

test('Ids are used exactly as written', () => {
  const texts = ['0012', '1e3', '12345678901234567890', '"0x1F"', "'a b'"];
  const names = ['ordinary', 'ann', 'ben', 'cleo', 'bulk'];
  writeFile('exact.ids.yaml', names.map((name, n) => bindCustomer(name, texts[n] ?? '')).join('\n'));
  const { ids } = loadBoundWorld(writeFile('exact.yaml', 'name: a\nbindings: exact.ids.yaml'));
  expect(names.map((name) => ids.customer.get(name))).toEqual(['0012', '1e3', '12345678901234567890', '0x1F', 'a b']);
});

test('Each flaw of a bindings file is reported with line, column and hint', () => {
  const target = writeFile('flawed.yaml', 'name: a\nbindings: flawed.ids.yaml');
  const twice = `${bindCustomer('ann', 'x')}\n${bindCustomer('ben', '▸x')}`;
  const rows: readonly (readonly [what: string, text: string, message: string, hint: RegExp])[] = [
    ['a name', '▸ann: C-1', "invalid name 'ann'", /^The key is an id of the test data, as `conformance world` prints/],
    ['an id twice', twice, "customer 'ben' has the id of customer 'ann'", /^Ids must be unique/],
    [
      'no id',
      bindCustomer('ann', '▸null'),
      `'${worldIds.customer.get('ann')}' must be a text or a whole number`,
      /^The id: one/,
    ],
  ];
  checkEachRow(rows, (_, marked, message, hint) => {
    const { text, places } = parseMarked(marked);
    const file = writeFile('flawed.ids.yaml', text);
    const at = { file: expect.stringContaining(path.basename(file)), ...places[0] };
    const expected = [{ at, message, hint: expect.stringMatching(hint) }];
    expect(listProblems(() => loadBoundWorld(target))).toEqual(expected);
  });
});

test('A secret that is a part of an id or of a header is refused: evidence without it could not be judged again', () => {
  const text = 'name: mine\nheaders: { X-Api-Key: $GATEWAY_KEY }';
  const target = writeFile('target.yaml', text);
  const loadWith = (stated: Environment) => {
    const environment = { ...deployment, GATEWAY_KEY: 'hunter2', ...stated };
    const options = completeRunOptions({ target }, environment);
    return loadRunInputs(options, environment);
  };
  const { customers, tiers } = suite.world;
  for (const word of ['application/json', customers[0]?.id, tiers[0]?.id.slice(0, 12)])
    for (const name of ['CLIENT_APPLICATION_ID', 'CLIENT_TOKEN', 'GATEWAY_KEY']) {
      const problems = listProblems(() => loadWith({ [name]: word }));
      expect(problems, `${name}: ${word}`).toMatchObject([{ at: { setting: name } }]);
      expect(JSON.stringify(problems)).not.toContain(word);
    }
  for (const word of ['application', 'promotions', 'product_id', 'credit-card', 'BROADWAY'])
    loadWith({ CLIENT_TOKEN: word });
});

type RefusalRow = readonly [
  what: string,
  file: string | undefined,
  environment: Environment,
  ...problems: (readonly [at: string, message: string | RegExp])[],
];
const noUrl = ['BASE_URL', /is not a base URL$/] as const;
const hasCredentials = ['BASE_URL', /must not contain credentials$/] as const;
const noId = ['CLIENT_APPLICATION_ID', /^is not set/] as const;
const noToken = ['CLIENT_TOKEN', /^is not set/] as const;
const unreplaced = 'contains a variable that was not replaced';
const invalidToken = ['CLIENT_TOKEN', /cannot be sent in a header/] as const;
const refusals: readonly RefusalRow[] = [
  ['a host', undefined, url('api.example.com'), noUrl],
  ['a host in a file', 'name: a\nbase_url: a.test/api', credentials, ['2:11', /is not a base URL$/]],
  ['no URL', undefined, url('::'), noUrl],
  ['a variable', undefined, url('$SHOP_URL'), ['BASE_URL', unreplaced]],
  ['an unset variable', 'name: a\nbase_url: $SHOP_URL', credentials, ['2:11', /^SHOP_URL is not set/]],
  ['another protocol', undefined, url('ftp://a.test'), noUrl],
  ['a query', undefined, url('https://a.test?x=1'), noUrl],
  ['plain HTTP', undefined, url('http://a.test:81'), ['BASE_URL', /over plain HTTP$/]],
  ['a password in the URL', undefined, url('https://me:hunter2@a.test'), hasCredentials],
  ['a user in the URL', undefined, url('https://hunter2@a.test'), hasCredentials],
  ['a password in an invalid URL', undefined, url('https://me:hunter2@a.test:port'), noUrl],
  ['a token in the URL', undefined, url('https://a.test/THE-token/x'), hasCredentials],
  ['an encoded token in the URL', undefined, url('https://a.test/the%2Dtoken'), hasCredentials],
  ['an unset variable of a file', staging, { STAGING_ID: 'hunter2' }, ['4:52', /^STAGING_TOKEN is not set/]],
  ['no credentials and a bad URL', undefined, { BASE_URL: 'a' }, noUrl, noId, noToken],
  ['a bad URL that overrides a file', staging, { ...stagingEnvironment, BASE_URL: 'a' }, noUrl],
  ['a line break in a token', undefined, { ...deployment, CLIENT_TOKEN: 'the\ntoken' }, invalidToken],
  ['a character beyond Latin-1', undefined, { ...deployment, CLIENT_TOKEN: 'the-tökenЖ' }, invalidToken],
  ['a blank token', undefined, { ...deployment, CLIENT_TOKEN: '   ' }, invalidToken],
  ['a token with dollar signs and accents', undefined, { ...deployment, CLIENT_TOKEN: 'pa$$wörd$1' }],
];
test('Invalid base URLs and credentials are rejected with all problems', () =>
  checkEachRow(refusals, (_, file, environment, ...expected) => {
    const problems = listProblems(() => load(file, environment));
    const found = problems.map(({ at, message }) => [
      'setting' in at ? at.setting : `${at.line}:${at.column}`,
      message,
    ]);
    expect(found).toEqual(
      expected.map(([at, message]) => [at, typeof message === 'string' ? message : expect.stringMatching(message)]),
    );
    expect(problems.every(({ hint }) => hint)).toBe(true);
    expect(JSON.stringify(problems)).not.toContain('hunter2');
  }));

const flaws: readonly (readonly [what: string, text: string, message: string | RegExp, hint?: string])[] = [
  ['no name', '▸base_url: https://a.test', "the file lacks the key 'name'", "Add 'name:'."],
  ['a name that is no folder name', 'name: ▸../elsewhere', /^'\.\.\/elsewhere' does not match/],
  ['an unknown key', 'name: a\n▸base_ulr: https://a.test', "unknown key 'base_ulr'", "Did you mean 'base_url'?"],
  ['a literal secret', 'name: a\ncredentials:\n  application_id: $ID\n  token: ▸hunter2', /^'token' does not match/],
  ['a password in its base URL', 'name: a\nbase_url: ▸https://me:hunter2@a.test', /must not contain credentials$/],
  [
    'a secret header',
    'name: a\nheaders: { AUTHORIZATION: ▸Bearer hunter2 }',
    /^the value of 'AUTHORIZATION' looks like a secret/,
  ],
  ['a partial variable', 'name: a\nheaders: { Authorization: ▸Bearer $KEY }', /contains a variable$/],
  [
    'a credential header',
    'name: a\nheaders: { ▸X-Client-Token: hunter2 }',
    /^the header 'X-Client-Token' is a credential/,
  ],
  ['a header of two lines', 'name: a\nheaders: { Origin: ▸"a\\nb" }', /^'a\nb' does not match/],
  ['a proxy password', 'name: a\nproxy: ▸http://me:hunter2@proxy.test', /^'proxy' does not match/],
  ['an unset variable', 'name: a\nheaders: { Authorization: ▸$GATEWAY_KEY }', /^GATEWAY_KEY is not set/],
  ['a missing CA file', 'name: a\ntls: { ca: ▸none.pem }', "'none.pem' cannot be read: no such file or directory"],
  ['missing bindings', 'name: a\nbindings: ▸none.yaml', "'none.yaml' cannot be read: no such file or directory"],
  ['a pin of an unknown question', 'name: a\npins: { ▸none: empty-list }', "unknown key 'none'"],
  ['a pin of an unknown outcome', 'name: a\npins: { empty-result: ▸none }', "'empty-result' cannot be 'none'"],
];
test('Each flaw of a target file is reported with line, column and hint', () => {
  checkEachRow(flaws, (_, yaml, message, ...[hint]) => {
    const { text, places } = parseMarked(yaml);
    const file = writeFile('target.yaml', text);
    const problems = listProblems(() => {
      loadBoundWorld(file);
      const environment = text.includes('base_url:') ? credentials : deployment;
      const options = completeRunOptions({ target: file }, environment);
      loadRunInputs(options, environment);
    });
    expect(problems).toHaveLength(1);
    const stated = typeof message === 'string' ? message : expect.stringMatching(message);
    expect(problems[0]).toMatchObject({ at: { file, ...places[0] }, message: stated });
    if (hint !== undefined) expect(problems[0]?.hint).toBe(hint);
    expect(JSON.stringify(problems)).not.toContain('hunter2');
  });
});

test('A misspelt option of a config is refused: intrusive cases would run. So is a value of another type', () => {
  expect(() => checkRunOptions({ intrusiv: false })).toThrow("Did you mean 'intrusive'?");
  expect(() => checkRunOptions({ only: 'quantity' })).toThrow("use.conformance: 'only' must be a list");
  checkRunOptions({ intrusive: false, against: 'record.yaml' });
});
