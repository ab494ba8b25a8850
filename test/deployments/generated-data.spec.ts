/** Runs on data that a generator makes, another one in each run: `OWN_DATA_SEED` repeats one. */

import { expect, test } from '@playwright/test';
import type { Certificate } from '../../src/certificate/certificate.js';
import { pickWorldLists, type World } from '../../src/contract/world.js';
import type { HttpRequest, HttpResponse, RequestChannel } from '../../src/http/exchange.js';
import { loadSuite, packageCasesFolder } from '../../src/suite/suite.js';
import { parseJson } from '../../src/support/json.js';
import { createShop, shopSizes } from '../../tools/own-data/create-shop.js';
import { measureReference } from '../../tools/own-data/measure-reference.js';
import { createRandom } from '../../tools/own-data/random.js';
import { createRandomRequests } from '../../tools/own-data/random-requests.js';
import type { Answer } from '../../tools/proof/judge-deployment.js';
import { listFaults } from '../../tools/proof/list-faults.js';
import { certifyInProcess, certifyOver, channelTo, createReference, renderUnpassed } from '../support/in-process.js';
import { createIndependentDeployment } from '../support/independent-deployment.js';
import { conformingTraits, ownDataSeed, writeData } from '../support/own-data.js';

const loadOwn = (world: World, name: string) =>
  loadSuite(packageCasesFolder, { data: { file: writeData(world, name) } });

test.beforeEach(() => {
  test.info().annotations.push({ type: 'OWN_DATA_SEED', description: String(ownDataSeed) });
});

for (const size of shopSizes) {
  test(`${size} tiers: no deployment that conforms fails`, { tag: size === 20 ? [] : ['@long'] }, async () => {
    test.setTimeout(1_200_000);
    const world = createShop(size, ownDataSeed);
    const suite = loadOwn(world, `generated-${size}`);
    for (const traits of conformingTraits) {
      const { certificate } = await certifyInProcess(createIndependentDeployment(world, traits), { suite });
      const shown = `seed ${ownDataSeed}, ${JSON.stringify(traits)}: ${renderUnpassed(certificate)}`;
      expect(certificate.verdict, shown).not.toBe('does-not-conform');
    }
    const { certificate } = await certifyInProcess(createReference({ world }), { suite });
    const { pass = 0, 'not-applicable': lacking = 0 } = certificate.summary;
    expect(pass + lacking, renderUnpassed(certificate)).toBe(17);
  });
}

/** What ordinary servers before a deployment refuse. */
const refusals: Readonly<Record<string, (request: HttpRequest) => number | undefined>> = {
  'bodies without their length': ({ sent }) => (sent === 'chunked' ? 411 : undefined),
  'bodies above 8 KB': ({ body = '' }) => (body.length > 8_192 ? 413 : undefined),
  'long URLs': ({ path }) => (path.length > 2_000 ? 414 : undefined),
};

/** How many of the 17 requirements have a verdict at least; all of them by default. */
const atLeast: Readonly<Record<string, number>> = { 'bodies above 8 KB': 15, 'long URLs': 14 };

for (const [what, refuse] of Object.entries(refusals))
  test(`A deployment that conforms and refuses ${what} does not fail`, async () => {
    const world = createShop(60, ownDataSeed);
    const answer = createIndependentDeployment(world);
    const respond: Answer = (request) => {
      const status = refuse(request);
      return status === undefined ? answer(request) : { status, headers: [], body: '' };
    };
    const { certificate } = await certifyInProcess(respond, { suite: loadOwn(world, 'refusing') });
    expect(certificate.verdict, `seed ${ownDataSeed}: ${renderUnpassed(certificate)}`).not.toBe('does-not-conform');
    const { pass = 0, 'not-applicable': lacking = 0 } = certificate.summary;
    // What a limit of sizes leaves without a verdict is what large requests are for.
    expect(pass + lacking, renderUnpassed(certificate)).toBeGreaterThanOrEqual(atLeast[what] ?? 17);
  });

test('Of the faults that a documented request shows on generated data, most are found', { tag: '@long' }, async () => {
  test.setTimeout(3_600_000);
  const found: string[] = [];
  const missed: string[] = [];
  for (const size of shopSizes) {
    const suite = loadOwn(createShop(size, ownDataSeed), `faults-${size}`);
    const random = createRandom(ownDataSeed + size);
    const requests = createRandomRequests(suite.world, random, 1_000);
    const faults = random.sample(listFaults(), 100);
    const requirements = { ...suite, cases: suite.cases.filter(({ kind }) => kind === 'requirement') };
    const measured = await measureReference(requirements, faults, requests);
    found.push(...measured.found);
    missed.push(...measured.missed.map(({ id }) => `${size} tiers: ${id}`));
  }
  // The faults are made at each place of the reference deployment, most in a branch of its own for few requests.
  expect(found.length / (found.length + missed.length), missed.join('\n')).toBeGreaterThanOrEqual(0.85);
});

