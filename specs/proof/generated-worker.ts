import { parentPort } from 'node:worker_threads';
import { findFault } from '../../reference/faults/index.js';
import { loadSuite } from '../../src/cases/suite.js';
import { createFaultJudge } from './judge-fault.js';

/** Answers each batch of fault ids with the id of the case that catches each fault; undefined for survivors. */
const judge = createFaultJudge(loadSuite());

parentPort?.on('message', async (ids: readonly string[]) => {
  const cases: (string | undefined)[] = [];
  for (const id of ids) cases.push((await judge.findFailure(findFault(id)))?.id);
  parentPort?.postMessage(cases);
});
