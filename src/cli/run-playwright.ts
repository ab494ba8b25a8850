import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { onceDismissed, outliveReaders } from '../playwright/dismissal.js';
import { packageRoot } from '../support/package-root.js';

/**
 * Runs the tests of this package with Playwright, as its compiled configuration says.
 *
 * @returns its exit status; null where a signal ended it
 */
export async function runPlaywright(args: readonly string[]): Promise<number | null> {
  return playwrightCommand(['test', '--config', path.join(packageRoot, 'dist', 'playwright.config.js'), ...args]);
}

/** Runs a command of Playwright. @returns as {@link runPlaywright} */
export async function playwrightCommand(args: readonly string[]): Promise<number | null> {
  const playwright = fileURLToPath(import.meta.resolve('@playwright/test/cli'));
  // Its processes take over how memory is managed: by itself, V8 lets the garbage of large bodies pile up.
  // Tighter, as with --optimize-for-size, it takes a tenth less memory and twice the time where bodies are large.
  const thrifty = ['--heap-growing-percent=40', '--max-semi-space-size=4'];
  const child = spawn(process.execPath, [...thrifty, playwright, ...args], {
    stdio: 'inherit',
    // All is compiled, so that Playwright's own compiler need not start, in every process of the run.
    env: { PW_DISABLE_TS_ESM: '1', ...process.env },
  });
  // Ctrl-C reaches Playwright by itself, which then still writes the certificate.
  const wait = () => undefined;
  process.on('SIGINT', wait);
  // Whatever else ends a run may reach both or this process alone; Playwright takes the first and passes over others.
  const endWatch = onceDismissed(() => child.kill('SIGTERM'));
  outliveReaders();
  const code = await new Promise<number | null>((resolve, reject) => child.on('exit', resolve).on('error', reject));
  process.off('SIGINT', wait);
  endWatch();
  return code;
}

/** The file of the one that writes the certificate. */
export const ownReporter = path.join(packageRoot, 'dist', 'src', 'playwright', 'reporter.js');

/** Another reporter is had beside the one that writes the certificate, and after it, not in its place. */
export function withReporter(args: readonly string[]): string[] {
  return args.map((arg, n) => {
    const isReporters = args[n - 1] === '--reporter' || arg.startsWith('--reporter=');
    return isReporters ? arg.replace(/^(--reporter=)?/, `$1${ownReporter},`) : arg;
  });
}
