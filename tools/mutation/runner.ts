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

/** A test that fails if a mutant changes what it looks at. */
export interface MutationTest {
  readonly name: string;
  run(): Promise<void>;
}

/** The state that instrumented code reads: the active mutant, and the test for which it counts coverage. */
const instrumented: InstrumenterContext = {};
Object.assign(globalThis, { __stryker__: instrumented });

/** Runs the tests of the specs in this process, until the first failure. */
class SpecsRunner implements TestRunner {
  private tests: readonly MutationTest[] | undefined;

  capabilities(): { reloadEnvironment: boolean } {
    // Loaded modules cannot be loaded again in the same process.
    return { reloadEnvironment: false };
  }

  async dryRun(): Promise<DryRunResult> {
    const results: TestResult[] = [];
    for (const test of await this.load()) {
      instrumented.currentTestId = test.name;
      results.push(await runTest(test));
      delete instrumented.currentTestId;
    }
    const { mutantCoverage } = instrumented;
    return {
      status: DryRunStatus.Complete,
      tests: results,
      ...(mutantCoverage === undefined ? {} : { mutantCoverage: removeHybrids(mutantCoverage) }),
    };
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { activeMutant, mutantActivation, testFilter, hitLimit } = options;
    // A static mutant is active while the modules are loaded.
    if (mutantActivation === 'static') instrumented.activeMutant = activeMutant.id;
    const tests = await this.load();
    instrumented.activeMutant = activeMutant.id;
    Object.assign(instrumented, { hitCount: hitLimit === undefined ? undefined : 0, hitLimit });
    const results: TestResult[] = [];
    for (const test of tests) {
      if (testFilter !== undefined && !testFilter.includes(test.name)) continue;
      const result = await runTest(test);
      results.push(result);
      if (result.status === TestStatus.Failed) break;
    }
    const timeout = determineHitLimitReached(instrumented.hitCount, hitLimit);
    return toMutantRunResult(timeout ?? { status: DryRunStatus.Complete, tests: results });
  }

  private async load(): Promise<readonly MutationTest[]> {
    if (this.tests === undefined) {
      // That of the sandbox, and only now: a static mutant is active while the modules are loaded.
      const file = path.resolve('dist/tools/mutation/spec-tests.js');
      const made = (await import(pathToFileURL(file).href)) as { createMutationTests(): Promise<MutationTest[]> };
      this.tests = await made.createMutationTests();
    }
    return this.tests;
  }
}

/** Removes mutants from the static ones that tests reach too: they need no process of their own. */
function removeHybrids({ static: whileLoading, perTest }: MutantCoverage): MutantCoverage {
  const reached = new Set(Object.values(perTest).flatMap((mutants) => Object.keys(mutants)));
  const others = Object.entries(whileLoading).filter(([mutant]) => !reached.has(mutant));
  return { static: Object.fromEntries(others), perTest };
}

async function runTest({ name, run }: MutationTest): Promise<TestResult> {
  const begun = performance.now();
  const about = () => ({ id: name, name, timeSpentMs: performance.now() - begun });
  try {
    await run();
    return { ...about(), status: TestStatus.Success };
  } catch (error) {
    return { ...about(), status: TestStatus.Failed, failureMessage: String(error) };
  }
}

/** The export in which Stryker looks for plugins. */
export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'specs', SpecsRunner)];
