import { readFileSync } from 'node:fs';
import path from 'node:path';
import { renderRunReport } from '../../src/outputs/terminal/run-report.js';
import { packageRoot } from '../../src/support/package-root.js';
import { channelTo, createReference } from '../../test/support/in-process.js';
import { runWithEvidence } from '../../test/support/run-with-evidence.js';

/** The document with the beginning and the end of what a run prints. */
export const sampleRunFile = path.join(packageRoot, 'README.md');

/** How many requirements the sample shows. */
const shownRequirements = 4;

/** Renders the document with a run against a deployment that checks only 100 promotion tiers. */
export async function renderSampleRunFile(): Promise<string> {
  const { certificate } = await runWithEvidence(channelTo(createReference({ faults: ['window-of-100'] })));
  const target = { name: 'shop', base_url: 'http://127.0.0.1:8080' };
  const report = renderRunReport({ ...certificate, target }, { certificate: 'certificate.json', files: [] });
  const blocks = report
    .replaceAll(certificate.target.base_url, target.base_url)
    .replace(/^\n/, '')
    .trimEnd()
    .split('\n\n');
  const [cause = '', requirements = ''] = blocks;
  const [verdict = '', summary = ''] = blocks.slice(-2);
  const sample = [
    cause,
    '',
    ...requirements.split('\n').slice(0, shownRequirements),
    '  …',
    '',
    verdict,
    '',
    ...summary.split('\n').filter((line) => /^(Requirements|Questions|Warnings) /.test(line)),
  ];
  return renderWithSection(sampleRunFile, 'sample run', `\`\`\`text\n${sample.join('\n')}\n\`\`\``);
}

/**
 * Renders a document with another text between two comments, `<!-- name: written by … -->` and `<!-- end of name -->`.
 *
 * @throws Error if the document lacks one of them
 */
function renderWithSection(file: string, name: string, section: string): string {
  const [begin, end] = [`<!-- ${name}: written by \`npm run update\` -->`, `<!-- end of ${name} -->`];
  const [before, rest = ''] = readFileSync(file, 'utf8').split(begin);
  const [, after] = rest.split(end);
  if (before === undefined || after === undefined) throw new Error(`${file} has no '${begin}' before '${end}'.`);
  return `${before}${begin}\n\n${section}\n\n${end}${after}`;
}
