/**
 * Deployments that name promotions in many ways, by many kinds of ids. What conforms never fails, and what omits or adds a
 * promotion never conforms: at worst, it cannot be told.
 */

import { expect, test } from '@playwright/test';
import { loadSuite, type Suite, suiteFolder } from '../../src/cases/suite.js';
import type { Certificate } from '../../src/certificate/certificate.js';
import type { Tier, World } from '../../src/contract/world.js';
import { breakDeployment, type Deploy, fewCases, reshape } from '../support/check-deployment.js';
import { certifyInProcess, createBindings, createReference, renderUnpassed, suite } from '../support/in-process.js';
import { type IdKind, idKinds, type Naming, namings } from '../support/naming.js';
import { createData, writeData } from '../support/own-data.js';

type Data = 'bindings' | 'a data file';

const suites = new Map<string, Suite>();

/** A suite whose tiers have ids of a kind. */
function loadWith(kind: IdKind, data: Data): Suite {
  const key = `${data} ${kind}`;
  const create = idKinds[kind];
  const load = () => {
    if (data === 'bindings') {
      const bindings = createBindings((of, name, n) =>
        of === 'tier' ? create(n) : (suite.world.ids[of].get(name) ?? ''),
      );
      return loadSuite(suiteFolder, { bindings });
    }
    const world: World = createData('small');
    const tiers = world.tiers.map((tier, n) => ({ ...tier, id: create(n) }));
    return loadSuite(suiteFolder, { data: { file: writeData({ ...world, tiers }, kind.replaceAll(/\W+/g, '-')) } });
  };
  const loaded = suites.get(key) ?? load();
  suites.set(key, loaded);
  const isFew = ({ id, kind: of }: Suite['cases'][number]) =>
    of === 'requirement' && (data === 'a data file' || fewCases.includes(id));
  return { ...loaded, cases: loaded.cases.filter(isFew) };
}

function deployWith(naming: Naming): Deploy {
  return (world) => {
    const shape = (tiers: readonly Tier[]) => namings[naming](tiers.map(({ id }) => id), tiers);
    return createReference({ world, change: reshape(shape, world, 'application/json') });
  };
}

async function certify(used: Suite, deploy: Deploy): Promise<Certificate> {
  return (await certifyInProcess(deploy(used.world), { suite: used })).certificate;
}

/** The first tier is valid for everybody, so that it is missing in most responses. */
const wrongDeployments = ['a promotion for all is reserved', 'an older promotion is the newest'] as const;

for (const data of ['bindings', 'a data file'] as const)
  for (const kind of Object.keys(idKinds) as IdKind[])
    test(`Ids ${kind}, by ${data}`, async () => {
      const used = loadWith(kind, data);
      const figures: string[] = [];
      for (const naming of Object.keys(namings) as Naming[]) {
        const certificate = await certify(used, deployWith(naming));
        expect.soft(certificate.verdict, `${naming}: ${renderUnpassed(certificate)}`).not.toBe('does-not-conform');
        const { requirements } = certificate;
        const failing = requirements.filter(({ verdict }) => verdict === 'fail');
        expect.soft(failing.map(({ id }) => id), `${naming}: ${renderUnpassed(certificate)}`).toEqual([]);
        const wrong: string[] = [];
        for (const fault of wrongDeployments) {
          const broken = await certify(used, breakDeployment(deployWith(naming), fault));
          wrong.push(broken.verdict);
        }
        figures.push(`${naming}: ${certificate.verdict}, wrong: ${wrong.join(', ')}`);
      }
      console.log(`${data} ${kind}\n  ${figures.join('\n  ')}`);
    });
