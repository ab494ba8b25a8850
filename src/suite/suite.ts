import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { readCaseFile } from '../cases/case-file.js';
import type { SuiteWithoutCases } from '../cases/case-file-context.js';
import { createRequestsOnData, readNamedRequests } from '../cases/named-requests.js';
import { caseTags, type TestCase } from '../cases/test-case.js';
import { parseContract } from '../contract/contract.js';
import { readDataFile } from '../contract/data-file.js';
import { bindWorld, expandWorld, type WorldAvailability } from '../contract/world-file.js';
import type { HttpRequest } from '../http/exchange.js';
import { createDataSuite, type DataFileSummary, type TestDataVersion } from '../own-data/data-suite.js';
import { isDrawnCase } from '../own-data/requirement-cases.js';
import { computeOnce } from '../support/caches.js';
import { groupBy } from '../support/collections.js';
import { readCompressedFile, writeCompressedFile } from '../support/compressed-file.js';
import { distFolder, packageRoot, readOwnPackage } from '../support/package-root.js';
import { isInside, renderPath, toPosixPath } from '../support/paths.js';
import { createInputError, describeFileError, type Problem, UnusableInput } from '../support/problem.js';
import { decodeText, readTextFile } from '../support/text-file.js';
import { readYaml, type YamlFile } from '../support/yaml-file.js';
import { expandEveryRequestCases } from './every-request.js';

/** Everything that is sent to a deployment, and what its responses are judged by. */
export interface Suite extends SuiteWithoutCases {
  readonly name: string;
  readonly version: string;
  /** Of all files that decide what is sent and expected: runs with equal digests send and expect the same. */
  readonly digest: string;
  /** The data that the deployment is to have. Two runs with equal digests ask about the same. */
  readonly basis: TestDataVersion;
  readonly cases: readonly TestCase[];
  /** Requests that are sent before all cases, to find out how responses name promotions. */
  readonly calibration: readonly HttpRequest[];
  readonly data?: DataFileSummary;
  /** Whether only some rows of the cases were selected, so that a run sends few requests. */
  readonly isQuick?: true;
  /** Cases of the user. They are the last of `cases`, see {@link isOwnCase}. */
  readonly own?: { readonly folder: string; readonly digest: string };
}

const ownPrefix = 'own-';

/** Complete requests from which cases start; beside the cases of the suite, and of a user who has some. */
const requestsFileName = 'requests.yaml';

export function isOwnCase({ id }: { readonly id: string }): boolean {
  return id.startsWith(ownPrefix);
}

/** Whether a case that a suite does not have may be one that another run has: an own case, or one about a data file or without. */
export function mayBelongToAnotherRun(testCase: { readonly id: string }, { data }: Pick<Suite, 'data'>): boolean {
  return isOwnCase(testCase) || isDrawnCase(testCase) !== (data !== undefined);
}

export const packageCasesFolder = path.join(packageRoot, 'cases');

/**
 * Loads contract, world and cases. Uses the suite that the build expanded, unless a file was edited since then or the
 * deployment has ids of its own.
 *
 * @param folder contains `contract.yaml`, `world.yaml`, `requests.yaml`, `requirements/` and `questions/`
 * @param availability what the target has of the world; by default all of it, under the ids of the world
 * @param ownFolder with cases of the user
 * @throws UnusableInput with all problems of all files
 */
export function loadSuite(
  folder = packageCasesFolder,
  availability: WorldAvailability = {},
  ownFolder?: string,
): Suite {
  const { data } = availability;
  if (data !== undefined) {
    const whole = loadSuite(folder);
    if (ownFolder === undefined) return createDataSuite(whole, data);
    const { world } = readDataFile(data.movedTo ?? data.file);
    const { own, cases } = readOwnCases(ownFolder, { ...whole, world, namedRequests: createRequestsOnData(world) });
    return createDataSuite({ ...whole, own }, data, cases);
  }
  const isAsBuilt =
    folder === packageCasesFolder &&
    Object.values(availability).every((stated) => stated === undefined) &&
    ownFolder === undefined;
  return (isAsBuilt ? readBuiltSuite() : undefined) ?? readSuiteFiles(folder, availability, ownFolder);
}

