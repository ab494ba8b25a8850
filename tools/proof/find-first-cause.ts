import { createDeployment } from '../../reference/deployment/deployment.js';
import type { Fault } from '../../reference/faults/fault.js';
import type { Cause } from '../../src/explanation/diagnose-run.js';
import { diagnoseRun } from '../../src/explanation/diagnose-run.js';
import type { RequestChannel } from '../../src/http/exchange.js';
import { createRecognizer, type Recognizer } from '../../src/recognition/recognizer.js';
import type { Suite } from '../../src/suite/suite.js';
import { createTimedChannel, indexExchanges, inProcessCredentials, runSuite } from './judge-deployment.js';

/** Runs all cases against a deployment with a fault, and returns the id of the first cause. */
export async function findFirstCause(
  fault: Fault,
  suite: Suite,
  recognizer = createRecognizer(suite.world),
): Promise<string | undefined> {
  const respond = createDeployment({ world: suite.world, credentials: inProcessCredentials, faults: [fault] });
  return (await findCauses(createTimedChannel(respond), suite, recognizer))[0]?.id;
}

/** Runs all cases over a channel, and returns the causes. */
export async function findCauses(
  channel: RequestChannel,
  suite: Suite,
  recognizer: Recognizer,
): Promise<readonly Cause[]> {
  const options = { recognizer, isWorldLoaded: true };
  const { results, evidence } = await runSuite(suite, channel, options);
  const index = indexExchanges(evidence, recognizer);
  return diagnoseRun({ suite, results, index, statedPatterns: undefined, known: undefined }).causes;
}
