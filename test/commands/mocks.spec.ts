/** "Is my mock still true?": the page docs/mocks-and-records.md, and the files of five tools in examples/mocks. */

import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { referenceCredentials } from '../../reference/deployment/reference-credentials.js';
import { createMock } from '../../src/mock.js';
import { packageRoot } from '../../src/support/package-root.js';
import { credentialVariables, makeProject, makeTestFolder, runConformance, watchProcess } from '../support/cli.js';
import { createReference } from '../support/in-process.js';
import { listen } from '../support/independent-deployment.js';

const examples = path.join(packageRoot, 'examples');
const page = readFileSync(path.join(packageRoot, 'docs', 'mocks-and-records.md'), 'utf8');
const cwd = makeTestFolder();

// biome-ignore lint/suspicious/noExplicitAny: the files of five tools.
type Json = any;

const tools = {
  wiremock: { file: 'mappings/shop.json', names: [] },
  mockoon: { file: 'environment.json', names: [] },
  mockserver: { file: 'expectations.json', names: [] },
  'json-server': { file: 'db.json', names: ['rule 1', 'rule 2', 'rule 3', 'rule 4'] },
  nock: { file: 'definitions.json', names: ['definition 1', 'definition 2', 'definition 3', 'definition 4'] },
} as const;
type Tool = keyof typeof tools;
const labels = ['gold-member', 'two-bags-of-espresso', 'spring-only', 'nothing-for-members-alone'];
const getName = (tool: Tool, n: number) => tools[tool].names[n] ?? labels[n];

const findExample = (tool: Tool) => path.join(examples, 'mocks', tool, tools[tool].file);
const readExample = (tool: Tool): Json => JSON.parse(readFileSync(findExample(tool), 'utf8'));

/** Judges a file as a user does. */
async function judgeFile(tool: string, file: string, ...args: readonly string[]) {
  const script = path.join(examples, 'traffic', 'judge-traffic.mjs');
  const argv = [script, '--from', tool, ...args, path.join(examples, 'small-shop', 'shop.json'), file];
  return await watchProcess(spawn(process.execPath, argv, { cwd })).ended;
}

async function judgeDocument(tool: Tool, document: Json, ...args: readonly string[]) {
  const file = path.join(cwd, `${tool}.json`);
  writeFileSync(file, JSON.stringify(document));
  return await judgeFile(tool, file, ...args);
}

/** Changes the n-th response of a file, whatever the tool: a value, or the text of one, that has a list of promotions. */
function changeResponse(document: Json, n: number, change: (promotions: Json[]) => Json[]): Json {
  let count = -1;
  const walk = (value: Json): Json => {
    if (typeof value === 'string' && value.startsWith('{') && value.includes('"promotions"'))
      return JSON.stringify(walk(JSON.parse(value)));
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(walk);
    if (!Array.isArray(value.promotions))
      return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, walk(member)]));
    count += 1;
    return count === n ? { ...value, promotions: change(value.promotions) } : value;
  };
  const changed = walk(document);
  expect(count).toBe(3);
  return changed;
}

const lies: readonly (readonly [
  lie: string,
  pairs: readonly number[],
  change: (all: Json[]) => Json[],
  finding: RegExp,
])[] = [
  ['a promotion is left out', [0, 1, 2], (all) => all.slice(1), /^Not returned: 'Spring greeting'/],
  [
    'a promotion of other customers is added',
    [0, 1, 3],
    (all) => [...all, { id: 'promo-1', name: 'Winter', object: 'promotion_tier' }],
    /^Returned, but should not be: .*promo-1\b/,
  ],
];

for (const tool of Object.keys(tools) as Tool[]) {
  test(`${tool}: the true pairs pass`, async () => {
    const { status, output } = await judgeFile(tool, findExample(tool));
    expect(status, output).toBe(0);
    expect(output).toMatch(/^4 exchanges, 4 of them with the operation.*:\n3 × pass\n1 × open: .*\n/);
    expect(output).not.toContain('Not judged');
  });

  test(`${tool}: a planted lie is found, and its pair is named`, async () => {
    for (const [lie, pairs, change, finding] of lies) {
      const n = pairs[Object.keys(tools).indexOf(tool) % pairs.length] as number;
      const { status, output } = await judgeDocument(tool, changeResponse(readExample(tool), n, change));
      const [first = '', second = ''] = output.split('\n');
      expect([status, first.split(': ')[0]], `${lie}\n${output}`).toEqual([1, getName(tool, n)]);
      expect(first.slice(first.indexOf(': ') + 2)).toMatch(finding);
      expect(second).toContain('4 exchanges');
    }
  });
}

