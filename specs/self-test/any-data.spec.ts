/** Targets that have only a part of the world, or none of it. */

import { expect, test } from '@playwright/test';
import { listUnavailable } from '../../src/cases/list-unavailable.js';
import { loadSuite, suiteFolder } from '../../src/cases/suite.js';
import type { Certificate } from '../../src/report/certificate.js';
import { type Availability, bindWorld } from '../../src/world/bind-world.js';
import { type ThingKind, thingKinds } from '../../src/world/named-world.js';
import type { Tier, World } from '../../src/world/world.js';
import { loadWorld } from '../../src/world/world-file.js';
import {
  type Answer,
  certifyInProcess,
  createBindings,
  createReference,
  listRequirementsWith,
} from './support/in-process.js';
import { createIndependentDeployment, type ShapeName, shapes } from './support/independent-deployment.js';

const world = loadWorld();
const { ids } = world;

/** States the ids that a target has. */
const bind = (idOf: Parameters<typeof createBindings>[0]): Availability => ({ bindings: createBindings(idOf) });
const bindAllBut = (kind: ThingKind, ...names: readonly string[]) =>
  bind((each, name) => (each === kind && names.includes(name) ? undefined : ids[each].get(name)));

const listCases = ({ requirements }: Certificate) => requirements.flatMap(({ cases }) => cases);

