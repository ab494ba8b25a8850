import { expect, test } from '@playwright/test';
import { parse } from 'yaml';
import { closedQuestions } from '../../reference/behaviours.js';
import { createDeployment } from '../../reference/deployment.js';
import type { Fault } from '../../reference/faults/fault.js';
import { inBranch, listGeneratedFaults } from '../../reference/faults/generated-faults.js';
import { faults, findFault } from '../../reference/faults/index.js';
import type { Change } from '../../reference/handlers.js';
import { parseFirstWins } from '../../reference/json.js';
import { branchMistakes, type Condition, conditions, type Loss } from '../../reference/mistakes/branch.js';
import { readCaseFile } from '../../src/cases/case-file.js';
import { assembleRequest, documentedRequestDraft } from '../../src/cases/request-draft.js';
import { explainUndocumented } from '../../src/contract/explain-undocumented.js';
import { credentialPlaceholders } from '../../src/contract/operation.js';
import { explorationCaseId } from '../../src/engine/case-result.js';
import { explore } from '../../src/engine/explore.js';
import { createRequest, type Exploration, type RandomRequest } from '../../src/engine/request-values.js';
import { startRun } from '../../src/engine/run.js';
import { listThoroughRequests } from '../../src/engine/thorough-requests.js';
import type { HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import { createRecognizer } from '../../src/recognition/recognizer.js';
import { parseYaml } from '../../src/support/yaml-file.js';
import type { NamedWorld } from '../../src/world/named-world.js';
import { certifyInProcess, channelTo, recognizer, suite } from './support/in-process.js';
import { createIndependentDeployment, type ShapeName, shapes } from './support/independent-deployment.js';

const { world } = suite;
const exploration = { requests: 600, seed: 7 };

async function exploring(answer: Parameters<typeof channelTo>[0], wanted: Exploration = exploration) {
  const channel = channelTo(answer);
  const { background } = await startRun(suite, channel, { recognizer, isWorldLoaded: true });
  return explore(suite, channel, background, wanted);
}

function faulty(fault: Fault) {
  const { change } = fault;
  return createDeployment({ world, credentials: credentialPlaceholders, change });
}

async function expectFound(faults: readonly Fault[]): Promise<void> {
  for (const fault of faults) {
    const { verdict, reason } = await exploring(faulty(fault), { requests: 1_500, seed: 7 });
    expect.soft(verdict, `${fault.id}: ${reason}`).toBe('fail');
  }
}

/** The last fault of each requirement. */
const oneOfEach = [...new Map(faults.map((fault) => [fault.breaks, fault])).values()];

test('Random requests find faults of several requirements', () => expectFound(oneOfEach.filter((_, n) => n % 8 === 0)));

/** A random request that is answered with 401 is inconclusive, so that only written cases find these. */
const refusing = (fault: Fault) => fault.breaks === 'request.credentials';

test('Random requests find all faults that the written cases find', { tag: '@long' }, () =>
  expectFound(faults.filter((fault) => !refusing(fault))),
);

/** Sends random requests to conforming deployments with different shapes. */
async function expectConforming(requests: number): Promise<void> {
  const { 'with-rejected': _ambiguous, 'huge-records': _slow, ...others } = shapes;
  for (const [n, shape] of (Object.keys(others) as ShapeName[]).entries()) {
    const deployment = createIndependentDeployment(world, {
      shape,
      empty: 404,
      repeated: 'each-item-alone',
      orderMetadataRules: 'ignored',
      filteredWindow: 'filter-first',
    });
    const { verdict, subject, reason } = await exploring(deployment, { requests, seed: n + 1 });
    expect.soft([verdict, subject], `${shape}: ${reason}`).toEqual(['pass', explorationCaseId]);
  }
}

for (const [requests, tag] of [
  [30, []],
  [600, ['@long']],
] as const)
  test(`${requests} random requests fail no conforming deployment`, { tag: [...tag] }, () =>
    expectConforming(requests),
  );

test('Thorough requests fail no conforming deployment', { tag: '@long' }, async () => {
  const refusals = Object.entries(closedQuestions).flatMap(([question, outcomes]) => {
    const refusal = ['rejected', 'server-error', 'not-found'].find((each) => outcomes.includes(each as never));
    return refusal === undefined ? [] : [[question, refusal] as const];
  });
  // Two halves: one refusal may hide another.
  for (const half of [0, 1]) {
    const behaviours = Object.fromEntries(refusals.filter((_, n) => n % 2 === half));
    const deployment = createDeployment({ world, credentials: credentialPlaceholders, behaviours });
    const { verdict, reason } = await exploring(deployment, { requests: 300, seed: 7, isThorough: true });
    expect(verdict, reason).toBe('pass');
  }
});

/** A deployment that refuses text on which parsers disagree (RFC 7493, section 2). */
function createStrictDeployment() {
  const answer = createIndependentDeployment(world);
  return (request: HttpRequest): HttpResponse => {
    const { body = '{}', path } = request;
    const texts = [decodeURIComponent(path)];
    JSON.parse(body, (key, value) => void texts.push(key, String(value)));
    let isRefused = texts.some((text) => text === '__proto__' || /\p{Surrogate}/u.test(text));
    parseFirstWins(body, () => {
      isRefused = true;
    });
    return isRefused ? { status: 400, headers: [], body: '' } : answer(request);
  };
}

test('Random requests fail no conforming deployment that is strict about text', async () => {
  const { verdict, reason } = await exploring(createStrictDeployment(), { requests: 300, seed: 7 });
  expect(verdict, reason).toBe('pass');
});

test('Texts on which parsers disagree are not documented, in written requests and in random ones', () => {
  const documented = { ...assembleRequest(documentedRequestDraft, (_, name) => name), body: '{}' };
  const explain = (change: object) => explainUndocumented({ ...documented, ...change });
  expect(explain({})).toBeUndefined();
  expect(explain({ body: '{"metadata": {"a": "🎁 \\ud83d\\udf81 \\\\ud83d"}}' })).toBeUndefined();
  const path = `${documented.path}?[filters][metadata.level][conditions][$is]=`;
  expect(explain({ path: `${path}%F0%9F%8E%81` })).toBeUndefined();
  const invalid = [
    { body: '{"metadata": {"a": "\\ud83d"}}' },
    { body: '{"metadata": {"\\udf81": "a"}}' },
    { body: '{"metadata": {"a": "b", "a": "c"}}' },
    { body: '{"metadata": {}, "metadata": {}}' },
    { body: '{"order": {"items": [{"product_id": "prod_1", "quantity": 9007199254740993}]}}' },
    { path: `${path}%F0%9F` },
  ];
  for (const change of invalid) expect.soft(explain(change), JSON.stringify(change)).toBeDefined();
});

test('A failure is shrunk to one difference: texts, lists and sequences are as short as they can be', async () => {
  const find = async (id: string, seed = 9) => {
    const { asCase = '' } = await exploring(faulty(findFault(id)), { requests: 1_500, seed });
    return parse(asCase).cases[0];
  };
  const values = new Set(
    world.tiers.flatMap(({ metadata, rules }) => [
      ...Object.values(metadata),
      ...rules.flatMap((rule) => (rule.kind === 'metadata' ? [rule.is] : [])),
    ]),
  );
  for (const seed of [9, 10, 11, 12]) {
    const { request } = await find('metadata-by-part', seed);
    expect(request.body.order).toEqual({ items: [expect.objectContaining({ quantity: 1 })], metadata: {} });
    expect(request.body.options).toEqual({});
    const sent = Object.values<string>(request.body.metadata);
    expect(sent).toHaveLength(1);
    // A value of the world is left as it is: a part of it would be one more difference.
    for (const value of sent) expect(values.has(value) ? 1 : [...value].length, value).toBeLessThanOrEqual(1);
  }
  const { requests } = await find('metadata-filter-value-left-out-of-the-cache');
  expect(Object.keys(requests)).toEqual(['plain', 'earlier-1', 'probe']);
  const [earlier, probe] = [requests['earlier-1'], requests.probe].map(({ filter }) => Object.entries(filter)[0]);
  expect(earlier?.[0]).toBe(probe?.[0]);
  expect(earlier?.[1]).not.toBe(probe?.[1]);
});

test('A failure that needs several requests is rendered with all of them', async () => {
  for (const id of ['cached-without-the-customer', 'older-only-for-some-with-campaign-filter']) {
    const { asCase = '', reason } = await exploring(faulty(findFault(id)), { requests: 1_500, seed: 7 });
    expect(reason).toContain('--explore 1500 --seed 7');
    const { cases, problems } = readCaseFile(parseYaml(asCase, 'found.yaml'), suite);
    expect(problems, asCase).toEqual([]);
    const sent = [...(cases[0]?.rows[0]?.requests.keys() ?? [])];
    expect(sent, id).toContain(id.startsWith('cached') ? 'earlier-1' : 'discriminating');
    // The case does not include what the cache kept from earlier requests.
    if (id.startsWith('cached')) continue;
    const { results } = await certifyInProcess(faulty(findFault(id)), { suite: { ...suite, cases } });
    expect(results.map(({ verdict }) => verdict)).toEqual(['fail']);
  }
});

test('The same seed sends the same requests', async () => {
  const answer = createIndependentDeployment(world);
  const listSent = async () => {
    const requests: HttpRequest[] = [];
    const note = (request: HttpRequest) => {
      requests.push(request);
      return answer(request);
    };
    await exploring(note, { requests: 100, seed: 7 });
    return requests;
  };
  const sent = await listSent();
  expect(sent.length).toBeGreaterThan(100);
  expect(await listSent()).toEqual(sent);
});

test('A target without clear responses is inconclusive', async () => {
  const result = await exploring(() => ({ status: 503, headers: [], body: '' }));
  expect(result.verdict).toBe('inconclusive');
  // Ten requests, some twins, and the request with an empty result.
  expect(result.requestsSent).toBeLessThan(22);
});

test('A bug of the suite is an error, never a pass', async () => {
  let sent = 0;
  const result = await exploring((request) => {
    if (++sent > suite.calibration.length) throw new Error('no such thing');
    return createIndependentDeployment(world)(request);
  });
  expect(result).toMatchObject({ verdict: 'error', reason: expect.stringContaining('please report it') });
});

test.describe('A thorough run', () => {
  /** Few tiers: the requests are listed from the world, so they are fewer, too. */
  const few = {
    ...world,
    tiers: world.tiers.filter(({ rules }, n) => n % 10 === 0 || rules.some(({ kind }) => kind === 'order_metadata')),
  };
  const explorationOf = { requests: 50, seed: 7, isThorough: true };

  async function exploreThoroughly(answer: Parameters<typeof channelTo>[0], own: NamedWorld) {
    const channel = channelTo(answer);
    const ownSuite = { ...suite, world: own };
    const { background } = await startRun(ownSuite, channel, {
      recognizer: own === world ? recognizer : createRecognizer(own),
      isWorldLoaded: true,
    });
    return explore(ownSuite, channel, background, explorationOf);
  }
  const deploy = (own: NamedWorld, change: Change = () => ({})) =>
    createDeployment({ world: own, credentials: credentialPlaceholders, change });

  test('sends documented requests, any three choices together, and each awkward text', () => {
    const all = listThoroughRequests(world).flatMap(({ steps }) => steps);
    expect(all.length).toBeGreaterThan(2_000);
    for (const step of all.filter((_, n) => n % 7 === 0))
      expect(explainUndocumented(createRequest(step, world))).toBeUndefined();
    const sendsTogether = ({ expand, metadata, filters }: RandomRequest) =>
      expand && Object.keys(metadata).length > 9 && filters[0]?.[0] === 'campaign';
    expect(all.filter(sendsTogether).length).toBeGreaterThan(0);
  });

  for (const [shape, tag] of [
    ['wrapped', '@long'],
    ['keyed-by-id', []],
    ['in-urls', '@long'],
  ] as const)
    test(`fails no conforming deployment: ${shape}`, { tag: [tag].flat() }, async () => {
      const filteredWindow = shape === 'wrapped' ? 'window-first' : 'filter-first';
      const deployment = createIndependentDeployment(few, { shape, empty: 404, filteredWindow });
      const { verdict, reason } = await exploreThoroughly(deployment, few);
      expect(verdict, reason).toBe('pass');
    });

  test('finds what shows for three members together, on a used connection and when requests overlap', async () => {
    const [expand, metadata, filter] = ['expand', 'metadata', 'campaign-filter'].map(
      (id) => conditions.find((condition) => condition.id === id) as Condition,
    );
    const lost = branchMistakes.find(({ id }) => id === 'reservations-lost')?.plug as Loss;
    const met = [expand, metadata, filter] as Condition[];
    const { verdict, reason } = await exploreThoroughly(deploy(few, inBranch(met, lost)), few);
    expect(verdict, reason).toBe('fail');
    const { verdict: ofCache } = await exploreThoroughly(
      deploy(few, findFault('cached-without-the-customer').change),
      few,
    );
    expect(ofCache).toBe('fail');
  });

  test('finds what shows in no request of a default run', { tag: '@long' }, async () => {
    // Minutes when the machine has nothing else to do.
    test.slow();
    const costly = listGeneratedFaults().filter(({ invisibility }) => invisibility?.is === 'thorough-only');
    expect(costly.length).toBeGreaterThan(10);
    for (const { id, change } of costly) {
      const { verdict, reason } = await exploreThoroughly(deploy(world, change), world);
      expect.soft(verdict, `${id}: ${reason}`).toBe('fail');
    }
  });

  test('passes a deployment that refuses a NUL', { tag: '@long' }, async () => {
    const answer = deploy(few);
    const refused: HttpResponse = { status: 500, headers: [], body: '' };
    const hasNul = ({ path, body = '' }: HttpRequest) => path.includes('%00') || body.includes('\\u0000');
    const { verdict, reason } = await exploreThoroughly(
      (request) => (hasNul(request) ? refused : answer(request)),
      few,
    );
    expect(verdict, reason).toBe('pass');
  });

  test('fails no variant of the reference deployment', { tag: '@long' }, async () => {
    for (const [question, outcomes] of Object.entries(closedQuestions).filter((_, n) => n % 5 === 0)) {
      const behaviours = { [question]: outcomes.at(-1) ?? '' };
      const deployment = createDeployment({ world, credentials: credentialPlaceholders, behaviours });
      const { verdict, reason } = await exploreThoroughly(deployment, world);
      expect.soft(verdict, `${JSON.stringify(behaviours)}: ${reason}`).not.toBe('fail');
    }
  });
});
