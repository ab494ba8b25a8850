import path from 'node:path';
import { loadSuite } from '../cases/suite.js';
import { readCertificate } from '../report/certificate-file.js';
import { comparisonOf, comparisonTable } from '../report/compare.js';
import { comparisonMarkdown } from '../report/compare-markdown.js';
import { comparisonPage } from '../report/compare-page.js';
import { writeTogether } from '../report/output.js';
import { UnusableInput } from '../support/problem.js';

/**
 * Prints in what certificates differ, and writes them as a page where one is wanted.
 *
 * @param files the certificates, of which the first is what the others are compared with
 * @returns whether they differ
 * @throws UnusableInput where one of them is none, or the page cannot be written
 */
export function compare(
  files: readonly string[],
  { html, markdown }: { readonly html?: string; readonly markdown?: true },
): boolean {
  if (html !== undefined && !/\.html?$/i.test(html)) {
    const message = `'${html}' is no name of a page`;
    // The first certificate would be taken for the page, and be lost.
    throw new UnusableInput([{ at: { setting: '--html' }, message, hint: 'End it in .html.' }]);
  }
  const certificates = files.map(readCertificate);
  const compared = comparisonOf(certificates, loadSuite().ledger);
  if (html !== undefined)
    writeTogether(path.dirname(html), () => [{ file: html, text: comparisonPage(certificates, compared) }]);
  process.stdout.write((markdown ? comparisonMarkdown : comparisonTable)(certificates, compared));
  return compared.some(({ differs }) => differs);
}
