/** Explanations of failures. */

import { expect, test } from '@playwright/test';
import type { HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import { parseRequest } from '../../src/http/request-content.js';
import { certifyInProcess, requirementSuite, suite } from './support/in-process.js';
import { createIndependentDeployment } from './support/independent-deployment.js';

type Answer = (request: HttpRequest) => HttpResponse;

const conforming = createIndependentDeployment(suite.world);
const everything = JSON.stringify({ data: suite.world.tiers.map(({ id }) => ({ id })) });

/** Returns every promotion, valid or not, for some requests. */
const careless =
  (isMet: (body: { order?: { items?: { quantity?: number }[] }; metadata?: object }) => boolean): Answer =>
  (request) => {
    const response = conforming(request);
    const { body } = parseRequest(request);
    return typeof body === 'object' && isMet(body ?? {}) ? { ...response, body: everything } : response;
  };

async function certified(answer: Answer) {
  const { certificate } = await certifyInProcess(answer, { suite: requirementSuite });
  return certificate;
}

test('A reason states what a promotion requires and what the request has', async () => {
  const reasons = [
    await certified(careless(() => true)),
    await certified((request) => ({ ...conforming(request), body: '{"data":[]}' })),
  ].flatMap(({ requirements }) => requirements.flatMap(({ cases }) => cases.flatMap(({ rows = [] }) => rows)));
  const text = reasons.map(({ reason }) => reason).join('\n');
  for (const why of [
    /'beyond-first' \(rank 151: is older than the newest 150\)/,
    /: asks for \d+ of product [a-z-]+; the order has none\)/,
    /: asks for \d+ of product [a-z-]+; the order has \d+( \+ \d+)*\)/,
    /: asks for \d+ of sku [a-z0-9-]+; the order has (none|\d+)/,
    /: is for customer [a-z-]+( or [a-z-]+)*; the customer is [a-z-]+/,
    /: asks for the metadata \S+ = \S+; the request has /,
    /: is of campaign [a-z-]+; the filter asks for [a-z-]+\)/,
    /: has the metadata \S+ = \S+; the filter asks for /,
  ])
    expect(text).toMatch(why);
});

test('A pattern of all failing rows is noted once', async () => {
  const withMetadata = await certified(careless(({ metadata }) => Object.keys(metadata ?? {}).length > 0));
  expect(withMetadata.notes).toEqual([
    expect.stringMatching(
      /^One pattern: all \d+ failing rows have a request with metadata; none of the \d+ passing rows of the same cases has one\.$/,
    ),
  ]);
  const withMany = await certified(
    careless(({ order }) => (order?.items ?? []).some(({ quantity = 1 }) => quantity >= 3)),
  );
  expect(withMany.notes).toEqual([
    expect.stringMatching(/ failing rows have a request with 3 or more of a product or SKU; none of the /),
  ]);
});

test('No pattern is noted if there is an exception, or if only one requirement fails', async () => {
  let turn = 0;
  const now = careless(() => {
    turn += 1;
    return turn % 3 > 0;
  });
  expect((await certified(now)).notes).toEqual([]);
  expect(
    (await certified(createIndependentDeployment(suite.world, { violation: 'ignores-campaign-filter' }))).notes,
  ).toEqual([]);
  expect((await certified(conforming)).notes).toEqual([]);
});
