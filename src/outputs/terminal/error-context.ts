import { stripVTControlCharacters } from 'node:util';
import { renderCodeBlock } from '../../support/markdown.js';
import { escapeControlCharacters, joinLines, quoteLines } from '../../support/untrusted-text.js';

/** Renders the file about a failing case that Playwright gives to assistants: its own one asks them to mend the case. */
export function renderErrorContext(failure: string): string {
  const advice = 'The deployment is to be changed. The case is right: it follows from the documentation.';
  return `${advice}\n\n${renderCodeBlock('', escapeControlCharacters(stripVTControlCharacters(failure))).text}\n`;
}

/** Renders a failure of a test of the user, which no other reporter shows. @param titles as `titlePath` of Playwright */
export function renderForeignFailure(
  [, project = '', , ...titles]: readonly string[],
  errors: readonly { readonly message?: string; readonly stack?: string }[],
): string {
  const details = errors.map(({ message = '', stack = message }) => stripVTControlCharacters(stack));
  return joinLines([`failed  ${[project, ...titles].join(' › ')}`, ...quoteLines(details.join('\n'))]);
}
