/** Deployments that are certified on data of their own: those that conform never fail, and mistakes are found. */

import { expect, test } from '@playwright/test';
import { createOracle } from '../../src/contract/oracle.js';
import { pickWorldLists, type Tier, type World } from '../../src/contract/world.js';
import type { CandidateRequest } from '../../src/own-data/candidate-request.js';
import { listCandidateRequests } from '../../src/own-data/list-candidate-requests.js';
import { createRecognizer } from '../../src/recognition/recognizer.js';
import { listRequestsOfCase } from '../../src/run/case-sender.js';
import { countPlannedRequests, createRunPlan } from '../../src/run/plan.js';
import { startRun } from '../../src/run/run.js';
import { loadSuite, packageCasesFolder, type Suite } from '../../src/suite/suite.js';
import { type Answer, createChannel } from '../../tools/proof/judge-deployment.js';
import { createFaultJudge } from '../../tools/proof/judge-fault.js';
import { faultsWithStories } from '../../tools/proof/list-faults.js';
import { certifyInProcess, createReference, renderUnpassed, suite as whole } from '../support/in-process.js';
import { createIndependentDeployment, type Traits } from '../support/independent-deployment.js';
import { type Mistake, mistakes } from '../support/mistaken-deployments.js';
import { conformingTraits, createData, type DataName, dataNames, writeData } from '../support/own-data.js';

const suites = new Map<DataName, Suite>();

/** The requirement cases that are drawn from some data. */
function loadDrawn(name: DataName): Suite {
  const suite =
    suites.get(name) ?? loadSuite(packageCasesFolder, { data: { file: writeData(createData(name), name) } });
  suites.set(name, suite);
  return { ...suite, cases: suite.cases.filter(({ kind }) => kind === 'requirement') };
}

for (const name of dataNames) {
  for (const [n, traits] of conformingTraits.entries()) {
    const tag = n === 0 && name === 'small' ? [] : ['@long'];
    test(`${name} data: a deployment with ${JSON.stringify(traits)} does not fail`, { tag }, async () => {
      const suite = loadDrawn(name);
      const { certificate } = await certifyInProcess(createIndependentDeployment(createData(name), traits), { suite });
      const unpassed = renderUnpassed(certificate);
      expect(certificate.verdict, unpassed).not.toBe('does-not-conform');
      const { pass = 0, 'not-applicable': lacking = 0 } = certificate.summary;
      test.info().annotations.push({ type: 'verdicts', description: JSON.stringify(certificate.summary) });
      if (n === 0) expect(pass + lacking, unpassed).toBe(17);
    });
  }

  const isLong = name === 'small' ? {} : { tag: '@long' };
  test(`${name} data: all requests are documented, and there are at most 230`, isLong, () => {
    const { world, ...suite } = loadDrawn(name);
    const plan = createRunPlan({ ...suite, world }, { excludesIntrusive: false });
    expect(countPlannedRequests(plan)).toBeLessThanOrEqual(230);
    const requests = suite.cases.flatMap(listRequestsOfCase);
    expect(requests.length).toBeGreaterThan(100);
    expect(requests.flatMap((request) => createOracle(request, world).undocumentedReason ?? [])).toEqual([]);
    expect(requests.filter(({ path, body = '' }) => path.length >= 8_192 || body.length >= 65_536)).toEqual([]);
  });

  test(`${name} data: mistakes are found`, { tag: '@long' }, async () => {
    test.setTimeout(3_600_000);
    const suite = loadDrawn(name);
    const world = createData(name);
    const drawn = { ...world, tiers: world.tiers.slice(0, 300) };
    const candidates = listCandidateRequests(suite.world, drawn);
    const visible: string[] = [];
    const missed: string[] = [];
    for (const [mistake, deploy] of Object.entries(mistakes)) {
      const isFound = await findsFailure(suite, deploy(world));
      if (isFound || isVisible(deploy, world, candidates)) visible.push(mistake);
      if (!isFound) missed.push(mistake);
    }
    const overlooked = missed.filter((mistake) => visible.includes(mistake));
    const figures = `${name}: ${visible.length} of ${Object.keys(mistakes).length} mistakes are visible. Not found: ${overlooked.join(', ')}. Not visible: ${missed.filter((mistake) => !visible.includes(mistake)).join(', ')}`;
    test.info().annotations.push({ type: 'figures', description: figures });
    expect(overlooked.length / visible.length, figures).toBeLessThanOrEqual(0.05);
  });
}

