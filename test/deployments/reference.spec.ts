import { connect } from 'node:net';
import { expect, test } from '@playwright/test';
import { Client } from 'undici';
import { type Behaviours, convertOutcomesToBehaviours, openQuestions } from '../../reference/behaviours.js';
import { createDeployment, type DeploymentOptions } from '../../reference/deployment.js';
import { referenceCredentials } from '../../reference/reference-credentials.js';
import { serveReference } from '../../reference/server.js';
import type { HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import { suite } from '../support/in-process.js';

const { world } = suite;
const { ids } = world;

// Requests ----------------------------------------------------------------------------------------------------------

const credentialHeaders = {
  'X-Client-Application-Id': referenceCredentials.applicationId,
  'X-Client-Token': referenceCredentials.token,
};

interface Asking {
  method?: string;
  path?: string;
  query?: string;
  /** Instead of those of a documented request. */
  headers?: Readonly<Record<string, string>>;
  members?: unknown;
  /** Instead of `members`. */
  text?: string;
}

const operation = '/v1/promotions/validation';
const json = { 'Content-Type': 'application/json' };

/** A documented request with all members. */
const documented = {
  customer: { id: ids.customer.get('ann') },
  order: { items: [{ product_id: ids.product.get('mug'), quantity: 3 }], metadata: { payment_mean: ['credit-card'] } },
  options: {},
  metadata: { store_name: 'Broadway' },
};

const inCampaign = (name: string) => `[filters][promotion_id][conditions][$is]=${ids.campaign.get(name)}`;

function requestOf({ method = 'GET', path = operation, query, headers = {}, members, text }: Asking): HttpRequest {
  return {
    method,
    path: query === undefined ? path : `${path}?${query}`,
    headers: Object.entries({ ...credentialHeaders, ...json, ...headers }).filter(([, value]) => value !== ''),
    body: text ?? JSON.stringify(members ?? documented),
  };
}

type Ask = (asking?: Asking) => HttpResponse;

function deployment(behaviours: Behaviours = {}): Ask {
  const respond = createDeployment({ world, credentials: referenceCredentials, behaviours });
  return (asking = {}) => respond(requestOf(asking));
}

const header = ({ headers }: HttpResponse, name: string) => headers.find(([key]) => key === name)?.[1];

// The defaults ------------------------------------------------------------------------------------------------------

test.describe('The reference deployment', () => {
  const ask = deployment();

  test('rejects requests with errors of the vendor’s shape', () => {
    const { status, body } = ask({ headers: { 'X-Client-Token': '' } });
    expect(status).toBe(401);
    expect(JSON.parse(body)).toEqual({
      code: 401,
      key: 'unauthorized',
      message: expect.any(String),
      details: 'X-Client-Token: not accepted',
      request_id: expect.stringMatching(/^v-/),
    });
    const malformed = ask({ text: '{' });
    expect(JSON.parse(malformed.body)).toMatchObject({ code: 400, key: 'invalid_payload' });
    const members = Object.keys(JSON.parse(malformed.body)).sort().join(', ');
    expect(openQuestions['error-shape'].default).toBe(`${header(malformed, 'content-type')}: ${members}`);
    expect(JSON.parse(ask({ query: '[filters][x][conditions][$is]=1' }).body)).toMatchObject({
      code: 400,
      key: 'invalid_query_params',
    });
    expect(header(ask({ method: 'PATCH' }), 'allow')).toBe('GET');
    expect(ask({ path: '/v1/promotions' }).status).toBe(404);
  });
});

test.describe('Behaviours', () => {
  test('are refused with a suggestion if they are invalid', () => {
    for (const [question, outcome, hint] of [
      ['quantity-zeros', 'as-one', 'did you mean "quantity-zero"?'],
      ['quantity-zero', 'as-onee', 'Behaviour quantity-zero has no outcome "as-onee"; did you mean "as-one"? It has: '],
      ['response-status', '204', 'a status from 200 to 299 that has a body'],
      ['caching-headers', 'Cache-Control', '"name: value | name: value"'],
    ] as const)
      expect(() => deployment({ [question]: outcome })).toThrow(hint);
  });
});

test('A record becomes behaviours; outcomes that cannot be imitated are listed', () => {
  const imitable = {
    'quantity-zero': 'rejected',
    'response-status': '201',
    'error-shape': openQuestions['error-shape'].default,
  };
  const outcomes = {
    ...imitable,
    'quantity-null': 'undetermined',
    'response-shape': '/data/*/node/id',
    'response-media-type': 'undetermined',
    'rate-limit-headers': 'No idea',
  };
  const { behaviours, inimitable } = convertOutcomesToBehaviours(outcomes);
  expect(behaviours).toEqual(imitable);
  expect(inimitable).toEqual(['quantity-null', 'response-shape', 'response-media-type', 'rate-limit-headers']);
  expect(deployment(behaviours)().status).toBe(201);
  const ofAnotherVersion = { 'quantity-zero': 'as-two', 'no-such-question': 'undetermined' };
  const unknown = Object.keys(ofAnotherVersion);
  expect(convertOutcomesToBehaviours(ofAnotherVersion)).toEqual({ behaviours: {}, inimitable: unknown });
});

// The socket --------------------------------------------------------------------------------------------------------

test.describe('Over a socket', () => {
  let server: Awaited<ReturnType<typeof serveReference>>;
  let client: Client;
  test.beforeAll(async () => {
    const behaviours = {
      'empty-result': 'no-content',
      'method-head': 'answered',
      'content-type-other': 'body-ignored',
    };
    server = await serveReference({ world, credentials: referenceCredentials, behaviours });
    client = new Client(server.url);
  });
  test.afterAll(async () => {
    await client.close();
    await server.close();
  });

  /** Sends over the socket what `requestOf` makes. */
  async function send(asking: Asking, through = client): Promise<HttpResponse> {
    const { method, path, headers, body } = requestOf(asking);
    // A client of undici sends paths as they are; its functions that take a URL would normalise them.
    const response = await through.request({ method, path, headers: headers.flat(), body: body ?? '' });
    const received = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const);
    return { status: response.statusCode, headers: received, body: await response.body.text() };
  }

  test('an exception ends one request, but not the server', async () => {
    const change: DeploymentOptions['change'] = ({ select }) => ({
      select(request) {
        if (request.filters.length > 0) throw new TypeError('a mistake');
        return select(request);
      },
    });
    const defective = await serveReference({ world, credentials: referenceCredentials, change });
    const toIt = new Client(defective.url);
    expect((await send({ query: inCampaign('spring') }, toIt)).status).toBe(500);
    expect((await send({}, toIt)).status).toBe(200);
    await toIt.close();
    await defective.close();
  });

  test('only this machine reaches it', async () => {
    // Another address of this machine, as that at which others reach it is.
    const elsewhere = connect(Number(new URL(server.url).port), '127.0.0.2');
    const isReached = await new Promise((resolve) => {
      elsewhere.on('connect', () => resolve(true)).on('error', () => resolve(false));
    });
    elsewhere.destroy();
    expect(isReached).toBe(false);
  });
});
