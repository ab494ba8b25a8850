/** Callers that spell the operation otherwise: the transports of examples/voucherify/spellings, and `judge` of their traffic. */

import { spawn } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { referenceCredentials } from '../../reference/deployment/reference-credentials.js';
import { judge } from '../../src/api.js';
import type { RequestPatch } from '../../src/cases/request-draft.js';
import { pickWorldLists } from '../../src/contract/world.js';
import type { HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import { type RequestRestorer, type Transport, UnsupportedRequestError } from '../../src/http/transport.js';
import { packageRoot } from '../../src/support/package-root.js';
import type { Answer } from '../../tools/proof/judge-deployment.js';
import {
  credentialVariables,
  loadCertificate,
  makeProject,
  makeTestFolder,
  runConformance,
  watchProcess,
} from '../support/cli.js';
import { certifyOver, channelThrough, createReference, listRequirementsWith, suite } from '../support/in-process.js';
import { listen } from '../support/independent-deployment.js';
import { createPatchedRequest } from '../support/patched-request.js';
import { createPostDeployment, createQueryDeployment } from '../support/spelling-servers.js';

const cwd = makeTestFolder();
const data = path.join(cwd, 'shop.json');
writeFileSync(data, JSON.stringify(pickWorldLists(suite.world)));

interface TransportModule {
  readonly default: Transport;
  readonly restoreRequest: RequestRestorer;
}

const spellings = {
  post: { create: createPostDeployment, tokenHeader: 'X-App-Token' },
  query: { create: createQueryDeployment, tokenHeader: 'X-Client-Token' },
} as const;
type Spelling = keyof typeof spellings;
const names = Object.keys(spellings) as Spelling[];

const findModule = (name: Spelling) => path.join(packageRoot, 'examples', 'voucherify', 'spellings', `${name}.mjs`);
const load = async (name: Spelling): Promise<TransportModule> => await import(pathToFileURL(findModule(name)).href);

/** Sends a documented request through a transport. @returns the request as it was sent, and what came back */
async function record(name: Spelling, answer: Answer, documented: HttpRequest) {
  const { default: transport } = await load(name);
  const sent: HttpRequest[] = [];
  const send = async (request: HttpRequest): Promise<HttpResponse> => {
    sent.push(request);
    return spellings[name].create(answer)(request);
  };
  const response = await transport(documented, { send, baseUrl: '', signal: AbortSignal.timeout(60_000) });
  return { request: sent[0] as HttpRequest, response };
}

const order = (...items: readonly object[]): RequestPatch => ({ body: { order: { items } } });
const requests = ['ann', 'ben', 'bulk'].flatMap((name) =>
  [
    {},
    order({ product_id: '<product mug>', quantity: 3 }, { sku_id: '<sku shirt-blue>', quantity: 2 }),
    order({ product_id: '<product mug>', quantity: 1 }, { product_id: '<product mug>', quantity: 3 }),
    { body: { metadata: { store_name: 'Broadway', 'a[b]': '50% & more', ['__proto__']: 'x', quantity: '1' } } },
    { body: { options: { expand: ['category'] }, order: { metadata: { payment_mean: ['credit-card', 'invoice'] } } } },
    { query: { audienceRulesOnly: 'true' } },
    { filter: { campaign: 'spring' } },
    { filter: { 'metadata.has_budget': 'true' } },
  ].map((patch) =>
    createPatchedRequest(suite.world, { body: { customer: { id: `<customer ${name}>` } } }, patch as RequestPatch),
  ),
);

for (const name of names) {
  test(`${name}: a deployment that reads this spelling alone conforms through the transport, and no other way`, async () => {
    const answer = spellings[name].create(createReference());
    const { default: transport } = await load(name);
    const { certificate } = await certifyOver(channelThrough(transport, answer), suite);
    expect(certificate.verdict, JSON.stringify(certificate.incomplete_because)).toBe('conforms');
    expect(certificate.questions.filter(({ outcome }) => outcome !== null).length).toBeGreaterThan(40);
    const plain = await certifyOver(
      channelThrough((request, { send }) => send(request), answer),
      suite,
    );
    expect(plain.certificate.verdict).not.toBe('conforms');
  });

  for (const [fault, requirement] of [
    ['window-of-149', 'limit.newest-150'],
    ['quantity-ignored', 'order.quantity'],
    ['metadata-filter-ignored', 'filter.tier-metadata'],
  ] as const)
    test(`${name}: the fault ${fault} is found through the transport`, { tag: '@long' }, async () => {
      const answer = spellings[name].create(createReference({ faults: [fault] }));
      const { default: transport } = await load(name);
      const { certificate } = await certifyOver(channelThrough(transport, answer), suite);
      expect(certificate.verdict).toBe('does-not-conform');
      expect(listRequirementsWith('fail', certificate)).toContain(requirement);
    });

  test(`${name}: a faulty deployment does not conform through the transport`, async () => {
    const answer = spellings[name].create(createReference({ faults: ['customer-ignored'] }));
    const { default: transport } = await load(name);
    expect((await certifyOver(channelThrough(transport, answer), suite)).certificate.verdict).toBe('does-not-conform');
  });

  test(`${name}: each request that is sent is restored as it was`, async () => {
    const { restoreRequest } = await load(name);
    for (const documented of requests) {
      const { request } = await record(name, createReference(), documented);
      const restored = restoreRequest(request);
      expect(restored).toMatchObject({ method: 'GET', path: documented.path });
      expect(JSON.parse(restored.body ?? '')).toEqual(JSON.parse(documented.body ?? ''));
      const sort = (headers: HttpRequest['headers']) =>
        headers.map(([key, value]) => [key.toLowerCase(), value]).sort();
      expect(sort(restored.headers)).toEqual(sort(documented.headers));
    }
  });

  test(`${name}: recorded traffic agrees with the documentation, and a planted lie does not`, async () => {
    const { restoreRequest } = await load(name);
    const judgeAll = async (answer: Answer) => {
      const exchanges = await Promise.all(requests.map((documented) => record(name, answer, documented)));
      return { exchanges, judgements: judge(exchanges, { data, restoreRequest }) };
    };
    const { exchanges, judgements } = await judgeAll(createReference());
    expect(judgements.filter(({ verdict }) => verdict === 'pass')).toHaveLength(21);
    expect(judgements.filter(({ verdict }) => verdict === 'open')).toHaveLength(3);
    // Without it, nothing is documented.
    expect(new Set(judge(exchanges, { data }).map(({ verdict }) => verdict))).toEqual(new Set(['undocumented']));
    for (const n of [0, 9, 22]) {
      const lying = exchanges.map((exchange, at) =>
        at === n ? { ...exchange, response: plantLie(exchange.response) } : exchange,
      );
      const failing = judge(lying, { data, restoreRequest }).flatMap(({ verdict }, at) =>
        verdict === 'fail' ? at : [],
      );
      expect(failing).toEqual([n]);
    }
    const faulty = await judgeAll(createReference({ faults: ['customer-ignored'] }));
    expect(faulty.judgements.filter(({ verdict }) => verdict === 'fail').length).toBeGreaterThan(10);
  });
}

/** Leaves out the promotion that is returned first. */
function plantLie(response: HttpResponse): HttpResponse {
  const body = JSON.parse(response.body);
  return { ...response, body: JSON.stringify({ ...body, promotions: body.promotions.slice(1) }) };
}

test('A query loses no type and no spelling: such a request is not sent', async () => {
  const rows: readonly RequestPatch[] = [
    order({ product_id: '<product mug>', quantity: '3' }),
    order({ product_id: '<product mug>', quantity: 2.5 }),
    order({ product_id: '<product mug>', quantity: null }),
    { body: { metadata: { floor: 3 } } },
    { body: { metadata: { half: '\ud83d' } } },
    { body: { customer: { id: 1 } } },
  ];
  for (const patch of rows) {
    const documented = createPatchedRequest(suite.world, patch);
    const sent = record('query', createReference(), documented);
    await expect(sent, JSON.stringify(patch)).rejects.toMatchObject({ name: 'UnsupportedRequestError' });
  }
  const documented = createPatchedRequest(suite.world);
  for (const changes of [{ body: ` ${documented.body}` }, { body: '[]' }, { headers: [] }, { method: 'POST' }])
    await expect(record('query', createReference(), { ...documented, ...changes })).rejects.toBeInstanceOf(Error);
});

/** Keys and values that queries, paths and parsers treat in a special way. */
const awkward = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc
    .array(fc.constantFrom('[', ']', '][', '0', 'a', '.', '%', '+', '&', '=', '__proto__', '$'), { maxLength: 4 })
    .map((all) => all.join('')),
);
const anyBody = fc.record(
  {
    customer: fc.record({ id: awkward }),
    order: fc.record({
      items: fc.array(fc.record({ product_id: awkward, quantity: fc.integer() }), { maxLength: 3 }),
      metadata: fc.dictionary(awkward, fc.array(awkward, { minLength: 1, maxLength: 3 }), { maxKeys: 3 }),
    }),
    options: fc.constantFrom({}, { expand: ['category'] }),
    metadata: fc.dictionary(awkward, awkward, { maxKeys: 4 }),
  },
  { requiredKeys: ['order', 'options', 'metadata'] },
);

