import { register } from 'node:module';
import type { MutationTest } from './runner.js';
import { takeCollected } from './test-collector.js';

const unitSpecs = ['judge', 'shape', 'oracle', 'recognition'];
/** The specs that must detect mutants. They are fast, and need no process and no socket. */
const specs = [...unitSpecs.map((name) => `unit/${name}`), 'deployments/deployments'];

/** Collects the tests of the specs. They run without Playwright, because a process per mutant would take hours. */
export async function createMutationTests(): Promise<readonly MutationTest[]> {
  register(new URL('redirect-runner.js', import.meta.url));
  const tests: MutationTest[] = [];
  for (const spec of specs) {
    await import(`../../test/${spec}.spec.js`);
    tests.push(...takeCollected().map(({ name, run }) => ({ name: `${spec}: ${name}`, run })));
  }
  return tests;
}