/** The body of the first pair, with empty members. */
const goldBody =
  '{"customer":{"id":"C-1008"},"order":{"items":[{"product_id":"kettle","quantity":1}],"metadata":{}},"options":{},"metadata":{"member":"gold"}}';

/** What the readers make of other forms of the first pair: why it is not read, or what differs from the pair of the example. */
const forms: readonly (readonly [Tool, form: string, change: (document: Json) => Json, expected: RegExp | object])[] = [
  ['wiremock', 'one mapping', ({ mappings: [first] }) => first, {}],
  [
    'wiremock',
    'JSON as a text',
    (all) => withFirst(all, { bodyPatterns: [{ equalToJson: goldBody }] }),
    { body: goldBody },
  ],
  ['wiremock', 'a text', (all) => withFirst(all, { bodyPatterns: [{ equalTo: goldBody }] }), { body: goldBody }],
  ['wiremock', 'any method', (all) => withFirst(all, { method: 'ANY' }), {}],
  ['wiremock', 'a URL with a query', (all) => withFirst(all, { url: '/a?b=c', urlPath: undefined }), { url: '/a?b=c' }],
  ['wiremock', 'a header', (all) => withFirst(all, { headers: { A: { equalTo: 'b' } } }), { headers: [['A', 'b']] }],
  ['wiremock', 'a URL pattern', (all) => withFirst(all, { urlPath: undefined, urlPathPattern: '/v1/.*' }), /its URL/],
  ['wiremock', 'a JSON path', (all) => withFirst(all, { bodyPatterns: [{ matchesJsonPath: '$.a' }] }), /its body/],
  [
    'wiremock',
    'a placeholder',
    (all) => withFirst(all, { bodyPatterns: [{ equalToJson: '{"a":"\u0024{json-unit.any-string}"}' }] }),
    /placeholders/,
  ],
  [
    'wiremock',
    'a query pattern',
    (all) => withFirst(all, { queryParameters: { a: { matches: '.*' } } }),
    /a parameter/,
  ],
  [
    'wiremock',
    'an absent header',
    (all) => withFirst(all, { headers: { A: { absent: true } } }),
    /a header must be absent/,
  ],
  ['wiremock', 'no body', (all) => withFirst(all, { bodyPatterns: undefined }), { body: undefined }],
  ['wiremock', 'a template', (all) => withMapping(all, { transformers: ['response-template'] }), /template/],
  ['wiremock', 'a proxy', (all) => withMapping(all, { proxyBaseUrl: 'http://shop.test' }), /not in the file/],
  ['wiremock', 'another status', (all) => withMapping(all, { status: 422 }), { status: 422 }],
  ['mockserver', 'one expectation', ([first]) => first, {}],
  [
    'mockserver',
    'the short form of JSON',
    (all) => withHttpRequest(all, { body: JSON.parse(goldBody) }),
    { body: goldBody },
  ],
  ['mockserver', 'a text', (all) => withHttpRequest(all, { body: goldBody }), { body: goldBody, isPartial: false }],
  [
    'mockserver',
    'a typed text',
    (all) => withHttpRequest(all, { body: { type: 'STRING', string: goldBody } }),
    { body: goldBody, isPartial: false },
  ],
  [
    'mockserver',
    'names in a list',
    (all) => withHttpRequest(all, { headers: [{ name: 'A', values: ['b', 'c'] }] }),
    {
      headers: [
        ['A', 'b'],
        ['A', 'c'],
      ],
    },
  ],
  ['mockserver', 'any method', (all) => withHttpRequest(all, { method: '' }), {}],
  ['mockserver', 'a path pattern', (all) => withHttpRequest(all, { path: '/v1/.*' }), /its URL/],
  ['mockserver', 'another method', (all) => withHttpRequest(all, { method: '!GET' }), /its URL/],
  [
    'mockserver',
    'a query pattern',
    (all) => withHttpRequest(all, { queryStringParameters: { a: ['.*'] } }),
    /a parameter/,
  ],
  [
    'mockserver',
    'a placeholder',
    (all) => withHttpRequest(all, { body: { json: { a: '\u0024{json-unit.any-string}' } } }),
    /placeholders/,
  ],
  ['mockserver', 'a schema', (all) => withHttpRequest(all, { body: { type: 'JSON_SCHEMA' } }), /its body/],
  [
    'mockserver',
    'a forward',
    ([first, ...others]) => [{ ...first, httpResponse: undefined }, ...others],
    /its response/,
  ],
  ['mockoon', 'a prefix', (all) => ({ ...all, endpointPrefix: 'api/' }), { url: '/api/v1/promotions/validation' }],
  [
    'mockoon',
    'a whole body',
    (all) => withRule(all, { modifier: '', value: goldBody }),
    { body: goldBody, isPartial: false },
  ],
  [
    'mockoon',
    'a header',
    (all) => withRule(all, { target: 'header', modifier: 'A', value: 'b' }),
    { headers: [['A', 'b']], body: undefined },
  ],
  [
    'mockoon',
    'a list',
    (all) => withRule(all, { modifier: 'order.metadata.a\\.b', value: 'c' }),
    { body: '{"order":{"items":[],"metadata":{"a.b":["c"]}},"options":{},"metadata":{}}' },
  ],
  ['mockoon', 'a regular expression', (all) => withRule(all, { operator: 'regex' }), /a rule is no/],
  ['mockoon', 'an inverted rule', (all) => withRule(all, { invert: true }), /a rule is no/],
  ['mockoon', 'a JSON path', (all) => withRule(all, { modifier: '$.customer.id' }), /a rule is no/],
  ['mockoon', 'one rule of several', (all) => withResponse(all, { rulesOperator: 'OR' }), /one of its rules/],
  ['mockoon', 'a template', (all) => withResponse(all, { body: '{{now}}' }), /template/],
  ['mockoon', 'a file', (all) => withResponse(all, { bodyType: 'FILE' }), /not in the file/],
  [
    'mockoon',
    'a response at random',
    ({ routes: [route], ...all }) => ({ ...all, routes: [{ ...route, responseMode: 'RANDOM' }] }),
    /RANDOM/,
  ],
  ['mockoon', 'no rule', (all) => withResponse(all, { rules: [] }), { body: undefined }],
  [
    'json-server',
    'a missing record',
    (all) => ({ ...all, validations: all.validations.slice(1) }),
    /no validation 'gold-member'/,
  ],
  ['nock', 'a body as a text', ([first]) => [{ ...first, body: goldBody }], { body: goldBody }],
  ['nock', 'the headers of nock 14', ([first]) => [{ ...first, rawHeaders: { A: 'b' } }], { received: [['A', 'b']] }],
  // A browser sends none, and the recorder of nock 14 leaves it out.
  ['nock', 'no body', ([first]) => [{ ...first, body: '' }], { body: undefined }],
  ['nock', 'any body', ([first]) => [{ ...first, body: '*' }], /its body/],
  ['nock', 'a binary response', ([first]) => [{ ...first, response: ['1f8b'] }], /binary/],
];

