import { createDeployment } from '../../reference/deployment.js';
import type { Fault } from '../../reference/faults/fault.js';
import type { Suite } from '../../src/cases/suite.js';
import { diagnoseRun } from '../../src/certificate/diagnosis/diagnose-run.js';
import { indexExchanges } from '../../src/certificate/exchange-index.js';
import { createRecognizer } from '../../src/recognition/recognizer.js';
import { attachExchanges } from '../../src/run/case-result.js';
import { createEvidenceKeeper } from '../../src/run/evidence-keeper.js';
import { runSuite } from '../../src/run/run.js';
import { createTimedChannel, inProcessCredentials } from './judge-deployment.js';

/** Runs all cases against a deployment with a fault, and returns the id of the first cause. */
export async function findFirstCause(
  fault: Fault,
  suite: Suite,
  recognizer = createRecognizer(suite.world),
): Promise<string | undefined> {
  const respond = createDeployment({ world: suite.world, credentials: inProcessCredentials, faults: [fault] });
  const options = { recognizer, isWorldLoaded: true, keeper: createEvidenceKeeper() };
  const { results, evidence } = await runSuite(suite, createTimedChannel(respond), options);
  const index = indexExchanges(evidence, recognizer, results);
  return diagnoseRun(suite, attachExchanges(results, index.find), index)[0]?.id;
}
