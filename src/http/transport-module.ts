/** The module of a target file that has a transport: loads it, or says what is wrong with it. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { quote } from 'shlex';
import { renderPath } from '../support/paths.js';
import { createInputError, type Location, UnusableInput } from '../support/problem.js';
import { getFirstLine } from '../support/untrusted-text.js';
import { createRedactor, type Secret } from './redactor.js';
import { locateThrow, redactProblems, type Transport } from './transport.js';

/**
 * Checks before a run that the transport of a target can be loaded.
 *
 * @throws UnusableInput if the module cannot be loaded, or has no function as its default export
 */
export async function checkTransport(file: string, secrets: readonly Secret[]): Promise<void> {
  try {
    readTransport(file, await importModule(file));
  } catch (error) {
    // In a worker, Playwright may compile it, as it does with a config of the user.
    if (needsCompiler(error)) return;
    throw redactProblems(explainUnloadable(file, error), createRedactor(secrets));
  }
}

/** Loads the transport of a target. One that cannot be loaded fails at its first request. */
export async function loadTransport(file: string): Promise<Transport> {
  try {
    return readTransport(file, await importModule(file));
  } catch (error) {
    const problem = explainUnloadable(file, error);
    return () => Promise.reject(problem);
  }
}

function importModule(file: string): Promise<{ readonly default?: unknown }> {
  return import(pathToFileURL(file).href);
}

function readTransport(file: string, { default: loaded }: { readonly default?: unknown }): Transport {
  if (typeof loaded === 'function') return loaded as Transport;
  throw createInputError(file, 'the transport has no function as its default export', form);
}

/** Whether Node.js refuses a module for being TypeScript that it does not read. */
function needsCompiler(error: unknown): boolean {
  const { code } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  return code === 'ERR_UNKNOWN_FILE_EXTENSION' || code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX';
}

const form =
  'A transport is an ES module (.mjs, or .mts with Node.js 22.18 or newer) with a function as its default export.';

function explainUnloadable(file: string, error: unknown): UnusableInput {
  if (error instanceof UnusableInput) return error;
  const { message: text } = error instanceof Error ? error : new Error(String(error));
  const message = `the transport cannot be loaded: ${getFirstLine(text)}`;
  const place = locateThrow(error);
  const missing = findMissingImport(error, file);
  if (missing !== undefined)
    return createInputError(place ?? locateImport(missing) ?? missing.importer, message, adviseOnImport(missing));
  // In older versions of Node.js, the stack of a syntax error does not say where it is.
  if (error instanceof SyntaxError)
    return createInputError(place ?? file, message, `${form} This shows the line: node ${quote(file)}`);
  return createInputError(
    place ?? file,
    message,
    place === undefined ? form : 'The module throws this as it is loaded.',
  );
}

/** What a module imports and Node.js does not find. */
interface MissingImport {
  /** The name of a package, or the path of a file. */
  readonly name: string;
  readonly isPackage: boolean;
  /** The file that imports it: the transport, or one that the transport imports. */
  readonly importer: string;
}

/** The code of the error says what happened. Its message alone says the names. */
function findMissingImport(error: unknown, file: string): MissingImport | undefined {
  const { code, message = '' } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') return undefined;
  const [, name, stated] = /^Cannot find (?:package|module) '(.+?)'(?: imported from (.+))?$/m.exec(message) ?? [];
  if (name === undefined) return undefined;
  const importer = stated === undefined || stated === path.resolve(file) ? file : renderPath(stated);
  return { name, isPackage: !isFilePath(name), importer };
}

/** Whether an import is the path of a file, and not the name of a package. */
function isFilePath(specifier: string): boolean {
  return /^(?:\.|file:)/.test(specifier) || path.isAbsolute(specifier);
}

function adviseOnImport({ name, isPackage, importer }: MissingImport): string {
  if (!isPackage) return 'Correct the path in the import, or create the file.';
  const [scope = '', inner = ''] = name.split('/');
  const installed = scope.startsWith('@') ? `${scope}/${inner}` : scope;
  const folder = path.dirname(path.resolve(importer));
  return `Install the package where this file lies: cd ${quote(folder)} && npm install ${quote(installed)}`;
}

const comments = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;
const imports = /^\s*(?:import|export)\b[^;'"]*(['"])(?<specifier>[^'"\n]+)\1/gm;

/** Finds a static import in its file, since Node.js names no line of it; undefined if it is written otherwise. */
function locateImport({ name, isPackage, importer }: MissingImport): Location | undefined {
  const source = readFileSync(importer, 'utf8').replaceAll(comments, (comment) => comment.replaceAll(/./g, ' '));
  const isMissing = (specifier: string) => {
    if (isPackage) return specifier === name || specifier.startsWith(`${name}/`);
    return isFilePath(specifier) && resolveFile(specifier, importer) === name;
  };
  const found = [...source.matchAll(imports)].find(({ groups }) => isMissing(groups?.specifier ?? ''));
  if (found === undefined) return undefined;
  const end = found.index + found[0].length;
  const lines = source.slice(0, end - (found.groups?.specifier ?? '').length - 2).split('\n');
  return { file: importer, line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}

function resolveFile(specifier: string, importer: string): string {
  return fileURLToPath(new URL(specifier, pathToFileURL(path.resolve(importer))));
}