for (const tool of Object.keys(tools) as Tool[])
  test(`${tool}: other forms of a file are read, or the reason is named`, async () => {
    const { readPairs } = await import(path.join(examples, 'mocks', tool, 'read-pairs.mjs'));
    const read = (document: Json) => {
      const [{ request = {}, response = {}, isPartial = false, unread }] = readPairs(document, findExample(tool));
      return { ...request, body: request.body, status: response.status, received: response.headers, isPartial, unread };
    };
    const plain = read(readExample(tool));
    expect(plain.unread).toBeUndefined();
    for (const [, form, change, expected] of forms.filter(([of]) => of === tool)) {
      const found = read(change(readExample(tool)));
      if (expected instanceof RegExp) expect(found.unread, form).toMatch(expected);
      else expect({ ...found, isPartial: undefined }, form).toEqual({ ...plain, ...expected, isPartial: undefined });
      if ('isPartial' in expected) expect(found.isPartial, form).toBe(expected.isPartial);
    }
  });

test('What is not read, what has no body and what stands for other requests is listed', async () => {
  const [first, second, third, last] = readExample('mockserver');
  const { body: _, ...httpRequest } = third.httpRequest;
  const forward = { ...second, httpResponse: undefined };
  const { status, output } = await judgeDocument('mockserver', [first, forward, { ...third, httpRequest }, last]);
  expect([status, output.split('\n')]).toEqual([
    0,
    [
      '4 exchanges, 3 of them with the operation:',
      '1 × pass',
      "1 × undocumented: The request is not documented: the request (body) must have required property 'body'.",
      '1 × open: It shows nothing: no promotion must be returned.',
      expect.stringMatching(/^Undocumented: if callers spell requests otherwise, .*--transport/),
      'Not judged: two-bags-of-espresso, since its response is not in the file.',
      'They answer other requests, too. Judged for one of them: gold-member.',
      '',
    ],
  ]);
});

