import path from 'node:path';
import type { Suite } from '../../cases/suite.js';
import type { ShownResult } from '../../engine/case-result.js';
import { escapeControlCharacters } from '../../support/escape-control-characters.js';
import { packageRoot } from '../../support/package-root.js';
import { dropAdditions } from '../drift-text.js';
import { createResponseRenderer } from '../exchange-text.js';
import { isBroken, renderBrokenCase } from '../failure-text.js';

/**
 * What is broken as annotations of GitHub Actions, a line each: they show on the line of the case file, and in the sum of
 * the run. Whatever a text holds, it ends no line and no property, so that none of it is taken for a command.
 *
 * @param workspace the folder to which the paths of annotations are relative
 */
export function renderAnnotations(
  results: readonly ShownResult[],
  { suite, baseUrl, workspace }: { suite: Suite; baseUrl: string; workspace: string },
): string {
  const responseText = createResponseRenderer(suite.world);
  const broken = dropAdditions(results).filter((result) => isBroken(result) || result.drift.length > 0);
  return broken
    .map((result) => {
      const { id, subject, at } = result;
      const { kind, text } = renderBrokenCase(result, baseUrl, responseText);
      const properties = {
        file: path.relative(workspace, path.resolve(packageRoot, at.file)).replaceAll(path.sep, '/'),
        line: String(at.line),
        col: String(at.column),
        title: `${kind}: ${subject} (${id})`,
      };
      const named = Object.entries(properties).map(([name, value]) => `${name}=${property(value)}`);
      return `::error ${named.join(',')}::${message(text)}\n`;
    })
    .join('');
}

/** As the runner of GitHub Actions reads the text of a command. */
function message(text: string): string {
  return escapeControlCharacters(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** As it reads a property, which a comma or a colon would end. */
function property(value: string): string {
  return message(value).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
