import { parentPort } from 'node:worker_threads';
import { findFault } from '../../reference/faults/index.js';
import { loadSuite } from '../../src/cases/suite.js';
import { createRecognizer } from '../../src/recognition/recognizer.js';
import { proveFault } from './proof.js';

/** Answers each batch of fault ids with their proofs. */
const suite = loadSuite();
const recognizer = createRecognizer(suite.world);

parentPort?.on('message', async (ids: readonly string[]) => {
  const proofs = [];
  for (const id of ids) proofs.push(await proveFault(findFault(id), suite, recognizer));
  parentPort?.postMessage(proofs);
});
