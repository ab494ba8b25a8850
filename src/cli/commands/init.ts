import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { escapeControlCharacters } from '../../support/escape-control-characters.js';
import { getMember, parseJson } from '../../support/json.js';
import { packageRoot } from '../../support/package-root.js';
import { joinLines } from '../../support/untrusted-text.js';
import { initialTargetFile as targetFile } from '../../target/target-file.js';
import type { ConfigureCommand } from '../command.js';
import { findPlaywrightConfig } from '../run-playwright.js';

export default ((command) => {
  command
    .description('write a target file, a sample .env, an ignore list and a workflow into this project')
    .action(() => {
      process.stdout.write(initProject(process.cwd()));
    });
}) satisfies ConfigureCommand;

/** The command that installs packages in a pipeline, by lock file. */
const installs: readonly (readonly [lock: string, command: string])[] = [
  ['package-lock.json', 'npm ci'],
  ['pnpm-lock.yaml', 'corepack enable && pnpm install --frozen-lockfile'],
  ['yarn.lock', 'corepack enable && yarn install --frozen-lockfile'],
];

/**
 * Writes the files that a project needs to certify a deployment. Existing files are kept.
 *
 * @returns a report for people: the files, and the next steps
 * @throws a system error if a file cannot be written
 */
function initProject(folder: string): string {
  const repository = runGit(folder, ['rev-parse', '--show-toplevel']) ?? folder;
  const within = path.relative(realpathSync(repository), realpathSync(folder)).replaceAll(path.sep, '/');
  const remote = runGit(folder, ['symbolic-ref', '--short', 'refs/remotes/origin/HEAD'])?.replace(/^origin\//, '');
  const branch = remote ?? runGit(folder, ['symbolic-ref', '--short', 'HEAD']) ?? 'main';
  const [, install = 'npm install'] = installs.find(([lock]) => existsSync(path.join(folder, lock))) ?? [];
  const name = readName(folder);
  const replacements = {
    NAME: name,
    // A filter for branches has patterns.
    BRANCH: branch.replaceAll(/[*+?!]/g, '\\$&'),
    INSTALL: install,
    FOLDER: within === '' ? '.' : within,
    PREFIX: within === '' ? '' : `${within}/`,
  };
  const workflow = path.join(within === '' ? folder : repository, '.github', 'workflows', 'conformance.yml');
  const templates = {
    [path.join(folder, targetFile)]: 'target.yaml',
    [path.join(folder, '.env.example')]: 'env.example',
    // That of the project's own tests is kept.
    [path.join(folder, findPlaywrightConfig(folder) ?? 'playwright.config.mjs')]: 'playwright.config.mjs',
    [workflow]: 'workflows/conformance.yml',
  };
  const ignoreList = path.join(folder, '.gitignore');
  const describe = (file: string, isWritten: boolean) =>
    `${isWritten ? 'Written' : 'Kept   '}  ${path.relative(folder, file)}`;
  const written = Object.entries(templates).map(([file, template]) =>
    describe(file, writeNew(file, fillTemplate(template, replacements))),
  );
  return joinLines([...written, describe(ignoreList, addIgnored(ignoreList)), ...listNextSteps(name)]);
}

/** The name of the package or folder, without a scope and with characters that need no quotes in YAML. */
function readName(folder: string): string {
  const file = path.join(folder, 'package.json');
  const name = existsSync(file) ? getMember(parseJson(readFileSync(file, 'utf8')), 'name') : undefined;
  const stated = typeof name === 'string' && name !== '' ? name : path.basename(folder);
  const plain = stated.replace(/^@[^/]*\//, '').replaceAll(/[^A-Za-z0-9._-]+/g, '-');
  return /^[A-Za-z]/.test(plain) ? plain : `target-${plain}`;
}

/** The output of Git for a folder; undefined if it fails or is not installed. */
function runGit(folder: string, args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

function fillTemplate(template: string, replacements: Readonly<Record<string, string>>): string {
  // A whole value, such as a path, with the placeholder in it.
  return readTemplate(template).replaceAll(/[^\s[\]]*__([A-Z]+)__[^\s[\]]*/g, (value, name: string) => {
    const filled = value.replace(`__${name}__`, () => replacements[name] ?? '');
    return name === 'INSTALL' || template.endsWith('.mjs') ? filled : quoteForYaml(filled);
  });
}

/** Quotes a text for YAML, where `true` or `x: y` would be something else. JSON is YAML. */
function quoteForYaml(text: string): string {
  const isPlain = /^(\.|(\.\/)?[A-Za-z][\w./-]*)$/.test(text) && !/^(true|false|null|yes|no|on|off)$/i.test(text);
  return isPlain ? text : escapeControlCharacters(JSON.stringify(text));
}

function readTemplate(name: string): string {
  return readFileSync(path.join(packageRoot, 'templates', name), 'utf8');
}

/** Writes a file unless it exists. @returns whether it was written */
function writeNew(file: string, text: string): boolean {
  if (existsSync(file)) return false;
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text, { flag: 'wx' });
  return true;
}

/**
 * Adds missing lines to an ignore list. If it has the heading, it was completed before, and the user removed the lines.
 *
 * @returns whether anything was added
 */
function addIgnored(file: string): boolean {
  const [heading = '', ...wanted] = readTemplate('ignore-list').trimEnd().split('\n');
  const before = existsSync(file) ? readFileSync(file, 'utf8').trimEnd() : '';
  const known = new Set(before.split('\n').map((line) => line.trim().replaceAll(/^\/|\/$/g, '')));
  const added = wanted.filter((line) => !known.has(line.replace(/\/$/, '')));
  if (known.has(heading) || added.length === 0) return false;
  writeFileSync(file, `${[...(before === '' ? [] : [before, '']), heading, ...added].join('\n')}\n`);
  return true;
}

function listNextSteps(name: string): string[] {
  return [
    '',
    'Next:',
    '1. Copy .env.example to .env. There, set BASE_URL, CLIENT_APPLICATION_ID, CLIENT_TOKEN. TARGET names the target file.',
    `2. Load the output of "npx conformance world" into the deployment, or put its own ids into ${targetFile}.`,
    '3. Run: npx conformance doctor',
    '4. Run: npx conformance certify',
    `5. When the deployment conforms, record its answers: npx conformance record. It writes conformance/record.yaml, and every run compares with it. For people, copy results/${name}/observed.md to conformance/observed.md (results/ is not committed).`,
    '6. Commit the files. On GitHub, set the variable BASE_URL and the secrets CLIENT_APPLICATION_ID and CLIENT_TOKEN.',
  ];
}
