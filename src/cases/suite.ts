import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { type Contract, parseContract } from '../contract/contract.js';
import type { HttpRequest } from '../http/exchange.js';
import { packageRoot, readOwnPackage } from '../support/package-root.js';
import { type Problem, UnusableInput } from '../support/problem.js';
import { readYaml, type YamlFile } from '../support/yaml-file.js';
import { type Availability, bindWorld } from '../world/bind-world.js';
import { type NamedWorld, ownPrefix } from '../world/named-world.js';
import { expandWorld } from '../world/world-file.js';
import { readCaseFile } from './case-file.js';
import { getSubjectId, type TestCase, tag } from './test-case.js';

/** Everything that is sent to a deployment, and what it is judged by. */
export interface Suite {
  readonly name: string;
  readonly version: string;
  /** Of all that decides what is sent and expected: it is the same in two runs with equal digests. */
  readonly digest: string;
  readonly contract: Contract;
  readonly world: NamedWorld;
  readonly cases: readonly TestCase[];
  /** Sent before all cases, to learn how responses name promotions. */
  readonly calibration: readonly HttpRequest[];
  /** Where cases come from that somebody added; they are the last of `cases`, see {@link isOwnCase}. */
  readonly own?: OwnCases;
}

/** Cases that are not of this package. */
export interface OwnCases {
  /** As it was named. */
  readonly folder: string;
  /** Of all its files. */
  readonly digest: string;
}

/** Whether a case, by its id, is one that somebody added. */
export function isOwnCase({ id }: { readonly id: string }): boolean {
  return id.startsWith(ownPrefix);
}

/** The cases of this package. */
export const suiteFolder = path.join(packageRoot, 'cases');

/**
 * Loads ledger, world and cases: as they were expanded when the package was built, unless a file was edited since or
 * the deployment has ids of its own.
 *
 * @param folder holds `contract.yaml`, `world.yaml`, `requirements/` and `questions/`
 * @param availability what the deployment under test has of the world; all of it, under the world's ids, unless given
 * @param own a folder of cases that somebody adds: `world.yaml` with what they need beside the world, if anything, and
 *   case files
 * @throws UnusableInput with every problem of every file
 */
export function loadSuite(folder = suiteFolder, availability: Availability = {}, own?: string): Suite {
  const isAsBuilt = folder === suiteFolder && Object.keys(availability).length === 0 && own === undefined;
  return (isAsBuilt ? builtSuite() : undefined) ?? expandSuite(folder, availability, own);
}

/** Where the build leaves the expanded suite, beside the compiled files; sources have none, since they may be newer. */
const builtFile = import.meta.filename.endsWith('.js') ? path.join(packageRoot, 'dist', 'suite') : undefined;

function builtSuite(): Suite | undefined {
  if (builtFile === undefined || !existsSync(builtFile)) return undefined;
  const built = deserialize(readFileSync(builtFile)) as Suite;
  return built.digest === digestOf(listSuiteFiles(), suiteFolder) ? built : undefined;
}

/** Expands the suite of this package for all that load it from now on. @throws UnusableInput as `loadSuite` */
export function precompileSuite(): void {
  if (builtFile === undefined) return;
  rmSync(builtFile, { force: true });
  writeFileSync(builtFile, serialize(expandSuite(suiteFolder, {})));
}

