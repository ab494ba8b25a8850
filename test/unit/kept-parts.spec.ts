/** Processes that keep a part of an early request, and data that changed: which of them explains the last results of a run. */

import { expect, test } from '@playwright/test';
import type { World } from '../../src/contract/world.js';
import type { Exchange, HttpRequest } from '../../src/http/exchange.js';
import { createRecognizer } from '../../src/recognition/recognizer.js';
import { areResultsOfKeptParts } from '../../src/run/are-results-of-kept-parts.js';
import { loadSuite, packageCasesFolder } from '../../src/suite/suite.js';
import { parseJson } from '../../src/support/json.js';
import { createShop } from '../../tools/own-data/create-shop.js';
import { createIndependentDeployment } from '../support/independent-deployment.js';
import { writeData } from '../support/own-data.js';

const world = createShop(300, 3);
const suite = loadSuite(packageCasesFolder, { data: { file: writeData(world, 'kept-parts') } });
const requests = suite.calibration;
const target = {
  world: suite.world,
  recognizer: createRecognizer(suite.world),
  calibration: [],
  isWorldSeen: true,
};

const readBody = ({ body = '' }: HttpRequest) => parseJson(body) as Readonly<Record<string, unknown>>;

/** Answers each request as the one that it is taken for. */
function answer(take: (request: HttpRequest, n: number) => HttpRequest, data: World = world): Exchange[] {
  const respond = createIndependentDeployment(data);
  return requests.map((request, n) => ({ request, response: respond(take(request, n)) }));
}

for (const part of ['customer', 'order'])
  test(`Three processes that keep their first ${part} explain all results`, () => {
    const exchanges = answer((request, n) => {
      const kept = readBody(requests[n % 3] as HttpRequest)[part];
      return { ...request, body: JSON.stringify({ ...readBody(request), [part]: kept }) };
    });
    expect(areResultsOfKeptParts(exchanges, target)).toBe(true);
  });

test('Right results, and data that changed, are explained by no part', () => {
  const isForCustomers = ({ rules }: World['tiers'][number]) => rules.some(({ kind }) => kind === 'customer');
  const changes: readonly World[] = [
    world,
    { ...world, tiers: world.tiers.map((tier) => ({ ...tier, rules: [] })) },
    { ...world, tiers: world.tiers.filter((tier) => !isForCustomers(tier)) },
    { ...world, tiers: world.tiers.slice(20) },
    {
      ...world,
      tiers: world.tiers.map((tier) => ({ ...tier, rules: tier.rules.filter(({ kind }) => kind !== 'customer') })),
    },
  ];
  for (const [n, data] of changes.entries())
    expect(
      areResultsOfKeptParts(
        answer((request) => request, data),
        target,
      ),
      `change ${n}`,
    ).toBe(false);
});
