import { test as base } from '@playwright/test';
import { referenceCredentials } from '../../reference/credentials.js';
import { whyLeftOut } from '../engine/left-out.js';
import { type Run, type RunOptions, startRun } from '../engine/run.js';
import { endpointOf } from '../targets/connection.js';
import { openTarget } from '../targets/open.js';
import { loadTarget } from '../targets/target.js';
import { inputsOfRun, loadSession, type Session } from './run-state.js';

/** Tests are made from them. */
export const { suite, settings } = inputsOfRun();

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
      const { target, expected, recordTo } = settings;
      const { place, options } = loadTarget(process.env).connection;
      const endpoint = endpointOf(place, { baseUrl: session.target.base_url, credentials: referenceCredentials });
      const client = openTarget(target, endpoint, options, session.requestBudget);
      const runOptions: RunOptions = {
        expected,
        isWorldLoaded: target.isWorldLoaded,
        infersShape: recordTo !== undefined,
        whyLeftOut: (testCase) => whyLeftOut(testCase, settings),
        ...(target.tierPatterns === undefined ? {} : { tierPatterns: target.tierPatterns }),
      };
      await use(await startRun(suite, client, runOptions, session.calibration));
      await client.close();
    },
    { scope: 'worker' },
  ],
});
