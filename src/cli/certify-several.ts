/**
 * Certifies several targets. Each runs in a process of its own, at the same time, and shares neither connections nor
 * credentials with the others. Then their results are compared.
 */

import { spawn } from 'node:child_process';
import path from 'node:path';
import type { Command } from 'commander';
import { ignoreClosedOutput, watchForShutdown } from '../playwright/parent-watch.js';
import {
  type AcceptedDifference,
  judgeDifferences,
  readAcceptedDifferences,
} from '../report/compare/accepted-differences.js';
import { type AnsweredRun, compareAnsweredRuns, judgeComparison } from '../report/compare/compare-runs.js';
import {
  renderMigrationMarkdown,
  renderMigrationPage,
  renderMigrationSentence,
} from '../report/compare/migration-report.js';
import { encodeContent } from '../report/output.js';
import { findLastCertificate, findRunFile } from '../report/result-files.js';
import { writeFilesTogether } from '../report/write-files-together.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { packageRoot } from '../support/package-root.js';
import { refuse } from '../support/problem.js';
import { suggest } from '../support/suggest.js';
import { getToday } from '../support/today.js';
import { joinLines } from '../support/untrusted-text.js';
import { loadInputs, type RunInputs, readRecordedRun } from '../targets/recorded-run.js';
import type { Environment, RunOptions } from '../targets/run-options.js';
import { createFolderName } from '../targets/settings.js';
import { parseVariableReference } from '../targets/stated-options.js';
import { readTargetFile, type TargetDocument } from '../targets/target-file.js';
import { type CertifyFlags, renderFlags } from './certify-flags.js';
import { printComparison } from './commands/compare.js';
import { exitStatus } from './exit-status.js';

/**
 * Runs the cases on several targets and compares the results.
 *
 * @param options for each of them
 * @param args for Playwright
 * @returns the worst exit status
 * @throws UnusableInput before anything is sent
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
  const statuses = await runAll(targets, [...childFlags, '--', ...args]);
  if (flags.dryRun || args.includes('--list')) return findWorst(statuses);
  const runs = targets.map(
    (target, n): TargetRun => ({ ...target, certificate: findCertificate(target, statuses[n]) }),
  );
  const modelRun = runs.find(({ name }) => name === model?.name);
  const others = runs.filter((run) => run !== modelRun);
  // The first one is the one to compare with.
  const certificates = [modelRun, ...others].flatMap((run) => run?.certificate ?? []);
  if (certificates.length > 1) printComparison(certificates, {});
  if (modelRun === undefined) return findWorst(statuses);
  return findWorst([...statuses, ...others.map((run) => compareAnswers(modelRun, run, accept))]);
}

interface NamedTarget {
  readonly file: string;
  readonly name: string;
  readonly environment: Environment;
  readonly inputs: RunInputs;
}

function refuseOtherFlags(flags: CertifyFlags, { baseUrl, onOtherBaseUrl }: RunOptions): void {
  const single = ['reference', 'against', 'to', 'failed', 'watch', 'replay'].find((name) => name in flags);
  if (single !== undefined)
    throw refuse(`--${single}`, 'works with a single target only', 'Run it for each target by itself.');
  if (baseUrl && onOtherBaseUrl !== 'use-target-file') {
    const hint = 'Leave it out, and put a base_url into each target file.';
    throw refuse('BASE_URL, or --base-url', 'would replace the base_url of every target file', hint);
  }
  if ((flags.target ?? []).length < 2)
    throw refuse('--same-as', 'compares several targets', 'Name each of them with --target.');
  if (flags.accept !== undefined && flags.sameAs === undefined)
    throw refuse('--accept', 'needs --same-as', 'Name the target to compare with: --same-as NAME.');
}

function loadTargets(files: readonly string[], options: RunOptions): NamedTarget[] {
  // An address for all would be that of a target file without one, too.
  const { baseUrl: _, ...others } = options;
  const byFolder = new Map<string, NamedTarget>();
  for (const file of files) {
    const { document } = readTargetFile({ target: file }) ?? {};
    const environment = createEnvironment(document);
    const out = path.join(options.out ?? 'results', createFolderName(document?.name ?? ''));
    const same = byFolder.get(out);
    if (same !== undefined) {
      const message = `has the same name as ${same.file}, so both would write their results to ${out}`;
      throw refuse(file, message, 'Give one of them another name.');
    }
    const inputs = loadInputs({ ...others, target: file, out }, environment);
    byFolder.set(out, { file, name: inputs.settings.target.name, environment, inputs });
  }
  return [...byFolder.values()];
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
  throw refuse('--same-as', `'${wanted}' is none of the targets`, suggest(wanted, names));
}

/** Runs all targets at the same time. Prints the output of the first as it comes, then that of each other. */
async function runAll(targets: readonly NamedTarget[], args: readonly string[]): Promise<(number | null)[]> {
  const script = path.join(packageRoot, 'dist', 'src', 'cli', 'conformance.js');
  // Ctrl-C reaches every process by itself, and each still writes its certificate.
  process.on('SIGINT', () => undefined);
  ignoreClosedOutput();
  const runs = targets.map(({ file, name, environment, inputs }, n) => {
    const output = n === 0 ? 'inherit' : 'pipe';
    const child = spawn(
      process.execPath,
      [script, 'certify', '--target', file, '--out', inputs.settings.out, ...args],
      { stdio: ['ignore', output, output], env: environment },
    );
    const chunks: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
    const end = new Promise<number | null>((resolve, reject) => child.on('close', resolve).on('error', reject));
    return { name, child, chunks, end };
  });
  const endWatch = watchForShutdown(() => {
    for (const { child } of runs) child.kill('SIGTERM');
  });
  const statuses: (number | null)[] = [];
  for (const { name, chunks, end } of runs) {
    process.stdout.write(joinLines([`Target ${name}`]));
    statuses.push(await end);
    process.stdout.write(Buffer.concat([...chunks, Buffer.from('\n')]));
  }
  endWatch();
  return statuses;
}

