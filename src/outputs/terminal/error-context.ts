import { stripVTControlCharacters } from 'node:util';
import { escapeControlCharacters, joinAndEscapeLines, quoteLines } from '../../support/untrusted-text.js';
import { renderCodeBlock } from '../markdown.js';
import { fillTemplate } from '../template.js';

/** Renders the file about a failure that Playwright gives to people and assistants. @param failure what the test threw */
export function renderErrorContext(title: string, failure: string, requirement = '', cause = ''): string {
  const shown = renderCodeBlock('', escapeControlCharacters(stripVTControlCharacters(failure)));
  return fillTemplate('error-context.md', { title, requirement, cause, failure: shown });
}

/** Renders a failure of a test of the user, which no other reporter shows. @param titles as `titlePath` of Playwright */
export function renderUserTestFailure(
  [, project = '', , ...titles]: readonly string[],
  errors: readonly { readonly message?: string; readonly stack?: string }[],
): string {
  const details = errors.map(({ message = '', stack = message }) => stripVTControlCharacters(stack));
  return joinAndEscapeLines([`failed  ${[project, ...titles].join(' › ')}`, ...quoteLines(details.join('\n'))]);
}
