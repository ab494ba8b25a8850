import { compareCertificates } from '../../certificate/compare-certificates.js';
import { readCertificate } from '../../certificate/find-certificate-mismatches.js';
import { findRunFile } from '../../outputs/result-files.js';
import { loadSuite } from '../../suite/suite.js';
import { exitStatus } from '../exit-status.js';
import type { ConfigureCommand } from '../flags.js';

export default ((command, end) => {
  command
    .description('compare certificates: print the requirements and questions that differ')
    .argument('<certificate>', 'a certificate.json, or the folder of a run')
    .argument('<certificates...>', 'other certificates, or folders of runs')
    .action((first: string, others: string[]) => {
      end(printCertificateDifferences([first, ...others]) ? exitStatus.drift : exitStatus.conforms);
    });
}) satisfies ConfigureCommand;

/** Prints the differences of certificates. @returns whether they differ @throws UnusableInput if a file is no certificate */
export function printCertificateDifferences(files: readonly string[]): boolean {
  const certificates = files.map((file) => readCertificate(findRunFile(file, 'certificate.json')));
  const { isDifferent, text } = compareCertificates(certificates, loadSuite().contract);
  process.stdout.write(text);
  return isDifferent;
}