/** Whether one of many documented requests gets a wrong response. */
function isVisible(deploy: Mistake, world: World, candidates: readonly CandidateRequest[]): boolean {
  const answer = deploy(world);
  return candidates.some(({ request, oracle }) => {
    const { status, body } = answer(request);
    if (status >= 300) return oracle.accepted && world.tiers.some((tier) => oracle.returned(tier) === 'required');
    const { data = [] } = JSON.parse(body || '{}') as { data?: { id: string }[] };
    const returned = new Set(data.map(({ id }) => id));
    const isWrong = ({ id }: Tier, obligation: string) => obligation === (returned.has(id) ? 'forbidden' : 'required');
    return world.tiers.some((tier, n) => n < 300 && isWrong(tier, oracle.returned(tier)));
  });
}

async function findsFailure(suite: Suite, answer: Answer): Promise<boolean> {
  const recognizer = createRecognizer(suite.world);
  const run = await startRun(suite, createChannel(answer), {
    recognizer,
    plannedCases: suite.cases.map(({ id }) => id),
  });
  for (const testCase of suite.cases) if ((await run.reportCase(testCase)).result.verdict === 'fail') return true;
  return false;
}

/** Changes of the data while a run is under way. */
const moves: Readonly<Record<string, (tiers: readonly Tier[]) => readonly Tier[]>> = {
  'a deleted promotion': (tiers) => tiers.toSpliced(3, 1),
  'a new promotion': ([first, ...others]) => [
    { ...(first as Tier), id: 'promo_new_4711', created_at: '2030-01-01T00:00:00.000Z', rules: [] },
    ...[first as Tier, ...others],
  ],
  'a promotion that is the oldest now': (tiers) =>
    tiers.map((tier, n) => (n === 5 ? { ...tier, created_at: '2001-01-01T00:00:00.000Z' } : tier)),
  'a promotion for another customer': (tiers) =>
    tiers.map((tier, n) => (n === 5 ? { ...tier, rules: [{ kind: 'customer', any_of: ['nobody'] }] } : tier)),
};

for (const [move, change] of Object.entries(moves))
  for (const [name, from] of [['small', 40] as const, ['large', 40] as const, ['large', 150] as const])
    test(`${name} data: ${move} from request ${from} on is no failure`, {
      tag: name === 'small' ? [] : ['@long'],
    }, async () => {
      const world = createData(name);
      const [before, after] = [world, { ...world, tiers: change(world.tiers) }].map((held) =>
        createIndependentDeployment(held),
      ) as [Answer, Answer];
      let count = 0;
      const answer: Answer = (request) => {
        count += 1;
        return count < from ? before(request) : after(request);
      };
      const { certificate } = await certifyInProcess(answer, { suite: loadDrawn(name) });
      expect(count).toBeGreaterThan(from);
      expect(certificate.verdict, renderUnpassed(certificate)).not.toBe('does-not-conform');
    });

test('Most faults are found with the test data of the suite as a data file', { tag: '@long' }, async () => {
  test.setTimeout(3_600_000);
  const file = writeData(pickWorldLists(whole.world), 'world');
  const drawn = loadSuite(packageCasesFolder, { data: { file } });
  const judge = createFaultJudge(drawn);
  const survivors: string[] = [];
  for (const fault of faultsWithStories) if ((await judge.findFailure(fault)) === undefined) survivors.push(fault.id);
  test.info().annotations.push({ type: 'survivors', description: survivors.join(', ') });
  expect(1 - survivors.length / faultsWithStories.length, survivors.join('\n')).toBeGreaterThanOrEqual(0.97);
});

test('The reference deployment conforms on the test data of the suite as a data file', { tag: '@long' }, async () => {
  const suite = loadSuite(packageCasesFolder, { data: { file: writeData(pickWorldLists(whole.world), 'world') } });
  const { certificate } = await certifyInProcess(createReference(), { suite });
  expect(certificate.verdict, renderUnpassed(certificate)).toBe('conforms');
});

for (const traits of [{}, { omitted: 'rejected', empty: 404, unknownCustomer: 'rejected' }] satisfies Traits[])
  test(`A deployment with ${JSON.stringify(traits)} answers questions about its data as those about the test data`, async () => {
    const world = createData('small');
    const suite = loadSuite(packageCasesFolder, { data: { file: writeData(world, 'small') } });
    const answer = async (deployment: Answer, options: Parameters<typeof certifyInProcess>[1]) =>
      (await certifyInProcess(deployment, { ...options, excludesIntrusive: true })).certificate;
    const certificate = await answer(createIndependentDeployment(world, traits), { suite });
    const { questions } = await answer(createIndependentDeployment(pickWorldLists(whole.world), traits), {});
    expect(certificate.verdict, renderUnpassed(certificate)).not.toBe('does-not-conform');
    const answered = certificate.questions.filter(({ outcome }) => outcome !== null);
    expect(answered.length).toBeGreaterThanOrEqual(20);
    const usual = questions.filter(({ id }) => answered.some((question) => question.id === id));
    expect(answered.map(({ id, outcome }) => [id, outcome])).toEqual(usual.map(({ id, outcome }) => [id, outcome]));
  });
