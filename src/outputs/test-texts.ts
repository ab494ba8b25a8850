/** What a test shows in the reports of Playwright. The main process does not load this: it only lists tests. */

import { readFileSync } from 'node:fs';
import type { Suite } from '../cases/suite.js';
import { createCaseEntry, isFailure, renderDifference, renderFailure } from '../certificate/case-entry.js';
import { type DriftTerms, listDriftEntries } from '../certificate/drift-entry.js';
import { createResponseRenderer } from '../record/exchange-text.js';
import { getVerdictApart, type ResultWithExchanges } from '../run/case-result.js';
import type { Location } from '../support/problem.js';
import { toOneLine } from '../support/untrusted-text.js';

export { renderExchanges } from './exchange-texts.js';

/**
 * Renders why a case fails, is an error, or has another answer than before; undefined for others.
 *
 * @param shown the place in a case file whose lines are added
 */
export function renderBrokenCase(
  result: ResultWithExchanges,
  { contract, world }: Pick<Suite, 'contract' | 'world'>,
  baseUrl: string,
  shown?: Location,
): string | undefined {
  const terms = { contract, baseUrl, renderResponse: createResponseRenderer(world) };
  const text = renderFailureOrChange(result, terms);
  return text === undefined || shown === undefined ? text : [text, '', ...renderCodeFrame(shown)].join('\n');
}

function renderFailureOrChange(result: ResultWithExchanges, terms: DriftTerms): string | undefined {
  if (isFailure({ verdict: getVerdictApart(result) }))
    return renderFailure(createCaseEntry(result, terms.baseUrl, terms.renderResponse));
  const changes = listDriftEntries([result], terms).filter(({ kind }) => kind === 'answer');
  return changes.length === 0 ? undefined : changes.map(renderDifference).join('\n\n');
}

/** The number of lines before and after the marked one. */
const around = 2;

/** Renders the lines of a file around a location, with a mark at it; empty if the file cannot be read. */
export function renderCodeFrame({ file, line, column }: Location): string[] {
  const lines = readLines(file);
  const from = Math.max(0, line - 1 - around);
  const shown = lines.slice(from, line + around);
  const width = String(from + shown.length).length;
  return shown.flatMap((text, n) => {
    const number = from + n + 1;
    const numbered = `${number === line ? '>' : ' '} ${String(number).padStart(width)} | ${toOneLine(text)}`;
    return number === line ? [numbered, `  ${' '.repeat(width)} | ${' '.repeat(column - 1)}^`] : [numbered];
  });
}

/** Reads the lines of a text file; none if it cannot be read. */
function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/);
  } catch {
    return [];
  }
}
