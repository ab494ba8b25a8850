import { createHash } from 'node:crypto';
import { toOneLine } from '../support/untrusted-text.js';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text as HTML and XML hold it, in one line whatever it is. */
export function escapeMarkup(text: string): string {
  return toOneLine(text).replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}

/** Text that is HTML already. */
export interface Markup {
  readonly text: string;
}

/** What was written as HTML, by this suite and nobody else. */
export function rawMarkup(text: string): Markup {
  return { text };
}

export const noMarkup: Markup = rawMarkup('');

/** Makes HTML of a template: texts are escaped, and one line each, wherever they stand; lists are put together. */
export function html(
  literals: TemplateStringsArray,
  ...values: readonly (string | number | Markup | readonly Markup[])[]
): Markup {
  let text = literals[0] ?? '';
  values.forEach((value, n) => {
    if (typeof value === 'string') text += escapeMarkup(value);
    else if (typeof value === 'number') text += value;
    else text += 'text' in value ? value.text : value.map((each) => each.text).join('');
    text += literals[n + 1] ?? '';
  });
  return { text };
}

/**
 * A text of several lines, as it is. Each stands in an element of its own, so that none that a stranger wrote begins a
 * line of the file.
 *
 * @param marked the line that is meant, counted from 1
 */
export function renderPreformatted(text: string, marked?: number): Markup {
  const lines = text.split(/\r?\n/).map((line, n) => {
    // Between elements nothing but these three means anything; quotes, of which there are many, stay short.
    const clean = toOneLine(line).replaceAll(/[&<>]/g, (character) => entities[character] ?? '');
    return n + 1 === marked ? `<mark>${clean}</mark>` : `<span>${clean}</span>`;
  });
  return { text: `<pre>${lines.join('\n')}</pre>` };
}

/** How a page begins: its head, in which the style stands, and the policy that says what else it may load or run. */
export function renderPageHead(title: string, style: string, policy: string): Markup {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${rawMarkup(policy)}">
<title>${title}</title>
<style>${rawMarkup(style)}</style>
</head>`;
}

/** What a Content-Security-Policy names a style or a script by that stands in the page (CSP 3, section 2.3.1). */
export function computeSourceHash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
