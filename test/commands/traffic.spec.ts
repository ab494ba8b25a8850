/** Exchanges of real callers: `judge` of the API, and the example that reads them from an HTTP Archive. */

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { Behaviours } from '../../reference/deployment/behaviours.js';
import { judge } from '../../src/api.js';
import type { RequestPatch } from '../../src/cases/request-draft.js';
import { spellFiltersLiterally } from '../../src/contract/operation.js';
import { pickWorldLists } from '../../src/contract/world.js';
import type { HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import type { ResponseReadingSettings } from '../../src/recognition/sibling-values.js';
import { listRequestsOfCase } from '../../src/run/case-sender.js';
import { loadSuite, packageCasesFolder } from '../../src/suite/suite.js';
import { packageRoot } from '../../src/support/package-root.js';
import type { Answer } from '../../tools/proof/judge-deployment.js';
import { makeTestFolder, runConformanceInProcess, watchProcess } from '../support/cli.js';
import { createReference, suite } from '../support/in-process.js';
import { createIndependentDeployment } from '../support/independent-deployment.js';
import { createData } from '../support/own-data.js';
import { createPatchedRequest } from '../support/patched-request.js';

const folder = makeTestFolder();
const data = path.join(folder, 'shop.json');
writeFileSync(data, JSON.stringify(pickWorldLists(suite.world)));

const secrets = { $CLIENT_TOKEN: 'token-of-a-shop-0815', $CLIENT_APPLICATION_ID: 'application-of-a-shop' };
const base = 'https://shop.test/api';

const order = (...items: readonly object[]): RequestPatch => ({ body: { order: { items } } });
const customers = ['ann', 'ben', 'bulk'].map(
  (name): RequestPatch => ({ body: { customer: { id: `<customer ${name}>` } } }),
);
const others: readonly (readonly RequestPatch[])[] = [
  [],
  [{ without: ['body.options', 'body.order.metadata'] }],
  [order({ product_id: '<product mug>', quantity: 3 }, { sku_id: '<sku shirt-blue>', quantity: 2 })],
  [order({ product_id: '<product mug>', quantity: 1 }, { product_id: '<product mug>', quantity: 3 })],
  [{ body: { metadata: { store_name: 'Broadway' } } }],
  [{ body: { options: { expand: ['category'] } } }],
  [{ body: { order: { metadata: { payment_mean: ['credit-card'] } } } }],
  [{ query: { audienceRulesOnly: 'true' } }],
  [{ filter: { campaign: 'spring' }, without: ['body.metadata'] }],
  [{ filter: { 'metadata.has_budget': 'true' } }],
];
const requests = customers.flatMap((customer) =>
  others.map((patches) => createPatchedRequest(suite.world, customer, ...patches)),
);

/** Judges what a deployment answers. @returns the verdicts with their counts, and the reasons of failures */
function judgeAnswers(answer: Answer, sent: readonly HttpRequest[] = requests, file = data) {
  const exchanges = sent.map((request) => ({ request, response: answer(request) }));
  const judgements = judge(exchanges, { data: file });
  const count = (wanted: string) => judgements.filter(({ verdict }) => verdict === wanted).length;
  const failures = judgements.flatMap(({ verdict, reason }) => (verdict === 'fail' ? reason : []));
  return { judgements, failures, pass: count('pass'), open: count('open'), inconclusive: count('inconclusive') };
}

test('Most exchanges with a deployment that conforms agree with the documentation', () => {
  expect(judgeAnswers(createReference())).toMatchObject({ failures: [], pass: 27, open: 3, inconclusive: 0 });
});

test('A fault is found, with its reason', () => {
  const rows = [
    ['customer-ignored', /^Returned, but should not be: 'for-/],
    ['expand-refused', /^Answered 400, expected 2xx\.$/],
    ['quantity-ignored', /asks for 10 of product \w+, and the order has 3/],
  ] as const;
  for (const [fault, reason] of rows)
    expect(judgeAnswers(createReference({ faults: [fault] })).failures, fault).toContainEqual(
      expect.stringMatching(reason),
    );
});

test('Answers to open questions never fail', () => {
  const rows: readonly Behaviours[] = [
    { 'omitted-options': 'nothing-returned', 'omitted-metadata': 'metadata-rules-pass' },
    { 'omitted-options': 'rejected', 'omitted-order-metadata': 'server-error' },
    { 'audience-rules-only-effect': 'nothing-returned', 'empty-result': 'not-found' },
    { 'filter-percent-encoded': 'ignored', 'filter-beyond-window': 'filter-first' },
    { 'filter-literal-brackets': 'rejected' },
  ];
  const all = [...requests, ...requests.map(spellFiltersLiterally)];
  for (const behaviours of rows) {
    const { failures, pass } = judgeAnswers(createReference({ behaviours }), all);
    expect([failures, pass > 0], JSON.stringify(behaviours)).toEqual([[], true]);
  }
  expect(judgeAnswers(createIndependentDeployment(suite.world, { shape: 'in-urls' })).failures).toEqual([]);
});

test('A filter that is ignored in both spellings is a failure', () => {
  const reference = createReference();
  const unfiltered: Answer = (request) => reference({ ...request, path: request.path.replace(/\?.*/, '') });
  const { failures, inconclusive } = judgeAnswers(unfiltered);
  expect([failures, inconclusive]).toEqual([[], 6]);
  const all = [...requests, ...requests.map(spellFiltersLiterally)];
  expect(judgeAnswers(unfiltered, all)).toMatchObject({ failures: { length: 12 }, inconclusive: 0 });
});

test('Refused credentials, a redirect, a busy deployment and data that nobody names prove nothing', () => {
  const reference = createReference();
  const rows = [
    [{ status: 401 }, 'the credentials are probably wrong'],
    [{ status: 302, headers: [['Location', '/login']] }, 'Redirected (302) to /login'],
    [{ status: 503 }, 'is not available'],
    [{ status: 500 }, 'no response to these credentials names a promotion of the data file'],
    [{ body: '{}' }, 'no response to these credentials names a promotion of the data file'],
  ] as const;
  for (const [changes, reason] of rows) {
    const { failures, judgements } = judgeAnswers((request) => ({ ...reference(request), ...changes }));
    expect(failures, reason).toEqual([]);
    expect(judgements[0]).toEqual({ verdict: 'inconclusive', reason: expect.stringContaining(reason) });
  }
});

test('The option states where responses name promotions', () => {
  const answer = createIndependentDeployment(suite.world, { shape: 'with-rejected' });
  const exchanges = requests.map((request) => ({ request, response: answer(request) }));
  const listVerdicts = (response: ResponseReadingSettings) =>
    new Set(judge(exchanges, { data, response }).map(({ verdict }) => verdict));
  // One path alone agrees with the documentation.
  expect(listVerdicts({})).toEqual(new Set(['pass', 'open']));
  expect(listVerdicts({ tier: '/skipped/*/id' })).toContain('fail');
  expect(listVerdicts({ tier: '/promotions/*/id' })).toEqual(new Set(['pass', 'open']));
});

/** Creates the entry of an archive as a gateway writes it. */
function createEntry(request: HttpRequest, { status, headers, body }: HttpResponse, content: object = { text: body }) {
  const lines = (list: HttpRequest['headers']) =>
    list.map(([name, value]) => ({ name: name.toLowerCase(), value: secrets[value as keyof typeof secrets] ?? value }));
  return {
    request: {
      method: request.method,
      url: base + request.path,
      headers: [...lines(request.headers), { name: 'Cookie', value: 'session=private-value' }],
      ...(request.body === undefined ? {} : { postData: { mimeType: 'application/json', text: request.body } }),
    },
    response: { status, headers: lines(headers), content: { size: Buffer.byteLength(body), ...content } },
  };
}

/** Runs the example as a user does. */
async function runExample(entries: readonly object[], ...args: readonly string[]) {
  const log = { version: '1.2', entries };
  writeFileSync(path.join(folder, 'traffic.har'), JSON.stringify({ log }));
  const example = path.join(packageRoot, 'examples', 'traffic', 'judge-traffic.mjs');
  const child = spawn(process.execPath, [example, 'shop.json', 'traffic.har', ...args], { cwd: folder });
  return await watchProcess(child).ended;
}

test('The example counts what agrees, what shows nothing and what is not documented, and shows nothing private', async () => {
  const reference = createReference();
  const [request] = requests as [HttpRequest];
  const response = reference(request);
  const { body } = response;
  const echo = { ...response, body: body.replace('{', `{"you":"${secrets.$CLIENT_TOKEN}",`) };
  const { status, output } = await runExample([
    ...requests.map((sent) => createEntry(sent, reference(sent))),
    createEntry(request, echo),
    createEntry(request, response, { text: Buffer.from(body).toString('base64'), encoding: 'base64' }),
    createEntry(request, response, {}),
    createEntry(request, { ...response, status: 0 }),
    createEntry({ ...request, method: 'OPTIONS' }, response),
    ...['b', 'c'].map((value) => createEntry({ ...request, path: `${request.path}?a=${value}` }, response)),
    createEntry({ ...request, path: `${request.path}?${secrets.$CLIENT_TOKEN}=1` }, response),
    { request: { method: 'GET', url: 'https://shop.test/logo.png', headers: [] }, response: {} },
  ]);
  expect(status, output).toBe(0);
  expect(output).toContain('39 exchanges, 38 of them with the operation of https://shop.test/api:');
  expect(output).toContain('29 × pass\n');
  expect(output).toContain('3 × open: It shows nothing: the effect of audienceRulesOnly is open.');
  expect(output).toMatch(/2 × undocumented: .*\/query \(a\)/);
  expect(output).toMatch(/1 × undocumented: .*\/method/);
  expect(output).toContain('2 × no response, or no body of it');
  expect(output).not.toMatch(/private-value|token-of-a-shop|application-of-a-shop/);
});

test('The example names the entries that violate the documentation, and ends with 1', async () => {
  const wrong = createReference({ faults: ['customer-ignored'] });
  const { status, output } = await runExample(requests.map((sent) => createEntry(sent, wrong(sent))));
  const { judgements } = judgeAnswers(wrong);
  expect([judgements[0]?.verdict, status]).toEqual(['fail', 1]);
  expect(output.split('\n')).toContain(`entry 1: ${judgements[0]?.reason}`);
});

test('An archive of several deployments needs an address, and no archive of callers can be replayed', async () => {
  const [request] = requests as [HttpRequest];
  const entry = createEntry(request, createReference()(request));
  const elsewhere = { ...entry, request: { ...entry.request, url: entry.request.url.replace('shop', 'pub') } };
  const { status, output } = await runExample([entry, elsewhere]);
  expect([status, output]).toEqual([2, expect.stringContaining('has: https://shop.test/api, https://pub.test/api.')]);
  expect((await runExample([entry, elsewhere], '--base-url', 'https://pub.test/api/')).output).toContain('1 × pass');
  const replay = await runConformanceInProcess(['certify', '--replay', 'traffic.har'], { cwd: folder });
  expect([replay.status, replay.output]).toEqual([2, expect.stringContaining('examples/traffic/judge-traffic.mjs')]);
});

test('Exchanges are judged by the data of any deployment', () => {
  const world = createData('small');
  const file = path.join(folder, 'small.json');
  writeFileSync(file, JSON.stringify(world));
  const { cases } = loadSuite(packageCasesFolder, { data: { file } });
  const sent = cases.filter(({ kind }) => kind === 'requirement').flatMap(listRequestsOfCase);
  const right = judgeAnswers(createIndependentDeployment(world), sent, file);
  expect(right).toMatchObject({ failures: [], inconclusive: 0 });
  expect(right.pass).toBeGreaterThan(sent.length / 2);
  const outdated = createIndependentDeployment({ ...world, tiers: world.tiers.slice(1) });
  expect(judgeAnswers(outdated, sent, file).failures).toContainEqual(
    expect.stringContaining('Or the data file is out of date for this tier'),
  );
});

/** Runs the example with these arguments alone. */
async function runTraffic(...args: readonly string[]) {
  const example = path.join(packageRoot, 'examples', 'traffic', 'judge-traffic.mjs');
  return await watchProcess(spawn(process.execPath, [example, ...args], { cwd: folder })).ended;
}

const mocks = path.join(packageRoot, 'examples', 'mocks');
const filesOfMocks = {
  wiremock: path.join(mocks, 'wiremock', 'mappings'),
  mockoon: path.join(mocks, 'mockoon', 'environment.json'),
  mockserver: path.join(mocks, 'mockserver', 'expectations.json'),
  'json-server': path.join(mocks, 'json-server', 'db.json'),
  nock: path.join(mocks, 'nock', 'definitions.json'),
};
/** What V8 and Node.js say, which is about the example and not about the file. */
const rawError = /Cannot read|Cannot destructure|is not a function|not iterable|undefined|ERR_|^ {4}at /m;

test('The example says of each wrong file what was expected, which forms there are, and what to do', async () => {
  const write = (name: string, content: unknown) => {
    writeFileSync(path.join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
    return name;
  };
  const [request] = requests as [HttpRequest];
  const har = write('one.har', { log: { entries: [createEntry(request, createReference()(request))] } });
  const aborted = write('aborted.har', { log: { entries: [{ request: { method: 'GET', url: 'https://a.test/' } }] } });
  const takes = '--from takes har, wiremock, mockoon, mockserver, json-server, nock';
  const rows: readonly (readonly [args: readonly string[], ...texts: string[]])[] = [
    ...Object.entries(filesOfMocks).map(
      ([form, file]) =>
        [['shop.json', file], 'as har', "'log.entries'", `use --from ${form}.`, `${takes}; without it`] as const,
    ),
    ...Object.keys(filesOfMocks).map(
      (form) =>
        [['--from', form, 'shop.json', har], `as ${form}`, 'an HTTP Archive (HAR): use --from har.', takes] as const,
    ),
    ...Object.keys(filesOfMocks).map(
      (form) =>
        [['--from', form, har, 'shop.json'], 'one.har: is no data file', 'The data file comes first: '] as const,
    ),
    [['shop.json', 'shop.json'], 'It is a data file, which comes before', takes],
    [['shop.json', write('empty.json', {})], 'that has a list', takes],
    [['shop.json', write('null.json', 'null')], 'that has a list', takes],
    [['shop.json', write('recorder.json', "nock('https://private-value.test')")], 'is not JSON', takes],
    [
      ['--from', 'mockoon', 'shop.json', write('routes.json', { routes: [{ responses: [{}] }] })],
      'a part of it is not as in an environment of Mockoon',
    ],
    [['.', har], 'is a folder, and no data file', 'The data file comes first'],
    [['none.json', har], 'none.json: there is no such file', 'The data file comes first'],
    [['shop.json'], 'Name the data file, then the files with traffic: node judge-traffic.mjs shop.json traffic.har'],
    [[], 'Name the data file, then the files with traffic'],
    [[write('no-data.json', { tiers: 1 }), har], 'no-data.json:1:1'],
    [
      ['shop.json', aborted],
      'none of 1 exchanges is with the operation: no URL ends in /v1/promotions/validation',
      '--transport',
    ],
    [['--from', 'toString', 'shop.json', har], "Unknown format 'toString'. The formats are: har, "],
    [
      ['--transport', write('missing.mjs', "import 'no-such-package';"), 'shop.json', har],
      'npm install no-such-package',
    ],
    [['--form', 'nock', 'shop.json', har], "'--form'", '--help explains the options'],
  ];
  for (const [args, ...texts] of rows) {
    const { status, output } = await runTraffic(...args);
    expect([args, status], output).toEqual([args, 2]);
    for (const text of texts) expect(output, args.join(' ')).toContain(text);
    expect(output, args.join(' ')).not.toMatch(rawError);
    expect(output).not.toContain('private-value');
  }
});

test('The example explains its options, and counts one exchange as one', async () => {
  const help = await runTraffic('--help');
  expect(help.status, help.output).toBe(0);
  for (const option of ['--from', '--base-url', '--tier', '--transport', '--ignore'])
    expect(help.output).toContain(`  ${option} `);
  expect(help.output).not.toMatch(/^\/\/|import/m);
  const [request] = requests as [HttpRequest];
  const response = createReference()(request);
  const { status, output } = await runExample([createEntry(request, response)]);
  expect([status, output]).toEqual([0, expect.stringContaining('1 exchange, 1 of them with the operation')]);
  expect(output).not.toContain('--transport');
  // The method is said in plain words, and what turns such requests back.
  const posted = await runExample([createEntry({ ...request, method: 'POST' }, response)]);
  expect(posted.output).toContain('/method must be "GET"');
  expect(posted.output).toContain(
    'such as with POST, name a module that turns them back (--transport, docs/transports.md)',
  );
});
