/**
 * Measures time and memory by ratio: the programs run in turn, several rounds, so that the speed of the machine cancels
 * out. `npm run bench` runs all sections, `npm run bench -- a f` some of them. Nothing is asserted.
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import path from 'node:path';
import { exitStatus } from '../../src/cli/exit-status.js';
import type { HttpRequest } from '../../src/http/exchange.js';
import { packageRoot } from '../../src/support/package-root.js';
import { makeTestFolder } from '../self-test/support/cli.js';
import { listen } from '../self-test/support/independent-deployment.js';
import { type Work, writeBarePrograms, writeEmptyTest } from './bare-programs.js';
import { failingDeployments, heavyDeployments, reference, type Serve, serveConforming } from './bench-deployments.js';
import { measureJudgeTime } from './judge-time.js';
import { type Cost, measureCost, measureInTurn } from './measure-cost.js';
import { createPackageWithCases } from './package-with-cases.js';
import { responseSchema, writePeerPrograms } from './peer-programs.js';

const rounds = 5;
const cwd = makeTestFolder();
const inFolder = (...names: string[]) => path.join(cwd, ...names);
const made = (name: string) => {
  mkdirSync(inFolder(name));
  return inFolder(name);
};

const commandLine = path.join(packageRoot, 'dist', 'src', 'cli', 'conformance.js');
const certify = (url: string, script = commandLine, ...more: string[]) =>
  measureCost([script, 'certify', '--base-url', url, '--out', 'out', ...more], cwd, judged);
/** Exit statuses of a complete run. */
const judged = Object.values(exitStatus).filter(
  (status) => status !== exitStatus.unusableInput && status !== exitStatus.internalError,
);
const certifyOn = (serve: Serve) => async (): Promise<Cost> => {
  const { url, close } = await serve();
  const cost = await certify(url);
  await close();
  return cost;
};

/** A line of the table: a ratio or a quantity; smaller is better. */
interface Line {
  readonly section: string;
  readonly what: string;
  /** Wall time relative to the program that the line names. */
  readonly ratio?: number;
  /** Processor time relative to that program. */
  readonly processorRatio?: number | undefined;
  readonly amount?: string;
}

type Section = () => Promise<Omit<Line, 'section'>[]>;

const amountOf = ({ seconds, processorSeconds, megabytes }: Cost): string =>
  [
    `${seconds.toFixed(2)} s`,
    ...(processorSeconds === undefined ? [] : [`${processorSeconds.toFixed(2)} s of processors`]),
    ...(megabytes === undefined ? [] : [`${megabytes.toFixed(0)} MB`]),
  ].join(', ');

const compared = (what: string, cost: Cost, other: Cost): Omit<Line, 'section'> => ({
  what,
  ratio: cost.seconds / other.seconds,
  processorRatio:
    cost.processorSeconds === undefined || other.processorSeconds === undefined
      ? undefined
      : cost.processorSeconds / other.processorSeconds,
});

const took = (what: string, cost: Cost): Omit<Line, 'section'> => ({ what, amount: amountOf(cost) });

/** The requests of a run on a conforming deployment, and the number of tests. */
async function workOfSuite(): Promise<Work> {
  const requests: HttpRequest[] = [];
  const { url, close } = await listen((request) => {
    requests.push(request);
    return reference(request);
  });
  await certify(url);
  await close();
  const { requirements, questions } = JSON.parse(readFileSync(inFolder('out', 'certificate.json'), 'utf8'));
  const cases = requirements.flatMap((requirement: { cases: unknown[] }) => requirement.cases);
  return { requests, tests: cases.length + questions.length };
}

