import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../support/package-root.js';
import { joinLines } from '../support/untrusted-text.js';
import type { Environment } from '../targets/environment.js';

/** How packages are installed in a pipeline, by the lock file that shows with which program. */
const installs: readonly (readonly [lock: string, command: string])[] = [
  ['package-lock.json', 'npm ci'],
  ['pnpm-lock.yaml', 'corepack enable && pnpm install --frozen-lockfile'],
  ['yarn.lock', 'corepack enable && yarn install --frozen-lockfile'],
];

/** What the templates leave open, and a project says without being questioned. */
interface Project {
  /** The folder of the project. */
  readonly folder: string;
  /** Where workflows belong: the folder of the repository, or that of the project where there is none. */
  readonly repository: string;
  readonly replacements: Readonly<Record<string, string>>;
}

const targetFile = 'conformance/target.yaml';

/**
 * Puts into a project what it needs to certify a deployment. What is there already stays as it is, so that nothing is
 * lost that somebody edited.
 *
 * @returns what was written, what was left, and what to do next, in lines for people
 * @throws an error of the system where a file cannot be written
 */
export function initProject(folder: string, environment: Environment): string {
  const project = projectIn(folder);
  const files = [
    { file: path.join(folder, targetFile), template: 'target.yaml' },
    { file: path.join(folder, '.env.example'), template: 'env.example' },
    { file: path.join(project.repository, '.github/workflows/conformance.yml'), template: 'workflows/deployment.yml' },
  ];
  const outcomes = [
    ...files.map(({ file, template }) => ({ file, isWritten: writeNew(file, filled(template, project)) })),
    { file: path.join(folder, '.gitignore'), isWritten: addIgnored(path.join(folder, '.gitignore')) },
  ].map(({ file, isWritten }) => ({ name: path.relative(folder, file), isWritten }));
  const listed = (title: string, isWritten: boolean) =>
    outcomes
      .filter((outcome) => outcome.isWritten === isWritten)
      .map(({ name }, n) => `${(n === 0 ? title : '').padEnd(15)}${name}`);
  return joinLines([
    ...listed('Written', true),
    ...listed('Left as it is', false),
    '',
    ...nextSteps(folder, environment),
  ]);
}

function projectIn(folder: string): Project {
  const repository = gitSays(folder, ['rev-parse', '--show-toplevel']) ?? folder;
  const within = path.relative(realpathSync(repository), realpathSync(folder)).replaceAll(path.sep, '/');
  const head = gitSays(folder, ['symbolic-ref', '--short', 'refs/remotes/origin/HEAD'])?.replace(/^origin\//, '');
  const [, install = 'npm install'] = installs.find(([lock]) => existsSync(path.join(folder, lock))) ?? [];
  return {
    folder,
    repository: within === '' ? folder : repository,
    replacements: {
      NAME: nameOf(folder),
      BRANCH: head ?? gitSays(folder, ['symbolic-ref', '--short', 'HEAD']) ?? 'main',
      INSTALL: install,
      FOLDER: within === '' ? '.' : within,
      PREFIX: within === '' ? '' : `${within}/`,
    },
  };
}

/** That of the package, or of the folder where there is none: without a scope, and of letters that need no quotes. */
function nameOf(folder: string): string {
  const file = path.join(folder, 'package.json');
  let name: unknown;
  try {
    ({ name } = JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // Without a package.json that can be read, the folder says enough.
  }
  const stated = typeof name === 'string' && name !== '' ? name : path.basename(folder);
  const plain = stated.replace(/^@[^/]*\//, '').replaceAll(/[^A-Za-z0-9._-]+/g, '-');
  return /^[A-Za-z]/.test(plain) ? plain : `target-${plain}`;
}

/** The first line that Git says of a folder; undefined where it says nothing, or is not there. */
function gitSays(folder: string, args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

function filled(template: string, { replacements }: Project): string {
  const text = readTemplate(template);
  return text.replaceAll(/__([A-Z]+)__/g, (whole, name: string) => replacements[name] ?? whole);
}

function readTemplate(name: string): string {
  return readFileSync(path.join(packageRoot, 'templates', name), 'utf8');
}

/** Writes a file unless it is there. @returns whether it was not */
function writeNew(file: string, text: string): boolean {
  if (existsSync(file)) return false;
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text, { flag: 'wx' });
  return true;
}

/**
 * Adds to an ignore list what it lacks. One that has the heading was completed before: what it lacks now, somebody took
 * out.
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

function nextSteps(folder: string, environment: Environment): string[] {
  const unset = needed.filter((name) => !environment[name]);
  const copied = existsSync(path.join(folder, '.env')) ? 'In .env' : 'Copy .env.example to .env, and in that';
  const flag = environment.TARGET ? '' : ` --target ${targetFile}`;
  const steps = [
    ...(unset.length === 0 ? [] : [`${copied} set ${unset.join(', ')}; TARGET names the target file.`]),
    `Load what "npx conformance world" prints into the deployment, or state its own ids in ${targetFile}.`,
    `npx conformance doctor${unset.length === 0 ? flag : ''} says what is not right yet.`,
    `npx conformance certify${unset.length === 0 ? flag : ''} certifies it.`,
    'Commit the files. On GitHub, set the variable BASE_URL and the secrets CLIENT_APPLICATION_ID and CLIENT_TOKEN.',
  ];
  const samples = 'node_modules/promotion-validation-conformance/templates/workflows';
  return [
    'Next:',
    ...steps.map((step, n) => `${n + 1}. ${step}`),
    '',
    `More workflows, for pull requests and for every night, are in ${samples}.`,
  ];
}
