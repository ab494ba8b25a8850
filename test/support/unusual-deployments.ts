import type { NamedWorld } from '../../src/contract/named-world.js';
import type { HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import { isJsonObject, parseJson } from '../../src/support/json.js';
import { type Answer, addMembers, createReference } from './in-process.js';
import { createIndependentDeployment } from './independent-deployment.js';

const operation = '/v1/promotions/validation';
const json = (status: number, body: object): HttpResponse => ({
  status,
  headers: [['Content-Type', 'application/json']],
  body: JSON.stringify(body),
});

/** Each response has its own number and time. */
function createVolatile(world: NamedWorld): Answer {
  let number = 0;
  return addMembers(createIndependentDeployment(world, { shape: 'renamed' }), () => {
    number += 1;
    return { request: { id: `req-${number}`, at: new Date(1_700_000_000_000 + number * 1_000).toISOString() } };
  });
}

/** The status of a response to a request that violates the schema of an API gateway. */
function findSchemaViolation({ method, path, headers, body: text = '' }: HttpRequest): number | undefined {
  if (method !== 'GET') return 501;
  if (path.split('?')[0] !== operation) return 308;
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  if (!type.startsWith('application/json')) return 415;
  const body = parseJson(text);
  if (body === undefined) return 400;
  const members = ['customer', 'order', 'options', 'metadata'];
  if (!isJsonObject(body) || Object.keys(body).some((key) => !members.includes(key))) return 422;
  if (!members.every((key) => isJsonObject(body[key]))) return 422;
  const { items = [] } = body.order as { items?: { quantity?: unknown }[] };
  return Array.isArray(items) && items.every(({ quantity }) => Number.isInteger(quantity)) ? undefined : 422;
}

/** Deployments that differ in what the documentation leaves open. */
export const unusualDeployments: Readonly<Record<string, (world: NamedWorld) => Answer>> = {
  'the reference deployment': (world) => createReference({ world }),
  plain: (world) => createIndependentDeployment(world),
  'strict about values': (world) =>
    createIndependentDeployment(world, {
      numericStrings: 'rejected',
      unknownCustomer: 'rejected',
      omitted: 'rejected',
      repeated: 'each-item-alone',
      empty: 404,
    }),
  'of another make': (world) =>
    createIndependentDeployment(world, {
      shape: 'grouped-by-campaign',
      order: 'by-name',
      empty: 204,
      bothFilters: 'union',
      filteredWindow: 'filter-first',
      orderMetadataRules: 'ignored',
    }),
  'each response has its own number': createVolatile,
  'errors have status 200': (world) => (request) => {
    const response = createIndependentDeployment(world)(request);
    return response.status < 400 ? response : json(200, { error: response.body });
  },
  'any method, path and credentials': (world) => (request) =>
    createIndependentDeployment(world)({
      ...request,
      method: 'GET',
      path: request.path.replace(/^[^?]*/, operation),
      headers: [
        ['X-Client-Application-Id', 'anybody'],
        ['X-Client-Token', 'anything'],
      ],
    }),
  'any text is true, as in Python': (world) => (request) => {
    const path = request.path.replaceAll(/audienceRulesOnly=([^&]+)/g, 'audienceRulesOnly=true');
    return createIndependentDeployment(world, { audienceRulesOnly: 'skips-order-rules' })({ ...request, path });
  },
  'behind a gateway that checks a schema': (world) => (request) => {
    const status = findSchemaViolation(request);
    if (status === undefined) return createIndependentDeployment(world)(request);
    return { ...json(status, {}), headers: status === 308 ? [['Location', operation]] : [] };
  },
};
