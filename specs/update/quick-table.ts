import path from 'node:path';
import { readDiscriminatingRows } from '../../src/cases/discriminating-rows.js';
import type { Suite } from '../../src/cases/suite.js';
import { createProfile, quickRequestLimit, type RequestLimit } from '../../src/engine/profile.js';
import { packageRoot } from '../../src/support/package-root.js';
import { renderWithSection } from './written-section.js';

/** The document with the table of `--quick` and `--budget`. */
export const quickTableFile = path.join(packageRoot, 'docs', 'limits-and-performance.md');

/** Renders the document with the table between its marks. */
export function renderQuickTableFile(suite: Suite): string {
  const rows = readDiscriminatingRows();
  const renderRow = (label: string, limit: RequestLimit) => {
    const figures = createProfile(suite, limit, rows, { target: {}, excludesIntrusive: false })?.figures;
    if (figures === undefined) throw new Error(`All requests are within ${limit}.`);
    const { faults_caught: caught, faults_known: known } = figures;
    return `| ${label} | ${caught} of ${known} (${Math.floor((100 * caught) / known)} %) |`;
  };
  const table = [
    '| requests | known faults caught |',
    '|---|---|',
    ...[10, 20, 30, 40].map((limit) => renderRow(String(limit), limit)),
    renderRow(`${quickRequestLimit} (\`--quick\`)`, 'quick'),
  ];
  return renderWithSection(quickTableFile, 'quick table', table.join('\n'));
}