/** Compares the suite, bare Playwright and a loop with the same requests to the reference deployment. */
const againstBare: Section = async () => {
  const work = await workOfSuite();
  const { url, close } = await listen(reference);
  const bare = writeBarePrograms(made('bare'), url, work);
  const costs = await measureInTurn(
    {
      suite: () => certify(url),
      bare: () => measureCost(bare.playwright, cwd),
      loop: () => measureCost(bare.loop, cwd),
    },
    rounds,
  );
  await close();
  const sent = `${work.requests.length} requests`;
  return [
    compared(`suite / bare Playwright, ${work.tests} tests, ${sent}, nothing judged`, costs.suite, costs.bare),
    compared(`suite / plain loop, ${sent}`, costs.suite, costs.loop),
    took('suite on the reference deployment', costs.suite),
    took('bare Playwright', costs.bare),
    took('plain loop', costs.loop),
  ];
};

/** Arguments that select some of the generated cases. */
const some = (count: number) => ['--only', Array.from({ length: count }, (_, n) => `generated-${n}`).join(',')];

/** Measures short commands, and runs with 100 to 1,000 cases. */
const startAndSlope: Section = async () => {
  const { url, close } = await listen(reference);
  const empty = writeEmptyTest(made('empty'));
  const counts = [1, 100, 300, 1000];
  const generated = (count: number) => `${count} generated cases`;
  const most = await createPackageWithCases(made('generated'), Math.max(...counts));
  const costs = await measureInTurn<string>(
    {
      'empty Node.js': () => measureCost(['-e', '0'], cwd),
      '--help': () => measureCost([commandLine, '--help'], cwd),
      world: () => measureCost([commandLine, 'world'], cwd),
      'empty Playwright': () => measureCost(empty, cwd),
      'one case': () => certify(url, commandLine, '--only', 'integer-quantity'),
      ...Object.fromEntries(counts.map((count) => [generated(count), () => certify(url, most, ...some(count))])),
    },
    rounds,
  );
  await close();
  const costOfNamed = (name: string) => costs[name] as Cost;
  const steps = counts.slice(1).map((to, n) => {
    const from = counts[n] ?? 0;
    const seconds = costOfNamed(generated(to)).seconds - costOfNamed(generated(from)).seconds;
    return { what: `each case from ${from} to ${to}`, ms: (1000 * seconds) / (to - from) };
  });
  const [first, last] = [steps[0], steps.at(-1)];
  return [
    compared('--help / empty Node.js', costOfNamed('--help'), costOfNamed('empty Node.js')),
    compared('world / empty Node.js', costOfNamed('world'), costOfNamed('empty Node.js')),
    compared('certify --only one case / empty Playwright', costOfNamed('one case'), costOfNamed('empty Playwright')),
    { what: `${last?.what} / ${first?.what}`, ratio: (last?.ms ?? 0) / (first?.ms ?? 1) },
    ...steps.map(({ what, ms }) => ({ what, amount: `${ms.toFixed(1)} ms` })),
    ...Object.entries(costs).map(([name, cost]) => took(name, cost)),
  ];
};

/** Compares deployments on which nearly everything fails with a conforming one. */
const whereAllFails: Section = async () => {
  const runs = Object.fromEntries(
    Object.entries({ conforming: serveConforming, ...failingDeployments }).map(([kind, serve]) => [
      kind,
      certifyOn(serve),
    ]),
  );
  const costs = await measureInTurn(runs, rounds);
  const usual = costs.conforming as Cost;
  return [
    ...Object.keys(failingDeployments).map((kind) => compared(`${kind} / conforming`, costs[kind] as Cost, usual)),
    ...Object.entries(costs).map(([kind, cost]) => took(kind, cost)),
  ];
};

const judging: Section = async () =>
  [40, 150].flatMap((records) => {
    const { judge, parse } = measureJudgeTime(records, 2 * rounds + 1);
    return [
      { what: `the judge / JSON.parse alone, ${records} records`, processorRatio: judge / parse },
      { what: `the judge, for each exchange of ${records} records`, amount: `${judge.toFixed(3)} ms` },
    ];
  });

