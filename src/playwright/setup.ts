import { referenceCredentials } from '../../reference/reference-credentials.js';
import { startRun } from '../engine/run.js';
import { createMemoryBudget } from '../http/request-budget.js';
import { referenceNotice } from '../report/notices.js';
import { renderReplayNotice } from '../report/notices.js';
import { InternalError } from '../support/internal-error.js';
import { UnusableInput } from '../support/problem.js';
import { joinLines } from '../support/untrusted-text.js';
import { createCertifiedTarget } from '../targets/target.js';
import type { World } from '../world/world.js';
import { loadRunInputs, saveSession, shareRun } from './run-state.js';
import { openRunTarget } from './run-target.js';
import { disableStackMapping } from './v8-settings.js';

/** Once before all tests: starts the reference deployment if nothing else is under test, and calibrates. */
export default async function setup(): Promise<() => Promise<void>> {
  try {
    return await begun();
  } catch (error) {
    throw error instanceof UnusableInput || error instanceof NothingToRun ? error : new InternalError(error);
  }
}

async function begun(): Promise<() => Promise<void>> {
  disableStackMapping();
  const inputs = loadRunInputs();
  const { suite, settings, replay } = inputs;
  if (replay !== undefined) process.stdout.write(joinLines([renderReplayNotice(replay)]));
  if (settings.target.kind === 'reference') process.stdout.write(`${referenceNotice}\n`);
  const unshare = shareRun();
  const isServed = replay === undefined && settings.target.kind === 'reference';
  const reference = isServed ? await serveWorld(suite.world) : undefined;
  const requestBudget = createMemoryBudget();
  const endpoint = { baseUrl: reference?.url ?? '', credentials: referenceCredentials };
  const { channel, baseUrl, options, close } = openRunTarget(inputs, endpoint, requestBudget);
  const run = await startRun(suite, channel, options);
  const { calibration } = run;
  await close();
  const target = createCertifiedTarget(settings.target, baseUrl);
  saveSession({ target, calibration, evidence: run.takeEvidence(), requestBudget });
  if (calibration.unreachable !== undefined) {
    // The reporter finds the reason in the session, so that the folder of the run goes only when this process ends.
    process.once('exit', unshare);
    // Elsewhere the certificate says why; of a shard, whoever merges its report has nothing else.
    throw new NothingToRun(settings.shard === undefined ? '' : ` ${calibration.unreachable}`);
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
  constructor(reason: string) {
    super(`Nothing can be learnt of the target, so no case was sent.${reason}`);
    this.stack = this.message;
  }
}