test('Whatever is sent in a query is read as it was meant, by the server and by restoreRequest', async () => {
  const [base] = requests as [HttpRequest];
  const { restoreRequest } = await load('query');
  let sentCount = 0;
  const check = fc.asyncProperty(anyBody, awkward, async (body, filter) => {
    const value = encodeURIComponent(filter.replaceAll(/\p{Surrogate}/gu, '')).replaceAll(
      /[!'()~]/g,
      (sign) => `%${sign.charCodeAt(0).toString(16)}`,
    );
    const path = `${base.path}?%5Bfilters%5D%5Bpromotion_id%5D%5Bconditions%5D%5B%24is%5D=${value}`;
    const documented = { ...base, path, body: JSON.stringify(body) };
    let read: HttpRequest | undefined;
    const answer: Answer = (request) => {
      read = request;
      return { status: 200, headers: [], body: '{}' };
    };
    const sent = await record('query', answer, documented).catch(({ name }) => name);
    if (sent === 'UnsupportedRequestError') return;
    sentCount += 1;
    for (const found of [read, restoreRequest(sent.request)]) {
      expect(found?.path).toBe(path);
      expect(JSON.parse(found?.body ?? '')).toEqual(JSON.parse(documented.body));
    }
  });
  await fc.assert(check, { numRuns: 300 });
  expect(sentCount).toBeGreaterThan(50);
});

test('What an SDK sends is restored, and what the documentation does not have makes it undocumented', async () => {
  const [post, query] = await Promise.all(names.map(load));
  const keys = [
    ['X-App-Id', 'an-application'],
    ['x-app-token', 'a-token-of-a-shop'],
    ['content-type', 'application/json; charset=utf-8'],
  ] as const;
  const sent = { method: 'POST', path: '/v1/promotions/validation', headers: keys, body: '{"metadata":{}}' };
  expect(post?.restoreRequest(sent)).toEqual({
    ...sent,
    method: 'GET',
    headers: [
      ['X-Client-Application-Id', 'an-application'],
      ['X-Client-Token', 'a-token-of-a-shop'],
      ['content-type', 'application/json'],
    ],
  });
  const restore = (parameters: string) =>
    JSON.parse(
      query?.restoreRequest({ method: 'GET', path: `/client/v1/promotions/validation?${parameters}`, headers: [] })
        .body ?? '',
    );
  const empty = { order: { items: [], metadata: {} }, options: {}, metadata: {} };
  expect(restore('amount=1000&customer[source_id]=ann&item[0][product_id]=p&item[0][quantity]=007x')).toEqual({
    ...empty,
    amount: '1000',
    customer: { source_id: 'ann' },
    order: { items: [{ product_id: 'p', quantity: '007x' }], metadata: {} },
  });
  expect(restore('metadata%5Ba%5D+b%5D=c%20d&order[metadata][k]=v&order[metadata][l][0]=w')).toEqual({
    ...empty,
    metadata: { 'a] b': 'c d' },
    order: { items: [], metadata: { k: 'v', l: ['w'] } },
  });
  expect(restore('order[items][0][sku_id]=s&items[1][sku_id]=t').order.items).toEqual([
    { sku_id: 's' },
    { sku_id: 't' },
  ]);
  for (const parameters of ['a=1&a=2', '[a]=1', 'a=%ff'])
    expect(() => restore(parameters), parameters).toThrow(expect.objectContaining({ name: 'UnsupportedRequestError' }));
});

test('What cannot be restored is undocumented with its reason, which shows no credentials; another error ends judge', async () => {
  const token = 'a-token-of-a-shop-0815';
  const [documented] = requests as [HttpRequest];
  const response = createReference()(documented);
  const headers = documented.headers.map(([name, value]) => [name, value === '$CLIENT_TOKEN' ? token : value] as const);
  const request = { ...documented, headers };
  const exchanges = [
    { request, response },
    { request: { ...request, method: 'PUT' }, response },
  ];
  const restoreRequest: RequestRestorer = (sent) => {
    if (sent.method === 'PUT') throw new UnsupportedRequestError(`no GET, but ${token}`);
    return sent;
  };
  expect(judge(exchanges, { data, restoreRequest })).toEqual([
    { verdict: 'pass', reason: '' },
    { verdict: 'undocumented', reason: 'No documented request can be restored: no GET, but $CLIENT_TOKEN.' },
  ]);
  const failing = () => {
    throw new RangeError('a bug');
  };
  expect(() => judge(exchanges, { data, restoreRequest: failing })).toThrow(RangeError);
  for (const wrong of [undefined, Promise.resolve(request), { ...request, headers: undefined }, token])
    expect(() => judge(exchanges, { data, restoreRequest: () => wrong as never })).toThrow(
      /restoreRequest: it returned a (promise|value of type \w+), not \{ method: 'GET'/,
    );
});

/** Writes traffic as an archive, and judges it with the example, as a user does. */
async function runExample(name: Spelling, answer: Answer, ...args: readonly string[]) {
  const recorded = await Promise.all(requests.map((documented) => record(name, answer, documented)));
  const entries = recorded.map(({ request, response }) => ({
    request: {
      method: request.method,
      url: `https://api.test${request.path}${request.path.includes('?') ? '&' : '?'}tracking_id=t`,
      headers: request.headers.map(([key, value]) => ({ name: key, value })),
      ...(request.body && { postData: { mimeType: 'application/json', text: request.body } }),
    },
    response: { status: response.status, headers: [], content: { size: response.body.length, text: response.body } },
  }));
  const unrelated = { request: { method: 'GET', url: 'https://cdn.test/logo.png', headers: [] }, response: {} };
  writeFileSync(path.join(cwd, 'traffic.har'), JSON.stringify({ log: { entries: [...entries, unrelated] } }));
  const example = path.join(packageRoot, 'examples', 'traffic', 'judge-traffic.mjs');
  const argv = [example, '--transport', findModule(name), ...args, 'shop.json', 'traffic.har'];
  return await watchProcess(spawn(process.execPath, argv, { cwd })).ended;
}

for (const name of names)
  test(`${name}: the example judges an archive through the transport, and says so`, async () => {
    const undocumented = await runExample(name, createReference());
    expect([undocumented.status, undocumented.output]).toEqual([1, expect.stringContaining('24 × undocumented')]);
    expect(undocumented.output).toContain('(tracking_id)');
    const ignoring = ['--ignore', 'tracking_id'];
    const right = await runExample(name, createReference(), ...ignoring);
    expect(right.status, right.output).toBe(0);
    expect(right.output).toContain('25 exchanges, 24 of them with the operation of https://api.test:\n21 × pass\n');
    expect(right.output).toContain('Through a transport, ');
    const wrong = await runExample(name, createReference({ faults: ['customer-ignored'] }), ...ignoring);
    expect([wrong.status, wrong.output]).toEqual([1, expect.stringMatching(/^entry 1: Returned, but should not be: /)]);
  });

test('The command of the page runs in the folder of the project, on its files', async () => {
  const page = readFileSync(path.join(packageRoot, 'docs', 'transports.md'), 'utf8');
  const [, command = ''] = /```sh\n(examples=[\s\S]*?)```/.exec(page) ?? [];
  expect(command).toContain('--transport');
  // Writes the archive into the folder of the test.
  await runExample('post', createReference());
  const project = makeProject();
  for (const name of ['shop.json', 'traffic.har']) copyFileSync(path.join(cwd, name), path.join(project, name));
  const child = spawn('sh', ['-e'], { cwd: project, env: { PATH: process.env.PATH } });
  child.stdin.end(command);
  const { status, output } = await watchProcess(child).ended;
  expect([status, output]).toEqual([1, expect.stringContaining('24 × undocumented')]);
});

for (const name of names)
  test(`${name}: a run over HTTP says "through a transport" everywhere`, { tag: '@long' }, async () => {
    const answer = spellings[name].create(createReference({ credentials: referenceCredentials }));
    const server = await listen(answer);
    const example = readFileSync(findModule(name).replace('.mjs', '.yaml'), 'utf8');
    const target = example
      .replace(/^base_url: .*$/m, `base_url: ${server.url}`)
      .replace(/^transport: .*$/m, `transport: ${findModule(name)}`)
      .replaceAll(/^(?:headers|bindings|pacing|retry): .*$/gm, '');
    writeFileSync(path.join(cwd, `${name}.yaml`), target);
    const { applicationId, token } = referenceCredentials;
    const env = { ...credentialVariables, VOUCHERIFY_APP_ID: applicationId, VOUCHERIFY_APP_TOKEN: token };
    const args = ['certify', '--target', `${name}.yaml`, '--out', name, '--only', 'order.quantity'];
    const { status, output } = await runConformance(args, { cwd, env });
    await server.close();
    expect(status, output).toBe(0);
    expect(output).toContain('Through a transport: ');
    expect(loadCertificate(cwd, name).target.transport?.name).toContain(`${name}.mjs`);
    for (const file of ['certificate.html', 'summary.md'])
      expect(readFileSync(path.join(cwd, name, file), 'utf8'), file).toContain('hrough a transport');
  });
