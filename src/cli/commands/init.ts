import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { getMember, parseJson } from '../../support/json.js';
import { packageRoot } from '../../support/package-root.js';
import { decodeText } from '../../support/text-file.js';
import { joinLines } from '../../support/untrusted-text.js';
import { initialTargetFile as targetFile } from '../../target/target-file.js';
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
    const text = readTemplate(template);
    const before = existsSync(file) ? decodeText(readFileSync(file)).trimEnd() : '';
    // The list is added, unless it is there: the user may have removed lines.
    const isKept = template === 'ignore-list' ? before.includes(text.split('\n')[0] ?? '') : existsSync(file);
    if (isKept) return `Kept     ${file}`;
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, before === '' ? text : `${before}\n\n${text}`);
    return `Written  ${file}`;
  });
  return joinLines(lines) + readTemplate('next-steps.txt');
}

/** The name of the package or folder, without a scope, as the name of a target. */
function readName(): string {
  const manifest = existsSync('package.json') ? parseJson(decodeText(readFileSync('package.json'))) : undefined;
  const stated = String(getMember(manifest, 'name') || path.basename(process.cwd()));
  const name = stated
    .replace(/^@[^/]*\//, '')
    .replace(/^[^A-Za-z0-9]+/, '')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-');
  // A folder may be named in other letters.
  return name || 'target';
}
