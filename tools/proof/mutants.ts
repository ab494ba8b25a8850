import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { InstrumenterContext } from '@stryker-mutator/api/core';
import type { Logger } from '@stryker-mutator/api/logging';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import type * as deploymentModule from '../../reference/deployment/deployment.js';
import type { HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import type { Suite } from '../../src/suite/suite.js';
import { distFolder, packageRoot } from '../../src/support/package-root.js';
import { type Answer, inProcessCredentials } from './judge-deployment.js';

/**
 * The reference deployment with one change in its code: each condition, comparison, call that walks or cuts a list, block and
 * literal is replaced by what Stryker makes of it. Nobody chose these changes, so they tell whether the places of
 * `places/` lack a decision.
 */
export interface Mutant {
  readonly id: string;
  /** The file of `reference/deployment/` as it is compiled. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly column: number;
  /** Stryker's name of the change, such as `EqualityOperator`. */
  readonly change: string;
  readonly replacement: string;
}

/** Files that decide nothing about a request: types, data about outcomes, a socket, recorded responses, hints in messages. */
const withoutDecisions = [
  'behaviours.js',
  'find-nearest.js',
  'handlers.js',
  'outcomes.js',
  'recorded-responses.js',
  'reference-credentials.js',
  'server.js',
];

/** The texts of messages and the names of outcomes decide nothing. */
const excludedMutations = ['StringLiteral'];

const deploymentFolder = path.join(distFolder, 'reference', 'deployment');

/** What the instrumented code reads: the active mutant, and for whom it counts which code is reached. */
const instrumented: InstrumenterContext = {};

const silent: Logger = {
  isTraceEnabled: () => false,
  isDebugEnabled: () => false,
  isInfoEnabled: () => false,
  isWarnEnabled: () => false,
  isErrorEnabled: () => false,
  isFatalEnabled: () => false,
  trace: () => undefined,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  fatal: () => undefined,
};

const dropSourceMap = (code: string) => code.replace(/\n\/\/# sourceMappingURL=.*$/, '');

async function instrument() {
  const names = readdirSync(deploymentFolder).filter(
    (name) => name.endsWith('.js') && !withoutDecisions.includes(name),
  );
  const files = names.map((name) => {
    const file = path.join(deploymentFolder, name);
    return { name: file, mutate: true, content: dropSourceMap(readFileSync(file, 'utf8')) };
  });
  return new Instrumenter(silent).instrument(files, { plugins: null, excludedMutations, ignorers: [] });
}

/** Lists all mutants of the reference deployment. Their ids are those of this build. */
export async function listMutants(): Promise<Mutant[]> {
  return describe((await instrument()).mutants);
}

function describe(mutants: Awaited<ReturnType<typeof instrument>>['mutants']): Mutant[] {
  // Excluded changes are listed, and not made.
  const made = mutants.filter(({ status }) => status !== 'Ignored');
  return made.map(({ id, fileName, location, mutatorName, replacement }) => ({
    id,
    file: path.basename(fileName),
    line: location.start.line + 1,
    column: location.start.column + 1,
    change: mutatorName,
    replacement,
  }));
}

/** Deployments with a mutant each. */
export interface MutantDeployments {
  readonly mutants: readonly Mutant[];
  /** Whether some of these requests reach the code of a mutant, or only the start of the deployment does. */
  isReached(id: string, requests: readonly HttpRequest[]): boolean;
  /** @param id by default, no mutant is active */
  deploy(id?: string): Promise<Answer>;
  end(): void;
}

/** Makes an instrumented copy of the reference deployment, from which each mutant can be switched on. */
export async function createMutantDeployments({ world }: Suite): Promise<MutantDeployments> {
  Object.assign(globalThis, { __stryker__: instrumented });
  const { files, mutants } = await instrument();
  // In the package, because the copy imports packages.
  mkdirSync(path.join(packageRoot, 'results'), { recursive: true });
  const folder = mkdtempSync(path.join(packageRoot, 'results', 'mutants-'));
  const load = async (copy: string): Promise<typeof deploymentModule> => {
    const target = path.join(folder, copy);
    cpSync(deploymentFolder, target, { recursive: true });
    for (const { name, content } of files) writeFileSync(path.join(target, path.basename(name)), content);
    return import(pathToFileURL(path.join(target, 'deployment.js')).href);
  };
  // The deployment sorts the tiers itself.
  const unsorted = { ...world, tiers: world.tiers.toReversed() };
  const start = ({ createDeployment }: typeof deploymentModule) =>
    createDeployment({ world: unsorted, credentials: inProcessCredentials });
  const listReachedWithoutRequests = () => new Set(Object.keys(instrumented.mutantCoverage?.static ?? {}));
  const usual = await load('usual');
  const atLoad = listReachedWithoutRequests();
  start(usual);
  const atStart = listReachedWithoutRequests();
  const reached = new Map<readonly HttpRequest[], ReadonlySet<string>>();

  const findReached = (requests: readonly HttpRequest[]): ReadonlySet<string> => {
    const respond = start(usual);
    instrumented.currentTestId = String(reached.size);
    for (const request of requests) respond(request);
    const found = new Set(Object.keys(instrumented.mutantCoverage?.perTest[instrumented.currentTestId] ?? {}));
    delete instrumented.currentTestId;
    reached.set(requests, found);
    return found;
  };

  return {
    mutants: describe(mutants),
    isReached: (id, requests) => atStart.has(id) || (reached.get(requests) ?? findReached(requests)).has(id),

    async deploy(id) {
      // What runs when a module is loaded is loaded again, with its mutant.
      const isOfLoad = id !== undefined && atLoad.has(id);
      const respond = await withMutant(id, async () => start(isOfLoad ? await load(id) : usual)).catch(() => undefined);
      return (request) => answerAsServer(() => runWithMutant(id, () => respond?.(request)));
    },

    end: () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function withMutant<Result>(id: string | undefined, run: () => Promise<Result>): Promise<Result> {
  setActive(id);
  try {
    return await run();
  } finally {
    setActive(undefined);
  }
}

function runWithMutant<Result>(id: string | undefined, run: () => Result): Result {
  setActive(id);
  try {
    return run();
  } finally {
    setActive(undefined);
  }
}

function setActive(id: string | undefined): void {
  if (id === undefined) delete instrumented.activeMutant;
  else instrumented.activeMutant = id;
}

/** As a server does: code that crashes, or makes no response, answers 500. */
function answerAsServer(respond: () => HttpResponse | undefined): HttpResponse {
  try {
    const response = respond();
    if (response !== undefined && isSendable(response)) return response;
  } catch {
    // The code crashed.
  }
  return { status: 500, headers: [], body: '{"message":"Internal Server Error"}' };
}

function isSendable({ status, headers, body }: HttpResponse): boolean {
  const areTexts = (header: unknown) => Array.isArray(header) && header.every((part) => typeof part === 'string');
  return Number.isInteger(status) && typeof body === 'string' && Array.isArray(headers) && headers.every(areTexts);
}
