import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { escapeControlCharacters } from '../support/escape-control-characters.js';
import type { TaggedText } from '../support/markup.js';
import { renderYaml } from '../support/render-yaml.js';
import { listOutputFiles, outputFolder } from './result-files.js';
import type { RunView } from './run-view.js';

/**
 * Renders one file of a run's results. Each file in `outputs/` has one as its default export, and is named after the file
 * that it renders: `outputs/summary.md.ts` renders `summary.md`.
 *
 * @returns undefined if this run has no such file
 */
export type Output = (view: RunView) => OutputContent | undefined;

/** The content of a file. No kind of it is a plain string, so that only `encodeContent` decides how texts are escaped. */
export type OutputContent =
  | TaggedText<'html' | 'markdown'>
  | { readonly json: unknown }
  | { readonly yaml: object; readonly comment: string }
  /** The evidence is encoded exchange by exchange, while the run goes on. */
  | Buffer;

/** Loads all outputs, by the names of their files. */
export async function loadOutputs(): Promise<ReadonlyMap<string, Output>> {
  const extension = path.extname(import.meta.filename);
  const modules = listOutputFiles().map(async (file): Promise<[string, Output]> => {
    const module = await import(pathToFileURL(path.join(outputFolder, `${file}${extension}`)).href);
    return [file, module.default];
  });
  return new Map(await Promise.all(modules));
}

/** Encodes the content of a file. */
export function encodeContent(content: OutputContent): Buffer {
  if (Buffer.isBuffer(content)) return content;
  return Buffer.from(escapeControlCharacters(renderContent(content)));
}

function renderContent(content: Exclude<OutputContent, Buffer>): string {
  if ('text' in content) return content.text;
  if ('json' in content) return `${JSON.stringify(content.json, null, 2)}\n`;
  return `${content.comment}${renderYaml(content.yaml)}`;
}
