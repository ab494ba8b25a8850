import { referenceCredentials } from '../../reference/credentials.js';
import { serveReference } from '../../reference/server.js';
import { calibrate } from '../engine/run.js';
import { accountInMemory } from '../http/request-budget.js';
import { certified, openTarget } from '../targets/open.js';
import { loadTarget } from '../targets/target.js';
import { saveSession } from './session.js';
import { shareSuite, suiteOfRun } from './shared-suite.js';

/** Once before all tests: starts the reference deployment if nothing else is under test, and calibrates. */
export default async function setup(): Promise<() => Promise<void>> {
  const suite = suiteOfRun();
  const unshare = shareSuite();
  const target = loadTarget(process.env);
  const reference =
    target.place.kind === 'reference'
      ? await serveReference({ world: suite.world.world, credentials: referenceCredentials })
      : undefined;
  const { place } = target;
  const baseUrl = place.kind === 'deployment' ? place.baseUrl : (reference?.url ?? '');
  const account = accountInMemory();
  const client = openTarget(target, baseUrl, { account });
  const calibration = await calibrate(suite, client);
  await client.close();
  const forget = saveSession({ target: certified(target, baseUrl), calibration, account });
  return async () => {
    forget();
    unshare();
    await reference?.close();
  };
}
