import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { referenceCredentials } from '../../reference/deployment/reference-credentials.js';
import type { Certificate } from '../../src/certificate/certificate.js';
import { main } from '../../src/cli/main.js';
import { packageRoot } from '../../src/support/package-root.js';

export interface CommandResult {
  readonly status: number | null;
  readonly output: string;
}

/** Where the code of a package is that users run. */
const bundle = path.join('dist', 'bundle');

/** The script of the command line. */
export const commandLine = path.join(packageRoot, bundle, 'src', 'cli', 'conformance.js');

/** The reporter, as the package exports it. */
export const reporter = path.join(packageRoot, bundle, 'src', 'runner', 'certificate-reporter.js');

/** The script of Playwright's command line. */
export const playwright = path.join(packageRoot, 'node_modules', '@playwright', 'test', 'cli.js');

/** The settings of a client that the served reference deployment knows. */
export const credentialVariables = {
  CLIENT_APPLICATION_ID: referenceCredentials.applicationId,
  CLIENT_TOKEN: referenceCredentials.token,
};

const testFolders: string[] = [];
process.on('exit', () => {
  for (const folder of testFolders) rmSync(folder, { recursive: true, force: true });
});

/** Creates an empty folder, which is removed when this process exits. */
export function makeTestFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'conformance-test-'));
  testFolders.push(folder);
  return folder;
}

/** Creates a folder of a project that has installed this package, Playwright and these packages. */
export function makeProject(...packages: readonly string[]): string {
  const folder = makeTestFolder();
  const modules = path.join(folder, 'node_modules');
  mkdirSync(path.join(modules, '@types'), { recursive: true });
  // On Windows, anybody may make a junction, and not a link.
  symlinkSync(packageRoot, path.join(modules, 'promotion-validation-conformance'), 'junction');
  for (const name of ['@playwright', ...packages])
    symlinkSync(path.join(packageRoot, 'node_modules', name), path.join(modules, name), 'junction');
  writeFileSync(path.join(folder, 'package.json'), '{ "name": "shop", "type": "module" }');
  return folder;
}

/**
 * Runs the command line in a folder, as a user does, without the settings of this process.
 *
 * @param root the package whose command line runs; this one by default
 * @param script another command line
 */
export async function runConformance(
  args: readonly string[],
  {
    cwd,
    env = {},
    root = packageRoot,
    script = path.join(root, bundle, 'src', 'cli', 'conformance.js'),
  }: { cwd: string; env?: Record<string, string>; root?: string; script?: string },
): Promise<CommandResult> {
  const child = spawn(process.execPath, [script, ...args], {
    cwd,
    // NODE_V8_COVERAGE collects the coverage of child processes.
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_V8_COVERAGE: process.env.NODE_V8_COVERAGE,
      NO_COLOR: '1',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return watchProcess(child).ended;
}

/** Collects what a process prints. */
export function watchProcess(child: ChildProcess): { readOutput(): string; readonly ended: Promise<CommandResult> } {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = new Promise<CommandResult>((resolve) => child.on('close', (status) => resolve({ status, output })));
  return { readOutput: () => output, ended };
}

/**
 * Does the same in this process, in a tenth of the time. Not for commands that start Playwright or wait for a signal.
 */
export async function runConformanceInProcess(
  args: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
): Promise<CommandResult> {
  const { env: ownEnvironment, stdout, stderr } = process;
  const ownFolder = process.cwd();
  const writers = [stdout, stderr].map((stream) => ({ stream, write: stream.write }));
  let output = '';
  process.chdir(cwd);
  process.env = { PATH: ownEnvironment.PATH, HOME: ownEnvironment.HOME, ...env };
  for (const { stream } of writers) {
    stream.write = (text: string | Uint8Array) => {
      output += text;
      return true;
    };
  }
  try {
    const status = await main([process.execPath, 'conformance', ...args]);
    return { status, output };
  } finally {
    for (const { stream, write } of writers) stream.write = write;
    process.env = ownEnvironment;
    process.chdir(ownFolder);
  }
}

export function loadCertificate(cwd: string, folder: string): Certificate {
  return JSON.parse(readFileSync(path.join(cwd, folder, 'certificate.json'), 'utf8'));
}
