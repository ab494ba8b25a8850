import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { selectFromSuite } from '../cases/case-selection.js';
import { createPlan, renderPlan } from '../engine/plan.js';
import { beginRun, type Ending, loadRunInputs, type RunInputs, readEnding, shareRun } from '../playwright/run-state.js';
import { renderProfileNotice } from '../report/notices.js';
import { renderPlannedRequests } from '../report/planned-requests.js';
import { readCertificate } from '../report/read-certificate.js';
import { referenceEndNotice } from '../report/notices.js';
import type { RequestFormat } from '../report/request-formats.js';
import { checkOutFolder, findCertificates } from '../report/result-files.js';
import { createSigner } from '../report/signature.js';
import { listUnpassedCases } from '../report/unpassed-cases.js';
import { UnusableInput } from '../support/problem.js';
import { joinLines } from '../support/untrusted-text.js';
import { runVariables } from '../targets/environment.js';
import { loadTarget } from '../targets/target.js';
import { type CertifyFlags, hasSeveralTargets } from './certify-flags.js';
import { determineExitStatus, determineShardExitStatus, exitStatus } from './exit-status.js';
import { readTargetVariables, setVariables } from './flags.js';
import { addCertificateReporter, runPlaywright } from './run-playwright.js';
import { keepShardReport, renderShardEnd } from './shard-report.js';

/**
 * Checks everything that can be checked without sending, then runs Playwright, which says how the run ended.
 *
 * @param all arguments without a flag
 * @param behind how many of them stand behind `--`: those are for Playwright
 * @returns the exit status
 */
export async function runCertify(all: readonly string[], behind: number, flags: CertifyFlags): Promise<number> {
  beginRun();
  const args = all.slice(all.length - behind);
  setVariables({
    ...readTargetVariables(
      hasSeveralTargets(flags) ? { ...flags, target: [] } : flags,
      all.slice(0, all.length - behind),
    ),
    [runVariables.cases]: flags.cases,
    [runVariables.out]: flags.out,
    [runVariables.against]: flags.update ? olderRecord(flags) : flags.against,
    [runVariables.recordTo]: flags.to,
    [runVariables.noIntrusive]: flags.intrusive ? undefined : '1',
    [runVariables.worldLoaded]: flags.worldLoaded ? '1' : undefined,
    [runVariables.only]: flags.only?.join(','),
    [runVariables.budget]: flags.quick ? 'quick' : flags.budget?.toString(),
    [runVariables.replay]: flags.replay,
    [runVariables.sign]: flags.sign,
    [runVariables.shard]: flags.shard,
    [runVariables.explore]: flags.explore?.toString(),
    // Without a seed another one each time; the result names it.
    [runVariables.seed]: (flags.seed ?? 1 + Math.floor(Math.random() * 1_000_000)).toString(),
  });
  if (hasSeveralTargets(flags)) return await (await import('./certify-several.js')).certifySeveral(args, flags);
  if (flags.failed) {
    const unpassed = unpassedLastTime();
    if (unpassed.length === 0) {
      process.stdout.write(joinLines(['Nothing is left that did not pass when it was last run.']));
      return exitStatus.conforms;
    }
    setVariables({ [runVariables.only]: unpassed.join(',') });
  }
  const { suite: whole, settings } = loadRunInputs();
  const suite = selectFromSuite(whole, settings);
  if (flags.dryRun) {
    process.stdout.write(dryRun({ suite, settings }, flags.format));
    return exitStatus.conforms;
  }
  if (flags.format !== undefined) {
    const hint = 'Add --dry-run, which prints what would be sent.';
    throw new UnusableInput([{ at: { setting: '--format' }, message: 'is about a dry run alone', hint }]);
  }
  // Lists tests and judges nothing, so that there is nothing to certify.
  if (args.includes('--list')) return await runPlaywright(['--reporter=list', ...args], (code) => code);
  const { out, recordTo } = settings;
  if (recordTo !== undefined) makeFolder(path.dirname(recordTo), '--to');
  checkOutFolder(out);
  const key = process.env[runVariables.sign];
  // One that cannot be used is found before anything is sent.
  if (key) createSigner(key);

  if (flags.watch) return await watched(flags.bail === true);

  const ofShard = settings.shard === undefined ? [] : keepShardReport(settings.shard, out, args);
  const unshare = shareRun();
  return await runPlaywright([...(flags.bail ? ['-x'] : []), ...addCertificateReporter(args), ...ofShard], (code) => {
    const ending = readEnding();
    unshare();
    if (ending === undefined) return reportMissingCertificate(code);
    if (ending.kind === 'not-begun') process.stderr.write('No case was run, so the results of earlier runs stay.\n');
    if (ending.kind === 'certified' && ending.shard !== undefined)
      process.stdout.write(joinLines(['', renderShardEnd(ending.shard, ofShard.length > 0 ? out : undefined)]));
    // What was shown is accepted: the record that the run wrote has it.
    const isAccepted = flags.update && ending.kind === 'certified' && ending.isRecorded;
    return mapEndingToExitStatus(isAccepted ? { ...ending, drift: [] } : ending);
  });
}

