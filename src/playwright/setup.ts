import { referenceCredentials } from '../../reference/deployment.js';
import { serveReference } from '../../reference/server.js';
import { type Credentials, defaultLimits, openClient } from '../exchange/client.js';
import { calibrate } from '../run.js';
import { loadTarget } from '../target/target.js';
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
  const { baseUrl, credentials } = addressOf(target.place, reference?.url);
  const client = openClient({ baseUrl, credentials, limits: defaultLimits });
  const calibration = await calibrate(suite, client);
  await client.close();
  const forget = saveSession({ target: { name: target.name, base_url: baseUrl }, calibration });
  return async () => {
    forget();
    unshare();
    await reference?.close();
  };
}

/** Where requests go, and with which credentials. */
export function addressOf(
  place: ReturnType<typeof loadTarget>['place'],
  referenceUrl = '',
): { baseUrl: string; credentials: Credentials } {
  if (place.kind === 'deployment') return place;
  return { baseUrl: referenceUrl, credentials: referenceCredentials };
}
