import path from 'node:path';
import type { Suite } from '../../cases/suite.js';
import type { ResultWithExchanges } from '../../engine/case-result.js';
import { escapeControlCharacters } from '../../support/escape-control-characters.js';
import { packageRoot } from '../../support/package-root.js';
import type { Certificate } from '../certificate.js';
import { listTestEntries, type TestEntry } from '../test-entries.js';
import { groupFailures } from './group-failures.js';

/**
 * Renders broken cases as annotations of GitHub Actions, a line each, which show at the line of the case file.
 *
 * @param workspace the folder to which the paths of annotations are relative
 */
export function renderAnnotations(
  results: readonly ResultWithExchanges[],
  { suite, certificate, workspace }: { suite: Suite; certificate: Certificate; workspace: string },
): string {
  // GitHub shows the first ten only: those of the first cause, and drift last.
  const groups = groupFailures(certificate).map(({ cases }) => cases);
  const rank = ({ result: { id } }: TestEntry) => [...groups, [id]].findIndex((cases) => cases.includes(id));
  const sorted = listTestEntries({ certificate, suite, results }).toSorted((one, other) => rank(one) - rank(other));
  const lines = sorted.map(({ result: { id, subject, at }, status }) => {
    if (!('details' in status)) return '';
    const properties = {
      file: path.relative(workspace, path.resolve(packageRoot, at.file)).replaceAll(path.sep, '/'),
      line: String(at.line),
      col: String(at.column),
      title: `${status.type}: ${subject} (${id})`,
    };
    const stated = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(value)}`);
    return `::error ${stated.join(',')}::${escapeMessage(status.details)}\n`;
  });
  return lines.join('');
}

function escapeMessage(text: string): string {
  return escapeControlCharacters(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** Escapes a property of a workflow command, which a colon or a comma would end. */
function escapeProperty(value: string): string {
  return escapeMessage(value).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
