import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { tasks } from './fault-worker.js';

/** How many faults a worker gets at a time. */
const batchSize = 20;

type Result<Task extends keyof typeof tasks> = Awaited<ReturnType<(typeof tasks)[Task]>>;

/** Does a task for faults in worker threads, on all cores. @returns the results in the order of the ids */
export async function runInWorkers<Task extends keyof typeof tasks>(
  task: Task,
  ids: readonly string[],
): Promise<Result<Task>[]> {
  const batches = Array.from({ length: Math.ceil(ids.length / batchSize) }, (_, n) => n * batchSize);
  const results: Result<Task>[] = [];
  const work = async (): Promise<void> => {
    const worker = new Worker(new URL('./fault-worker.js', import.meta.url));
    for (let start = batches.shift(); start !== undefined; start = batches.shift()) {
      worker.postMessage({ task, ids: ids.slice(start, start + batchSize) });
      const [done] = (await once(worker, 'message')) as [Result<Task>[]];
      for (const [n, result] of done.entries()) results[start + n] = result;
    }
    await worker.terminate();
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), batches.length) }, work));
  return results;
}
