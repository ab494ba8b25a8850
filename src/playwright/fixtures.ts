import { test as base } from '@playwright/test';
import type { Case } from '../cases/case.js';
import type { Suite } from '../cases/suite.js';
import type { Exploration } from '../engine/explore.js';
import { type CaseResult, runCase, type Setting, unsent } from '../engine/run.js';
import { openTarget } from '../targets/open.js';
import { loadSettings, whyLeftOut } from '../targets/settings.js';
import { loadSession, type Session } from './session.js';
import { suiteOfRun } from './shared-suite.js';

/** Runs cases against the target. */
export interface Engine {
  run(testCase: Case): Promise<CaseResult>;
  explore(exploration: Exploration): Promise<CaseResult>;
  readonly session: Session;
}

/** Tests are made from it, and the engine needs its world. */
export const suite: Suite = suiteOfRun();

export const test = base.extend<object, { engine: Engine }>({
  engine: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright asks for a destructured first argument.
    async ({}, use) => {
      const session = loadSession();
      const settings = loadSettings(process.env, suite);
      const { target, expected } = settings;
      const { unaskable, namings } = session.calibration;
      const client = openTarget(target, session.target.base_url, { account: session.account });
      const setting: Setting = {
        world: suite.world.world,
        calibration: namings,
        expected,
        infersShape: settings.recordTo !== undefined,
        ...(target.tierPatterns === undefined ? {} : { statedPatterns: target.tierPatterns }),
      };
      const run = async (testCase: Case): Promise<CaseResult> => {
        if (unaskable !== undefined) return unsent(testCase, 'inconclusive', unaskable);
        const reason = whyLeftOut(testCase, settings);
        if (reason !== undefined) return unsent(testCase, 'not-applicable', reason);
        return runCase(testCase, client, setting);
      };
      const goBeyond = async (exploration: Exploration) => {
        // Loaded where it is wanted: every failing test starts a process that would load it.
        const { explore } = await import('../engine/explore.js');
        return explore(suite, client, setting, exploration);
      };
      await use({ session, run, explore: goBeyond });
      await client.close();
    },
    { scope: 'worker' },
  ],
});
