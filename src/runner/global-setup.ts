import { referenceNotice, renderReplayNotice } from '../certificate/notices.js';
import { createMemoryBudget } from '../http/request-budget.js';
import { removeResults } from '../outputs/result-files.js';
import { startRun } from '../run/run.js';
import { InternalError } from '../support/internal-error.js';
import { UnusableInput } from '../support/problem.js';
import { joinLines } from '../support/untrusted-text.js';
import { createEngineOptions } from '../target/settings.js';
import { createCertifiedTarget } from '../target/target.js';
import { loadRunInputs, shareRun } from './run-inputs.js';
import { openRunTarget, serveReferenceIf } from './run-target.js';
import { saveSession, saveTarget } from './session.js';
import { disableStackMapping } from './stack-mapping.js';

/** Runs once before all tests: starts the reference deployment if it is the target, and calibrates. */
export default async function setUp(): Promise<() => Promise<void>> {
  try {
    return await startSession();
  } catch (error) {
    throw error instanceof UnusableInput ? error : new InternalError(error);
  }
}

/** Ends sharing the run before, in UI mode. */
let unshare = () => {};

async function startSession(): Promise<() => Promise<void>> {
  disableStackMapping();
  const inputs = loadRunInputs();
  const { suite, settings, replay } = inputs;
  const isReference = settings.target.kind === 'reference';
  if (replay !== undefined) process.stdout.write(joinLines([renderReplayNotice(replay)]));
  if (isReference) process.stdout.write(`${referenceNotice}\n`);
  // Not at the end: the reporter reads what the run shares after the teardown.
  unshare();
  unshare = shareRun();
  const { endpoint, close: closeReference } = await serveReferenceIf(isReference && replay === undefined, suite.world);
  const requestBudget = createMemoryBudget();
  const { channel, baseUrl, redact, options, close } = openRunTarget(inputs, endpoint, { requestBudget });
  removeResults(settings.out);
  saveTarget(createCertifiedTarget(settings.target, baseUrl), redact);
  const run = await startRun(suite, channel, { ...createEngineOptions(settings), ...options });
  const { calibration } = run;
  await close();
  saveSession({ calibration, evidence: run.takeEvidence(), requestBudget }, redact);
  if (calibration.unreachable !== undefined) {
    // Ends the run before the first test: all would report the same. The certificate gives the reason.
    throw new UnusableInput([
      { at: { setting: settings.target.name }, message: 'cannot be judged, so no case was sent' },
    ]);
  }
  return closeReference;
}
