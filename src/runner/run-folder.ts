/**
 * The folder that the processes of one run share. It holds no secrets: texts of the target are redacted before they are
 * written, and credentials stay in the environment.
 */

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { isProcessRunning } from '../support/is-process-running.js';

/** The environment variable that names the folder. */
const variable = 'CONFORMANCE_RUN';

/** Creates the folder and names it to processes that start from now on. @returns removes it; so does the end of this process */
export function createRunFolder(): () => void {
  removeAbandonedFolders();
  const folder = mkdtempSync(path.join(tmpdir(), `conformance-run-${process.pid}-`));
  process.env[variable] = folder;
  const remove = () => {
    rmSync(folder, { recursive: true, force: true });
    delete process.env[variable];
  };
  process.once('exit', remove);
  return remove;
}

/** Leaves the run that started this process, if any, so that a new run gets a folder of its own. */
export function leaveRunFolder(): void {
  delete process.env[variable];
}

export function hasRunFolder(): boolean {
  // Another run removes the folder after the process that created it was killed.
  return existsSync(process.env[variable] ?? '');
}

export function getRunFile(name: string): string {
  return path.join(process.env[variable] ?? '', name);
}

/** Reads the value that {@link writeRunValue} wrote; undefined if there is none. */
export function readRunValue<T>(name: string): T | undefined {
  const file = getRunFile(name);
  return hasRunFolder() && existsSync(file) ? (deserialize(readFileSync(file)) as T) : undefined;
}

/** Writes a value, not as JSON, which takes three times as long to read: every worker waits for it. */
export function writeRunValue(name: string, value: unknown): void {
  writeRunFile(name, serialize(value));
}

/** Writes a file that only this user can read. Does nothing without a run folder. */
export function writeRunFile(name: string, content: string | Buffer): void {
  if (hasRunFolder()) writeFileSync(getRunFile(name), content, { mode: 0o600 });
}

/** Removes the folders of killed runs: their names contain the process id. */
function removeAbandonedFolders(): void {
  for (const name of readdirSync(tmpdir())) {
    const [, pid] = /^conformance-run-(\d+)-/.exec(name) ?? [];
    if (pid === undefined || isProcessRunning(Number(pid))) continue;
    try {
      rmSync(path.join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // It belongs to another user.
    }
  }
}
