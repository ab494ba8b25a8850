import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createFolder } from '../support/create-folder.js';
import { escapeControlCharacters } from '../support/escape-control-characters.js';
import { getMember, parseJson } from '../support/json.js';
import { packageRoot } from '../support/package-root.js';
import { UnusableInput } from '../support/problem.js';
import { joinLines } from '../support/untrusted-text.js';
import type { Environment } from '../targets/environment.js';
import { initialTargetFile as targetFile } from '../targets/target-file.js';

/** The command that installs packages in a pipeline, by lock file. */
const installs: readonly (readonly [lock: string, command: string])[] = [
  ['package-lock.json', 'npm ci'],
  ['pnpm-lock.yaml', 'corepack enable && pnpm install --frozen-lockfile'],
  ['yarn.lock', 'corepack enable && yarn install --frozen-lockfile'],
];

/** What the templates need to know about a project. */
interface Project {
  /** The folder of the project. */
  readonly folder: string;
  /** The folder for workflows: that of the Git repository, or that of the project without one. */
  readonly repository: string;
  readonly replacements: Readonly<Record<string, string>>;
}

/**
 * Writes the files that a project needs to certify a deployment. Existing files are kept.
 *
 * @returns a report for people: the files, and the next steps
 * @throws UnusableInput if a link is in the place of a file or of its folder; a system error if a file cannot be written
 */
export function initProject(folder: string, environment: Environment): string {
  const project = readProject(folder);
  const files = [
    { file: path.join(folder, targetFile), template: 'target.yaml' },
    { file: path.join(folder, '.env.example'), template: 'env.example' },
    { file: path.join(folder, findPlaywrightConfig(folder)), template: 'playwright.config.mjs' },
    { file: path.join(project.repository, '.github/workflows/conformance.yml'), template: 'workflows/deployment.yml' },
  ];
  refuseLinks(
    project,
    files.map(({ file }) => file),
  );
  const outcomes = [
    ...files.map(({ file, template }) => ({ file, isWritten: writeNew(file, fillTemplate(template, project)) })),
    { file: path.join(folder, '.gitignore'), isWritten: addIgnored(path.join(folder, '.gitignore')) },
  ].map(({ file, isWritten }) => ({ name: path.relative(folder, file), isWritten }));
  const listed = (title: string, isWritten: boolean) =>
    outcomes
      .filter((outcome) => outcome.isWritten === isWritten)
      .map(({ name }, n) => `${(n === 0 ? title : '').padEnd(15)}${name}`);
  return joinLines([...listed('Written', true), ...listed('Kept', false), '', ...listNextSteps(project, environment)]);
}

/** The config that Playwright takes in a folder: that of the project's own tests, if there is one. */
function findPlaywrightConfig(folder: string): string {
  const own = readdirSync(folder).find((name) => /^playwright\.config\.[cm]?[jt]s$/.test(name));
  return own ?? 'playwright.config.mjs';
}

