/**
 * Several targets in one run: a run of its own for each, side by side in processes of their own, which share neither
 * connections nor credentials; then what they say is compared. What is printed of one target stands together.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { ignoreClosedOutput, watchForShutdown } from '../playwright/parent-watch.js';
import { loadInputsFor, type RunInputs } from '../playwright/run-state.js';
import type { Certificate } from '../report/certificate.js';
import { type AnsweredRun, compareRuns, judgeComparison, renderRunComparison } from '../report/compare/compare-runs.js';
import { readCertificate } from '../report/read-certificate.js';
import { findCertificates } from '../report/result-files.js';
import { writeFilesTogether } from '../report/write-files-together.js';
import { packageRoot } from '../support/package-root.js';
import { type Problem, UnusableInput } from '../support/problem.js';
import { suggest } from '../support/suggest.js';
import { joinLines } from '../support/untrusted-text.js';
import { type Environment, runVariables } from '../targets/environment.js';
import { readRecordedRun } from '../targets/recorded-run.js';
import { createFolderName } from '../targets/settings.js';
import { parseVariableReference } from '../targets/stated-options.js';
import { readTargetFile } from '../targets/target-file.js';
import type { CertifyFlags } from './certify-flags.js';
import { printComparison } from './compare-action.js';
import { exitStatus } from './exit-status.js';

/**
 * Runs the cases on several targets. What the flags say beside the targets is in the environment.
 *
 * @param args for Playwright
 * @returns the worst exit status
 * @throws UnusableInput with all that is wrong with any of the targets, before anything is sent
 */
export async function certifySeveral(args: readonly string[], flags: CertifyFlags): Promise<number> {
  refuseOtherFlags(flags);
  const targets = loadTargets(flags.target ?? []);
  const model = flags.sameAs === undefined ? undefined : targetNamed(flags.sameAs, targets);
  const statuses = await runAll(targets, [...childFlags(flags), ...(args.length === 0 ? [] : ['--', ...args])]);
  // Nothing is judged then, so that there is nothing to compare.
  if (flags.dryRun || args.includes('--list')) return worst(statuses);
  const judged = targets.flatMap((target, n) => certifiedRun(target, statuses[n]));
  if (judged.length > 1) {
    // The first is what the others are compared with.
    const ordered = [
      ...judged.filter(({ target }) => target === model),
      ...judged.filter(({ target }) => target !== model),
    ];
    printComparison(
      ordered.map(({ file }) => file),
      {},
    );
  }
  if (model === undefined) return worst(statuses);
  const compared = targets.filter((target) => target !== model).map((target) => compareAnswers(model, target, judged));
  return worst([...statuses, ...compared]);
}

/** A target of several. */
interface NamedTarget {
  /** As it was named. */
  readonly file: string;
  readonly name: string;
  readonly environment: Environment;
  readonly inputs: RunInputs;
}

function refuseOtherFlags(flags: CertifyFlags): void {
  const problem = (setting: string, message: string, hint: string) => ({ at: { setting }, message, hint });
  const single = {
    '--reference': flags.reference,
    '--against': flags.against,
    '--to': flags.to,
    '--failed': flags.failed,
    '--watch': flags.watch,
    '--replay': flags.replay,
  };
  const stated = Object.entries(single).filter(([, value]) => value !== undefined);
  const problems: Problem[] = stated.map(([flag]) =>
    problem(flag, 'is about a single target', 'Run it for each target by itself.'),
  );
  if (process.env.BASE_URL)
    problems.push(
      problem(
        'BASE_URL, or --base-url',
        'would win over every target file, so that all targets were one deployment',
        'Leave it out; each target file states its base_url.',
      ),
    );
  if ((flags.target ?? []).length < 2)
    problems.push(problem('--same-as', 'compares several targets', 'Name each of them with --target.'));
  if (problems.length > 0) throw new UnusableInput(problems);
}

