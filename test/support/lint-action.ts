import { register } from 'node:module';
import { TextDocument } from 'vscode-languageserver-textdocument';

/** The linter imports JSON without the import attribute that Node.js needs. */
const asJson = `export const load = (url, context, next) =>
  next(url, url.endsWith('.json') ? { ...context, importAttributes: { type: 'json' } } : context);`;

/**
 * Checks an action or a workflow with GitHub's language service: keys, expressions, contexts, functions.
 *
 * @param name of the file; `action.yml` for an action
 * @returns a line for each finding
 */
export async function lintAction(name: string, text: string): Promise<string[]> {
  const { validate } = await linter();
  const folder = name === 'action.yml' ? '' : '.github/workflows/';
  // It caches by URL.
  read += 1;
  const found = await validate(TextDocument.create(`file:///${read}/${folder}${name}`, 'yaml', 1, text));
  return found.map(({ range, message }) => `${name}:${range.start.line + 1}: ${message}`);
}

let read = 0;
let loaded: Promise<typeof import('@actions/languageservice')> | undefined;

function linter(): NonNullable<typeof loaded> {
  if (loaded === undefined) {
    register(`data:text/javascript,${encodeURIComponent(asJson)}`);
    loaded = import('@actions/languageservice');
  }
  return loaded;
}
