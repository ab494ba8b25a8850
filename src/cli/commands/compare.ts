import { existsSync } from 'node:fs';
import path from 'node:path';
import { loadSuite } from '../../cases/suite.js';
import { compareCertificates, renderComparisonTable } from '../../report/compare/compare-certificates.js';
import { renderComparisonMarkdown } from '../../report/compare/comparison-markdown.js';
import { renderComparisonPage } from '../../report/compare/comparison-page.js';
import { readCertificate } from '../../report/read-certificate.js';
import { findRunFile } from '../../report/result-files.js';
import { writeFilesTogether } from '../../report/write-files-together.js';
import { refuse } from '../../support/problem.js';
import type { ConfigureCommand } from '../command.js';
import { exitStatus } from '../exit-status.js';

interface CompareFlags {
  readonly html?: string;
  readonly markdown?: true;
}

export default ((command, end) => {
  command
    .description('compare certificates: list the requirements and questions that differ')
    .argument('<certificate>', 'a certificate.json, or the folder of a run')
    .argument('<certificates...>', 'others, which are compared with the first')
    .option('--html <file>', 'also write a page that shows all of them side by side')
    .option('--markdown', 'print the differences for a pull request')
    .action((first: string, others: string[], flags: CompareFlags) => {
      end(printComparison([first, ...others], flags) ? exitStatus.drift : exitStatus.conforms);
    });
}) satisfies ConfigureCommand;

/**
 * Prints the differences of certificates, and writes them to a page if `html` names one.
 *
 * @param files the certificates; the others are compared with the first
 * @returns whether they differ
 * @throws UnusableInput if a file is no certificate, or the page cannot be written
 */
export function printComparison(files: readonly string[], { html, markdown }: CompareFlags): boolean {
  // `--html` before the certificates would overwrite the first one.
  if (html !== undefined && !/\.html?$/i.test(html))
    throw refuse('--html', `'${html}' does not end in .html`, 'Name the page after --html.');
  const certificates = files.map((named) => {
    const file = findRunFile(named, 'certificate.json');
    return { ...readCertificate(file), link: createLink(html ?? '', file) };
  });
  const comparison = compareCertificates(certificates, loadSuite().contract);
  if (html !== undefined)
    writeFilesTogether(path.dirname(html), () => [{ file: html, text: renderComparisonPage(comparison) }]);
  process.stdout.write((markdown ? renderComparisonMarkdown : renderComparisonTable)(comparison));
  return comparison.rows.some(({ differs }) => differs);
}

/** The page of a certificate, or else its JSON, as a link from another page. */
function createLink(html: string, certificate: string): string {
  const page = certificate.replace(/\.json$/, '.html');
  const relative = path.relative(path.dirname(html), existsSync(page) ? page : certificate);
  return relative.split(path.sep).map(encodeURIComponent).join('/');
}