/** @throws UnusableInput with all that is wrong with any of them */
function loadTargets(files: readonly string[]): NamedTarget[] {
  const problems: Problem[] = [];
  const targets = files.flatMap((file): NamedTarget[] => {
    try {
      const environment = environmentFor(file);
      const inputs = loadInputsFor(environment);
      return [{ file, name: inputs.settings.target.name, environment, inputs }];
    } catch (error) {
      if (!(error instanceof UnusableInput)) throw error;
      problems.push(...error.problems);
      return [];
    }
  });
  for (const [n, { file, inputs }] of targets.entries()) {
    const same = targets.slice(0, n).find((earlier) => earlier.inputs.settings.out === inputs.settings.out);
    if (same === undefined) continue;
    const message = `has the name of ${same.file}, so that the results of both would go to ${inputs.settings.out}`;
    problems.push({ at: { setting: file }, message, hint: 'Give one of them another name.' });
  }
  // What is wrong with the environment is so for each.
  const unique = new Map(problems.map((problem) => [JSON.stringify(problem), problem]));
  if (unique.size > 0) throw new UnusableInput([...unique.values()]);
  return targets;
}

/**
 * What a run on a target goes by: its own folder for the results and, where its file names credentials, those alone. The
 * usual variables would win over them, and so bring the credentials of one target to another.
 */
function environmentFor(file: string): Environment {
  const alone = { ...process.env, TARGET: file, [runVariables.reference]: '' };
  const { document } = readTargetFile(alone) ?? {};
  const isElsewhere = (usual: string, reference: string | undefined) =>
    reference !== undefined && parseVariableReference(reference) !== usual;
  const { application_id, token } = document?.credentials ?? {};
  return {
    ...alone,
    ...(isElsewhere('CLIENT_APPLICATION_ID', application_id) ? { CLIENT_APPLICATION_ID: '' } : {}),
    ...(isElsewhere('CLIENT_TOKEN', token) ? { CLIENT_TOKEN: '' } : {}),
    [runVariables.out]: path.join(process.env[runVariables.out] || 'results', createFolderName(document?.name ?? '')),
  };
}

function targetNamed(wanted: string, targets: readonly NamedTarget[]): NamedTarget {
  const found = targets.find(({ name, file }) => name === wanted || file === wanted);
  if (found !== undefined) return found;
  const hint = suggest(
    wanted,
    targets.map(({ name }) => name),
  );
  throw new UnusableInput([{ at: { setting: '--same-as' }, message: `'${wanted}' is none of the targets`, hint }]);
}

/** What the environment does not hand on. */
function childFlags({ bail, dryRun, format, seed }: CertifyFlags): string[] {
  return [
    ...(bail ? ['--bail'] : []),
    ...(dryRun ? ['--dry-run'] : []),
    ...(format === undefined ? [] : ['--format', format]),
    ...(seed === undefined ? [] : ['--seed', String(seed)]),
  ];
}

/** Runs all targets side by side; the output of the first is shown as it comes, that of the others in their turn. */
async function runAll(targets: readonly NamedTarget[], args: readonly string[]): Promise<(number | null)[]> {
  const script = path.join(packageRoot, 'dist', 'src', 'cli', 'conformance.js');
  const children = targets.map(({ file, environment }) =>
    spawn(process.execPath, [script, 'certify', '--target', file, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: environment,
    }),
  );
  // Ctrl-C reaches all by itself; each then still writes its certificate.
  const wait = () => undefined;
  process.on('SIGINT', wait);
  const endWatch = watchForShutdown(() => {
    for (const child of children) child.kill('SIGTERM');
  });
  ignoreClosedOutput();
  const outputs = children.map(outputOf);
  const ended = children.map(
    (child) => new Promise<number | null>((resolve, reject) => child.on('close', resolve).on('error', reject)),
  );
  const statuses: (number | null)[] = [];
  for (const [n, { name }] of targets.entries()) {
    process.stdout.write(joinLines([...(n === 0 ? [] : ['']), `Target ${name}`]));
    outputs[n]?.show();
    statuses.push((await ended[n]) ?? null);
  }
  process.off('SIGINT', wait);
  endWatch();
  process.stdout.write('\n');
  return statuses;
}

