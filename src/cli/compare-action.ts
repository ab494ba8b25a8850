import { existsSync } from 'node:fs';
import path from 'node:path';
import { loadSuite } from '../cases/suite.js';
import { compareCertificates, renderComparisonTable } from '../report/compare/compare-certificates.js';
import { renderComparisonMarkdown } from '../report/compare/comparison-markdown.js';
import { renderComparisonPage } from '../report/compare/comparison-page.js';
import { readCertificate } from '../report/read-certificate.js';
import { findRunFile } from '../report/result-files.js';
import { writeFilesTogether } from '../report/write-files-together.js';
import { refuse } from './flags.js';

/**
 * Prints the differences of certificates, and writes them to a page if `html` names one.
 *
 * @param files the certificates; the others are compared with the first
 * @returns whether they differ
 * @throws UnusableInput if a file is no certificate, or the page cannot be written
 */
export function printComparison(
  files: readonly string[],
  { html, markdown }: { readonly html?: string; readonly markdown?: true },
): boolean {
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
