/**
 * What a run claims before it sends anything: the folder of its results, and in it the folder `playwright`, which Playwright
 * empties. The folder `playwright` has a list of its files, so that a file of the user's in it is found, and while a run
 * writes, the file `running.json`, so that no other run does.
 */

import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { parseJson } from '../support/json.js';
import { toPosixPath } from '../support/paths.js';
import { createInputError, describeFileError } from '../support/problem.js';
import { fileSizeLimits, readBytes } from '../support/read-bytes.js';
import { makeFolder, prepareResultsFolder } from './result-files.js';

/** The folder with Playwright's files in a folder of results. */
export const playwrightFolder = 'playwright';

/** The one of a run whose deployments are projects of a config. */
export const multiProjectPlaywrightFolder = path.posix.join('results', '.playwright');

const [listName, lockName] = ['files.json', 'running.json'];
const hint = 'Move or remove it, or name another folder with --out.';

/** The digests of the files that Playwright left, by their paths. Without them, the run did not end by itself. */
interface FileList {
  readonly files?: Readonly<Record<string, string>>;
}

const claimed = new Set<string>();

/** Claims the folder of results until this process ends. @throws UnusableInput if the user or another run has it */
export function claimResultsFolder(out: string): void {
  prepareResultsFolder(out);
  const folder = path.posix.join(out, playwrightFolder);
  if (claimed.has(path.resolve(folder))) return;
  checkPlaywrightFolder(folder);
  lock(folder);
  keepList(folder, [lockName]);
}

/** Claims a folder that has files of Playwright alone, until this process ends. @throws UnusableInput if it has others */
export function claimPlaywrightFolder(folder: string): void {
  if (claimed.has(path.resolve(folder))) return;
  checkPlaywrightFolder(folder);
  keepList(folder, []);
}

function checkPlaywrightFolder(folder: string): void {
  const stat = fs.lstatSync(folder, { throwIfNoEntry: false });
  if (stat === undefined) return;
  if (!stat.isDirectory())
    throw createInputError(folder, 'is in the place of a folder for the files of Playwright', hint);
  const { files: written, hasList } = readList(folder);
  // A run that was killed left no digests. All that is beside its list is then of Playwright.
  if (hasList && written === undefined) return;
  const foreign = listFiles(folder).find((file) => written?.[file] !== computeDigest(path.join(folder, file)));
  if (foreign === undefined) return;
  const message = 'would be removed, but a run did not write it, or it was changed since';
  throw createInputError(path.posix.join(folder, foreign), message, hint);
}

function readList(folder: string): FileList & { readonly hasList: boolean } {
  const file = path.join(folder, listName);
  if (!fs.lstatSync(file, { throwIfNoEntry: false })?.isFile()) return { hasList: false };
  const list = parseJson(readBytes(file, fileSizeLimits.json).toString('utf8')) as FileList | null | undefined;
  return { ...list, hasList: true };
}

/** Lists all files in a folder but those of this module. A link is a file. */
function listFiles(folder: string): string[] {
  const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory());
  const paths = files.map((entry) => toPosixPath(path.relative(folder, path.join(entry.parentPath, entry.name))));
  return paths.filter((file) => file !== listName && file !== lockName);
}

function computeDigest(file: string): string {
  const stat = fs.lstatSync(file);
  const content = stat.isFile() ? readBytes(file, Number.MAX_SAFE_INTEGER) : '';
  return createHash('sha256').update(`${stat.mode}`).update(content).digest('hex');
}

/** Says that Playwright's files are coming, and when this process ends, which they are. An empty folder is removed. */
function keepList(folder: string, temporary: readonly string[]): void {
  const list = path.join(folder, listName);
  makeFolder(folder);
  fs.writeFileSync(list, '{}\n');
  claimed.add(path.resolve(folder));
  process.on('exit', () => {
    for (const name of temporary) fs.rmSync(path.join(folder, name), { force: true });
    if (!fs.existsSync(folder)) return;
    const files = listFiles(folder);
    const digests = Object.fromEntries(files.map((file) => [file, computeDigest(path.join(folder, file))]));
    if (files.length > 0) fs.writeFileSync(list, `${JSON.stringify({ files: digests }, null, 2)}\n`);
    else fs.rmSync(folder, { recursive: true });
  });
}

interface Lock {
  readonly process: number;
  readonly host: string;
}

/** Locks a folder for this process. The lock of a process that has ended counts no more. @throws UnusableInput */
function lock(folder: string): void {
  const file = path.posix.join(folder, lockName);
  const current: Lock = { process: process.pid, host: hostname() };
  let holder: Partial<Lock> | undefined;
  try {
    makeFolder(folder);
    holder = fs.existsSync(file) ? readLock(file) : undefined;
    if (!isRunning(holder)) {
      fs.rmSync(file, { force: true });
      fs.writeFileSync(file, `${JSON.stringify(current)}\n`, { flag: 'wx' });
    }
  } catch (error) {
    throw createInputError(file, describeFileError(error, 'cannot be written'), hint);
  }
  if (isRunning(holder)) throw createInputError(file, `another run writes here (process ${holder?.process})`, lockHint);
}

function readLock(file: string): Partial<Lock> | undefined {
  return parseJson(readBytes(file, fileSizeLimits.text).toString('utf8')) as Partial<Lock> | undefined;
}

const lockHint = 'Wait for its end, or name another folder with --out.';

function isRunning({ process: id, host }: Partial<Lock> = {}): boolean {
  if (typeof id !== 'number' || host !== hostname() || id === process.pid) return false;
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
