import { createDeployment } from '../../reference/deployment/deployment.js';
import type { Fault } from '../../reference/faults/fault.js';
import type { HttpRequest } from '../../src/http/exchange.js';
import { createRecognizer } from '../../src/recognition/recognizer.js';
import type { Suite } from '../../src/suite/suite.js';
import { computeOnce } from '../../src/support/caches.js';
import { inProcessCredentials } from '../proof/judge-deployment.js';
import { createFaultJudge } from '../proof/judge-fault.js';
import { findVisibleMistake } from './find-visible-mistake.js';

/** What became of mistakes on some data. */
export interface Measurement {
  /** Mistakes that a run found. */
  readonly found: readonly string[];
  /** Mistakes that a run did not find, and that a documented request shows. */
  readonly missed: readonly MissedMistake[];
  /** Mistakes that no documented request of a long comparison shows on this data. */
  readonly invisible: readonly string[];
}

export interface MissedMistake {
  readonly id: string;
  readonly story: string;
  /** Why the run has no failure, as far as it says so. */
  readonly why?: string;
  /** A request that shows it. */
  readonly shownBy: HttpRequest;
}

/**
 * Measures faults of the reference deployment on data of its own.
 *
 * @param suite whose cases are drawn from the data
 * @param requests that are compared with those of the right deployment where a run finds nothing
 */
export async function measureReference(
  suite: Suite,
  faults: readonly Fault[],
  requests: readonly HttpRequest[],
): Promise<Measurement> {
  const { world } = suite;
  const judge = createFaultJudge(suite);
  const recognizer = createRecognizer(world);
  const deploy = (...made: readonly Fault[]) =>
    createDeployment({ world, credentials: inProcessCredentials, faults: made });
  const listRight = computeOnce(() => {
    const respond = deploy();
    return requests.map((request) => ({ request, response: respond(request) }));
  });
  const [found, missed, invisible]: [string[], MissedMistake[], string[]] = [[], [], []];
  for (const fault of faults) {
    if ((await judge.findFailure(fault)) !== undefined) {
      found.push(fault.id);
      continue;
    }
    const shown = findVisibleMistake(listRight(), requests.map(deploy(fault)), world, recognizer);
    if (shown === undefined) invisible.push(fault.id);
    else missed.push({ id: fault.id, story: fault.story, shownBy: shown.request });
  }
  return { found, missed, invisible };
}
