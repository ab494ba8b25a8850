import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { type Ledger, readLedger } from '../contract/ledger.js';
import type { HttpRequest } from '../http/exchange.js';
import { ownPackage, packageRoot } from '../support/package-root.js';
import { type Problem, UnusableInput } from '../support/problem.js';
import { readYaml, type YamlFile } from '../support/yaml-file.js';
import { type Availability, boundWorld } from '../world/bindings.js';
import type { NamedWorld } from '../world/named-world.js';
import { expandWorld } from '../world/world-file.js';
import { subjectOf, type TestCase, tag } from './case.js';
import { readCaseFile } from './case-file.js';

/** Everything that is sent to a deployment, and what it is judged by. */
export interface Suite {
  readonly name: string;
  readonly version: string;
  /** Of all that decides what is sent and expected: it is the same in two runs with equal digests. */
  readonly digest: string;
  readonly ledger: Ledger;
  readonly world: NamedWorld;
  readonly cases: readonly TestCase[];
  /** Sent before all cases, to learn how responses name promotions. */
  readonly calibration: readonly HttpRequest[];
}

/** The cases of this package. */
export const ownFolder = path.join(packageRoot, 'cases');

/**
 * Loads ledger, world and cases: as they were expanded when the package was built, unless a file was edited since or
 * the deployment has ids of its own.
 *
 * @param folder holds `contract.yaml`, `world.yaml`, `requirements/` and `questions/`
 * @param availability what the deployment under test has of the world; all of it, under the world's ids, unless given
 * @throws UnusableInput with every problem of every file
 */
export function loadSuite(folder = ownFolder, availability: Availability = {}): Suite {
  const isAsBuilt = folder === ownFolder && Object.keys(availability).length === 0;
  return (isAsBuilt ? builtSuite() : undefined) ?? expandSuite(folder, availability);
}

/** Where the build leaves the expanded suite, beside the compiled files; sources have none, since they may be newer. */
const builtFile = import.meta.filename.endsWith('.js') ? path.join(packageRoot, 'dist', 'suite') : undefined;

function builtSuite(): Suite | undefined {
  if (builtFile === undefined || !existsSync(builtFile)) return undefined;
  const built = deserialize(readFileSync(builtFile)) as Suite;
  return built.digest === digestOf(suiteFiles(), ownFolder) ? built : undefined;
}

/** Expands the suite of this package for all that load it from now on. @throws UnusableInput as `loadSuite` */
export function buildSuite(): void {
  if (builtFile === undefined) return;
  rmSync(builtFile, { force: true });
  writeFileSync(builtFile, serialize(expandSuite(ownFolder, {})));
}

/** Reads all files of a suite, though the build did. @throws UnusableInput as `loadSuite` */
export function expandSuite(folder: string, availability: Availability): Suite {
  const problems: Problem[] = [];
  const attempt = <T>(load: () => T): T | undefined => {
    try {
      return load();
    } catch (error) {
      if (!(error instanceof UnusableInput)) throw error;
      problems.push(...error.problems);
      return undefined;
    }
  };
  const ledger = attempt(() => readLedger(readOwn(path.join(folder, 'contract.yaml'))));
  const world = attempt(() => boundWorld(expandWorld(readOwn(path.join(folder, 'world.yaml'))), availability));
  const files = (attempt(() => caseFiles(folder)) ?? []).flatMap((file) => attempt(() => readOwn(file)) ?? []);
  if (ledger === undefined || world === undefined) throw new UnusableInput(problems);

  const cases = files.flatMap((file) => {
    const read = readCaseFile(file, ledger, world);
    problems.push(...read.problems);
    return read.cases;
  });
  if (problems.length === 0) problems.push(...caseProblems(cases, ledger));
  if (problems.length > 0) throw new UnusableInput(unique(problems));

  return {
    ...ownPackage(),
    digest: digestOf(suiteFiles(folder), folder),
    ledger,
    world,
    cases,
    calibration: cases.filter(({ tags }) => tags.includes(tag.calibration)).flatMap(firstRequests),
  };
}

/** Reads a file of the suite; messages name those of this package alike, wherever it is installed. */
function readOwn(file: string): YamlFile {
  const within = path.relative(packageRoot, file);
  return within.startsWith('..') ? readYaml(file) : readYaml(file, within.replaceAll(path.sep, '/'));
}

/** Every file that a suite is loaded from. */
export function suiteFiles(folder = ownFolder): string[] {
  return [path.join(folder, 'contract.yaml'), path.join(folder, 'world.yaml'), ...caseFiles(folder)];
}

function caseFiles(folder: string): string[] {
  return ['requirements', 'questions'].flatMap((room) => {
    return namesIn(path.join(folder, room))
      .filter((file) => file.endsWith('.yaml'))
      .sort()
      .map((file) => path.join(folder, room, file));
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch (error) {
    const message = `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`;
    const at = { file: path.relative(process.cwd(), folder), line: 1, column: 1 };
    throw new UnusableInput([{ at, message, hint: 'It is the folder for case files of its kind.' }]);
  }
}

function firstRequests({ rows: [first] }: TestCase): HttpRequest[] {
  // What names something that the deployment does not have would teach nothing.
  return first === undefined || first.unavailable.length > 0 ? [] : [...first.requests.values()];
}

/** What is wrong between cases: ids taken twice, and entries of the ledger without a case. */
function caseProblems(cases: readonly TestCase[], { requirements }: Ledger): Problem[] {
  const taken = cases.filter(({ id }, n) => cases.findIndex((other) => other.id === id) < n);
  const subjects = new Set(cases.map(subjectOf));
  const unverified = requirements.filter(({ id }) => !subjects.has(id));
  return [
    ...taken.map(({ id, at }) => ({ at, message: `there is another case '${id}'`, hint: 'Rename one of them.' })),
    ...unverified.map(({ id, at }) => ({ at, message: `no case speaks of '${id}'`, hint: 'Write one under cases/.' })),
  ];
}

/** Rows of a matrix find the same mistake again and again. */
function unique(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify([problem.at, problem.message]), problem])).values()];
}

function digestOf(files: readonly string[], folder: string): string {
  const hash = createHash('sha256');
  for (const file of files) {
    hash.update(`${path.relative(folder, file).replaceAll(path.sep, '/')}\n`);
    hash.update(readFileSync(file, 'utf8').replaceAll('\r\n', '\n'));
  }
  return `sha256:${hash.digest('hex')}`;
}
