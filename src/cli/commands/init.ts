import { appendFileSync, existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { initialTargetFilePath as targetFile } from '../../config/target-file.js';
import { getMember, parseJson } from '../../support/json.js';
import { packageRoot } from '../../support/package-root.js';
import { findLineEnd, readTextFile } from '../../support/text-file.js';
import { getFirstLine, joinAndEscapeLines } from '../../support/untrusted-text.js';
import type { ConfigureCommand } from '../flags.js';
import { findPlaywrightConfig } from '../run-playwright.js';

export default ((command) => {
  command
    .description('write a target file, a sample .env, an ignore list and a workflow into this project')
    .action(() => {
      process.stdout.write(initProject());
    });
}) satisfies ConfigureCommand;

function initProject(): string {
  const name = readName();
  const readTemplate = (file: string) =>
    readFileSync(path.join(packageRoot, 'templates', file), 'utf8').replaceAll('__NAME__', name);
  const templates = {
    [targetFile]: 'target.yaml',
    '.env.example': 'env.example',
    // That of the project's own tests is kept.
    [findPlaywrightConfig() ?? 'playwright.config.mjs']: 'playwright.config.mjs',
    '.github/workflows/conformance.yml': 'workflows/conformance.yml',
    '.gitignore': 'ignore-list',
  };
  const lines = Object.entries(templates).map(([file, template]) => {
    const isWritten =
      template === 'ignore-list' ? addLines(file, readTemplate(template)) : writeNew(file, readTemplate(template));
    return `${isWritten ? 'Written' : 'Kept   '}  ${file}`;
  });
  return joinAndEscapeLines(lines) + readTemplate('next-steps.txt');
}

/** Writes a file unless there is something of that name. @returns whether it did */
function writeNew(file: string, text: string): boolean {
  // Not existsSync: it does not see a link to nothing.
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) return false;
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text, { flag: 'wx' });
  return true;
}

/** Adds lines to the end of a file, unless their first line is there: the user may have removed others. */
function addLines(file: string, lines: string): boolean {
  if (!existsSync(file)) return writeNew(file, lines);
  const before = readText(file);
  if (before.includes(getFirstLine(lines))) return false;
  const separator = before === '' ? '' : before.endsWith('\n') ? '\n' : '\n\n';
  appendFileSync(file, (separator + lines).replaceAll('\n', findLineEnd(before)));
  return true;
}

function readText(file: string): string {
  return readTextFile(file, 'Move it, and run the command again.');
}

/** The name of the package or folder, without a scope, as the name of a target. */
function readName(): string {
  const manifest = existsSync('package.json') ? parseJson(readText('package.json')) : undefined;
  const stated = String(getMember(manifest, 'name') || path.basename(process.cwd()));
  const name = stated
    .replace(/^@[^/]*\//, '')
    // Letters without their accents: é becomes e.
    .normalize('NFKD')
    .replaceAll(/\p{Mark}+/gu, '')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replaceAll(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '');
  // A folder may be named in other letters, and a number says nothing of what is tested.
  return /[A-Za-z]/.test(name) ? name : 'target';
}
