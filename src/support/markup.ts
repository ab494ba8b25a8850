import { createHash } from 'node:crypto';
import { toOneLine } from './untrusted-text.js';

/** Text in a markup language, in which every untrusted text is escaped. Only a template makes one. */
export interface TaggedText<Language extends string> {
  readonly language: Language;
  readonly text: string;
}

type TemplateValue<Language extends string> = string | number | TaggedText<Language> | readonly TaggedText<Language>[];

/** Creates a template tag: it escapes strings, joins lists, and leaves the literals and other tagged text as they are. */
export function createTemplateTag<Language extends string>(language: Language, escapeText: (text: string) => string) {
  const render = (value: TemplateValue<Language>): string => {
    if (typeof value === 'string') return escapeText(value);
    if (typeof value === 'number') return String(value);
    return 'text' in value ? value.text : value.map(({ text }) => text).join('');
  };
  return (literals: TemplateStringsArray, ...values: readonly TemplateValue<Language>[]): TaggedText<Language> => ({
    language,
    text: literals.map((literal, n) => (n === 0 ? literal : `${render(values[n - 1] ?? '')}${literal}`)).join(''),
  });
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeMarkup(text: string): string {
  return toOneLine(text).replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}

export type Html = TaggedText<'html'>;

export const html = createTemplateTag('html', escapeMarkup);

/** Marks a text that this suite wrote as HTML. */
export function rawHtml(text: string): Html {
  return { language: 'html', text };
}

export const noHtml: Html = rawHtml('');

/** Renders a text of several lines as it is. Line ends are references: no untrusted line begins a line of the file. */
export function renderPreformatted(text: string): Html {
  // Between elements only these three characters have a meaning. Quotes are frequent and stay short.
  const escapeLine = (line: string) => toOneLine(line).replaceAll(/[&<>]/g, (character) => entities[character] ?? '');
  return rawHtml(`<pre>${text.split(/\r?\n/).map(escapeLine).join('&#10;')}</pre>`);
}

/** Renders the head of a page that loads nothing from elsewhere and runs no script. */
export function renderPageHead(title: string, style: string): Html {
  // A Content-Security-Policy names an inline style by its hash (CSP 3, section 2.3.1).
  const hash = createHash('sha256').update(style).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${rawHtml(policy)}">
<title>${title}</title>
<style>${rawHtml(style)}</style>
</head>`;
}
