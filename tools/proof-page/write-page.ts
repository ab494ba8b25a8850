import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { loadSuite } from '../../src/suite/suite.js';
import { packageRoot } from '../../src/support/package-root.js';
import { readProofData } from './proof-data.js';
import { renderReadmeFigures } from './render-figures.js';
import { renderProofPage } from './render-page.js';

/** What stands between the markers is written by `npm run proof`. */
const markers =
  /(<!-- figures of docs\/proof\.md, written by `npm run proof` -->\n)[\s\S]*?(<!-- end of the figures -->)/;

/** Fills the figures of the README. */
export function fillFigures(readme: string): string {
  if (!markers.test(readme)) throw new Error('README.md has no markers for the figures of the proof.');
  const figures = renderReadmeFigures(readProofData());
  return readme.replace(markers, (_, begin: string, end: string) => `${begin}\n${figures}\n\n${end}`);
}

/** The documents that are rendered from the proof, by path. */
export function renderProofDocuments(): Map<string, string> {
  const readme = path.join(packageRoot, 'README.md');
  return new Map([
    [path.join(packageRoot, 'docs', 'proof.md'), renderProofPage(readProofData(), loadSuite().world)],
    [readme, fillFigures(readFileSync(readme, 'utf8'))],
  ]);
}

export function writeProofPage(): void {
  for (const [file, text] of renderProofDocuments()) writeFileSync(file, text);
}
