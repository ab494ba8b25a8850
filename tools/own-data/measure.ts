/**
 * Measures how many mistakes a run on own data finds. For each size it generates the data of a shop, and certifies deployments
 * with one mistake each: faults of the reference deployment, in this process, and fleets that others wrote, over the network.
 * A mistake that no run finds is looked for by a long comparison with the right deployment: where no documented request shows
 * it, it is not visible on this data, and does not count.
 *
 * Usage: npm run own-data -- [--seed N] [--sizes 20,60] [--faults N] [--comparisons N]
 * [--only MISTAKE,MISTAKE] [--record] [FLEET_FOLDER …]
 * Without a seed, a new one is taken and printed: the same seed gives the same data and the same sample of faults.
 * With `--record`, what is found of fleets goes into `recorded-data.json`, from which the page of the proof is written.
 */

import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { listRequestsOfCase } from '../../src/run/case-sender.js';
import { countPlannedRequests, createRunPlan } from '../../src/run/plan.js';
import { loadSuite, packageCasesFolder } from '../../src/suite/suite.js';
import { loadFleet } from '../fleets/fleet.js';
import { listFaults } from '../proof/list-faults.js';
import { createShop, shopSizes } from './create-shop.js';
import { type FleetMeasurement, measureFleetOnData } from './measure-fleet.js';
import { type Measurement, measureReference } from './measure-reference.js';
import { createRandom } from './random.js';
import { createRandomRequests } from './random-requests.js';
import { type MistakeFate, recordData } from './recorded-data.js';

const { values, positionals: folders } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    sizes: { type: 'string', default: shopSizes.join(',') },
    faults: { type: 'string', default: '300' },
    only: { type: 'string', default: '' },
    comparisons: { type: 'string', default: '1500' },
    record: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed);
const only = values.only.split(',').filter(Boolean);
const fleets = folders.map(loadFleet);
const temporary = mkdtempSync(path.join(os.tmpdir(), 'own-data-'));
const printed = (text: string) => process.stdout.write(`${text}\n`);

printed(`Seed ${seed}`);
for (const size of values.sizes.split(',').map(Number)) {
  const data = path.join(temporary, `shop-${size}.json`);
  writeFileSync(data, JSON.stringify(createShop(size, seed)));
  const started = Date.now();
  const suite = loadSuite(packageCasesFolder, { data: { file: data } });
  const requests = createRandomRequests(suite.world, createRandom(seed + size), Number(values.comparisons));
  const planned = countPlannedRequests(createRunPlan(suite, { excludesIntrusive: true }));
  const sizes = suite.cases.flatMap(listRequestsOfCase).map(({ body = '' }) => body.length);
  printed(`\n${size} tiers (${data}): ${planned} requests, the largest body has ${Math.max(...sizes)} bytes`);
  const faults = createRandom(seed + size).sample(listFaults(), Number(values.faults));
  const drawn = { ...suite, cases: suite.cases.filter(({ kind }) => kind === 'requirement') };
  if (faults.length > 0) report('faults of the reference', await measureReference(drawn, faults, requests));
  for (const [n, fleet] of fleets.entries()) {
    const name = path.basename(folders[n] ?? '');
    const measured = await measureFleetOnData(fleet, data, suite, requests, only);
    const { verdict, summary, requests_sent } = measured.certificate;
    printed(`  ${name}: the right deployment: ${verdict}, ${requests_sent} requests, ${JSON.stringify(summary)}`);
    report(name, measured);
    if (values.record) recordFleetOnData(name, size, measured);
  }
  printed(`  ${(Date.now() - started) / 1_000} s`);
}

function recordFleetOnData(fleet: string, tiers: number, { certificate, found, missed, invisible }: FleetMeasurement) {
  const measured = new Date().toISOString().slice(0, 10);
  const mark = (ids: readonly string[], fate: MistakeFate) => ids.map((id) => [id, fate] as const);
  const unfound = missed.map(({ id }) => id);
  const fates = [...mark(found, 'found'), ...mark(unfound, 'missed'), ...mark(invisible, 'not-visible')];
  const mistakes = Object.fromEntries(fates);
  recordData({ fleet, tiers, seed, measured, right: certificate.verdict, mistakes });
}

function report(what: string, { found, missed, invisible }: Measurement): void {
  const visible = found.length + missed.length;
  const share = visible === 0 ? 100 : (found.length / visible) * 100;
  printed(
    `  ${what}: ${found.length} of ${visible} found (${share.toFixed(1)} %); ${invisible.length} are not visible`,
  );
  for (const { id, story, shownBy, why = '' } of missed) {
    const { path: target, body = '' } = shownBy;
    printed(`    missed ${id}: ${story}\n      ${why}\n      ${target.slice(0, 200)} ${body.slice(0, 300)}`);
  }
  if (invisible.length > 0 && invisible.length < 60) printed(`    not visible: ${invisible.join(', ')}`);
}
