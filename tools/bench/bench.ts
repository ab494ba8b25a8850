/**
 * Measures time by ratio: the programs run in turn, several rounds, so that the speed of the machine cancels
 * out. `npm run bench` runs all sections, `npm run bench -- a d` some of them. Nothing is asserted.
 */

import { mkdirSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import path from 'node:path';
import { createDeployment } from '../../reference/deployment/deployment.js';
import { faults, findFault } from '../../reference/faults/index.js';
import { exitStatus } from '../../src/cli/exit-status.js';
import type { HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import { commandLine, makeTestFolder } from '../../test/support/cli.js';
import { suite } from '../../test/support/in-process.js';
import { createIndependentDeployment, listen } from '../../test/support/independent-deployment.js';
import { type Work, writeBareProgram, writeEmptyTest } from './bare-programs.js';
import { measureDiagnosisTime } from './diagnosis-time.js';
import { measureJudgeTime } from './judge-time.js';
import { benchCredentials, findMedian, measureCost, measureInTurn } from './measure-cost.js';

// Deployments ---------------------------------------------------------------------------------------------------------

const { world } = suite;

const reference = createDeployment({ world, credentials: benchCredentials });

const conforming = createIndependentDeployment(world);

/** A deployment on which nearly everything fails. It wants a body: if all requests got one answer, the run would end early. */
const failing = (request: HttpRequest): HttpResponse =>
  request.body === undefined ? { status: 400, headers: [], body: '{}' } : { ...conforming(request), body: everything };
const everything = JSON.stringify({ data: world.tiers.map(({ id }) => ({ id })) });

// Sections ------------------------------------------------------------------------------------------------------------

const rounds = 5;
const cwd = makeTestFolder();
const inFolder = (...names: string[]) => path.join(cwd, ...names);
const makeFolder = (name: string) => {
  mkdirSync(inFolder(name));
  return inFolder(name);
};

const completeRun = [exitStatus.conforms, exitStatus['does-not-conform'], exitStatus.incomplete];
const certify = (url: string, ...more: string[]) =>
  measureCost([commandLine, 'certify', '--base-url', url, '--out', 'out', ...more], cwd, completeRun);
const certifyOn = (deployment: (request: HttpRequest) => HttpResponse) => async (): Promise<number> => {
  const { url, close } = await listen(deployment);
  const cost = await certify(url);
  await close();
  return cost;
};

/** A line of the table: a ratio of times by the clock, or a quantity. Smaller is better. */
type Line = readonly [what: string, result: string];
type Section = () => Promise<Line[]>;

const compare = (what: string, seconds: number, than: number): Line => [what, `${(seconds / than).toFixed(2)}×`];
const listTimes = (times: Readonly<Record<string, number>>): Line[] =>
  Object.entries(times).map(([what, seconds]) => [what, `${seconds.toFixed(2)} s`]);

/** The requests of a run on a conforming deployment, and the number of tests. */
async function workOfSuite(): Promise<Work> {
  const requests: HttpRequest[] = [];
  await certifyOn((request) => {
    requests.push(request);
    return reference(request);
  })();
  const { requirements, questions } = JSON.parse(readFileSync(inFolder('out', 'certificate.json'), 'utf8'));
  const cases = requirements.flatMap((requirement: { cases: unknown[] }) => requirement.cases);
  return { requests, tests: cases.length + questions.length };
}

/** Compares the suite and bare Playwright with the same requests to the reference deployment. */
const againstBare: Section = async () => {
  const work = await workOfSuite();
  const { url, close } = await listen(reference);
  const bare = writeBareProgram(makeFolder('bare'), url, work);
  const costs = await measureInTurn({ suite: () => certify(url), bare: () => measureCost(bare, cwd) }, rounds);
  await close();
  const what = `suite / bare Playwright, ${work.tests} tests, ${work.requests.length} requests, nothing judged`;
  return [compare(what, costs.suite, costs.bare), ...listTimes(costs)];
};

/** Measures a run of one case. */
const start: Section = async () => {
  const { url, close } = await listen(reference);
  const empty = writeEmptyTest(makeFolder('empty'));
  const costs = await measureInTurn(
    {
      'empty Playwright': () => measureCost(empty, cwd),
      'one case': () => certify(url, '--only', 'integer-quantity'),
    },
    rounds,
  );
  await close();
  return [
    compare('certify --only one case / empty Playwright', costs['one case'], costs['empty Playwright']),
    ...listTimes(costs),
  ];
};

/** Compares a deployment on which nearly everything fails with a conforming one. */
const whereAllFails: Section = async () => {
  const costs = await measureInTurn({ conforming: certifyOn(conforming), failing: certifyOn(failing) }, rounds);
  return [compare('everything fails / conforming', costs.failing, costs.conforming), ...listTimes(costs)];
};

/** Of how many runs with a fault one may take longer, or send more. */
const shareOfSlowest = 0.05;

/** Runs a deployment with each fault that `serve` offers once, with a conforming run beside each. */
const eachFault: Section = async () => {
  const ratios: number[] = [];
  const requests: number[] = [];
  for (const [n, { id }] of faults.entries()) {
    const conformingSeconds = await certifyOn(reference)();
    const seconds = await certifyOn(
      createDeployment({ world, credentials: benchCredentials, faults: [findFault(id)] }),
    )();
    const { requests_sent: sent } = JSON.parse(readFileSync(inFolder('out', 'certificate.json'), 'utf8'));
    const ratio = seconds / conformingSeconds;
    process.stderr.write(`${n + 1} of ${faults.length}: ${ratio.toFixed(2)}×, ${sent} requests, ${id}\n`);
    ratios.push(ratio);
    requests.push(sent);
  }
  const findShare = (numbers: readonly number[]) =>
    numbers.toSorted((left, right) => left - right)[Math.floor(numbers.length * (1 - shareOfSlowest))] ?? 0;
  const what = `each of ${faults.length} faults / the run beside it that conforms`;
  return [
    compare(`${what}, median`, findMedian(ratios), 1),
    compare(`${what}, all but the slowest 5 %`, findShare(ratios), 1),
    ['requests of a run with a fault, at most', String(Math.max(...requests))],
  ];
};

const judging: Section = async () =>
  [40, 150].map((records): Line => {
    const { judge, parse } = measureJudgeTime(records, 2 * rounds + 1);
    return compare(`the judge / JSON.parse alone, ${records} records`, judge, parse);
  });

const diagnosing: Section = async () =>
  listTimes({ 'the diagnosis of failures that no mistake explains': await measureDiagnosisTime() });

/** The sections by their letter on the command line. */
const sections: Readonly<Record<string, Section>> = {
  a: againstBare,
  d: start,
  e: whereAllFails,
  f: judging,
  g: diagnosing,
  h: eachFault,
};

const named = process.argv.slice(2);
const unknown = named.filter((name) => !(name in sections));
if (unknown.length > 0) {
  process.stderr.write(`There is no section ${unknown.join(', ')}: there are ${Object.keys(sections).join(', ')}.\n`);
  process.exit(2);
}
const machine = `${availableParallelism()} cores (${cpus()[0]?.model.trim()}), Node.js ${process.version}`;
process.stdout.write(`${machine}; medians of ${rounds}.\n\n`);
for (const [section, measure] of Object.entries(sections))
  if (named.length === 0 || named.includes(section))
    for (const [what, result] of await measure()) process.stdout.write(`${section}  ${what.padEnd(72)}  ${result}\n`);
