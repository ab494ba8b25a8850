import { readdirSync, readFileSync } from 'node:fs';
import module from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot, readOwnPackage } from '../support/package-root.js';
import { refuse } from '../support/problem.js';
import { reportInternalError } from './exit-status.js';

/**
 * Runs Playwright with the tests of this package, in this process: a process of its own would cost 57 MB and a fifth of a
 * second. The command line of Playwright reads `process.argv` and ends the process itself, so this function never returns.
 *
 * @param ownConfig a config of the user that builds on that of the package
 * @param onExit maps the exit status of Playwright to that of this process; it must not wait for anything
 */
export async function runPlaywrightTests(
  args: readonly string[],
  ownConfig: string | undefined,
  onExit: (code: number) => number,
): Promise<never> {
  process.on('exit', (code) => {
    try {
      process.exitCode = onExit(code);
    } catch (error) {
      process.exitCode = reportInternalError(error);
    }
  });
  keepCompiledCode();
  // Everything is compiled: without Playwright's compiler in each process, a run of one case takes a fifth less time.
  if (ownConfig === undefined) process.env.PW_DISABLE_TS_ESM ??= '1';
  const commandLine = import.meta.resolve('@playwright/test/cli');
  const config = ownConfig ?? path.join(packageRoot, 'dist', 'playwright.config.js');
  process.argv = [
    process.execPath,
    fileURLToPath(commandLine),
    'test',
    '--config',
    config,
    ...addCertificateReporter(args),
  ];
  await import(commandLine);
  return new Promise<never>(() => undefined);
}

/**
 * Lets V8 take the code of Playwright, in all processes of the run, as an earlier run compiled it: a run of one case then
 * takes 1.47 s in place of 1.71 s (medians of nine interleaved runs with Node.js 22). Node.js 20 has no such cache. Code
 * from the cache makes coverage less exact, so a run that measures coverage does without.
 */
function keepCompiledCode(): void {
  const { enableCompileCache } = module as { enableCompileCache?: () => { directory?: string } };
  if (process.env.NODE_V8_COVERAGE !== undefined) return;
  const directory = enableCompileCache?.().directory;
  if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= directory;
}

const certificateReporterFile = path.join(packageRoot, 'dist', 'src', 'runner', 'certificate-reporter.js');

/**
 * Finds the config of Playwright in the working folder, if it builds on that of the package.
 *
 * @throws UnusableInput if it cannot import what it builds on
 */
export function findOwnConfig(): string | undefined {
  const { name } = readOwnPackage();
  const config = findPlaywrightConfig('.');
  if (config === undefined || !readFileSync(config, 'utf8').includes(`${name}/playwright.config`)) return undefined;
  const missing = [name, '@playwright/test'].filter((wanted) => !isInstalled(wanted));
  if (missing.length === 0) return config;
  const message = `imports ${missing.join(' and ')}, which this folder does not have`;
  throw refuse(config, message, `Run: npm install --save-dev ${missing.join(' ')}`);
}

/** Finds the config that Playwright takes in a folder. */
export function findPlaywrightConfig(folder: string): string | undefined {
  return readdirSync(folder).find((file) => /^playwright\.config\.[cm]?[jt]s$/.test(file));
}

/** Whether modules in the working folder can import a package. */
function isInstalled(name: string): boolean {
  try {
    module.createRequire(path.resolve('config.js')).resolve(`${name}/package.json`);
    return true;
  } catch {
    return false;
  }
}

/** Adds the certificate reporter before the reporters that the user names: Playwright would replace it by them. */
function addCertificateReporter(args: readonly string[]): string[] {
  return args.map((arg, n) =>
    args[n - 1] === '--reporter' || arg.startsWith('--reporter=')
      ? arg.replace(/^(--reporter=)?/, `$1${certificateReporterFile},`)
      : arg,
  );
}
