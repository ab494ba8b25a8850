/**
 * Certifies several targets. Each runs in a process of its own, at the same time, and shares neither connections nor
 * credentials with the others. Then their results are compared.
 */

import { spawn } from 'node:child_process';
import path from 'node:path';
import type { Command } from 'commander';
import { ignoreClosedOutput, watchForShutdown } from '../playwright/parent-watch.js';
import { loadInputs, type RunInputs } from '../playwright/run-inputs.js';
import type { Certificate } from '../report/certificate.js';
import {
  type AcceptedDifference,
  judgeDifferences,
  readAcceptedDifferences,
} from '../report/compare/accepted-differences.js';
import { type AnsweredRun, compareRuns, judgeComparison } from '../report/compare/compare-runs.js';
import {
  renderMigrationMarkdown,
  renderMigrationPage,
  renderMigrationSentence,
} from '../report/compare/migration-report.js';
import { encodeContent } from '../report/output.js';
import { readCertificate } from '../report/read-certificate.js';
import { findLastCertificate } from '../report/result-files.js';
import { writeFilesTogether } from '../report/write-files-together.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { packageRoot } from '../support/package-root.js';
import { type Problem, UnusableInput } from '../support/problem.js';
import { suggest } from '../support/suggest.js';
import { getToday } from '../support/today.js';
import { joinLines } from '../support/untrusted-text.js';
import type { Environment } from '../targets/environment.js';
import { readRecordedRun } from '../targets/recorded-run.js';
import type { RunOptions } from '../targets/run-options.js';
import { createFolderName } from '../targets/settings.js';
import { parseVariableReference } from '../targets/stated-options.js';
import { readTargetFile, type TargetDocument } from '../targets/target-file.js';
import { type CertifyFlags, renderFlags } from './certify-flags.js';
import { printComparison } from './compare-action.js';
import { exitStatus } from './exit-status.js';

/**
 * Runs the cases on several targets and compares the results.
 *
 * @param options for each of them
 * @param args for Playwright
 * @returns the worst exit status
 * @throws UnusableInput with all problems of all targets, before anything is sent
 */
export async function certifySeveral(
  options: RunOptions,
  args: readonly string[],
  flags: CertifyFlags,
  command: Command,
): Promise<number> {
  refuseOtherFlags(flags, options);
  const targets = loadTargets(flags.target ?? [], options);
  const model = flags.sameAs === undefined ? undefined : findTarget(flags.sameAs, targets);
  const accept = flags.accept === undefined ? [] : readAcceptedDifferences(flags.accept);
  const childFlags = renderFlags(command, ['target', 'sameAs', 'accept', 'out']);
  const statuses = await runAll(targets, [...childFlags, ...(args.length === 0 ? [] : ['--', ...args])]);
  if (flags.dryRun || args.includes('--list')) return findWorst(statuses);
  const judged = targets.flatMap((target, n) => readJudgedRun(target, statuses[n]));
  if (judged.length > 1) {
    // The first one is the one to compare with.
    const ordered = judged.toSorted((one, other) => Number(other.target === model) - Number(one.target === model));
    printComparison(
      ordered.map(({ file }) => file),
      {},
    );
  }
  if (model === undefined) return findWorst(statuses);
  const others = targets.filter((target) => target !== model);
  return findWorst([...statuses, ...others.map((target) => compareAnswers(model, target, judged, accept))]);
}

interface NamedTarget {
  readonly file: string;
  readonly name: string;
  readonly environment: Environment;
  readonly inputs: RunInputs;
}

