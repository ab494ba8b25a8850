import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../support/package-root.js';

/**
 * Runs Playwright with the compiled configuration of this package.
 *
 * @returns its exit status; null where a signal ended it
 */
export async function runPlaywright(args: readonly string[]): Promise<number | null> {
  const playwright = fileURLToPath(import.meta.resolve('@playwright/test/cli'));
  const config = path.join(packageRoot, 'dist', 'playwright.config.js');
  const child = spawn(process.execPath, [playwright, 'test', '--config', config, ...args], {
    stdio: 'inherit',
    // All is compiled, so that Playwright's own compiler need not start, in every process of the run.
    env: { PW_DISABLE_TS_ESM: '1', ...process.env },
  });
  // Ctrl-C reaches Playwright by itself, which then still writes the certificate; other signals are handed on.
  const wait = () => undefined;
  const interrupt = () => child.kill('SIGINT');
  process.on('SIGINT', wait).on('SIGTERM', interrupt);
  const code = await new Promise<number | null>((resolve, reject) => child.on('exit', resolve).on('error', reject));
  process.off('SIGINT', wait).off('SIGTERM', interrupt);
  return code;
}

/** Another reporter is had beside the one that writes the certificate, not in its place. */
export function withReporter(args: readonly string[]): string[] {
  const own = path.join(packageRoot, 'dist', 'src', 'playwright', 'reporter.js');
  return args.map((arg, n) => {
    const isReporters = args[n - 1] === '--reporter' || arg.startsWith('--reporter=');
    return isReporters ? `${arg},${own}` : arg;
  });
}
