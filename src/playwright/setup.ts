import { referenceCredentials } from '../../reference/credentials.js';
import { startRun } from '../engine/run.js';
import { budgetInMemory } from '../http/request-budget.js';
import { referenceBegins } from '../report/reference-notice.js';
import { Mistake } from '../support/foreign-error.js';
import { UnusableInput } from '../support/problem.js';
import { endpointOf } from '../targets/connection.js';
import { openTarget } from '../targets/open.js';
import { certifiedTarget, loadTarget } from '../targets/target.js';
import type { World } from '../world/world.js';
import { inputsOfRun, saveSession, shareRun } from './run-state.js';

/** Once before all tests: starts the reference deployment if nothing else is under test, and calibrates. */
export default async function setup(): Promise<() => Promise<void>> {
  try {
    return await begun();
  } catch (error) {
    throw error instanceof UnusableInput || error instanceof NothingToRun ? error : new Mistake(error);
  }
}

async function begun(): Promise<() => Promise<void>> {
  const { suite, settings } = inputsOfRun();
  if (settings.target.kind === 'reference') process.stdout.write(`${referenceBegins}\n`);
  const unshare = shareRun();
  const { place, options } = loadTarget(process.env).connection;
  const reference = place.kind === 'reference' ? await serveWorld(suite.world) : undefined;
  const endpoint = endpointOf(place, { baseUrl: reference?.url ?? '', credentials: referenceCredentials });
  const requestBudget = budgetInMemory();
  const client = openTarget(settings.target, endpoint, options, requestBudget);
  const { calibration } = await startRun(suite, client);
  await client.close();
  saveSession({ target: certifiedTarget(settings.target, endpoint.baseUrl), calibration, requestBudget });
  if (calibration.unreachable !== undefined) {
    // The reporter finds the reason in the session, so that the folder of the run goes only when this process ends.
    process.once('exit', unshare);
    throw new NothingToRun();
  }
  return async () => {
    unshare();
    await reference?.close();
  };
}

async function serveWorld(world: World) {
  const { serveReference } = await import('../../reference/server.js');
  return serveReference({ world, credentials: referenceCredentials });
}

/** Ends the run before any test: each would say the same. */
class NothingToRun extends Error {
  constructor() {
    super('Nothing can be learnt of the target, so no case was sent.');
    this.stack = this.message;
  }
}
