import { writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import type { Cause } from '../../certificate/diagnosis/diagnose-run.js';
import { renderCounts } from '../../support/collections.js';
import { renderCodeBlock } from '../../support/markdown.js';
import { escapeControlCharacters, joinLines, quoteLines } from '../../support/untrusted-text.js';
import { fillTemplate } from '../template.js';

interface FailedTest {
  readonly title: string;
  readonly annotations: readonly { readonly type: string; readonly description?: string }[];
}

/** Renders the file about a failure that Playwright gives to people and assistants. @param failure what the test threw */
export function renderErrorContext({ title, annotations }: FailedTest, failure: string, cause?: Cause): string {
  const requirement = annotations.find(({ type }) => type === 'requirement')?.description ?? '';
  const shown = renderCodeBlock('', escapeControlCharacters(stripVTControlCharacters(failure)));
  return fillTemplate('error-context.md', { title, requirement, cause: cause?.sentence ?? '', failure: shown });
}

/** Replaces the file that Playwright writes about a failure, which asks an assistant to mend the case. */
export function replaceErrorContext(
  attachments: readonly { readonly name: string; readonly path?: string }[],
  ...failure: Parameters<typeof renderErrorContext>
): void {
  for (const { name, path } of attachments)
    if (name === 'error-context' && path !== undefined) writeFileSync(path, renderErrorContext(...failure));
}

/** Renders a failure of a test of the user, which no other reporter shows. @param titles as `titlePath` of Playwright */
export function renderForeignFailure(
  [, project = '', , ...titles]: readonly string[],
  errors: readonly { readonly message?: string; readonly stack?: string }[],
): string {
  const details = errors.map(({ message = '', stack = message }) => stripVTControlCharacters(stack));
  return joinLines([`failed  ${[project, ...titles].join(' › ')}`, ...quoteLines(details.join('\n'))]);
}

const outcomeWords = { expected: 'passed', unexpected: 'failed', flaky: 'flaky', skipped: 'skipped' } as const;

/** Renders how tests of the user ended, which are not part of a certificate. */
export function renderForeignCounts(tests: readonly { outcome(): keyof typeof outcomeWords }[]): string {
  const counts = renderCounts(tests.map((test) => outcomeWords[test.outcome()]));
  return joinLines([`Tests of your own: ${counts}`]);
}
