import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

/** How many jobs a worker gets at a time. */
const batchSize = 20;

/**
 * Does jobs in worker threads, on all cores.
 *
 * @param script a module that answers each message, a batch of jobs, with their results
 * @param jobs plain data
 * @returns the results in the order of the jobs
 */
export async function runInWorkers<Job, Result>(script: URL, jobs: readonly Job[]): Promise<Result[]> {
  const batches = Array.from({ length: Math.ceil(jobs.length / batchSize) }, (_, n) => n * batchSize);
  const results: Result[] = [];
  const work = async (): Promise<void> => {
    const worker = new Worker(script);
    for (let start = batches.shift(); start !== undefined; start = batches.shift()) {
      worker.postMessage(jobs.slice(start, start + batchSize));
      const [done] = (await once(worker, 'message')) as [Result[]];
      for (const [n, result] of done.entries()) results[start + n] = result;
    }
    await worker.terminate();
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), batches.length) }, work));
  return results;
}
