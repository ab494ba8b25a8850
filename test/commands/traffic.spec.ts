/** Exchanges of real callers, from an HTTP Archive of a browser, a proxy or a gateway. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { Behaviours } from '../../reference/behaviours.js';
import { findFault } from '../../reference/faults/index.js';
import type { RequestPatch } from '../../src/cases/request-draft.js';
import { spellFiltersLiterally } from '../../src/contract/operation.js';
import type { HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import type { Answer } from '../../tools/proof/judge-deployment.js';
import { loadCertificate, makeTestFolder, runConformanceInProcess } from '../support/cli.js';
import { createReference, listRequirementsWith, suite } from '../support/in-process.js';
import { createIndependentDeployment } from '../support/independent-deployment.js';
import { createPatchedRequest } from '../support/patched-request.js';

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

interface Line {
  readonly name: string;
  readonly value: string;
}

/** Creates the entry of an archive as a gateway writes it. */
function createEntry(request: HttpRequest, { status, headers, body }: HttpResponse, content: object = { text: body }) {
  const lines = (list: HttpRequest['headers']): Line[] =>
    list.map(([name, value]) => ({ name, value: secrets[value as keyof typeof secrets] ?? value }));
  const extra = [
    { name: 'host', value: 'shop.test' },
    { name: 'Cookie', value: 'session=private-value' },
  ];
  return {
    startedDateTime: '2026-05-01T12:00:00.000Z',
    time: 12,
    request: {
      method: request.method,
      url: base + request.path,
      headers: [...lines(request.headers), ...extra],
      ...(request.body === undefined ? {} : { postData: { mimeType: 'application/json', text: request.body } }),
    },
    response: { status, headers: lines(headers), content: { size: Buffer.byteLength(body), ...content } },
  };
}

function writeArchive(entries: readonly object[]): string {
  const folder = makeTestFolder();
  const log = { version: '1.2', creator: { name: 'a gateway', version: '1' }, entries };
  writeFileSync(path.join(folder, 'traffic.har'), JSON.stringify({ log }));
  return folder;
}

async function certify(answer: Answer, sent: readonly HttpRequest[] = requests) {
  const cwd = writeArchive(sent.map((request) => createEntry(request, answer(request))));
  const run = await runConformanceInProcess(['certify', '--replay', 'traffic.har'], { cwd });
  return { ...run, cwd, certificate: loadCertificate(cwd, 'results/shop.test') };
}

test('Traffic of a deployment that conforms is judged, and nothing is sent', async () => {
  const { status, output, cwd, certificate } = await certify(createReference());
  expect([status, certificate.verdict]).toEqual([0, 'conforms']);
  expect(output).toContain(`traffic.har has ${requests.length} requests to the operation, and 0 others.`);
  expect(output).toContain('3 × the effect of audienceRulesOnly is open');
  const again = await runConformanceInProcess(['verify', 'results/shop.test'], { cwd });
  expect(again.output).toContain('AGREES');
});

test('A fault is found, with the requirement that it breaks', async () => {
  for (const id of ['customer-ignored', 'expand-refused']) {
    const { status, certificate, cwd } = await certify(createReference({ faults: [id] }));
    expect(listRequirementsWith('fail', certificate), id).toContain(findFault(id).breaks);
    expect(status).toBe(1);
    if (id !== 'customer-ignored') continue;
    const again = await runConformanceInProcess(['verify', 'results/shop.test'], { cwd });
    expect(again.output).toContain('AGREES');
  }
});

test('Answers to open questions never fail', async () => {
  const rows: readonly Behaviours[] = [
    { 'omitted-options': 'nothing-returned', 'omitted-metadata': 'metadata-rules-pass' },
    { 'omitted-options': 'rejected', 'omitted-order-metadata': 'server-error' },
    { 'audience-rules-only-effect': 'nothing-returned', 'empty-result': 'not-found' },
    { 'filter-percent-encoded': 'ignored', 'filter-beyond-window': 'filter-first' },
  ];
  for (const behaviours of rows) {
    const { certificate } = await certify(createReference({ behaviours }));
    expect(listRequirementsWith('fail', certificate), JSON.stringify(behaviours)).toEqual([]);
  }
  const { certificate } = await certify(createIndependentDeployment(suite.world, { shape: 'with-rejected' }));
  expect(certificate.verdict).toBe('incomplete');
});

