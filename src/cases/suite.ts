import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Ledger, loadLedger } from '../contract/ledger.js';
import type { HttpRequest } from '../http/exchange.js';
import { ownPackage, packageRoot } from '../support/package-root.js';
import { type Problem, UnusableInput } from '../support/problem.js';
import { readYaml } from '../support/yaml-file.js';
import { boundWorld, type Holding } from '../world/bindings.js';
import { loadWorld, type NamedWorld } from '../world/world-file.js';
import type { Case } from './case.js';
import { readCaseFile } from './case-file.js';

/** Everything that is asked of a deployment, and what it rests on. */
export interface Suite {
  readonly name: string;
  readonly version: string;
  /** Of all that decides what is asked and expected: two runs with equal digests asked the same. */
  readonly digest: string;
  readonly ledger: Ledger;
  readonly world: NamedWorld;
  readonly cases: readonly Case[];
  /** Sent before all cases, to learn how responses name promotions. */
  readonly calibration: readonly HttpRequest[];
}

/** The cases of this package. */
export const ownFolder = path.join(packageRoot, 'cases');

/**
 * Loads ledger, world and cases.
 *
 * @param folder holds `contract.yaml`, `world.yaml`, `requirements/` and `questions/`
 * @param holding what the deployment under test holds of the world; all of it, under the world's ids, unless given
 * @throws UnusableInput with every problem of every file
 */
export function loadSuite(folder = ownFolder, holding: Holding = {}): Suite {
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
  const ledger = attempt(() => loadLedger(path.join(folder, 'contract.yaml')));
  const world = attempt(() => boundWorld(loadWorld(path.join(folder, 'world.yaml')), holding));
  const files = (attempt(() => caseFiles(folder)) ?? []).flatMap((file) => attempt(() => readYaml(file)) ?? []);
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
    calibration: cases
      .filter(({ tags }) => tags.includes('calibration'))
      .flatMap((testCase) => firstRequests(testCase)),
  };
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

function firstRequests(testCase: Case): HttpRequest[] {
  const asked = testCase.kind === 'question' ? testCase : testCase.rows[0];
  // What names something that the deployment does not hold would teach nothing.
  return asked === undefined || asked.missing.length > 0 ? [] : [...asked.requests.values()];
}

/** What is wrong between cases: ids taken twice, and entries of the ledger without a case. */
function caseProblems(cases: readonly Case[], { requirements }: Ledger): Problem[] {
  const taken = cases.filter(({ id }, n) => cases.findIndex((other) => other.id === id) < n);
  const asked = new Set(cases.map((testCase) => (testCase.kind === 'question' ? testCase.answers : testCase.verifies)));
  const lacking = requirements.filter(({ id }) => !asked.has(id));
  return [
    ...taken.map(({ id, at }) => ({ at, message: `there is another case '${id}'`, hint: 'Rename one of them.' })),
    ...lacking.map(({ id, at }) => ({ at, message: `no case speaks of '${id}'`, hint: 'Write one under cases/.' })),
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