function withRequest(mapping: Json, request: object): Json {
  return { ...mapping, request: { ...mapping.request, ...request } };
}
function withFirst({ mappings: [first, ...others] }: Json, request: object): Json {
  return { mappings: [withRequest(first, request), ...others] };
}
function withMapping({ mappings: [first, ...others] }: Json, response: object): Json {
  return { mappings: [{ ...first, response: { ...first.response, ...response } }, ...others] };
}
function withHttpRequest([first, ...others]: Json, request: object): Json {
  return [{ ...first, httpRequest: { ...first.httpRequest, ...request } }, ...others];
}
function withResponse(environment: Json, changes: object): Json {
  const [{ responses, ...route }] = environment.routes;
  const [first, ...others] = responses;
  return { ...environment, routes: [{ ...route, responses: [{ ...first, ...changes }, ...others] }] };
}
function withRule(environment: Json, changes: object): Json {
  const [first] = environment.routes[0].responses[0].rules;
  return withResponse(environment, { rules: [{ ...first, ...changes }] });
}

test('A body of WireMock may be in a file, and a folder has a mapping in each file', async () => {
  const [mappings, files] = ['mappings', '__files'].map((name) => path.join(cwd, 'root', name));
  for (const folder of [mappings, files]) mkdirSync(folder as string, { recursive: true });
  for (const [n, mapping] of readExample('wiremock').mappings.entries()) {
    const { jsonBody, ...response } = mapping.response;
    writeFileSync(path.join(files as string, `${n}.json`), JSON.stringify(jsonBody));
    const changed = { ...mapping, response: { ...response, bodyFileName: `${n}.json` } };
    writeFileSync(path.join(mappings as string, `${n}.json`), JSON.stringify(changed));
  }
  const { status, output } = await judgeFile('wiremock', mappings as string);
  expect([status, output]).toEqual([
    0,
    expect.stringContaining('4 exchanges, 4 of them with the operation:\n3 × pass\n'),
  ]);
});

test('The rule of json-server gives each request its validation, and no other request', () => {
  const here = process.cwd();
  process.chdir(path.dirname(findExample('json-server')));
  const rule = createRequire(import.meta.url)(path.join(examples, 'mocks', 'json-server', 'rule.cjs'));
  process.chdir(here);
  const route = (url: string, body: unknown) => {
    const request = { url, body };
    let calls = 0;
    rule(request, {}, () => (calls += 1));
    expect(calls).toBe(1);
    return request.url;
  };
  const { rules } = readExample('json-server');
  for (const { query = {}, body, validation } of rules) {
    const parameters = new URLSearchParams(query).toString();
    const url = `/v1/promotions/validation${parameters === '' ? '' : `?${parameters}`}`;
    expect(route(url, body)).toBe(`/validations/${validation}`);
    for (const [otherUrl, otherBody] of [
      [`${url}${parameters === '' ? '?' : '&'}a=b`, body],
      [url, { ...body, customer: { id: 'C-1' } }],
      [url.replace('validation', 'tiers'), body],
    ] as const)
      expect(route(otherUrl, otherBody)).toBe(otherUrl);
  }
});

test('An unknown tool, and a transport that restores nothing, are named', async () => {
  const unknown = await judgeFile('postman', findExample('nock'));
  expect([unknown.status, unknown.output]).toEqual([2, expect.stringContaining("Unknown format 'postman'")]);
  const transport = path.join(examples, 'voucherify', 'qualifications', 'transport.mjs');
  const useless = await judgeFile('nock', findExample('nock'), '--transport', transport);
  expect([useless.status, useless.output]).toEqual([2, expect.stringContaining('does not export restoreRequest')]);
  const missing = await judgeFile('nock', 'nothing.json');
  expect([missing.status, missing.output]).toEqual([
    2,
    expect.stringContaining('nothing.json: there is no such file.'),
  ]);
  const other = await judgeFile('nock', findExample('mockoon'));
  expect([other.status, other.output]).toEqual([2, expect.stringContaining('cannot be read as nock')]);
  expect(other.output).toContain('It seems to be an environment of Mockoon: use --from mockoon.');
  const misspelled = await judgeFile('nock', findExample('nock'), '--transprot', transport);
  expect([misspelled.status, misspelled.output]).toEqual([2, expect.stringContaining('--transprot')]);
});

