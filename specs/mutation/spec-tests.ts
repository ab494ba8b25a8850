import { register } from 'node:module';
import type { MutationTest } from './mutation-test.js';
import { takeCollected } from './test-collector.js';

/** The specs that are to notice mutants: those that need no process and no socket, and little time. */
const specs = ['judge', 'answers', 'shape', 'oracle', 'assertions', 'recognition'];

/** Their tests, without Playwright's runner: a process for each mutant would take hours. */
export async function mutationTests(): Promise<readonly MutationTest[]> {
  register(new URL('redirect-runner.js', import.meta.url));
  const tests: MutationTest[] = [];
  for (const spec of specs) {
    await import(`../self-test/${spec}.spec.js`);
    tests.push(...takeCollected().map(({ name, run }) => ({ name: `${spec}: ${name}`, run })));
  }
  return tests;
}
