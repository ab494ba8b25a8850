import { parentPort } from 'node:worker_threads';
import { findFault } from '../../reference/faults/index.js';
import { loadSuite } from '../../src/cases/suite.js';
import { createFaultJudge } from './judge-fault.js';
import { proveFault } from './proof.js';

/** Answers each batch of fault ids with their proofs. */
const suite = loadSuite();
const judge = createFaultJudge(suite);

parentPort?.on('message', async (ids: readonly string[]) => {
  const proofs = [];
  for (const id of ids) proofs.push(await proveFault(findFault(id), judge, suite));
  parentPort?.postMessage(proofs);
});
