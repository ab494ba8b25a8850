/** Deployments of any shape, recorded and served again, and drift from the record. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { convertOutcomesToBehaviours } from '../../reference/behaviours.js';
import { createDeployment } from '../../reference/deployment.js';
import { exitStatus } from '../../src/cli/exit-status.js';
import { credentialPlaceholders } from '../../src/contract/operation.js';
import type { HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import type { AdditivePolicy } from '../../src/judge/drift.js';
import { mockFromRecord } from '../../src/mock-from-record.js';
import { createBaseline } from '../../src/report/baseline.js';
import { createRecord, parseRecord, renderRecord, type TargetRecord } from '../../src/report/target-record.js';
import { loadSettings } from '../../src/targets/settings.js';
import { createTemporaryFolder, runConformance } from './support/cli.js';
import { certifyInProcess, suite } from './support/in-process.js';
import { createIndependentDeployment, listen, type ShapeName, shapes } from './support/independent-deployment.js';
import { renderOutput } from './support/render-output.js';
import { documentedRequest } from './support/wire.js';

type Respond = (request: HttpRequest) => HttpResponse;

const { world } = suite;
const { folder: cwd, remove } = createTemporaryFolder();
test.afterAll(remove);

/** Adds members to every successful body. */
function adding(respond: Respond, members: () => object): Respond {
  return (request) => {
    const response = respond(request);
    if (response.status >= 400) return response;
    return { ...response, body: JSON.stringify({ ...JSON.parse(response.body), ...members() }) };
  };
}

async function recorded(respond: Respond, options: { tierPatterns?: readonly string[] } = {}): Promise<TargetRecord> {
  const { results } = await certifyInProcess(respond, { infersShape: true, ...options });
  // As it is read from a file.
  return parseRecord(renderRecord(createRecord(suite, results, 'mock')), 'record.yaml');
}

/** What `serve --as` serves. */
function served({ questions, answers = {} }: TargetRecord): Respond {
  const outcomes = Object.entries(questions).map(([id, { outcome }]) => [id, outcome]);
  const { behaviours } = convertOutcomesToBehaviours(Object.fromEntries(outcomes));
  const change = mockFromRecord(answers, world);
  return createDeployment({ world, credentials: credentialPlaceholders, behaviours, change });
}

async function driftOf(
  respond: Respond,
  record: TargetRecord,
  { additive, ...options }: { additive?: AdditivePolicy; tierPatterns?: readonly string[] } = {},
) {
  const expected = createBaseline(record, {}, undefined, additive);
  const { certificate, results } = await certifyInProcess(respond, { expected, ...options });
  expect(certificate.verdict).toBe('conforms');
  return { certificate, results, drift: certificate.drift.map(({ text }) => text) };
}

const request: HttpRequest = {
  ...documentedRequest,
  body: JSON.stringify({
    customer: { id: world.customers[0]?.id },
    order: { items: [{ product_id: world.products[0]?.id, quantity: 1 }], metadata: {} },
    options: {},
    metadata: {},
  }),
};

/** Shapes of which no template can be taken, so that the mock answers in its own. */
const nesting: readonly string[] = ['linked-list', 'tree'];

/** Shapes with what a mock cannot know: an order of its own, what was skipped, or what is of each promotion alone. */
const inexact: readonly string[] = ['extra-fields', 'with-rejected', 'grouped-by-campaign', 'grouped-by-campaign-key'];

for (const shape of Object.keys(shapes) as ShapeName[]) {
  test(`A mock of a recorded deployment does not drift: ${shape}`, async () => {
    const options = shape === 'with-rejected' ? { tierPatterns: ['/promotions/*/id'] } : {};
    const respond = createIndependentDeployment(world, { shape });
    const record = await recorded(respond, options);
    if (nesting.includes(shape)) {
      expect(record.answers?.list).toBeUndefined();
      return;
    }
    expect((await driftOf(served(record), record, options)).drift).toEqual([]);
    if (inexact.includes(shape)) return;
    expect(JSON.parse(served(record)(request).body)).toEqual(JSON.parse(respond(request).body));
  });
}

test('Errors of a mock have the shape of the deployment', async () => {
  const record = await recorded(createIndependentDeployment(world));
  const { status, body } = served(record)({ ...request, body: '{' });
  expect([status, JSON.parse(body)]).toEqual([400, { error: 'malformed request' }]);
});

