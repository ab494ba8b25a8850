import { test as base } from '@playwright/test';
import { referenceCredentials } from '../../reference/reference-credentials.js';
import { selectFromSuite } from '../cases/case-selection.js';
import { type Run, startRun } from '../run/run.js';
import { createEngineOptions } from '../target/settings.js';
import { loadRunInputs } from './run-inputs.js';
import { openRunTarget } from './run-target.js';
import { findSession, readPlannedCases, type Session, saveFailure } from './session.js';
import { disableStackMapping } from './stack-mapping.js';

// Before the first test, whose set-up makes errors.
disableStackMapping();

/** Tests are created from them. */
const { settings } = loadRunInputs();
export const suite = selectFromSuite(loadRunInputs().suite, settings);

interface WorkerFixtures {
  readonly session: Session;
  /** Runs cases against the target. */
  readonly run: Run;
}

export const test = base.extend<object, WorkerFixtures>({
  session: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright asks for a destructured first argument.
    async ({}, use) => {
      // Playwright's main process ends the run when the terminal is closed.
      process.on('SIGHUP', () => undefined);
      const session = findSession();
      if (session === undefined)
        throw new Error('The run has no session: name global-setup as globalSetup in playwright.config.ts.');
      await use(session);
    },
    { scope: 'worker' },
  ],
  run: [
    async ({ session }, use) => {
      const reference = { baseUrl: session.target.base_url, credentials: referenceCredentials };
      // The first test reports the calibration, which the set-up sent.
      const { channel, options, close } = openRunTarget(loadRunInputs(), reference, session);
      const engineOptions = { ...createEngineOptions(settings), ...options, plannedCases: readPlannedCases() };
      await use(await startRun(suite, channel, engineOptions, session.calibration));
      await close().catch(saveFailure);
    },
    { scope: 'worker' },
  ],
});
