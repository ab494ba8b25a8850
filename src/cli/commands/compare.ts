import { loadSuite } from '../../cases/suite.js';
import {
  compareCertificates,
  renderComparison,
  renderComparisonMarkdown,
} from '../../certificate/compare-certificates.js';
import { readCertificate } from '../../certificate/read-certificate.js';
import { findRunFile } from '../../outputs/result-files.js';
import { exitStatus } from '../exit-status.js';
import type { ConfigureCommand } from '../flags.js';

export default ((command, end) => {
  command
    .description('compare certificates: print the requirements and questions that differ')
    .argument('<certificate>', 'a certificate.json, or the folder of a run')
    .argument('<certificates...>', 'others')
    .option('--markdown', 'print Markdown, such as for a pull request')
    .action((first: string, others: string[], { markdown }: { readonly markdown?: true }) => {
      end(printComparison([first, ...others], markdown) ? exitStatus.drift : exitStatus.conforms);
    });
}) satisfies ConfigureCommand;

/** Prints the differences of certificates. @returns whether they differ @throws UnusableInput if a file is no certificate */
export function printComparison(files: readonly string[], isMarkdown = false): boolean {
  const certificates = files.map((file) => readCertificate(findRunFile(file, 'certificate.json')));
  const comparison = compareCertificates(certificates, loadSuite().contract);
  process.stdout.write((isMarkdown ? renderComparisonMarkdown : renderComparison)(comparison));
  return comparison.differences.length > 0;
}