/** The record that is to be updated. @throws UnusableInput where it is not there, or another is to be compared with */
function olderRecord({ to = '', against }: CertifyFlags): string {
  const at = { setting: '--update' };
  if (against !== undefined) {
    const hint = 'Leave out --against: what differs from the record that is there is shown.';
    throw new UnusableInput([{ at, message: 'compares with --to', hint }]);
  }
  if (existsSync(to)) return to;
  throw new UnusableInput([{ at, message: `there is no ${to} to update`, hint: 'Leave out --update the first time.' }]);
}

/** The cases that did not pass when they were last run, as the certificates of the target say. */
function unpassedLastTime(): string[] {
  const { suite, settings } = loadRunInputs();
  const files = findCertificates(settings.out);
  if (files.length === 0) {
    const message = `there is no certificate in ${settings.out} yet`;
    const hint = 'Run it once without --failed, or name the folder of the results with --out.';
    throw new UnusableInput([{ at: { setting: '--failed' }, message, hint }]);
  }
  const unpassed = new Set(listUnpassedCases(files.map(readCertificate)));
  return suite.cases.map(({ id }) => id).filter((id) => unpassed.has(id));
}

async function watched(bail: boolean): Promise<number> {
  const ended = new AbortController();
  const end = () => ended.abort();
  for (const signal of endings) process.once(signal, end);
  try {
    const { watchCases } = await import('./watch-cases.js');
    return await watchCases(bail, ended.signal);
  } finally {
    for (const signal of endings) process.off(signal, end);
  }
}

const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** What would be sent, with what the user should know of it: in comments, where a program reads it. */
function dryRun({ suite, settings }: Pick<RunInputs, 'suite' | 'settings'>, format: RequestFormat | undefined): string {
  const plan = createPlan(suite, settings);
  const ends = settings.target.kind === 'reference' ? [referenceEndNotice] : [];
  const notes = [
    ...(settings.profile === undefined ? [] : [renderProfileNotice(settings.profile.figures)]),
    ...settings.notes,
  ];
  if (format === undefined) return joinLines(notes) + renderPlan(plan) + joinLines(ends);
  const { location: place, options } = loadTarget(process.env).connection;
  const baseUrl = place.kind === 'deployment' ? place.baseUrl : '$BASE_URL';
  const comments = (lines: readonly string[]) => joinLines(lines.map((line) => `# ${line}`));
  return comments(notes) + renderPlannedRequests(plan, format, baseUrl, options.extraHeaders) + comments(ends);
}

/** What a run comes to of which nothing is known but how Playwright ended. */
export function reportMissingCertificate(code: number): number {
  process.stderr.write(`Playwright ended with status ${code} and left no certificate.\n`);
  return exitStatus.unusableInput;
}

export function mapEndingToExitStatus(ending: Ending): number {
  switch (ending.kind) {
    case 'certified':
      return ending.shard?.isDone ? determineShardExitStatus(ending) : determineExitStatus(ending);
    case 'not-begun':
    case 'unwritten':
      return exitStatus.unusableInput;
    case 'broken-off':
      return exitStatus.mistake;
  }
}

/** Before anything is sent: at the end of a run it would be too late. @param flag that names another folder */
function makeFolder(folder: string, flag: string): void {
  try {
    mkdirSync(path.resolve(folder), { recursive: true });
    accessSync(folder, constants.W_OK);
  } catch (error) {
    const message = `nothing can be written into ${folder} (${(error as NodeJS.ErrnoException).code})`;
    throw new UnusableInput([{ at: { setting: flag }, message, hint: 'Name another folder.' }]);
  }
}
