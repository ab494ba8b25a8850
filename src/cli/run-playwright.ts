import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkPlaywright } from '../runner/check-playwright.js';
import { codeFolder, readOwnPackage } from '../support/package-root.js';
import { decodeText } from '../support/text-file.js';
import { reportInternalError } from './exit-status.js';

/**
 * Runs Playwright in this process: one of its own would cost 57 MB and a fifth of a second. Its command line reads
 * `process.argv` and ends the process. @param onExit maps its exit status to ours; it must not wait for anything
 */
export async function runPlaywrightTests(
  args: readonly string[],
  ownConfig: string | undefined,
  onExit: (code: number) => number,
): Promise<never> {
  checkPlaywright();
  process.on('exit', (code) => {
    try {
      process.exitCode = onExit(code);
    } catch (error) {
      process.exitCode = reportInternalError(error);
    }
  });
  // Everything is compiled: without Playwright's compiler in each process, a run of one case takes a fifth less time.
  if (ownConfig === undefined) process.env.PW_DISABLE_TS_ESM ??= '1';
  const commandLine = import.meta.resolve('@playwright/test/cli');
  const config = ownConfig ?? path.join(codeFolder, 'playwright.config.js');
  const ownArgs = [fileURLToPath(commandLine), 'test', '--config', config];
  process.argv = [process.execPath, ...ownArgs, ...args.map(addCertificateReporter)];
  await import(commandLine);
  return new Promise<never>(() => undefined);
}

/** Adds the certificate reporter before the reporters that the user names: Playwright would replace it by them. */
function addCertificateReporter(arg: string, n: number, args: readonly string[]): string {
  const isNamed = args[n - 1] === '--reporter' || arg.startsWith('--reporter=');
  const reporter = path.join(codeFolder, 'src', 'runner', 'certificate-reporter.js');
  return isNamed ? arg.replace(/^(--reporter=)?/, `$1${reporter},`) : arg;
}

/** Finds the config of Playwright in the working folder, if it builds on that of the package. */
export function findUserPlaywrightConfig(): string | undefined {
  const config = findPlaywrightConfig();
  const base = `${readOwnPackage().name}/playwright.config`;
  return config !== undefined && decodeText(readFileSync(config)).includes(base) ? config : undefined;
}

export function findPlaywrightConfig(): string | undefined {
  return readdirSync('.').find((file) => /^playwright\.config\.[cm]?[jt]s$/.test(file));
}
