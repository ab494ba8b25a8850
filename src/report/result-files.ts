import { statSync } from 'node:fs';
import path from 'node:path';
import { checkFilesWritable } from './write-files-together.js';

/** The files that a run leaves in its folder. */
export function listResultFiles(out: string) {
  return {
    certificate: path.join(out, 'certificate.json'),
    page: path.join(out, 'certificate.html'),
    observed: path.join(out, 'observed.md'),
    openapi: path.join(out, 'openapi.yaml'),
    junit: path.join(out, 'junit.xml'),
    badge: path.join(out, 'badge.json'),
    evidence: path.join(out, 'evidence.har'),
    signature: getSignatureFile(path.join(out, 'certificate.json')),
  };
}

/** Where the signature of a certificate is. */
export function getSignatureFile(certificate: string): string {
  const { dir, name } = path.parse(certificate);
  return path.join(dir, `${name}.sig`);
}

/** The certificates that the runs into a folder left, that of the last run last. */
export function findCertificates(out: string): string[] {
  const found = [out, path.join(out, partialFolder)].flatMap((folder) => {
    const { certificate: file } = listResultFiles(folder);
    const time = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
    return time === undefined ? [] : [{ file, time }];
  });
  return found.sort((one, other) => one.time - other.time).map(({ file }) => file);
}

/** Within the folder of whole runs. */
export const partialFolder = 'partial';

/**
 * Before anything is sent: at the end of a run it would be too late.
 *
 * @throws UnusableInput where the results could not be written
 */
export function checkOutFolder(out: string): void {
  checkFilesWritable(out, Object.values(listResultFiles(out)));
}
