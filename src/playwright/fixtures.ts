import { test as base } from '@playwright/test';
import { referenceCredentials } from '../../reference/reference-credentials.js';
import { selectFromSuite } from '../cases/case-selection.js';
import { type Run, startRun } from '../engine/run.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { createEngineOptions } from '../targets/settings.js';
import { loadRunInputs, loadSession, readPlannedCases, type Session } from './run-state.js';
import { openRunTarget } from './run-target.js';
import { disableStackMapping } from './v8-settings.js';

/** Tests are made from them. */
export const { settings } = loadRunInputs();
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
      // A closed terminal ends the run as Ctrl-C does: Playwright's main process sees to that.
      process.on('SIGHUP', () => undefined);
      disableStackMapping();
      await use(loadSession());
    },
    { scope: 'worker' },
  ],
  run: [
    async ({ session }, use) => {
      const reference = { baseUrl: session.target.base_url, credentials: referenceCredentials };
      const { channel, options, close } = openRunTarget(loadRunInputs(), reference, session.requestBudget);
      const runOptions = {
        ...createEngineOptions(settings),
        ...options,
        ...omitUndefined({ coming: readPlannedCases() }),
      };
      await use(withCalibration(await startRun(suite, channel, runOptions, session.calibration), session));
      await close();
    },
    { scope: 'worker' },
  ],
});

/** A run whose first evidence holds that of the calibration, too, which another process sent. */
function withCalibration(run: Run, { evidence }: Session): Run {
  let first: Partial<Session['evidence']> = evidence;
  return {
    ...run,
    takeEvidence() {
      const { exchanges, uses } = run.takeEvidence();
      const taken = {
        exchanges: [...(first.exchanges ?? []), ...exchanges],
        uses: [...(first.uses ?? []), ...uses],
      };
      first = {};
      return taken;
    },
  };
}
