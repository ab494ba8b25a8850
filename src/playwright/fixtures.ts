import { test as base } from '@playwright/test';
import type { Case } from '../contract/case.js';
import type { Suite } from '../contract/suite.js';
import type { Exploration } from '../explore.js';
import { type CaseResult, runCase, type Setting, unsent } from '../run.js';
import { openTarget } from '../target/open.js';
import { loadSettings, whyLeftOut } from '../target/settings.js';
import { loadSession, type Session } from './session.js';
import { suiteOfRun } from './shared-suite.js';

/** Runs cases against the target. */
export interface Engine {
  run(case_: Case): Promise<CaseResult>;
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
      const run = async (case_: Case): Promise<CaseResult> => {
        if (unaskable !== undefined) return unsent(case_, 'inconclusive', unaskable);
        const reason = whyLeftOut(case_, settings);
        if (reason !== undefined) return unsent(case_, 'not-applicable', reason);
        return runCase(case_, client, setting);
      };
      const goBeyond = async (exploration: Exploration) => {
        // Loaded where it is wanted: every failing test starts a process that would load it.
        const { explore } = await import('../explore.js');
        return explore(suite, client, setting, exploration);
      };
      await use({ session, run, explore: goBeyond });
      await client.close();
    },
    { scope: 'worker' },
  ],
});
