/** The questions find an answer on every deployment, however unusual. */

import { expect, test } from '@playwright/test';
import type { Suite } from '../../src/cases/suite.js';
import { undetermined } from '../../src/cases/test-case.js';
import type { HttpResponse } from '../../src/http/exchange.js';
import { parseJson } from '../../src/support/json.js';
import { type Answer, addMembers, certifyInProcess, createReference, suite } from './support/in-process.js';
import { createIndependentDeployment } from './support/independent-deployment.js';

const { world } = suite;
const questions: Suite = { ...suite, cases: suite.cases.filter(({ kind }) => kind === 'question') };

const operation = '/v1/promotions/validation';
const json = (status: number, body: object): HttpResponse => ({
  status,
  headers: [['Content-Type', 'application/json']],
  body: JSON.stringify(body),
});
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Each response has its own number and time. */
function volatile(): Answer {
  let number = 0;
  return addMembers(createIndependentDeployment(world, { shape: 'renamed' }), () => {
    number += 1;
    return { request: { id: `req-${number}`, at: new Date(1_700_000_000_000 + number * 1_000).toISOString() } };
  });
}

/** Errors have status 200. */
const errorsAreSuccesses: Answer = (request) => {
  const response = createIndependentDeployment(world)(request);
  return response.status < 400 ? response : json(200, { error: response.body });
};

/** Accepts any method, path and credentials. */
const careless: Answer = (request) => {
  const at = request.path.indexOf('?');
  return createIndependentDeployment(world)({
    ...request,
    method: 'GET',
    path: operation + (at < 0 ? '' : request.path.slice(at)),
    headers: [
      ['X-Client-Application-Id', 'anybody'],
      ['X-Client-Token', 'anything'],
    ],
  });
};

/** Every non-empty text is true, as in Python. */
const textsAreTrue: Answer = (request) => {
  const path = request.path.replaceAll(/audienceRulesOnly=([^&]+)/g, 'audienceRulesOnly=true');
  return createIndependentDeployment(world, { audienceRulesOnly: 'skips-order-rules' })({ ...request, path });
};

/** Answers 422 to schema violations, and redirects unknown paths. */
const strict: Answer = (request) => {
  if (request.method !== 'GET') return json(501, {});
  if (request.path.split('?')[0] !== operation) return { status: 308, headers: [['Location', operation]], body: '' };
  const type = request.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  if (!type.startsWith('application/json')) return json(415, {});
  const body = parseJson(request.body ?? '') as Record<string, unknown> | undefined;
  if (body === undefined) return json(400, {});
  const members = ['customer', 'order', 'options', 'metadata'];
  const isKnown = isObject(body) && Object.keys(body).every((key) => members.includes(key));
  if (!isKnown || !members.every((key) => isObject(body[key]))) return json(422, {});
  const { items = [] } = body.order as { items?: { quantity?: unknown }[] };
  const isWhole = Array.isArray(items) && items.every(({ quantity }) => Number.isInteger(quantity));
  return isWhole ? createIndependentDeployment(world)(request) : json(422, {});
};

const deployments: Readonly<Record<string, Answer>> = {
  reference: createReference(),
  plain: createIndependentDeployment(world),
  'strict about values': createIndependentDeployment(world, {
    numericStrings: 'rejected',
    unknownCustomer: 'rejected',
    omitted: 'rejected',
    repeated: 'each-item-alone',
    empty: 404,
  }),
  'of another make': createIndependentDeployment(world, {
    shape: 'grouped-by-campaign',
    order: 'by-name',
    empty: 204,
    bothFilters: 'union',
    filteredWindow: 'filter-first',
    orderMetadataRules: 'ignored',
  }),
  volatile: volatile(),
  'errors are successes': errorsAreSuccesses,
  careless,
  'texts are true': textsAreTrue,
  strict,
};

for (const [name, respond] of Object.entries(deployments)) {
  test(`No question stays open: ${name}`, async () => {
    const { certificate } = await certifyInProcess(respond, { suite: questions });
    const open = certificate.questions.filter(({ outcome }) => outcome === null || outcome === undetermined);
    expect(open.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([]);
  });
}

test('The reason of an undetermined question is shown', async () => {
  // The list grows with each response.
  const list: object[] = world.tiers.map(({ id }) => ({ id }));
  const own = { ...suite, cases: suite.cases.filter(({ id }) => id === 'expand-category-effect') };
  const respond = () => {
    list.push({});
    return json(200, list);
  };
  const { certificate } = await certifyInProcess(respond, { suite: own });
  const entry = certificate.questions.find(({ id }) => id === 'expand-category-effect');
  expect([entry?.outcome, entry?.reason]).toEqual([undetermined, expect.stringContaining('to the same request')]);
});
