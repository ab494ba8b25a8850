/** Deployments with promotions of their own, which take places among the newest 150. */

import { expect, test } from '@playwright/test';
import type { DeploymentOptions } from '../../reference/deployment.js';
import { loadSuite, type Suite, suiteFolder } from '../../src/cases/suite.js';
import type { Certificate } from '../../src/report/certificate.js';
import { diagnose } from '../../src/targets/diagnose.js';
import type { World } from '../../src/world/world.js';
import {
  type Answer,
  certifyInProcess,
  channelTo,
  createReference,
  renderUnpassed,
  suite,
} from './support/in-process.js';

const { world } = suite;

/** The world with promotions of the deployment at this place: 0 if they are newer than the test data. */
function addPromotions(count: number, at = 0): World {
  const [first] = world.tiers;
  if (first === undefined) throw new Error('There is no tier.');
  const near = world.tiers[at] ?? first;
  const own = Array.from({ length: count }, (_, n) => ({
    ...first,
    id: `promo_of_the_deployment_${n + 1}`,
    campaign_id: 'camp_of_the_deployment',
    name: `own ${n + 1}`,
    created_at: new Date(Date.parse(near.created_at) + (count - n) * 1000).toISOString(),
    metadata: { has_budget: 'true', level: 'gold', stock: 'many' },
    rules: [],
  }));
  const campaign = { id: 'camp_of_the_deployment', name: 'own', category_ids: [] };
  return { ...world, campaigns: [...world.campaigns, campaign], tiers: world.tiers.toSpliced(at, 0, ...own) };
}

const deploy = (of: World, options: Pick<DeploymentOptions, 'behaviours' | 'change'> = {}) =>
  createReference({ world: of, ...options });

/** The suite for a target file that counts own promotions. */
const stating = (ownPromotions: number): Suite => loadSuite(suiteFolder, { ownPromotions });

const withWindow = (size: number): Pick<DeploymentOptions, 'change'> => ({
  change: () => ({ newest: (tiers) => tiers.slice(0, size) }),
});

const certify = async (respond: Answer, own: Suite = suite): Promise<Certificate> =>
  (await certifyInProcess(respond, { suite: own })).certificate;

/** The verdict of the requirement cases alone. */
async function judge(respond: Answer, own: Suite = suite): Promise<string> {
  return (await certify(respond, { ...own, cases: own.cases.filter(({ kind }) => kind === 'requirement') })).verdict;
}

for (const [what, at] of [
  ['newer than', 0],
  ['among', 70],
] as const)
  for (const [order, behaviours, tag] of [
    ['before', {}, at === 0 ? [] : ['@long']],
    ['after', { 'filter-beyond-window': 'filter-first' }, at === 0 ? ['@long'] : []],
  ] as const)
    test(`Three promotions ${what} the test data, the window ${order} the filter: incomplete, conforms if counted`, {
      tag: [...tag],
    }, async () => {
      const respond = deploy(addPromotions(3, at), { behaviours });
      const without = await certify(respond);
      expect(without.verdict, renderUnpassed(without)).toBe('incomplete');
      expect(without.incomplete_because?.[0]).toContain('promo_of_the_deployment_3');
      expect(without.incomplete_because?.[0]).toContain('own_promotions: 3');
      const counted = await certify(respond, stating(3));
      expect(counted.verdict, renderUnpassed(counted)).toBe('conforms');
      expect(await judge(respond, stating(2))).toBe('incomplete');
      const questions = (await certify(deploy(world, { behaviours }))).questions;
      expect(counted.questions.map(({ outcome }) => outcome)).toEqual(questions.map(({ outcome }) => outcome));
    });

test('Up to 30 promotions can be counted, and older ones change nothing', async () => {
  for (const count of [1, 30]) expect(await judge(deploy(addPromotions(count)), stating(count))).toBe('conforms');
  for (const behaviours of [{}, { 'filter-beyond-window': 'filter-first' }])
    expect(await judge(deploy(addPromotions(3, 160), { behaviours }))).toBe('conforms');
});

for (const [size, tag] of [
  [100, '@long'],
  [147, '@long'],
  [149, '@long'],
  [151, []],
  [190, '@long'],
] as const)
  test(`A window of ${size} fails, whether there are promotions to count or not`, { tag: [tag].flat() }, async () => {
    expect(await judge(deploy(world, withWindow(size)))).toBe('does-not-conform');
    expect(await judge(deploy(addPromotions(3), withWindow(size)), stating(3))).toBe('does-not-conform');
    expect(await judge(deploy(addPromotions(3, 160), withWindow(size)))).toBe('does-not-conform');
  });

test('A failure that no shifted window explains stays one', { tag: '@long' }, async () => {
  const [newest] = world.tiers;
  const returnsReserved = deploy(addPromotions(3), { change: () => ({ customerRule: () => true }) });
  const losesNewest = deploy(addPromotions(3), {
    change: ({ list }) => ({
      list: (tiers, request) =>
        list(
          tiers.filter(({ id }) => id !== newest?.id),
          request,
        ),
    }),
  });
  for (const respond of [returnsReserved, losesNewest]) expect(await judge(respond)).toBe('does-not-conform');
  expect(await judge(deploy(addPromotions(3), withWindow(150)), stating(0))).toBe('does-not-conform');
});

test('The doctor shows the ids, until they are counted', async () => {
  const examine = async (own: Suite) => {
    const findings = await diagnose(own, channelTo(deploy(addPromotions(3))), { baseUrl: 'http://in-process.test' });
    return findings.find(({ area }) => area === 'Ids');
  };
  expect(await examine(suite)).toMatchObject({ state: 'problem', text: expect.stringContaining('own_promotions: 3') });
  expect(await examine(stating(3))).toMatchObject({ state: 'fine' });
});
