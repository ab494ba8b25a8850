import { connect } from 'node:net';
import { expect, test } from '@playwright/test';
import { type Behaviours, convertOutcomesToBehaviours, openQuestions } from '../../reference/deployment/behaviours.js';
import { referenceCredentials } from '../../reference/deployment/reference-credentials.js';
import { serveReference } from '../../reference/deployment/server.js';
import type { RequestPatch } from '../../src/cases/request-draft.js';
import { createReference, suite } from '../support/in-process.js';
import { createPatchedRequest } from '../support/patched-request.js';

const { world } = suite;

/** Asks the reference deployment. @returns the response, and its body as JSON */
function ask(patch: RequestPatch = {}, behaviours: Behaviours = {}) {
  const { status, headers, body } = createReference({ behaviours })(createPatchedRequest(world, patch));
  return { status, headers: Object.fromEntries(headers), body: body === '' ? undefined : JSON.parse(body) };
}

test('Requests are rejected with errors of the vendor’s shape', () => {
  const unauthorized = ask({ without: ['headers.X-Client-Token'] });
  expect([unauthorized.status, unauthorized.body]).toEqual([
    401,
    {
      code: 401,
      key: 'unauthorized',
      message: expect.any(String),
      details: 'X-Client-Token: not accepted',
      request_id: expect.stringMatching(/^v-/),
    },
  ]);
  const malformed = ask({ raw: '{' });
  expect(malformed.body).toMatchObject({ code: 400, key: 'invalid_payload' });
  const members = Object.keys(malformed.body).sort().join(', ');
  expect(openQuestions['error-shape'].default).toBe(`${malformed.headers['content-type']}: ${members}`);
  const unknownFilter = ask({ query: '[filters][x][conditions][$is]=1' });
  expect(unknownFilter.body).toMatchObject({ code: 400, key: 'invalid_query_params' });
  expect(ask({ method: 'PATCH' }).headers.allow).toBe('GET');
  expect(ask({ path: '/v1/promotions' }).status).toBe(404);
});

test('Invalid behaviours are refused with a suggestion', () => {
  for (const [question, outcome, hint] of [
    ['quantity-zeros', 'as-one', 'did you mean "quantity-zero"?'],
    ['quantity-zero', 'as-onee', 'Behaviour quantity-zero has no outcome "as-onee"; did you mean "as-one"? It has: '],
    ['response-shape', '/data/*/id', 'give "/promotions/*/id", the only one that it has'],
    ['response-status', '204', 'a status from 200 to 299 that has a body'],
    ['caching-headers', 'Cache-Control', '"name: value | name: value"'],
  ] as const)
    expect(() => ask({}, { [question]: outcome })).toThrow(hint);
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
  expect(ask({}, behaviours).status).toBe(201);
  const ofAnotherVersion = { 'quantity-zero': 'as-two', 'no-such-question': 'undetermined' };
  const unknown = Object.keys(ofAnotherVersion);
  expect(convertOutcomesToBehaviours(ofAnotherVersion)).toEqual({ behaviours: {}, inimitable: unknown });
});

test('An exception ends one request, but not the server, and only this machine reaches it', async () => {
  let fails = true;
  const { url, close } = await serveReference({
    world,
    credentials: referenceCredentials,
    change: () => ({
      select: () => {
        if (fails) throw new TypeError('a mistake');
        return [];
      },
    }),
  });
  const { applicationId, token } = referenceCredentials;
  const headers = { 'X-Client-Application-Id': applicationId, 'X-Client-Token': token };
  const send = async () => (await fetch(`${url}/v1/promotions/validation`, { headers })).status;
  expect(await send()).toBe(500);
  fails = false;
  expect(await send()).toBe(200);
  // Another address of this machine, as that at which others reach it is.
  const elsewhere = connect(Number(new URL(url).port), '127.0.0.2');
  const isReached = await new Promise((resolve) => {
    elsewhere.on('connect', () => resolve(true)).on('error', () => resolve(false));
  });
  elsewhere.destroy();
  await close();
  expect(isReached).toBe(false);
});
