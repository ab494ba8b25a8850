import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { listOutputFiles } from './output.js';
import { checkFilesWritable } from './write-files-together.js';

/** The folder for runs of some cases, in the folder of whole runs. */
export const partialFolder = 'partial';

/** Returns the file of a certificate's signature, which is beside it. */
export function getSignaturePath(certificate: string): string {
  const { dir, name } = path.parse(certificate);
  return path.join(dir, `${name}.sig`);
}

/** Lists all files that a run may write into its folder. */
export function listResultFiles(out: string): string[] {
  const files = listOutputFiles().map((file) => path.join(out, file));
  return [...files, path.join(out, 'evidence.har.gz'), getSignaturePath(path.join(out, 'certificate.json'))];
}

/** Returns a file of a run. @param named the file, or the folder of the run; a file that does not exist stays as it is */
export function findRunFile(named: string, ...names: readonly string[]): string {
  if (statSync(named, { throwIfNoEntry: false })?.isDirectory() !== true) return named;
  const files = names.map((name) => path.join(named, name));
  return files.find((file) => existsSync(file)) ?? files[0] ?? named;
}

/** Finds the certificates of the last whole run and of the last run of some cases, the latest last. */
export function findCertificates(out: string): string[] {
  const found = [out, path.join(out, partialFolder)].flatMap((folder) => {
    const file = path.join(folder, 'certificate.json');
    const time = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
    return time === undefined ? [] : [{ file, time }];
  });
  return found.sort((one, other) => one.time - other.time).map(({ file }) => file);
}

/**
 * Checks the folder before anything is sent, because after a run it would be too late.
 *
 * @throws UnusableInput if the results could not be written
 */
export function checkOutFolder(out: string): void {
  checkFilesWritable(out, listResultFiles(out));
}