test.describe('A target with three ids', () => {
  const threeIds: Readonly<Record<string, string>> = {
    'customer ann': 'C1',
    'product mug': 'P1',
    'campaign spring': 'S1',
  };
  const suite = loadSuite(
    suiteFolder,
    bind((kind, name) => threeIds[`${kind} ${name}`]),
  );

  /** A world of somebody else: its promotions are valid for everybody, half of them belong to the campaign. */
  function createForeignWorld(count: number): World {
    return {
      customers: [{ id: 'C1' }],
      products: [{ id: 'P1' }],
      skus: [],
      categories: [],
      campaigns: ['S1', 'S2'].map((id) => ({ id, name: `campaign ${id}`, category_ids: [] })),
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
  const foreign = createIndependentDeployment(createForeignWorld(5));
  const certify = async (respond: Answer, tierPatterns?: readonly string[]) =>
    (await certifyInProcess(respond, { suite, ...(tierPatterns && { tierPatterns }) })).certificate;
  const listJudged = (certificate: Certificate) =>
    listCases(certificate).filter(({ verdict }) => verdict === 'pass' || verdict === 'fail');

  for (const count of [5, 300]) {
    test(`A deployment with ${count} promotions is incomplete, and the missing ids are listed`, async () => {
      const certificate = await certify(createIndependentDeployment(createForeignWorld(count)));
      expect(certificate.verdict).toBe('incomplete');
      expect(listRequirementsWith('fail', certificate)).toEqual([]);
      expect(listJudged(certificate).length).toBeGreaterThanOrEqual(8);
      const reasons = certificate.incomplete_because?.join('\n');
      for (const [kind, name] of [
        ['customers', 'ordinary'],
        ['products', 'plate'],
        ['skus', 'shirt-blue'],
        ['campaigns', 'summer'],
        ['tiers', 'greeting'],
      ])
        expect(reasons).toMatch(
          new RegExp(`^With ids of these ${kind} it would be complete: .*\\b${name}\\b.*\\.$`, 'm'),
        );
    });
  }

  test('No request names anything that the target does not have', async () => {
    const sent: string[] = [];
    await certify((request) => {
      sent.push(JSON.stringify(request));
      return foreign(request);
    });
    const unavailable = [...suite.world.unavailable.keys()];
    expect(unavailable.filter((id) => sent.some((request) => request.includes(id)))).toEqual([]);
  });

  const violations: readonly (readonly [requirement: string, isRefused: (body: string) => boolean])[] = [
    ['options.expand-category', (body) => body.includes('category')],
    ['order.repeated-product', (body) => body.split('P1').length > 2],
    ['order.metadata', (body) => body.includes('gift_options')],
    ['metadata.promotion-rules', (body) => body.includes('store_name')],
  ];
  for (const [requirement, isRefused] of violations) {
    test(`A deployment that refuses the requests of ${requirement} fails only that requirement`, async () => {
      const refusing: Answer = (request) =>
        isRefused(request.body ?? '') ? { status: 400, headers: [], body: '{}' } : foreign(request);
      expect(listRequirementsWith('fail', await certify(refusing))).toEqual([requirement]);
    });
  }

  test('If every response has the same error status, nothing fails and nothing passes', async () => {
    for (const status of [400, 404, 500]) {
      const certificate = await certify(() => ({ status, headers: [], body: '{}' }));
      expect(listJudged(certificate), String(status)).toEqual([]);
    }
  });
});

test.describe('A target with a part of the world', () => {
  const certify = async (availability: Availability, tiers: readonly Tier[] = world.tiers, shape?: ShapeName) => {
    const suite = loadSuite(suiteFolder, availability);
    const respond = createIndependentDeployment({ ...world, tiers }, shape === undefined ? {} : { shape });
    return (await certifyInProcess(respond, { suite })).certificate;
  };

  test('Only cases that need a missing customer are not applicable', async () => {
    const certificate = await certify(bindAllBut('customer', 'bulk'));
    expect(certificate.incomplete_because).toContain('With ids of these customers it would be complete: bulk.');
    const others = listCases(certificate).filter(({ verdict }) => verdict !== 'pass');
    expect(others.map(({ id }) => id)).toContain('every-valid-tier');
    for (const { reason } of others) expect(reason).toContain('The target does not have customer bulk.');
  });

  test('Without one of the newest 150 tiers, nothing fails and the window cases are not applicable', async () => {
    const certificate = await certify(
      bindAllBut('tier', 'depot-7'),
      world.tiers.filter(({ name }) => name !== 'depot-7'),
    );
    expect(listRequirementsWith('fail', certificate)).toEqual([]);
    const window = certificate.requirements.find(({ id }) => id === 'limit.newest-150');
    const skipped = window?.cases.filter(({ verdict }) => verdict === 'not-applicable').map(({ id }) => id);
    expect(skipped).toEqual(expect.arrayContaining(['window-with-few-valid', 'window-with-all-valid']));
  });

  const capabilities = ['customer', 'product', 'sku', 'order_metadata', 'metadata'] as const;
  for (const [n, missing] of capabilities.entries()) {
    const tag = missing === 'sku' ? [] : '@long';
    test(`A deployment without ${missing} rules is incomplete, and fails nothing`, { tag }, async () => {
      const supported = new Set(capabilities.filter((kind) => kind !== missing));
      const tiers = world.tiers.filter(({ rules }) => rules.every(({ kind }) => kind !== missing));
      const shape = (Object.keys(shapes) as ShapeName[])[n];
      const certificate = await certify({ capabilities: supported }, tiers, shape);
      expect(listRequirementsWith('fail', certificate)).toEqual([]);
      expect(certificate.verdict).toBe('incomplete');
      expect(certificate.incomplete_because).toContain(`With these capabilities it would be complete: ${missing}.`);
    });
  }

  for (const start of [0, 1, 2])
    test(`Nothing fails without every third tier, from number ${start + 1}`, { tag: '@long' }, async () => {
      const names = world.tiers.filter((_, n) => n % 3 === start).map(({ name }) => name);
      const remaining = world.tiers.filter(({ name }) => !names.includes(name));
      for (const tiers of [remaining, world.tiers])
        expect(listRequirementsWith('fail', await certify(bindAllBut('tier', ...names), tiers))).toEqual([]);
    });

  test('Short and numeric ids are recognized', async () => {
    const suite = loadSuite(
      suiteFolder,
      bind((kind, _, n) => String((thingKinds.indexOf(kind) + 1) * 1000 + n)),
    );
    const reference = createReference({ world: suite.world });
    const withNumbers: Answer = (request) => {
      const response = reference(request);
      return { ...response, body: response.body.replaceAll(/"id":"(\d+)"/g, '"id":$1') };
    };
    for (const respond of [createIndependentDeployment(suite.world), withNumbers])
      expect((await certifyInProcess(respond, { suite })).certificate.verdict).toBe('conforms');
  });

  test('Nothing is unavailable in a complete world', () => {
    expect(bindWorld(world, {})).toBe(world);
    expect(listUnavailable(new Map(), [], 'requirement', world)).toEqual([]);
  });
});
