import { ignoreClosedOutput } from '../support/problem.js';
import { reportInternalError } from './exit-status.js';
import { main } from './main.js';

/** Runs the command that the arguments of this process name, and sets its exit status. */
export async function runCommandLine(): Promise<void> {
  settleColors(process.env);
  // Such as `conformance list cases | head`.
  ignoreClosedOutput();
  try {
    process.exitCode = await main(process.argv);
  } catch (error) {
    process.exitCode = reportInternalError(error);
  }
}

/**
 * Node.js warns before anything else if FORCE_COLOR is set beside a variable that turns colors off, and ignores that.
 * Playwright sets FORCE_COLOR in its workers. With FORCE_COLOR=0 alone there are no colors, and no warning.
 */
function settleColors(environment: NodeJS.ProcessEnv): void {
  const { NO_COLOR = '', NODE_DISABLE_COLORS = '' } = environment;
  if (NO_COLOR === '' && NODE_DISABLE_COLORS === '') return;
  environment.FORCE_COLOR ??= '0';
  delete environment.NO_COLOR;
  delete environment.NODE_DISABLE_COLORS;
}
