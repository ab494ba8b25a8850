import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { applyV8Flags } from '../playwright/v8-settings.js';
import { packageRoot } from '../support/package-root.js';
import { reportInternalError } from './exit-status.js';

/**
 * Goes over to Playwright, which runs the tests of this package as its compiled configuration says, and then ends this
 * process: what is to happen after it, `ended` does.
 *
 * @param ended takes the exit status of Playwright and returns that of this process; nothing of it may wait
 */
export async function runPlaywright(args: readonly string[], ended: Ended): Promise<never> {
  return handOverToPlaywright(
    ['test', '--config', path.join(packageRoot, 'dist', 'playwright.config.js'), ...args],
    ended,
  );
}

type Ended = (code: number) => number;

/** The same with any command of Playwright. */
export async function handOverToPlaywright(args: readonly string[], ended: Ended): Promise<never> {
  process.on('exit', (code) => {
    try {
      process.exitCode = ended(code);
    } catch (error) {
      process.exitCode = reportInternalError(error);
    }
  });
  applyV8Flags();
  // All is compiled, so that Playwright's own compiler need not start, in every process of the run.
  process.env.PW_DISABLE_TS_ESM ??= '1';
  const commandLine = import.meta.resolve('@playwright/test/cli');
  process.argv = [process.execPath, fileURLToPath(commandLine), ...args];
  await import(commandLine);
  return new Promise<never>(() => undefined);
}

/** The file of the one that writes the certificate. */
export const certificateReporterFile = path.join(packageRoot, 'dist', 'src', 'playwright', 'reporter.js');

/** Another reporter is had beside the one that writes the certificate, and after it, not in its place. */
export function addCertificateReporter(args: readonly string[]): string[] {
  return args.map((arg, n) => {
    const isReporters = args[n - 1] === '--reporter' || arg.startsWith('--reporter=');
    return isReporters ? arg.replace(/^(--reporter=)?/, `$1${certificateReporterFile},`) : arg;
  });
}