function refuseOtherFlags(flags: CertifyFlags, { baseUrl, onOtherBaseUrl }: RunOptions): void {
  const createProblem = (setting: string, message: string, hint: string) => ({ at: { setting }, message, hint });
  const single = (['reference', 'against', 'to', 'failed', 'watch', 'replay'] as const).filter((name) => name in flags);
  const problems: Problem[] = single.map((name) =>
    createProblem(`--${name}`, 'works with a single target only', 'Run it for each target by itself.'),
  );
  if (baseUrl && onOtherBaseUrl !== 'use-target-file')
    problems.push(
      createProblem(
        'BASE_URL, or --base-url',
        'would replace the base_url of every target file',
        'Leave it out, and put a base_url into each target file.',
      ),
    );
  if ((flags.target ?? []).length < 2)
    problems.push(createProblem('--same-as', 'compares several targets', 'Name each of them with --target.'));
  if (flags.accept !== undefined && flags.sameAs === undefined)
    problems.push(createProblem('--accept', 'needs --same-as', 'Name the target to compare with: --same-as NAME.'));
  if (problems.length > 0) throw new UnusableInput(problems);
}

function loadTargets(files: readonly string[], options: RunOptions): NamedTarget[] {
  // An address for all would be that of a target file without one, too.
  const { baseUrl: _, ...others } = options;
  const problems: Problem[] = [];
  const targets = files.flatMap((file): NamedTarget[] => {
    try {
      const { document } = readTargetFile({ target: file }) ?? {};
      const environment = createEnvironment(document);
      const out = path.join(options.out ?? 'results', createFolderName(document?.name ?? ''));
      const inputs = loadInputs({ ...others, target: file, out }, environment);
      return [{ file, name: inputs.settings.target.name, environment, inputs }];
    } catch (error) {
      if (!(error instanceof UnusableInput)) throw error;
      problems.push(...error.problems);
      return [];
    }
  });
  for (const [n, { file, inputs }] of targets.entries()) {
    const { out } = inputs.settings;
    const same = targets.slice(0, n).find((earlier) => earlier.inputs.settings.out === out);
    if (same === undefined) continue;
    const message = `has the same name as ${same.file}, so both would write their results to ${out}`;
    problems.push({ at: { setting: file }, message, hint: 'Give one of them another name.' });
  }
  // A problem of the environment is reported for each target.
  const unique = new Map(problems.map((problem) => [JSON.stringify(problem), problem]));
  if (unique.size > 0) throw new UnusableInput([...unique.values()]);
  return targets;
}

/**
 * The environment of a target. CLIENT_APPLICATION_ID and CLIENT_TOKEN win over a target file, so they are unset if it
 * names other variables: they may be the credentials of another target.
 */
function createEnvironment(document: TargetDocument | undefined): Environment {
  const namesOther = (usual: string, reference: string | undefined) =>
    reference !== undefined && parseVariableReference(reference) !== usual;
  const { application_id, token } = document?.credentials ?? {};
  return {
    ...process.env,
    ...(namesOther('CLIENT_APPLICATION_ID', application_id) ? { CLIENT_APPLICATION_ID: '' } : {}),
    ...(namesOther('CLIENT_TOKEN', token) ? { CLIENT_TOKEN: '' } : {}),
  };
}

function findTarget(wanted: string, targets: readonly NamedTarget[]): NamedTarget {
  const found = targets.find(({ name, file }) => name === wanted || file === wanted);
  if (found !== undefined) return found;
  const names = targets.map(({ name }) => name);
  const message = `'${wanted}' is none of the targets`;
  throw new UnusableInput([{ at: { setting: '--same-as' }, message, hint: suggest(wanted, names) }]);
}

/** Runs all targets at the same time. Prints the output of the first as it comes, then that of each other. */
async function runAll(targets: readonly NamedTarget[], args: readonly string[]): Promise<(number | null)[]> {
  const script = path.join(packageRoot, 'dist', 'src', 'cli', 'conformance.js');
  // Ctrl-C reaches every process by itself, and each still writes its certificate.
  process.on('SIGINT', () => undefined);
  ignoreClosedOutput();
  process.stdout.write(joinLines([`Target ${targets[0]?.name}`]));
  const runs = targets.map(({ file, environment, inputs }, n) => {
    const output = n === 0 ? 'inherit' : 'pipe';
    const child = spawn(
      process.execPath,
      [script, 'certify', '--target', file, '--out', inputs.settings.out, ...args],
      { stdio: ['ignore', output, output], env: environment },
    );
    const chunks: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
    const end = new Promise<number | null>((resolve, reject) => child.on('close', resolve).on('error', reject));
    return { child, chunks, end };
  });
  const endWatch = watchForShutdown(() => {
    for (const { child } of runs) child.kill('SIGTERM');
  });
  const statuses: (number | null)[] = [];
  for (const [n, { chunks, end }] of runs.entries()) {
    statuses.push(await end);
    if (n > 0) process.stdout.write(joinLines(['', `Target ${targets[n]?.name}`]));
    process.stdout.write(Buffer.concat(chunks));
  }
  endWatch();
  process.stdout.write('\n');
  return statuses;
}

