import path from 'node:path';
import { loadSuite } from '../cases/suite.js';
import { compareCertificates, renderComparisonTable } from '../report/compare/compare-certificates.js';
import { renderComparisonMarkdown } from '../report/compare/comparison-markdown.js';
import { renderComparisonPage } from '../report/compare/comparison-page.js';
import { readCertificate } from '../report/read-certificate.js';
import { writeFilesTogether } from '../report/write-files-together.js';
import { UnusableInput } from '../support/problem.js';

/**
 * Prints in what certificates differ, and writes them as a page where one is wanted.
 *
 * @param files the certificates, of which the first is what the others are compared with
 * @returns whether they differ
 * @throws UnusableInput where one of them is none, or the page cannot be written
 */
export function printComparison(
  files: readonly string[],
  { html, markdown }: { readonly html?: string; readonly markdown?: true },
): boolean {
  if (html !== undefined && !/\.html?$/i.test(html)) {
    const message = `'${html}' is no name of a page`;
    // The first certificate would be taken for the page, and be lost.
    throw new UnusableInput([{ at: { setting: '--html' }, message, hint: 'End it in .html.' }]);
  }
  const certificates = files.map(readCertificate);
  const compared = compareCertificates(certificates, loadSuite().contract);
  if (html !== undefined)
    writeFilesTogether(path.dirname(html), () => [{ file: html, text: renderComparisonPage(certificates, compared) }]);
  process.stdout.write((markdown ? renderComparisonMarkdown : renderComparisonTable)(certificates, compared));
  return compared.some(({ differs }) => differs);
}