interface TargetRun extends NamedTarget {
  /** The file; undefined if the run left none. */
  readonly certificate: string | undefined;
}

/** Without a verdict, the certificate in the folder is that of an earlier run. */
function findCertificate({ inputs }: NamedTarget, status: number | null | undefined): string | undefined {
  const isJudged = status != null && status !== exitStatus.unusableInput && status !== exitStatus.internalError;
  return isJudged ? findLastCertificate(inputs.settings.out) : undefined;
}

/** Compares the answers of a target with those of the model. @returns the exit status */
function compareAnswers(model: TargetRun, other: TargetRun, accept: readonly AcceptedDifference[]): number {
  const names = [model.name, other.name] as const;
  if (model.certificate === undefined || other.certificate === undefined) {
    const missing = model.certificate === undefined ? model : other;
    const message = `${other.name} was not compared with ${model.name}: ${missing.name} left no certificate.`;
    process.stdout.write(joinLines(['', message]));
    return exitStatus.incomplete;
  }
  const folder = path.dirname(other.certificate);
  const comparison = compareAnsweredRuns(
    readAnsweredRun(model, path.dirname(model.certificate)),
    readAnsweredRun(other, folder),
  );
  const differences = judgeDifferences(comparison.differences, accept, getToday());
  const report = { comparison, names, ...differences };
  const files = [
    { file: path.join(folder, 'differences.md'), text: encodeContent(renderMigrationMarkdown(report)) },
    { file: path.join(folder, 'differences.html'), text: encodeContent(renderMigrationPage(report)) },
  ];
  writeFilesTogether(folder, () => files);
  const named = files.map(({ file }) => file).join(', ');
  const lines = ['', renderMigrationSentence(report), ...differences.outdated, `Comparison  ${named}`];
  process.stdout.write(joinLines(lines));
  const status = statusOfComparison[judgeComparison({ ...comparison, differences: differences.counted })];
  // An entry that is out of date must not stay.
  return status === exitStatus.conforms && differences.outdated.length > 0 ? exitStatus.drift : status;
}

const statusOfComparison = {
  same: exitStatus.conforms,
  different: exitStatus['does-not-conform'],
  undetermined: exitStatus.incomplete,
} as const;

function readAnsweredRun({ name, inputs }: NamedTarget, folder: string): AnsweredRun {
  const { tierPatterns, mentionFilter } = inputs.settings.target;
  const { evidence, origin } = readRecordedRun(findRunFile(folder, 'evidence.har', 'evidence.har.gz'));
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
];

/** @param statuses null for a process that a signal ended */
function findWorst(statuses: readonly (number | null)[]): number {
  const all = statuses.map((status) => status ?? exitStatus.unusableInput);
  return severity.find((each) => all.includes(each)) ?? Math.max(...all);
}