interface JudgedRun {
  readonly target: NamedTarget;
  readonly file: string;
  readonly certificate: Certificate;
}

function readJudgedRun(target: NamedTarget, status: number | null | undefined): JudgedRun[] {
  const { conforms, drift, incomplete } = exitStatus;
  const isJudged = [conforms, exitStatus['does-not-conform'], drift, incomplete].some((each) => each === status);
  const file = findLastCertificate(target.inputs.settings.out);
  return file === undefined || !isJudged ? [] : [{ target, file, certificate: readCertificate(file) }];
}

/** Compares the answers of a target with those of the model. @returns the exit status */
function compareAnswers(
  model: NamedTarget,
  other: NamedTarget,
  judged: readonly JudgedRun[],
  accept: readonly AcceptedDifference[],
): number {
  const runs = [model, other].map((target) => judged.find((each) => each.target === target));
  const [one, two] = runs;
  if (one === undefined || two === undefined) {
    const missing = one === undefined ? model : other;
    const text = `${other.name} was not compared with ${model.name}: ${missing.name} left no certificate.`;
    process.stdout.write(joinLines(['', text]));
    return exitStatus.incomplete;
  }
  const names = [model.name, other.name] as const;
  const comparison = compareRuns(readAnsweredRun(one), readAnsweredRun(two));
  const folder = path.dirname(two.file);
  const differences = judgeDifferences(comparison.differences, accept, getToday());
  const report = { comparison, names, ...differences };
  const files = { 'differences.md': renderMigrationMarkdown(report), 'differences.html': renderMigrationPage(report) };
  writeFilesTogether(folder, () =>
    Object.entries(files).map(([name, content]) => ({ file: path.join(folder, name), text: encodeContent(content) })),
  );
  const sentence = renderMigrationSentence(report);
  const named = Object.keys(files).map((name) => path.join(folder, name));
  process.stdout.write(joinLines(['', sentence, ...differences.outdated, `Comparison  ${named.join(', ')}`]));
  const status = statusOfComparison[judgeComparison({ ...comparison, differences: differences.counted })];
  // An entry that is out of date must not stay.
  return status === exitStatus.conforms && differences.outdated.length > 0 ? exitStatus.drift : status;
}

const statusOfComparison = {
  same: exitStatus.conforms,
  different: exitStatus['does-not-conform'],
  undetermined: exitStatus.incomplete,
} as const;

function readAnsweredRun({ target: { name, inputs }, file, certificate }: JudgedRun): AnsweredRun {
  const { tierPatterns, mentionFilter } = inputs.settings.target;
  const { evidence, origin } = readRecordedRun(path.join(path.dirname(file), certificate.evidence?.file ?? ''));
  const stated = omitUndefined({ tierPatterns, mentionFilter });
  return { name, baseUrl: origin.baseUrl, suite: inputs.suite, evidence, ...stated };
}

/** From the worst to the best. */
const severity = [
  exitStatus.internalError,
  exitStatus.unusableInput,
  exitStatus['does-not-conform'],
  exitStatus.drift,
  exitStatus.incomplete,
] as const;

/** @param statuses null for a process that a signal ended */
function findWorst(statuses: readonly (number | null)[]): number {
  const all = statuses.map((status) => status ?? exitStatus.unusableInput);
  return severity.find((each) => all.includes(each)) ?? Math.max(...all);
}