/** Reads all files of a suite, though the build did. @throws UnusableInput as `loadSuite` */
export function expandSuite(folder: string, availability: Availability, own?: string): Suite {
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
  const ledger = attempt(() => parseContract(readOwn(path.join(folder, 'contract.yaml'))));
  const added = attempt(() => (own === undefined ? undefined : filesOfOwn(own)));
  const additions = attempt(() => (added?.world === undefined ? undefined : readYaml(added.world)));
  const world = attempt(() =>
    bindWorld(expandWorld(readOwn(path.join(folder, 'world.yaml')), additions), availability),
  );
  const files = (attempt(() => caseFiles(folder)) ?? []).flatMap((file) => attempt(() => readOwn(file)) ?? []);
  if (ledger === undefined || world === undefined) throw new UnusableInput(problems);

  const cases = files.flatMap((file) => {
    const read = readCaseFile(file, ledger, world);
    problems.push(...read.problems);
    return read.cases;
  });
  const addedFiles = (added?.cases ?? []).flatMap((file) => attempt(() => readYaml(file)) ?? []);
  const addedCases = addedFiles.flatMap((file) => {
    const read = readCaseFile(file, ledger, world, ownPrefix);
    problems.push(...read.problems);
    return read.cases;
  });
  if (problems.length === 0)
    problems.push(...takenTwice(cases), ...unverified(cases, ledger), ...takenTwice(addedCases));
  if (problems.length > 0) throw new UnusableInput(unique(problems));

  return {
    ...readOwnPackage(),
    digest: digestOf(listSuiteFiles(folder), folder),
    contract: ledger,
    world,
    cases: [...cases, ...addedCases],
    calibration: cases.filter(({ tags }) => tags.includes(tag.calibration)).flatMap(firstRequests),
    ...(own === undefined ? {} : { own: { folder: own, digest: digestOf(listOwnFiles(own), own) } }),
  };
}

/** Reads a file of the suite; messages name those of this package alike, wherever it is installed. */
function readOwn(file: string): YamlFile {
  const within = path.relative(packageRoot, file);
  return within.startsWith('..') ? readYaml(file) : readYaml(file, within.replaceAll(path.sep, '/'));
}

/** Every file that a suite is loaded from. */
export function listSuiteFiles(folder = suiteFolder): string[] {
  return [path.join(folder, 'contract.yaml'), path.join(folder, 'world.yaml'), ...caseFiles(folder)];
}

/** The files of a folder of cases that somebody adds. @throws UnusableInput where it cannot be read, or has no case */
function filesOfOwn(folder: string): { world?: string; cases: string[] } {
  const names = namesIn(folder, 'Name the folder of your cases.')
    .filter((file) => file.endsWith('.yaml'))
    .sort();
  const cases = names.filter((name) => name !== worldName).map((name) => path.join(folder, name));
  if (cases.length === 0) {
    const hint = 'It holds your case files, whose names end in .yaml.';
    throw new UnusableInput([{ at: { setting: folder }, message: 'has no case file', hint }]);
  }
  return { cases, ...(names.includes(worldName) ? { world: path.join(folder, worldName) } : {}) };
}

const worldName = 'world.yaml';

/** Every file that cases are loaded from which somebody adds; none where there are none. */
export function listOwnFiles(folder: string): string[] {
  try {
    const { world, cases } = filesOfOwn(folder);
    return [...(world === undefined ? [] : [world]), ...cases];
  } catch (error) {
    if (error instanceof UnusableInput) return [];
    throw error;
  }
}

/** The file of what a folder of cases adds to the world, if it does. @throws UnusableInput where it has no cases */
export function findOwnWorld(folder: string): string | undefined {
  return filesOfOwn(folder).world;
}

function caseFiles(folder: string): string[] {
  return ['requirements', 'questions'].flatMap((room) => {
    return namesIn(path.join(folder, room), 'It is the folder for case files of its kind.')
      .filter((file) => file.endsWith('.yaml'))
      .sort()
      .map((file) => path.join(folder, room, file));
  });
}

function namesIn(folder: string, hint: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch (error) {
    const message = `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`;
    const at = { file: path.relative(process.cwd(), folder), line: 1, column: 1 };
    throw new UnusableInput([{ at, message, hint }]);
  }
}

function firstRequests({ rows: [first] }: TestCase): HttpRequest[] {
  // What names something that the deployment does not have would teach nothing.
  return first === undefined || first.unavailable.length > 0 ? [] : [...first.requests.values()];
}

function takenTwice(cases: readonly TestCase[]): Problem[] {
  return cases
    .filter(({ id }, n) => cases.findIndex((other) => other.id === id) < n)
    .map(({ id, at }) => ({ at, message: `there is another case '${id}'`, hint: 'Rename one of them.' }));
}

/** Entries of the ledger without a case. */
function unverified(cases: readonly TestCase[], { requirements }: Contract): Problem[] {
  const subjects = new Set(cases.map(getSubjectId));
  return requirements
    .filter(({ id }) => !subjects.has(id))
    .map(({ id, at }) => ({ at, message: `no case speaks of '${id}'`, hint: 'Write one under cases/.' }));
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