test('A filter that is ignored in both spellings is a failure', async () => {
  const whole = createReference();
  const unfiltered: Answer = (request) => whole({ ...request, path: request.path.replace(/\?.*/, '') });
  const { certificate: unclear } = await certify(unfiltered);
  expect(listRequirementsWith('fail', unclear)).toEqual([]);
  const { certificate } = await certify(unfiltered, [...requests, ...requests.map(spellFiltersLiterally)]);
  expect(listRequirementsWith('fail', certificate)).toEqual(['filter.promotion-id', 'filter.tier-metadata']);
});

test('What is not judged is counted, and nothing private is kept', async () => {
  const [request] = requests as [HttpRequest];
  const response = createReference()(request);
  const { body } = response;
  const echo = { ...response, body: body.replace('{', `{"you":"${secrets.$CLIENT_TOKEN}",`) };
  const encode = (bytes: Buffer) => ({ text: bytes.toString('base64'), encoding: 'base64' });
  const cwd = writeArchive([
    createEntry(request, echo),
    createEntry(request, response, encode(Buffer.from(body))),
    createEntry(request, response, {}),
    createEntry(request, { ...response, status: 0 }),
    createEntry({ ...request, method: 'OPTIONS' }, response),
    ...['b', 'c'].map((value) => createEntry({ ...request, path: `${request.path}?a=${value}` }, response)),
    { ...createEntry(request, response), request: { method: 'GET', url: 'https://shop.test/logo.png', headers: [] } },
    {},
  ]);
  const { output } = await runConformanceInProcess(['certify', '--replay', 'traffic.har', '--out', 'out'], { cwd });
  expect(output).toContain('7 requests to the operation, and 2 others');
  expect(output).toMatch(/does not describe 3 of them: 2 × \/query \(a\).*, 1 × \/method/);
  expect(output).toContain('no response, or no body of it, for 2 of them');
  expect(output).toContain('2 of 2 documented requests show something.');
  const texts = readdirSync(path.join(cwd, 'out')).map((name) => readFileSync(path.join(cwd, 'out', name), 'utf8'));
  expect(texts.join()).not.toMatch(/private-value|token-of-a-shop|application-of-a-shop/);
});

test('A file or an option that cannot be used is refused', async () => {
  const [request] = requests as [HttpRequest];
  const entry = createEntry(request, createReference()(request));
  const elsewhere = { ...entry, request: { ...entry.request, url: entry.request.url.replace('shop', 'pub') } };
  const rows: readonly (readonly [entries: object[], args: string[], message: string])[] = [
    [[entry, elsewhere], [], 'The file has: https://shop.test/api, https://pub.test/api.'],
    [[], [], 'The file has: none.'],
    [[entry], ['--base-url', 'https://else.test'], 'must have exchanges with one deployment, https://else.test'],
    [[entry], ['--only', 'limit.newest-150'], '--only: cannot be used with exchanges of real callers'],
  ];
  for (const [entries, args, message] of rows) {
    const cwd = writeArchive(entries);
    const { status, output } = await runConformanceInProcess(['certify', '--replay', 'traffic.har', ...args], { cwd });
    expect([status, output]).toEqual([2, expect.stringContaining(message)]);
  }
  const cwd = writeArchive([entry, elsewhere]);
  const args = ['certify', '--replay', 'traffic.har', '--base-url', 'https://pub.test/api/'];
  expect((await runConformanceInProcess(args, { cwd })).output).toContain('pub.test at https://pub.test/api');
});