test('Pairs of callers in browsers are judged through a transport', async () => {
  const mock = createMock({ data: path.join(examples, 'small-shop', 'shop.json') });
  const transport = path.join(examples, 'voucherify', 'spellings', 'query.mjs');
  const { restoreRequest } = await import(transport);
  const spelled =
    '/client/v1/promotions/validation?customer%5Bid%5D=C-1008&item%5B0%5D%5Bproduct_id%5D=kettle&item%5B0%5D%5Bquantity%5D=1';
  const documented = restoreRequest({ method: 'GET', path: spelled, headers: [] });
  const { applicationId, token } = referenceCredentials;
  const headers = [...documented.headers, ['X-Client-Application-Id', applicationId], ['X-Client-Token', token]];
  const response = JSON.parse(mock({ ...documented, headers }).body);
  const definition = { scope: 'https://shop.test:443', method: 'GET', path: spelled, body: '', status: 200, response };
  const right = await judgeDocument('nock', [definition], '--transport', transport);
  expect([right.status, right.output]).toEqual([0, expect.stringContaining('\n1 × pass\nThrough a transport, ')]);
  const lie = { ...definition, response: { ...response, promotions: response.promotions.slice(1) } };
  const wrong = await judgeDocument('nock', [lie], '--transport', transport);
  expect([wrong.status, wrong.output]).toEqual([1, expect.stringMatching(/^definition 1: Not returned: /)]);
});

test('The commands of the page end with 0, and its example of a lie is what the command prints', async () => {
  const [block = ''] = /cd node_modules\/promotion-validation-conformance\/examples\n(?:node .*\n)+/.exec(page) ?? [];
  expect(block.trim().split('\n')).toHaveLength(1 + Object.keys(tools).length);
  const project = makeProject();
  const child = spawn('sh', ['-e'], { cwd: project, env: { PATH: process.env.PATH } });
  child.stdin.end(block);
  const { status, output } = await watchProcess(child).ended;
  expect(status, output).toBe(0);
  const [shown = '', wrong = ''] = [...page.matchAll(/```text\n([\s\S]*?)```/g)].map(([, text = '']) => text);
  expect(output.startsWith(shown), output).toBe(true);
  const lying = changeResponse(readExample('wiremock'), 1, (all) =>
    all.map((promotion) => (promotion.id === 'promo-37' ? { ...promotion, id: 'promo-36' } : promotion)),
  );
  const found = await judgeDocument('wiremock', lying);
  expect(found.status).toBe(1);
  expect(found.output).toContain(wrong.split(' …')[0]);
});

test('A mock with the test data is compared with the record of the live deployment', { tag: '@long' }, async () => {
  const behaviours = { 'filter-unknown-campaign': 'not-found', 'quantity-numeric-string': 'rejected' } as const;
  const live = { credentials: referenceCredentials, behaviours };
  const servers = await Promise.all(
    [live, live, { credentials: referenceCredentials }, { ...live, faults: ['quantity-ignored'] }].map((options) =>
      listen(createReference(options)),
    ),
  );
  const project = makeProject();
  for (const folder of ['targets', 'records']) mkdirSync(path.join(project, folder));
  const [record = '', certify = ''] = (/^npx conformance record .*\n.*$/m.exec(page)?.[0] ?? '')
    .split('\n')
    .map((line) => line.replace('npx conformance ', ''));
  const run = async (command: string, name: string, n: number) => {
    writeFileSync(path.join(project, 'targets', `${name}.yaml`), `name: ${name}\nbase_url: ${servers[n]?.url}\n`);
    return await runConformance(command.split(' '), { cwd: project, env: credentialVariables });
  };
  expect((await run(record, 'live', 0)).status).toBe(0);
  const statuses = [];
  for (const n of [1, 2, 3]) statuses.push((await run(certify, 'mock', n)).status);
  expect(statuses).toEqual([0, 3, 1]);
  // The mock that is made from the record needs no live deployment.
  const mock = await listen(createMock({ record: path.join(project, 'records', 'live.yaml') }));
  servers.push(mock);
  expect((await run(certify, 'mock', servers.length - 1)).status).toBe(0);
  await Promise.all(servers.map((server) => server.close()));
});
