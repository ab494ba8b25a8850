import { parentPort } from 'node:worker_threads';
import { loadSuite } from '../../src/suite/suite.js';
import { computeOnce } from '../../src/support/caches.js';
import { findFirstCause } from './find-first-cause.js';
import { createFaultJudge } from './judge-fault.js';
import { createMutantJudge } from './judge-mutant.js';
import { findAnyFault } from './list-faults.js';
import { proveFault } from './proof.js';

const suite = loadSuite();
const judge = createFaultJudge(suite);
const startMutantJudge = computeOnce(() => createMutantJudge(suite));

/**
 * What a worker finds out about a fault: how the suite sees it, the id of the case that catches it, or the id of the first
 * cause of its run. The last two are undefined if there is none. Of a mutant, it finds out what becomes of it.
 */
export const tasks = {
  prove: (id: string) => proveFault(findAnyFault(id), judge),
  'find the cause': (id: string) => findFirstCause(findAnyFault(id), suite),
  'find the case': async (id: string) => (await judge.findFailure(findAnyFault(id)))?.id,
  'judge the mutant': async (id: string) => (await startMutantJudge()).judge(id),
};

parentPort?.on('message', async ({ task, ids }: { task: keyof typeof tasks; ids: readonly string[] }) => {
  const results: unknown[] = [];
  for (const id of ids) results.push(await tasks[task](id));
  parentPort?.postMessage(results);
});