/** Keeps what a process prints until it is to be shown. */
function outputOf({ stdout, stderr }: ChildProcess): { show(): void } {
  const kept: { readonly stream: NodeJS.WriteStream; readonly text: Buffer }[] = [];
  let isShown = false;
  for (const [from, to] of [
    [stdout, process.stdout],
    [stderr, process.stderr],
  ] as const)
    from?.on('data', (text: Buffer) => {
      if (isShown) to.write(text);
      else kept.push({ stream: to, text });
    });
  return {
    show() {
      isShown = true;
      for (const { stream, text } of kept.splice(0)) stream.write(text);
    },
  };
}

/** What a run left behind. */
interface CertifiedRun {
  readonly target: NamedTarget;
  /** Its certificate. */
  readonly file: string;
  readonly certificate: Certificate;
}

function certifiedRun(target: NamedTarget, status: number | null | undefined): CertifiedRun[] {
  const hasEnded = [exitStatus.conforms, exitStatus['does-not-conform'], exitStatus.drift, exitStatus.incomplete];
  const file = findCertificates(target.inputs.settings.out).at(-1);
  if (file === undefined || !hasEnded.some((each) => each === status)) return [];
  return [{ target, file, certificate: readCertificate(file) }];
}

/** Compares a target with the one that it is to be like; returns the exit status. */
function compareAnswers(model: NamedTarget, other: NamedTarget, judged: readonly CertifiedRun[]): number {
  const runs = [model, other].map((target) => judged.find((each) => each.target === target));
  const [one, two] = runs;
  if (one === undefined || two === undefined) {
    const [without] = [model, other].filter((_, n) => runs[n] === undefined);
    process.stdout.write(
      joinLines(['', `${other.name} was not compared with ${model.name}: ${without?.name} left no certificate.`]),
    );
    return exitStatus.incomplete;
  }
  const names = [model.name, other.name] as const;
  const likeness = compareRuns(answeredRun(one), answeredRun(two));
  const folder = path.dirname(two.file);
  const file = path.join(folder, 'differences.md');
  writeFilesTogether(folder, () => [{ file, text: renderRunComparison(likeness, names) }]);
  process.stdout.write(`\n${renderRunComparison(likeness, names, maxShown)}\n`);
  process.stdout.write(joinLines([`Comparison  ${file}`]));
  return statusOfLikeness[judgeComparison(likeness)];
}

/** Of a comparison on the terminal; the file has all of it. */
const maxShown = 3;

const statusOfLikeness = {
  same: exitStatus.conforms,
  different: exitStatus['does-not-conform'],
  undetermined: exitStatus.incomplete,
} as const;

function answeredRun({ target: { name, inputs }, file, certificate }: CertifiedRun): AnsweredRun {
  const { tierPatterns } = inputs.settings.target;
  const { evidence, origin } = readRecordedRun(path.join(path.dirname(file), certificate.evidence?.file ?? ''));
  const stated = tierPatterns === undefined ? {} : { tierPatterns };
  return { name, baseUrl: origin.baseUrl, suite: inputs.suite, evidence, ...stated };
}

/** From the worst: a mistake in the suite, input that cannot be used, a failure, drift, what could not be determined. */
const byWeight = [
  exitStatus.mistake,
  exitStatus.unusableInput,
  exitStatus['does-not-conform'],
  exitStatus.drift,
  exitStatus.incomplete,
] as const;

/** @param statuses null for a process that a signal ended */
function worst(statuses: readonly (number | null)[]): number {
  const all = statuses.map((status) => status ?? exitStatus.unusableInput);
  return byWeight.find((each) => all.includes(each)) ?? Math.max(...all);
}