/** Answers that have nothing to do with the data, or little. */
const oddAnswers: Readonly<Record<string, (world: World) => Answer>> = {
  conforming: (world) => createIndependentDeployment(world),
  'nothing is ever returned': (world) => createIndependentDeployment({ ...world, tiers: [] }),
  'not found': () => () => ({ status: 404, headers: [], body: '{}' }),
  refused: () => () => ({ status: 400, headers: [], body: '{"error":"no"}' }),
  'a failure': () => () => ({ status: 500, headers: [], body: '' }),
  'a web page': () => () => ({
    status: 200,
    headers: [['content-type', 'text/html']],
    body: '<!doctype html><p>Hi</p>',
  }),
  'another list': () => () => ({ status: 200, headers: [], body: '{"promotions":[{"id":"something-else"}]}' }),
  'no credentials accepted': () => () => ({ status: 401, headers: [], body: '' }),
  'the test data of the suite': () => createReference(),
  'customers refused': (world) => (request) =>
    request.body?.includes('"customer"')
      ? { status: 404, headers: [], body: '' }
      : createIndependentDeployment(world)(request),
};

/** What is true of the test data alone: its names, and how to load it. */
const wordsOfTestData = /test data|conformance world|\b(?:mug|plate|shirt|greeting|cleo)-?\w*\b/i;

for (const [what, create] of Object.entries(oddAnswers))
  test(`On own data no text speaks of the test data: ${what}`, async () => {
    const world = createShop(20, ownDataSeed);
    const run = await certifyInProcess(create(world), { suite: loadOwn(world, 'texts') });
    const { target: _, ...certificate }: Certificate = run.certificate;
    const findings = JSON.stringify([run.examination.findings, run.examination.unreachable, run.examination.load]);
    const texts = [...listTexts(certificate), findings];
    expect(texts.filter((text) => wordsOfTestData.test(text))).toEqual([]);
  });

/** Lists the sentences of a certificate: texts with a blank. What the contract states is the same for all data. */
function listTexts(value: unknown): string[] {
  if (typeof value === 'string') return value.includes(' ') ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === 'statement' || name === 'title' ? [] : listTexts(member),
  );
}

/** A shop whose customers get different results: in others, a mistake that mixes them up shows less. */
const shopOfMany = createShop(60, 1);

/** Answers requests that overlap with the result of the last one of them, as a deployment with a shared variable does. */
function createRacingChannel(answer: Answer): RequestChannel {
  let last: HttpRequest | undefined;
  const respond = async (request: HttpRequest): Promise<HttpResponse> => {
    last = request;
    await new Promise((resolve) => setTimeout(resolve, 1));
    return answer(last);
  };
  return { ...channelTo(answer), send: async (request) => ({ request, response: await respond(request) }) };
}

test('A deployment that mixes up overlapping requests fails: its right results at the end are no change of the data', async () => {
  const world = shopOfMany;
  const { certificate } = await certifyOver(
    createRacingChannel(createIndependentDeployment(world)),
    loadOwn(world, 'racing'),
    { excludesIntrusive: true },
  );
  expect(certificate.verdict, renderUnpassed(certificate)).toBe('does-not-conform');
});

test('A deployment of which each process keeps its first customer fails: results of others are no change of the data', async () => {
  const world = shopOfMany;
  const answer = createIndependentDeployment(world);
  const kept: unknown[] = [];
  let count = 0;
  const mistaken: Answer = (request) => {
    count += 1;
    const process = pickProcess(count);
    const body = JSON.parse(request.body ?? '{}') as { customer?: unknown };
    kept[process] ??= body.customer;
    return answer({ ...request, body: JSON.stringify({ ...body, customer: kept[process] }) });
  };
  const { certificate } = await certifyInProcess(mistaken, {
    suite: loadOwn(world, 'keeping'),
    excludesIntrusive: true,
  });
  expect(certificate.verdict, renderUnpassed(certificate)).toBe('does-not-conform');
});

/** Which of three processes gets a request, by its number: not quite in turn. */
const pickProcess = (count: number) => (count + Math.floor(count / 7)) % 3;

interface OrderedBody {
  readonly order?: { readonly items?: readonly unknown[] };
  readonly metadata?: Readonly<Record<string, string>>;
}