/** Reads the cases of a user. @throws UnusableInput with the problems of the files, or if there are none */
function readOwnCases(folder: string, basis: SuiteWithoutCases) {
  const requestsFile = path.join(folder, requestsFileName);
  const caseFiles = listOwnFiles(folder, requestsFile);
  const hasRequests = existsSync(requestsFile);
  const files = hasRequests ? [requestsFile, ...caseFiles] : caseFiles;
  const named = hasRequests
    ? readNamedRequests(readSuiteFile(requestsFile), basis.world, basis.namedRequests)
    : { namedRequests: basis.namedRequests, problems: [] };
  const read = caseFiles.map((file) => readCaseFile(readSuiteFile(file), { ...basis, ...named }, ownPrefix));
  const cases = read.flatMap((ofFile) => ofFile.cases);
  const problems = [...named.problems, ...read.flatMap((ofFile) => ofFile.problems), ...findDuplicateIds(cases)];
  if (problems.length > 0) throw new UnusableInput(problems);
  return { cases, own: { folder, digest: computeDigest(files, folder) } };
}

const builtFile = path.join(distFolder, 'suite.gz');

/**
 * Reads the suite as the build stored it. Each process of a run needs it: to parse and expand the YAML files instead takes 19 %
 * more processor time in a run (median of nine runs on the reference deployment).
 */
const readBuiltSuite = computeOnce((): Suite | undefined => {
  if (!existsSync(builtFile)) return undefined;
  const suite = deserialize(readCompressedFile(builtFile)) as Suite;
  return suite.digest === computeDigest(listSuiteFiles(), packageCasesFolder) ? suite : undefined;
});

/** Expands the suite of this package and writes it beside the compiled files. @throws UnusableInput like `loadSuite` */
export function precompileSuite(): void {
  rmSync(builtFile, { force: true });
  writeCompressedFile(builtFile, serialize(readSuiteFiles(packageCasesFolder, {})));
}

/** Reads all files of a suite, even if the build did. @throws UnusableInput like `loadSuite` */
export function readSuiteFiles(folder: string, availability: WorldAvailability, ownFolder?: string): Suite {
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
  const readFile = (name: string) => readSuiteFile(path.join(folder, name));
  const contract = attempt(() => parseContract(readFile('contract.yaml')));
  const world = attempt(() => bindWorld(expandWorld(readFile('world.yaml')), availability));
  const requestsFile = attempt(() => readFile(requestsFileName));
  const caseFiles = listCaseFiles(folder).flatMap((name) => attempt(() => readSuiteFile(name)) ?? []);
  if (contract === undefined || world === undefined || requestsFile === undefined) throw new UnusableInput(problems);

  const named = readNamedRequests(requestsFile, world);
  problems.push(...named.problems);
  const basis = { contract, world, namedRequests: named.namedRequests };
  const read = caseFiles.map((file) => readCaseFile(file, basis));
  problems.push(...read.flatMap((ofFile) => ofFile.problems));
  const added = ownFolder === undefined ? undefined : attempt(() => readOwnCases(ownFolder, basis));
  const stated = read.flatMap((ofFile) => ofFile.cases);
  const cases = [...expandEveryRequestCases(stated, world), ...(added?.cases ?? [])];
  if (problems.length === 0) problems.push(...findDuplicateIds(cases));
  if (problems.length > 0) throw new UnusableInput(problems);

  return {
    ...readOwnPackage(),
    digest: computeDigest(listSuiteFiles(folder), folder),
    ...basis,
    basis: { kind: 'world', digest: computeDigest([path.join(folder, 'world.yaml')], folder) },
    cases,
    calibration: listCalibrationRequests(cases),
    ...(added && { own: added.own }),
  };
}

/**
 * Lists the requests that are sent before all cases. Those of cases that may return nothing come last: the first ones decide
 * whether the deployment answers, and what it is asked about.
 */
