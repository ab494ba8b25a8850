import { expect, test } from '@playwright/test';
import { createDeployment } from '../../reference/deployment.js';
import { listUnavailable } from '../../src/cases/list-unavailable.js';
import { loadSuite, type Suite, suiteFolder } from '../../src/cases/suite.js';
import type { HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import { type Availability, bindWorld } from '../../src/world/bind-world.js';
import { type ThingKind, thingKinds } from '../../src/world/named-world.js';
import type { World } from '../../src/world/world.js';
import { loadWorld } from '../../src/world/world-file.js';
import { certifyInProcess, listRequirementsWith } from './support/in-process.js';
import { createIndependentDeployment, type ShapeName, shapes } from './support/independent-deployment.js';

const at = { file: 'target.yaml', line: 1, column: 1 };

/** A target that has so much of the world: ids by kind and name. */
const having = (ids: Partial<Record<ThingKind, Readonly<Record<string, string>>>>): Availability => ({
  bindings: Object.fromEntries(
    thingKinds.map((kind) => [kind, new Map(Object.entries(ids[kind] ?? {}).map(([name, id]) => [name, { id, at }]))]),
  ) as unknown as NonNullable<Availability['bindings']>,
});

const threeIds = having({ customer: { ann: 'C1' }, product: { mug: 'P1' }, campaign: { spring: 'S1' } });

/** A deployment of somebody else: so many promotions valid for everybody, half of them in the campaign. */
function foreignWorld(count: number): World {
  return {
    customers: [{ id: 'C1' }],
    products: [{ id: 'P1' }],
    skus: [],
    categories: [],
    campaigns: [
      { id: 'S1', name: 'one', category_ids: [] },
      { id: 'S2', name: 'other', category_ids: [] },
    ],
    tiers: Array.from({ length: count }, (_, n) => ({
      id: `T${n}`,
      campaign_id: n % 2 === 0 ? 'S1' : 'S2',
      name: `tier ${n}`,
      created_at: new Date(2_000_000_000_000 - n * 1000).toISOString(),
      metadata: { has_budget: 'true' },
      rules: [],
    })),
  };
}

let loaded: Suite | undefined;
/** The suite of a target that has no more than those. */
function partial(): Suite {
  loaded ??= loadSuite(suiteFolder, threeIds);
  return loaded;
}

const judged = ({ requirements }: Awaited<ReturnType<typeof certifyInProcess>>['certificate']) =>
  requirements.flatMap(({ cases }) => cases.filter(({ verdict }) => verdict === 'pass' || verdict === 'fail'));

test.describe('with three ids alone', () => {
  for (const count of [5, 300]) {
    test(`a deployment with ${count} promotions: incomplete, at least 8 cases judged, and what would complete it`, async () => {
      const { certificate } = await certifyInProcess(createIndependentDeployment(foreignWorld(count)), {
        suite: partial(),
      });
      expect(certificate.verdict).toBe('incomplete');
      expect(listRequirementsWith('fail', certificate)).toEqual([]);
      expect(judged(certificate).length).toBeGreaterThanOrEqual(8);
      expect(certificate.incomplete_because?.slice(0, 4)).toEqual([
        'Ids that would complete it, of customers: ordinary, ben, cleo, bulk.',
        'Ids that would complete it, of products: plate, lamp, chair, shirt, bag.',
        'Ids that would complete it, of skus: shirt-blue, shirt-red, bag-small, bag-large.',
        'Ids that would complete it, of campaigns: summer, autumn, winter, archive, bazaar, gala.',
      ]);
      expect(certificate.incomplete_because?.[4]).toMatch(
        /of tiers: greeting, for-ann, .*wholesale-1 to wholesale-40, .*beyond-last\.$/,
      );
    });
  }

  test('no request names anything else of the world, and none is sent in vain', async () => {
    const sent: HttpRequest[] = [];
    const answer = createIndependentDeployment(foreignWorld(5));
    const recorded = (request: HttpRequest): HttpResponse => {
      sent.push(request);
      return answer(request);
    };
    await certifyInProcess(recorded, { suite: partial() });
    const others = [...partial().world.unavailable.keys()];
    expect(others.filter((id) => sent.some((request) => JSON.stringify(request).includes(id)))).toEqual([]);
  });

  test('the stated path of promotions lets two more cases be judged', async () => {
    const { certificate } = await certifyInProcess(createIndependentDeployment(foreignWorld(100)), {
      suite: partial(),
      tierPatterns: ['/data/*/id'],
    });
    expect(judged(certificate)).toHaveLength(12);
  });

  const rejecting =
    (what: (request: HttpRequest) => boolean, world = foreignWorld(5)) =>
    (request: HttpRequest): HttpResponse =>
      what(request) ? { status: 400, headers: [], body: '{}' } : createIndependentDeployment(world)(request);
  const verdictsOn = async (answer: (request: HttpRequest) => HttpResponse, tierPatterns?: readonly string[]) =>
    (
      await certifyInProcess(
        answer,
        tierPatterns === undefined ? { suite: partial() } : { suite: partial(), tierPatterns },
      )
    ).certificate;

  const violations: readonly (readonly [string, (request: HttpRequest) => boolean])[] = [
    ['options.expand-category', ({ body = '' }) => body.includes('category')],
    ['order.repeated-product', ({ body = '' }) => body.split('P1').length > 2],
    ['order.metadata', ({ body = '' }) => body.includes('gift_options')],
    ['metadata.promotion-rules', ({ body = '' }) => body.includes('store_name')],
  ];
  for (const [requirement, what] of violations) {
    test(`a deployment that refuses what ${requirement} is about fails it, and nothing else`, async () => {
      expect(listRequirementsWith('fail', await verdictsOn(rejecting(what)))).toEqual([requirement]);
    });
  }

  test('more than 150 promotions fail only where the target file says what stands there', async () => {
    const everything = (request: HttpRequest): HttpResponse => {
      const { tiers } = foreignWorld(151);
      return {
        status: 200,
        headers: [],
        body: JSON.stringify({ path: request.path, ids: tiers.map(({ id }) => id) }),
      };
    };
    expect(listRequirementsWith('fail', await verdictsOn(everything))).toEqual([]);
    expect(listRequirementsWith('fail', await verdictsOn(everything, ['/ids/*']))).toEqual(['limit.newest-150']);
    expect(listRequirementsWith('fail', await verdictsOn(everything, ['/elsewhere/*']))).toEqual([]);
  });

  test('a filter that shows older promotions is open, not a failure', async () => {
    const older = createIndependentDeployment(foreignWorld(400), { filteredWindow: 'filter-first' });
    const { requirements } = await verdictsOn(older, ['/data/*/id']);
    const cases = requirements.flatMap((requirement) => requirement.cases);
    const narrows = cases.find(({ id }) => id === 'any-data-campaign-filter-narrows');
    expect(narrows).toMatchObject({
      verdict: 'inconclusive',
      reason: expect.stringContaining('they may be older ones'),
    });
  });

  for (const [what, answer] of [
    ['nothing but 404', { status: 404, headers: [], body: '' }],
    ['nothing but 400', { status: 400, headers: [], body: '{"error":"no"}' }],
    ['nothing but 500', { status: 500, headers: [], body: '' }],
  ] as const) {
    test(`${what} may be how empty results look: nothing fails, nothing passes`, async () => {
      const certificate = await verdictsOn(() => answer);
      expect(listRequirementsWith('fail', certificate)).toEqual([]);
      expect(listRequirementsWith('pass', certificate)).toEqual([]);
    });
  }
});

test.describe('a part of the world', () => {
  const world = loadWorld();
  const { ids } = world;
  const allBut = (kind: ThingKind, ...names: readonly string[]) =>
    having(
      Object.fromEntries(
        thingKinds.map((each) => [
          each,
          Object.fromEntries([...ids[each]].filter(([name]) => each !== kind || !names.includes(name))),
        ]),
      ),
    );

  test('the reference deployment under the world of a target with all its ids conforms', async () => {
    const bound = loadSuite(suiteFolder, allBut('tier'));
    expect((await certifyInProcess(createIndependentDeployment(world), { suite: bound })).certificate.verdict).toBe(
      'conforms',
    );
  });

  test('a customer without an id takes away what needs it, and no more', async () => {
    const bound = loadSuite(suiteFolder, allBut('customer', 'bulk'));
    const { certificate } = await certifyInProcess(createIndependentDeployment(world), { suite: bound });
    expect(certificate.verdict).toBe('incomplete');
    expect(certificate.incomplete_because).toEqual(['Ids that would complete it, of customers: bulk.']);
    const cases = certificate.requirements.flatMap((requirement) => requirement.cases);
    expect(cases.filter(({ verdict }) => verdict !== 'pass').map(({ id, reason }) => `${id}: ${reason}`)).toEqual([
      'window-with-all-valid: The target does not have customer bulk.',
      'every-valid-tier: The target does not have customer bulk.',
    ]);
  });

  test('without one of the newest 150 tiers, nothing is said of older ones', async () => {
    const bound = loadSuite(suiteFolder, allBut('tier', 'depot-7'));
    const without = { ...world, tiers: world.tiers.filter(({ name }) => name !== 'depot-7') };
    const { certificate } = await certifyInProcess(createIndependentDeployment(without), { suite: bound });
    expect(listRequirementsWith('fail', certificate)).toEqual([]);
    const window = certificate.requirements.find(({ id }) => id === 'limit.newest-150');
    expect(window?.cases.filter(({ verdict }) => verdict === 'not-applicable').map(({ id }) => id)).toEqual([
      'window-whatever-is-open',
      'window-without-customer',
      'window-whoever-asks',
      'window-with-few-valid',
      'window-with-all-valid',
    ]);
  });

  const capabilities = ['customer', 'product', 'sku', 'order_metadata', 'metadata'] as const;
  const shapeNames = Object.keys(shapes) as ShapeName[];

  /** A deployment without rules of a kind, in each of some shapes. */
  async function expectIncomplete(without: (typeof capabilities)[number], shapes: readonly ShapeName[]): Promise<void> {
    const bound = loadSuite(suiteFolder, { capabilities: new Set(capabilities.filter((kind) => kind !== without)) });
    const possible = world.tiers.filter(({ rules }) => rules.every(({ kind }) => kind !== without));
    for (const shape of shapes) {
      const deployment = createIndependentDeployment({ ...world, tiers: possible }, { shape });
      const { certificate } = await certifyInProcess(deployment, { suite: bound });
      expect(listRequirementsWith('fail', certificate), shape).toEqual([]);
      expect(certificate.verdict).toBe('incomplete');
      expect(certificate.incomplete_because).toContain(`Capabilities that would complete it: ${without}.`);
    }
  }

  for (const [n, without] of capabilities.entries()) {
    test(`a deployment without ${without} rules is incomplete, and fails nothing`, () =>
      expectIncomplete(
        without,
        // Each in another shape.
        shapeNames.slice(n, n + 1),
      ));

    test(`so is one without ${without} rules in any shape`, { tag: '@long' }, () =>
      expectIncomplete(without, shapeNames),
    );
  }

  for (const [start, tag] of [[0], [1, '@long'], [2, '@long']] as const)
    test(`every third tier, from the ${start + 1}. on, is left out: nothing fails`, { tag: tag ?? [] }, async () => {
      const names = world.tiers.filter((_, n) => n % 3 === start).map(({ name }) => name);
      const bound = loadSuite(suiteFolder, allBut('tier', ...names));
      const available = { ...world, tiers: world.tiers.filter(({ name }) => !names.includes(name)) };
      for (const deployment of [available, world]) {
        const { certificate } = await certifyInProcess(createIndependentDeployment(deployment), { suite: bound });
        expect(listRequirementsWith('fail', certificate)).toEqual([]);
      }
    });

  test('short and numeric ids are recognised, and what collides with them is a question', async () => {
    const numbered = having(
      Object.fromEntries(
        thingKinds.map((kind, k) => [
          kind,
          Object.fromEntries([...ids[kind].keys()].map((name, n) => [name, String((k + 1) * 1000 + n)])),
        ]),
      ),
    );
    const bound = loadSuite(suiteFolder, numbered);
    const own = bound.world;
    const conforming = await certifyInProcess(createIndependentDeployment(own), { suite: bound });
    expect(conforming.certificate.verdict).toBe('conforms');
    const numbers = (request: HttpRequest) => {
      const response = createDeployment({
        world: own,
        credentials: { applicationId: '$CLIENT_APPLICATION_ID', token: '$CLIENT_TOKEN' },
      })(request);
      return { ...response, body: response.body.replaceAll(/"id":"(\d+)"/g, '"id":$1') };
    };
    expect((await certifyInProcess(numbers, { suite: bound })).certificate.verdict).toBe('conforms');
  });

  test('nothing is unavailable where the world is whole', () => {
    expect(bindWorld(world, {})).toBe(world);
    const needing = { requests: new Map(), assertions: [], mode: 'requirement' } as const;
    expect(listUnavailable(needing, world)).toEqual([]);
  });
});
