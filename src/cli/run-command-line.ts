import { ignoreClosedOutput } from '../support/problem.js';
import { reportInternalError } from './exit-status.js';
import { main } from './main.js';

/** Runs the command that the arguments of this process name, and sets its exit status. */
export async function runCommandLine(): Promise<void> {
  // Such as `conformance list cases | head`.
  ignoreClosedOutput();
  try {
    process.exitCode = await main(process.argv);
  } catch (error) {
    process.exitCode = reportInternalError(error);
  }
}
