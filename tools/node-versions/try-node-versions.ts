/**
 * Installs and tests the suite with each version of Node.js that it supports: `npm run nodes`, or `npm run nodes -- 22` for one of
 * them. The versions are packages of the npm registry. Each gets a copy of the committed files and of what has changed since.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { packageRoot } from '../../src/support/package-root.js';
import { supportedNodeVersions } from './supported-versions.js';

/** On Windows, npm is a script. */
const shell = process.platform === 'win32';

function runNpm(folder: string, args: readonly string[], bin: string | undefined, isShown: boolean) {
  const PATH = [...(bin === undefined ? [] : [bin]), process.env.PATH].join(path.delimiter);
  const { status, stdout, stderr } = spawnSync('npm', args, {
    cwd: folder,
    env: { ...process.env, PATH },
    encoding: 'utf8',
    stdio: isShown ? 'inherit' : 'pipe',
    shell,
  });
  return { status, output: `${stdout ?? ''}${stderr ?? ''}` };
}

/** Installs a version of Node.js into a folder. @returns the folder with its program */
function installNode(version: string, folder: string): string {
  const system = shell ? 'win' : process.platform;
  const name = `node-${system}-${process.arch}`;
  const { status, output } = runNpm(
    folder,
    ['install', '--no-save', '--prefix', '.', `${name}@${version}`],
    undefined,
    false,
  );
  if (status !== 0) throw new Error(output);
  return path.join(folder, 'node_modules', name, 'bin');
}

function copyRepository(folder: string): void {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', args, { cwd: packageRoot, encoding: 'utf8' }).split('\0');
  for (const file of files)
    if (file !== '' && existsSync(path.join(packageRoot, file)))
      cpSync(path.join(packageRoot, file), path.join(folder, file), { recursive: true });
  // A test asks Git which files there are.
  for (const command of [
    ['init', '--quiet'],
    ['add', '--all'],
  ])
    execFileSync('git', command, { cwd: folder });
}

/** Says what is wrong with one version; undefined if nothing is. */
function tryVersion(version: string, folder: string): string | undefined {
  const bin = installNode(version, mkdtempSync(path.join(folder, 'node-')));
  const copy = mkdtempSync(path.join(folder, 'copy-'));
  copyRepository(copy);
  // The first installation may fill the cache of npm.
  runNpm(copy, ['ci'], bin, false);
  const { status, output } = runNpm(copy, ['ci'], bin, false);
  if (status !== 0 || /warn/i.test(output)) return `npm ci says:\n${output}`;
  return runNpm(copy, ['test'], bin, true).status === 0 ? undefined : 'npm test fails';
}

const [, , ...stated] = process.argv;
for (const version of stated.length > 0 ? stated : supportedNodeVersions) {
  const folder = mkdtempSync(path.join(tmpdir(), 'conformance-node-'));
  const problem = tryVersion(version, folder);
  rmSync(folder, { recursive: true, force: true });
  process.stdout.write(`Node.js ${version}: ${problem ?? 'fine'}\n`);
  if (problem !== undefined) process.exitCode = 1;
}