function listCalibrationRequests(cases: readonly TestCase[]): HttpRequest[] {
  const calibrating = cases.filter(
    // A request for what the target lacks would show nothing.
    ({ tags, rows: [first] }) => tags.includes(caseTags.calibration) && first?.unavailable.length === 0,
  );
  const showing = calibrating.filter(({ tags }) => !tags.includes(caseTags.anyData));
  const others = calibrating.filter(({ tags }) => tags.includes(caseTags.anyData));
  return [...showing, ...others].flatMap(({ rows: [first] }) => [...(first?.requests.values() ?? [])]);
}

/** Reads a file of the suite. Messages name it relative to the package, wherever that is installed. */
function readSuiteFile(file: string): YamlFile {
  return isInside(packageRoot, file) ? readYaml(file, toPosixPath(path.relative(packageRoot, file))) : readYaml(file);
}

function listSuiteFiles(folder = packageCasesFolder): string[] {
  const files = ['contract.yaml', 'world.yaml', requestsFileName].map((name) => path.join(folder, name));
  return [...files, ...listCaseFiles(folder)];
}

/** Lists the files with cases in a folder of the user. @throws UnusableInput if there are none */
function listOwnFiles(folder: string, requestsFile: string): readonly string[] {
  const isCaseFile = (file: string) =>
    file !== requestsFile && !isOfAnotherKind(readTextFile(file, 'Name the folder of your cases.'));
  const files = listYamlFiles(folder).filter(isCaseFile);
  if (files.length > 0) return files;
  throw createInputError(folder, 'the folder has no case file', 'Name a folder with case files (*.yaml).');
}

/**
 * Whether a text is a target file, bindings, a record or known deviations, which may be in the same folder: `init` puts a
 * target file there. A case file has a list of cases. A file without it and without a key of the others is reported.
 */
function isOfAnotherKind(text: string): boolean {
  if (/^cases\s*:\s*(?:\[|#|$)/m.test(text)) return false;
  const keysOfOthers =
    /^(?:name|base_url|record|questions|deviations|customers|products|skus|categories|campaigns|tiers)\s*:/m;
  return keysOfOthers.test(text);
}

function listCaseFiles(folder: string): string[] {
  return ['requirements', 'questions'].flatMap((kind) => listYamlFiles(path.join(folder, kind)));
}

/** A folder of cases has fewer. A certificate from somebody else may name the whole disk. */
const maxEntries = 10_000;

function listYamlFiles(folder: string): string[] {
  const hint = 'Name the folder of your cases.';
  const shown = renderPath(folder);
  const files: string[] = [];
  const folders = [''];
  let count = 0;
  try {
    for (const inner of folders)
      for (const name of readdirSync(path.join(folder, inner), 'utf8')) {
        // The same on each system, as is the order of the files.
        const relative = path.posix.join(inner, name);
        const isFolder = statSync(path.join(folder, relative), { throwIfNoEntry: false })?.isDirectory() === true;
        if (isFolder) folders.push(relative);
        else if (name.endsWith('.yaml')) files.push(relative);
        count += 1;
        if (count > maxEntries) throw createInputError(shown, `has more than ${maxEntries} files and folders`, hint);
      }
  } catch (error) {
    throw error instanceof UnusableInput ? error : createInputError(shown, describeFileError(error), hint);
  }
  return files.sort().map((name) => path.join(folder, name));
}

function findDuplicateIds(cases: readonly TestCase[]): Problem[] {
  return [...groupBy(cases, ({ id }) => id).values()].flatMap(([, ...later]) =>
    later.map(({ id, at }) => ({ at, message: `duplicate case id '${id}'`, hint: 'Rename one of the cases.' })),
  );
}

function computeDigest(files: readonly string[], folder: string): string {
  const hash = createHash('sha256');
  for (const file of files) {
    hash.update(`${toPosixPath(path.relative(folder, file))}\n`);
    hash.update(decodeText(readFileSync(file)).replaceAll('\r\n', '\n'));
  }
  return `sha256:${hash.digest('hex')}`;
}
