/**
 * Deployments that name promotions in many ways, by many kinds of ids. What conforms never fails, and what omits or adds a
 * promotion never conforms: at worst, it cannot be told.
 */

import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import type { Certificate } from '../../src/certificate/certificate.js';
import type { Tier, World } from '../../src/contract/world.js';
import { loadSuite, packageCasesFolder, type Suite } from '../../src/suite/suite.js';
import { breakDeployment, type Deploy, fewCases, reshape } from '../support/check-deployment.js';
import {
  certifyInProcess,
  createBindings,
  createReference,
  listRequirementsWith,
  renderUnpassed,
  suite,
} from '../support/in-process.js';
import { type IdKind, idKinds, type Naming, namings } from '../support/naming.js';
import { createData, writeData } from '../support/own-data.js';

const sources = ['bindings', 'a data file'] as const;
type Data = (typeof sources)[number];

const suites = new Map<string, Suite>();

/** A suite whose tiers have ids of a kind. */
function loadAll(kind: IdKind, data: Data): Suite {
  const key = `${data} ${kind}`;
  const create = idKinds[kind];
  const load = () => {
    if (data === 'bindings') {
      const bindings = createBindings((of, name, n) =>
        of === 'tier' ? create(n) : (suite.world.ids[of].get(name) ?? ''),
      );
      return loadSuite(packageCasesFolder, { bindings });
    }
    const world: World = createData('small');
    const tiers = world.tiers.map((tier, n) => ({ ...tier, id: create(n) }));
    return loadSuite(packageCasesFolder, {
      data: { file: writeData({ ...world, tiers }, kind.replaceAll(/\W+/g, '-')) },
    });
  };
  const loaded = suites.get(key) ?? load();
  suites.set(key, loaded);
  return { ...loaded, cases: loaded.cases.filter((testCase) => testCase.kind === 'requirement') };
}

/** The same with few cases of the suite, which are enough to see how responses are read. */
function loadFew(kind: IdKind, data: Data): Suite {
  const all = loadAll(kind, data);
  return { ...all, cases: all.cases.filter(({ id }) => data === 'a data file' || fewCases.includes(id)) };
}

function deployWith(naming: Naming): Deploy {
  return (world) => {
    const shape = (tiers: readonly Tier[]) =>
      namings[naming](
        tiers.map(({ id }) => id),
        tiers,
      );
    return createReference({ world, change: reshape(shape, world, 'application/json') });
  };
}

async function certify(used: Suite, deploy: Deploy): Promise<Certificate> {
  return (await certifyInProcess(deploy(used.world), { suite: used })).certificate;
}

/** Faults, and a requirement that each of them breaks: one leaves out a required promotion, one adds forbidden ones. */
const faults = [
  ['a promotion for all is reserved', 'result.all-valid'],
  ['customer rules are ignored', 'customer.by-id'],
] as const;

const kinds = Object.keys(idKinds) as IdKind[];
const ways = Object.keys(namings) as Naming[];

async function checkNaming(kind: IdKind, naming: Naming, data: Data): Promise<void> {
  const used = loadFew(kind, data);
  const what = `${naming}, ids ${kind}, by ${data}`;
  const certificate = await certify(used, deployWith(naming));
  expect(listRequirementsWith('fail', certificate), `${what}\n${renderUnpassed(certificate)}`).toEqual([]);
  for (const [fault, requirement] of faults) {
    const broken = await certify(used, breakDeployment(deployWith(naming), fault));
    expect(listRequirementsWith('pass', broken), `${what}, ${fault}`).not.toContain(requirement);
  }
}

test('However promotions are named, nothing that conforms fails, and nothing wrong passes', async () => {
  const drawn = fc.tuple(fc.constantFrom(...kinds), fc.constantFrom(...ways), fc.constantFrom(...sources));
  const property = fc.asyncProperty(drawn, (naming) => checkNaming(...naming));
  await fc.assert(property, { seed: 20_261_128, numRuns: 3, endOnFailure: true });
});

test('A promotion whose id is a key of the responses is not taken for returned', () =>
  checkNaming('words of the data', 'records', 'bindings'));

for (const data of sources)
  for (const kind of kinds)
    test(`However promotions are named by ids ${kind}, by ${data}`, { tag: '@long' }, async () => {
      test.setTimeout(600_000);
      for (const naming of ways) await checkNaming(kind, naming, data);
    });

/** Kinds of ids by which these namings are read without a line of the target file. */
const readable: Readonly<Record<string, readonly [naming: Naming, kind: IdKind][]>> = {
  numbers: [
    ['JSON numbers', 'of 64 bits'],
    ['JSON numbers beside others', 'snowflakes'],
    ['JSON numbers', 'with trailing zeros'],
    ['JSON numbers beside others', 'of an auto-increment column'],
    ['JSON numbers beside others', 'beyond 64 bits'],
  ],
  links: [
    ['links', 'random, without digits'],
    ['encoded links', 'snowflakes'],
    ['the first one whole, all in links', 'random, without digits'],
  ],
  'second mentions': [
    ['records with their ids twice', 'with letters and digits'],
    ['records with their ids twice', 'of an auto-increment column'],
  ],
};

for (const [n, data] of sources.entries())
  for (const [what, rows] of Object.entries(readable))
    for (const [m, [naming, kind]] of rows.entries())
      test(`${what}: ${naming}, ids ${kind}, by ${data}: all is judged`, {
        tag: m % sources.length === n ? [] : '@long',
      }, async () => {
        const all = loadAll(kind, data);
        const certificate = await certify(all, deployWith(naming));
        const passing = [
          ...listRequirementsWith('pass', certificate),
          ...listRequirementsWith('not-applicable', certificate),
        ];
        expect(passing, renderUnpassed(certificate)).toHaveLength(certificate.requirements.length);
      });
