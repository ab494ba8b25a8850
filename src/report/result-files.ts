import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { listOutputFiles } from './output.js';
import { checkFilesWritable } from './write-files-together.js';

/** The folder for runs of some cases, in the folder of whole runs. */
export const partialFolder = 'partial';

/** Lists all files that a run may write into its folder. */
export function listResultFiles(out: string): string[] {
  const files = listOutputFiles().map((file) => path.join(out, file));
  return [...files, path.join(out, 'evidence.har.gz')];
}

/** Returns a file of a run. @param named the file, or the folder of the run; a file that does not exist stays as it is */
export function findRunFile(named: string, ...names: readonly string[]): string {
  if (statSync(named, { throwIfNoEntry: false })?.isDirectory() !== true) return named;
  const files = names.map((name) => path.join(named, name));
  return files.find((file) => existsSync(file)) ?? files[0] ?? named;
}

/** Finds the certificate of the last run, whether of all cases or of some. */
export function findLastCertificate(out: string): string | undefined {
  const files = [out, path.join(out, partialFolder)].map((folder) => path.join(folder, 'certificate.json'));
  const timeOf = (file: string) => statSync(file).mtimeMs;
  const found = files.filter((file) => existsSync(file));
  return found.sort((one, other) => timeOf(one) - timeOf(other)).at(-1);
}

/**
 * Checks the folder before anything is sent, because after a run it would be too late.
 *
 * @throws UnusableInput if the results could not be written
 */
export function checkOutFolder(out: string): void {
  checkFilesWritable(out, listResultFiles(out));
}