function readProject(folder: string): Project {
  const repository = runGit(folder, ['rev-parse', '--show-toplevel']) ?? folder;
  const within = path.relative(realpathSync(repository), realpathSync(folder)).replaceAll(path.sep, '/');
  const remote = runGit(folder, ['symbolic-ref', '--short', 'refs/remotes/origin/HEAD'])?.replace(/^origin\//, '');
  const branch = remote ?? runGit(folder, ['symbolic-ref', '--short', 'HEAD']) ?? 'main';
  const [, install = 'npm install'] = installs.find(([lock]) => existsSync(path.join(folder, lock))) ?? [];
  return {
    folder,
    repository: within === '' ? folder : repository,
    replacements: {
      NAME: readName(folder),
      // A filter for branches has patterns.
      BRANCH: branch.replaceAll(/[*+?!]/g, '\\$&'),
      INSTALL: install,
      FOLDER: within === '' ? '.' : within,
      PREFIX: within === '' ? '' : `${within}/`,
    },
  };
}

/** The name of the package or folder, without a scope and with characters that need no quotes in YAML. */
function readName(folder: string): string {
  const file = path.join(folder, 'package.json');
  let name: unknown;
  try {
    name = getMember(parseJson(readFileSync(file, 'utf8')), 'name');
  } catch {
    // Without a readable package.json, the name of the folder is used.
  }
  const stated = typeof name === 'string' && name !== '' ? name : path.basename(folder);
  const plain = stated.replace(/^@[^/]*\//, '').replaceAll(/[^A-Za-z0-9._-]+/g, '-');
  return /^[A-Za-z]/.test(plain) ? plain : `target-${plain}`;
}

/** The output of Git for a folder; undefined if it fails or is not installed. */
function runGit(folder: string, args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

function fillTemplate(template: string, { replacements }: Project): string {
  const text = readTemplate(template);
  // A whole value, such as a path, with the placeholder in it.
  return text.replaceAll(/[^\s[\]]*__([A-Z]+)__[^\s[\]]*/g, (value, name: string) => {
    const filled = value.replace(`__${name}__`, () => replacements[name] ?? '');
    return name === 'INSTALL' ? filled : quoteForYaml(filled);
  });
}

/** Quotes a text for YAML, where `true` or `x: y` would be something else. JSON is YAML. */
function quoteForYaml(text: string): string {
  const isPlain = /^(\.|(\.\/)?[A-Za-z][\w./-]*)$/.test(text) && !/^(true|false|null|yes|no|on|off)$/i.test(text);
  return isPlain ? text : escapeControlCharacters(JSON.stringify(text));
}

/** @throws UnusableInput if a file would be written through a link, perhaps out of the project */
function refuseLinks({ folder, repository }: Project, files: readonly string[]): void {
  for (const file of [...files, path.join(folder, '.gitignore')])
    for (let at = file; at !== folder && at !== repository; at = path.dirname(at))
      if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink()) {
        const message = 'is a link, which is not followed';
        throw new UnusableInput([{ at: { setting: at }, message, hint: 'Replace the link by a file or a folder.' }]);
      }
}

function readTemplate(name: string): string {
  return readFileSync(path.join(packageRoot, 'templates', name), 'utf8');
}

/** Writes a file unless it exists. @returns whether it was written */
function writeNew(file: string, text: string): boolean {
  if (existsSync(file)) return false;
  createFolder(path.dirname(file));
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
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const lines = before.split(/\r?\n/).map((line) => line.trim());
  if (lines.includes(heading)) return false;
  const bare = (line: string) => line.replace(/^[!/]+|\/+$/g, '');
  const known = new Set(lines.map(bare));
  const added = wanted.filter((line) => !known.has(bare(line)));
  if (added.length === 0) return false;
  const separator = before === '' ? '' : before.endsWith('\n') ? '\n' : '\n\n';
  writeFileSync(file, `${before}${separator}${[heading, ...added].join('\n')}\n`);
  return true;
}

const needed = ['BASE_URL', 'CLIENT_APPLICATION_ID', 'CLIENT_TOKEN'] as const;

function listNextSteps({ folder, replacements: { NAME } }: Project, environment: Environment): string[] {
  const unset = needed.filter((name) => !environment[name]);
  const copied = existsSync(path.join(folder, '.env')) ? 'In .env,' : 'Copy .env.example to .env. There,';
  const flag = environment.TARGET ? '' : ` --target ${targetFile}`;
  const steps = [
    ...(unset.length === 0 ? [] : [`${copied} set ${unset.join(', ')}. TARGET names the target file.`]),
    `Load the output of "npx conformance world" into the deployment, or put its own ids into ${targetFile}.`,
    `Run: npx conformance doctor${unset.length === 0 ? flag : ''}`,
    `Run: npx conformance certify${unset.length === 0 ? flag : ''}`,
    `When the deployment conforms, commit the answers, too: npx conformance record --to conformance/record.yaml, and copy results/${NAME}/observed.md to conformance/observed.md (results/ is not committed).`,
    'Commit the files. On GitHub, set the variable BASE_URL and the secrets CLIENT_APPLICATION_ID and CLIENT_TOKEN.',
  ];
  const samples = 'node_modules/promotion-validation-conformance/templates/workflows';
  return [
    'Next:',
    ...steps.map((step, n) => `${n + 1}. ${step}`),
    '',
    `More workflows (pull requests, nightly, shards) are in ${samples}.`,
  ];
}
