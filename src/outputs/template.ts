import { readFileSync } from 'node:fs';
import path from 'node:path';
import Mustache from 'mustache';
import { parseDocument } from 'yaml';
import { packageRoot } from '../support/package-root.js';
import { renderYaml } from '../support/render-yaml.js';
import { escapeLine } from '../support/untrusted-text.js';
import { escapeMarkdown } from './markdown.js';

/** How `{{…}}` writes a value, by the language of a template. Only `{{{…}}}` writes a text as it is. */
const escapes: Readonly<Record<string, (value: unknown) => string>> = {
  // Line ends are references, so that no untrusted line begins a line of the file.
  '.html': (value) => String(value).replaceAll(/[&<>"'\r\n]/g, (character) => `&#${character.charCodeAt(0)};`),
  '.md': (value) => escapeMarkdown(String(value)),
  '.txt': (value) => escapeLine(String(value)),
  '.yaml': (value) => JSON.stringify(value),
};

export function readTemplate(name: string): string {
  return readFileSync(path.join(packageRoot, 'templates', 'outputs', name), 'utf8');
}

const readPart = (name: string): string => readTemplate(path.join('parts', `${name}.mustache`));

/** Fills a template (mustache.github.io); `{{> case.html}}` in it is another one. @param view states all names: Mustache looks for a missing one further out */
export function fillTemplate(file: string, view: object): string {
  const language = path.extname(file);
  const text = Mustache.render(readTemplate(`${file}.mustache`), view, readPart, { escape: escapes[language] });
  if (language !== '.yaml') return text;
  const document = parseDocument(text);
  return renderYaml(document.toJS(), document.commentBefore ?? '');
}