/** What each process adds of earlier requests to later ones. */
const leftovers: Readonly<Record<string, (body: OrderedBody, earlier: OrderedBody) => OrderedBody>> = {
  items: (body, earlier) => ({
    ...body,
    order: { ...body.order, items: [...(earlier.order?.items ?? []), ...(body.order?.items ?? [])] },
  }),
  metadata: (body, earlier) => ({ ...body, metadata: { ...earlier.metadata, ...body.metadata } }),
};

/** Adds what earlier requests had to later ones, in each of three processes. */
function answerWithLeftovers(world: World, add: (body: OrderedBody, earlier: OrderedBody) => OrderedBody): Answer {
  const answer = createIndependentDeployment(world);
  const kept: OrderedBody[] = [{}, {}, {}];
  let count = 0;
  return (request) => {
    const body = parseJson(request.body ?? '') as OrderedBody | undefined;
    if (body?.order === undefined) return answer(request);
    count += 1;
    const process = pickProcess(count);
    const added = add(body, kept[process] ?? {});
    kept[process] = added;
    return answer({ ...request, body: JSON.stringify(added) });
  };
}

for (const [what, add] of Object.entries(leftovers))
  test(`A deployment of which each process keeps ${what} of earlier requests fails in most large shops`, async () => {
    const verdicts: string[] = [];
    for (const seed of [1, 2, 3]) {
      const world = createShop(800, seed);
      const suite = loadOwn(world, `keeping-${what}`);
      const mistaken = answerWithLeftovers(world, add);
      const { certificate } = await certifyInProcess(mistaken, { suite, excludesIntrusive: true });
      verdicts.push(certificate.verdict);
    }
    // A shop whose first requests show few promotions at different times is left without a verdict.
    expect(verdicts.filter((verdict) => verdict === 'does-not-conform').length, verdicts.join()).toBeGreaterThan(1);
    expect(verdicts).not.toContain('conforms');
  });

test('A deployment of which each process answers a filter wrongly every other time fails', async () => {
  const world = createShop(60, 1);
  const answer = createIndependentDeployment(world);
  const nothing = createIndependentDeployment({ ...world, tiers: [] });
  const last: string[] = [];
  let count = 0;
  const mistaken: Answer = (request) => {
    count += 1;
    const process = pickProcess(count);
    const isAgain = request.path.includes('metadata') && last[process] === request.path;
    last[process] = isAgain ? '' : request.path;
    return isAgain ? nothing(request) : answer(request);
  };
  const suite = loadOwn(world, 'every-other');
  const { certificate } = await certifyInProcess(mistaken, { suite, excludesIntrusive: true });
  expect(certificate.verdict, renderUnpassed(certificate)).toBe('does-not-conform');
});

/** Answers as data of which one promotion more has no rules with each request. */
function answerWhileRulesGo(world: World, select: (tiers: World['tiers']) => World['tiers']): Answer {
  let tiers = world.tiers;
  const going = [...select(tiers)];
  return (request) => {
    const { id } = going.shift() ?? {};
    tiers = tiers.map((tier) => (tier.id === id ? { ...tier, rules: [] } : tier));
    return createIndependentDeployment({ ...world, tiers })(request);
  };
}

test('Data that changes bit by bit during a run is no failure', async () => {
  const world = createShop(60, ownDataSeed);
  const suite = loadOwn(world, 'changing-slowly');
  for (const select of [
    (tiers: World['tiers']) => tiers,
    (tiers: World['tiers']) => tiers.toReversed(),
    (tiers: World['tiers']) => createRandom(ownDataSeed).sample(tiers, tiers.length),
  ]) {
    const { certificate } = await certifyInProcess(answerWhileRulesGo(world, select), { suite });
    const shown = `seed ${ownDataSeed}: ${renderUnpassed(certificate)}`;
    expect(certificate.verdict, shown).not.toBe('does-not-conform');
  }
});

test('Data that changes during a run is no failure, whenever it changes', async () => {
  const world = createShop(60, ownDataSeed);
  const suite = loadOwn(world, 'changing');
  const changed = { ...pickWorldLists(suite.world), tiers: world.tiers.map((tier) => ({ ...tier, rules: [] })) };
  for (const from of [30, 120]) {
    let count = 0;
    const [before, after] = [createIndependentDeployment(world), createIndependentDeployment(changed)];
    const answer: Answer = (request) => {
      count += 1;
      return count < from ? before(request) : after(request);
    };
    const { certificate } = await certifyInProcess(answer, { suite });
    expect(certificate.verdict, renderUnpassed(certificate)).not.toBe('does-not-conform');
  }
});
