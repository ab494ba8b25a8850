import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../support/package-root.js';
import { reportInternalError } from './exit-status.js';

/**
 * Runs Playwright with the tests of this package, in this process.
 *
 * @param onExit maps the exit status of Playwright to that of this process; it must not wait for anything
 */
export async function runPlaywrightTests(args: readonly string[], onExit: ExitHandler): Promise<never> {
  return runPlaywright(['test', '--config', path.join(packageRoot, 'dist', 'playwright.config.js'), ...args], onExit);
}

type ExitHandler = (code: number) => number;

/**
 * Runs a command of Playwright in this process: a process of its own would cost 57 MB and a fifth of a second. The
 * command line of Playwright reads `process.argv` and ends the process itself, so this function never returns.
 */
export async function runPlaywright(args: readonly string[], onExit: ExitHandler): Promise<never> {
  process.on('exit', (code) => {
    try {
      process.exitCode = onExit(code);
    } catch (error) {
      process.exitCode = reportInternalError(error);
    }
  });
  // Everything is compiled: saves the start of Playwright's compiler in every process of the run.
  process.env.PW_DISABLE_TS_ESM ??= '1';
  const commandLine = import.meta.resolve('@playwright/test/cli');
  process.argv = [process.execPath, fileURLToPath(commandLine), ...args];
  await import(commandLine);
  return new Promise<never>(() => undefined);
}

/** The file of the reporter that writes the certificate. */
export const certificateReporterFile = path.join(packageRoot, 'dist', 'src', 'playwright', 'certificate-reporter.js');

/** Adds the certificate reporter before the reporters that the user names: Playwright would replace it by them. */
export function addCertificateReporter(args: readonly string[]): string[] {
  return args.map((arg, n) => {
    const isReporters = args[n - 1] === '--reporter' || arg.startsWith('--reporter=');
    return isReporters ? arg.replace(/^(--reporter=)?/, `$1${certificateReporterFile},`) : arg;
  });
}
