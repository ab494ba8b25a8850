import { test as base } from '@playwright/test';
import type { Case } from '../contract/case.js';
import type { Suite } from '../contract/suite.js';
import { defaultLimits, openClient } from '../exchange/client.js';
import { type CaseResult, runCase, unsent } from '../run.js';
import { loadTarget } from '../target/target.js';
import { loadSession, type Session } from './session.js';
import { addressOf } from './setup.js';
import { suiteOfRun } from './shared-suite.js';

/** Runs cases against the target. */
export interface Engine {
  run(case_: Case): Promise<CaseResult>;
  readonly session: Session;
}

/** Tests are made from it, and the engine needs its world. */
export const suite: Suite = suiteOfRun();

export const test = base.extend<object, { engine: Engine }>({
  engine: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright asks for a destructured first argument.
    async ({}, use) => {
      const session = loadSession();
      const { place, tierPattern } = loadTarget(process.env);
      const { unreachable, namings } = session.calibration;
      const client = openClient({ ...addressOf(place, session.target.base_url), limits: defaultLimits });
      const background = {
        world: suite.world.world,
        calibration: namings,
        ...(tierPattern === undefined ? {} : { statedPattern: tierPattern }),
      };
      await use({
        session,
        run: async (case_) =>
          unreachable === undefined ? runCase(case_, client, background) : unsent(case_, 'inconclusive', unreachable),
      });
      await client.close();
    },
    { scope: 'worker' },
  ],
});