/** Measures the memory of all processes of a run. */
const memory: Section = async () => {
  const empty = writeEmptyTest(made('alone'));
  const runs = { conforming: certifyOn(serveConforming), ...mapped(heavyDeployments) };
  const costs = await measureInTurn({ 'empty Playwright': () => measureCost(empty, cwd), ...runs }, 3);
  return Object.entries(costs).map(([kind, cost]) => ({
    what: `peak memory, ${kind}`,
    amount: cost.megabytes === undefined ? 'not known: there is no /proc' : amountOf(cost),
  }));
};

const mapped = <Kind extends string>(kinds: Readonly<Record<Kind, Serve>>) =>
  Object.fromEntries(Object.entries<Serve>(kinds).map(([kind, serve]) => [kind, certifyOn(serve)]));

/** Compares other programs with equal work: GET with a body, a status and a JSON Schema. */
const againstPeers: Section = async () => {
  const cases = 200;
  const { url, close } = await listen(reference);
  const programs = writePeerPrograms(made('peers'), url, cases);
  if (programs === undefined) {
    await close();
    return [{ what: 'peers', amount: 'left out: they cannot be installed' }];
  }
  const script = await createPackageWithCases(made('equal'), cases);
  writeFileSync(inFolder('schema.json'), JSON.stringify(responseSchema));
  writeFileSync(inFolder('target.yaml'), 'name: equal\nresponse: { schema: schema.json }\n');
  const peers = Object.entries(programs).map(([name, args]) => [name, () => measureCost(args, cwd)] as const);
  const suite = () => certify(url, script, '--target', 'target.yaml', ...some(cases));
  const { suite: own, ...others } = await measureInTurn({ suite, ...Object.fromEntries(peers) }, rounds);
  await close();
  return [
    ...Object.entries<Cost>(others).map(([name, cost]) => compared(`suite / ${name}, ${cases} cases`, own, cost)),
    ...Object.entries<Cost>({ suite: own, ...others }).map(([name, cost]) => took(`${name}, ${cases} cases`, cost)),
  ];
};

/** The sections by their letter on the command line. */
const sections: Readonly<Record<string, Section>> = {
  a: againstBare,
  d: startAndSlope,
  e: whereAllFails,
  f: judging,
  g: memory,
  h: againstPeers,
};
/** Measured with (a). */
const together: Readonly<Record<string, string>> = { b: 'a', c: 'a' };

const named = process.argv.slice(2).map((name) => together[name] ?? name);
const unknown = named.filter((name) => !(name in sections));
if (unknown.length > 0) {
  process.stderr.write(`There is no section ${unknown.join(', ')}: there are ${Object.keys(sections).join(', ')}.\n`);
  process.exit(2);
}
const lines: Line[] = [];
for (const [section, measure] of Object.entries(sections))
  if (named.length === 0 || named.includes(section))
    lines.push(...(await measure()).map((line) => ({ section, ...line })));

const machine = `${availableParallelism()} cores (${cpus()[0]?.model.trim()}), Node.js ${process.version}`;
const ratio = (number: number | undefined) => (number === undefined ? '' : `${number.toFixed(2)}×`);
const isRatio = ({ amount }: Line) => Number(amount === undefined);
const ordered = lines.toSorted((one, other) => isRatio(other) - isRatio(one));
process.stdout.write(
  `${machine}; medians of ${rounds}. Ratios of the time by the clock, and of that of processors.\n\n`,
);
for (const { section, what, amount, ...ratios } of ordered) {
  const numbers = amount ?? `${ratio(ratios.ratio).padEnd(8)}${ratio(ratios.processorRatio)}`.trimEnd();
  process.stdout.write(`${section}  ${what.padEnd(72)}  ${numbers}\n`);
}
mkdirSync('results', { recursive: true });
writeFileSync(path.join('results', 'bench.json'), `${JSON.stringify({ machine, rounds, lines }, null, 2)}\n`);
