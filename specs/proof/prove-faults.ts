import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { FaultProof } from './proof.js';

/** How many faults a worker gets at a time. */
const batchSize = 20;

/** Finds out how the suite sees each fault, in worker threads on all cores. */
export async function proveFaults(ids: readonly string[]): Promise<FaultProof[]> {
  const starts = Array.from({ length: Math.ceil(ids.length / batchSize) }, (_, n) => n * batchSize);
  const proofs: FaultProof[] = [];
  const work = async (): Promise<void> => {
    const worker = new Worker(new URL('./proof-worker.js', import.meta.url));
    for (let start = starts.shift(); start !== undefined; start = starts.shift()) {
      worker.postMessage(ids.slice(start, start + batchSize));
      const [done] = (await once(worker, 'message')) as [FaultProof[]];
      for (const [n, proof] of done.entries()) proofs[start + n] = proof;
    }
    await worker.terminate();
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), starts.length) }, work));
  return proofs;
}
