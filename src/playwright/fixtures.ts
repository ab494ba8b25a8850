import { test as base } from '@playwright/test';
import { referenceCredentials } from '../../reference/credentials.js';
import { selectedSuite } from '../cases/selection.js';
import { type Run, startRun } from '../engine/run.js';
import { defined } from '../support/defined.js';
import { endpointOf } from '../targets/connection.js';
import { openTarget } from '../targets/open.js';
import { runOptionsOf } from '../targets/settings.js';
import { loadTarget } from '../targets/target.js';
import { comingCases, inputsOfRun, loadSession, type Session } from './run-state.js';

/** Tests are made from them. */
export const { settings } = inputsOfRun();
export const suite = selectedSuite(inputsOfRun().suite, settings.only);

interface WorkerFixtures {
  readonly session: Session;
  /** Runs cases against the target. */
  readonly run: Run;
}

export const test = base.extend<object, WorkerFixtures>({
  session: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright asks for a destructured first argument.
    async ({}, use) => {
      // A closed terminal ends the run as Ctrl-C does: Playwright's main process sees to that.
      process.on('SIGHUP', () => undefined);
      await use(loadSession());
    },
    { scope: 'worker' },
  ],
  run: [
    async ({ session }, use) => {
      const { place, options } = loadTarget(process.env).connection;
      const endpoint = endpointOf(place, { baseUrl: session.target.base_url, credentials: referenceCredentials });
      const client = openTarget(settings.target, endpoint, options, session.requestBudget);
      const runOptions = { ...runOptionsOf(settings), ...defined({ coming: comingCases() }) };
      await use(await startRun(suite, client, runOptions, session.calibration));
      await client.close();
    },
    { scope: 'worker' },
  ],
});