test('A mock expands the categories of each campaign', async () => {
  const reference = createDeployment({ world, credentials: credentialPlaceholders });
  const record = await recorded(reference);
  const body = JSON.stringify({ ...JSON.parse(request.body ?? ''), options: { expand: ['category'] } });
  const expanded = { ...request, body };
  const categories = (respond: Respond) =>
    JSON.parse(respond(expanded).body).promotions.map(
      ({ id, campaign }: { id: string; campaign: { categories: { id: string; name: string }[] } }) => [
        id,
        campaign.categories.map(({ id, name }) => [id, name]),
      ],
    );
  expect(categories(served(record))).toEqual(categories(reference));
  expect(record.answers?.expanded).toBeDefined();
});

test('Volatile members are not recorded and do not drift', async () => {
  let number = 0;
  const volatile = adding(createIndependentDeployment(world), () => {
    number += 1;
    return { request: { id: `req-${number}-of-today`, number } };
  });
  const record = await recorded(volatile);
  expect(record.answers?.list).toMatchObject({ request: { id: '<volatile>', number: '<volatile number>' } });
  expect((await driftOf(served(record), record)).drift).toEqual([]);
  expect((await driftOf(volatile, record)).drift).toEqual([]);
});

test('A new member in every response is one drift, one note or nothing', async () => {
  const plain = createIndependentDeployment(world);
  const record = await recorded(plain);
  const changed = adding(plain, () => ({ version: 2 }));
  const { drift, certificate, results } = await driftOf(changed, record);
  const sentence = "A body does not fit the schema of the record at its root: must not have the member 'version'.";
  expect(drift).toEqual([expect.stringMatching(/ The same in \d+ more cases\.$/)]);
  expect(drift[0]?.startsWith(sentence)).toBe(true);
  expect(renderOutput('junit.xml', certificate, suite, results).split('<failure').length - 1).toBe(1);

  const noted = await driftOf(changed, record, { additive: 'note' });
  expect(noted.drift).toEqual([]);
  expect(noted.certificate.notes.filter((note) => note.startsWith(sentence))).toHaveLength(1);
  expect(renderOutput('junit.xml', noted.certificate, suite, noted.results)).not.toContain('<failure');
  const ignored = await driftOf(changed, record, { additive: 'ignore' });
  expect([ignored.drift, ignored.certificate.notes.filter((note) => note.includes('version'))]).toEqual([[], []]);
  // What is gone, or of another type, is drift whatever becomes of additions.
  const other = await driftOf(
    adding(plain, () => ({ data: {} })),
    record,
    { additive: 'ignore' },
  ).catch(() => undefined);
  expect(other).toBeUndefined();
});

test('A target file states the policy for new members', () => {
  const file = path.join(cwd, 'additive.yaml');
  writeFileSync(file, 'name: shop\nbase_url: http://127.0.0.1:9\ndrift: { additive: note }\n');
  const environment = { CLIENT_APPLICATION_ID: 'an-application', CLIENT_TOKEN: 'a-token-of-the-test' };
  expect(loadSettings({ target: file }, environment, suite).expected.additive).toBe('note');
});

test('record --update shows the changes and accepts them', async () => {
  const env = { CLIENT_APPLICATION_ID: 'an-application', CLIENT_TOKEN: 'a-token-of-the-test' };
  const record = path.join(cwd, 'record.yaml');
  const { url, close } = await listen(createIndependentDeployment(world, { numericStrings: 'rejected' }));
  const only = ['--only', 'quantity-numeric-string'];
  const update = ['record', url, '--to', record, '--update', '--out', 'updated', ...only];
  const none = await runConformance(update, { cwd, env });
  expect([none.status, existsSync(record)]).toEqual([exitStatus.unusableInput, false]);
  expect(none.output).toContain('Leave out --update.');

  const suiteOfIt = { name: suite.name, version: suite.version, digest: suite.digest };
  const outcome = { outcome: 'as-number' };
  const old = { target: 'shop', suite: suiteOfIt, questions: { 'quantity-numeric-string': outcome } };
  writeFileSync(record, renderRecord(old));
  const ended = await runConformance(update, { cwd, env });
  await close();
  expect(ended.output).toContain("quantity-numeric-string is 'rejected'; the record says 'as-number'.");
  expect(ended.status).toBe(exitStatus.conforms);
  expect(parseRecord(readFileSync(record, 'utf8'), record).questions).toMatchObject({
    'quantity-numeric-string': { outcome: 'rejected' },
  });
});
