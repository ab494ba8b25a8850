import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { InstrumenterContext, MutantCoverage } from '@stryker-mutator/api/core';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import {
  type DryRunResult,
  DryRunStatus,
  determineHitLimitReached,
  type MutantRunOptions,
  type MutantRunResult,
  type TestResult,
  type TestRunner,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import type { MutationTest } from './mutation-test.js';

/** What instrumented code looks at: which mutant is active, and for which test it counts what is reached. */
const instrumented: InstrumenterContext = {};
Object.assign(globalThis, { __stryker__: instrumented });

/** Runs the tests that a file of the sandbox makes in this process, until the first that notices a mutant. */
abstract class InProcessRunner implements TestRunner {
  private tests: readonly MutationTest[] | undefined;

  /** @param file makes the tests, as its function `mutationTests` */
  constructor(private readonly file: string) {}

  capabilities(): { reloadEnvironment: boolean } {
    // Modules stay loaded as long as their process does.
    return { reloadEnvironment: false };
  }

  async dryRun(): Promise<DryRunResult> {
    const results: TestResult[] = [];
    for (const test of await this.load()) {
      instrumented.currentTestId = test.name;
      results.push(await resultOf(test));
      delete instrumented.currentTestId;
    }
    const { mutantCoverage } = instrumented;
    return {
      status: DryRunStatus.Complete,
      tests: results,
      ...(mutantCoverage === undefined ? {} : { mutantCoverage: withoutHybrids(mutantCoverage) }),
    };
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { activeMutant, mutantActivation, testFilter, hitLimit } = options;
    // What is made while the modules are loaded is made with the mutant, where that is what it is about.
    if (mutantActivation === 'static') instrumented.activeMutant = activeMutant.id;
    const tests = await this.load();
    instrumented.activeMutant = activeMutant.id;
    Object.assign(instrumented, { hitCount: hitLimit === undefined ? undefined : 0, hitLimit });
    const results: TestResult[] = [];
    for (const test of tests) {
      if (testFilter !== undefined && !testFilter.includes(test.name)) continue;
      const result = await resultOf(test);
      results.push(result);
      if (result.status === TestStatus.Failed) break;
    }
    const timeout = determineHitLimitReached(instrumented.hitCount, hitLimit);
    return toMutantRunResult(timeout ?? { status: DryRunStatus.Complete, tests: results });
  }

  private async load(): Promise<readonly MutationTest[]> {
    if (this.tests === undefined) {
      const made = (await import(pathToFileURL(path.resolve(this.file)).href)) as {
        mutationTests(): Promise<readonly MutationTest[]>;
      };
      this.tests = await made.mutationTests();
    }
    return this.tests;
  }
}

/** A mutant that tests reach needs no process of its own, though it is reached while modules are loaded, too. */
function withoutHybrids({ static: whileLoading, perTest }: MutantCoverage): MutantCoverage {
  const reached = new Set(Object.values(perTest).flatMap((mutants) => Object.keys(mutants)));
  const others = Object.entries(whileLoading).filter(([mutant]) => !reached.has(mutant));
  return { static: Object.fromEntries(others), perTest };
}

async function resultOf({ name, run }: MutationTest): Promise<TestResult> {
  const begun = performance.now();
  const about = () => ({ id: name, name, timeSpentMs: performance.now() - begun });
  try {
    await run();
    return { ...about(), status: TestStatus.Success };
  } catch (error) {
    return { ...about(), status: TestStatus.Failed, failureMessage: String(error) };
  }
}

class CasesRunner extends InProcessRunner {
  constructor() {
    super('dist/specs/mutation/case-tests.js');
  }
}

class SpecsRunner extends InProcessRunner {
  constructor() {
    super('dist/specs/mutation/spec-tests.js');
  }
}

/** Where Stryker looks for its plugins. */
export const strykerPlugins = [
  declareClassPlugin(PluginKind.TestRunner, 'cases', CasesRunner),
  declareClassPlugin(PluginKind.TestRunner, 'specs', SpecsRunner),
];
