import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { selectedSuite } from '../cases/selection.js';
import { planOf, planText } from '../engine/plan.js';
import { beginRun, type Ending, endingOfRun, inputsOfRun, type RunInputs, shareRun } from '../playwright/run-state.js';
import { readCertificate } from '../report/certificate-file.js';
import { plannedRequests } from '../report/planned-requests.js';
import { profileNotice } from '../report/profile-notice.js';
import { referenceEnds } from '../report/reference-notice.js';
import type { RequestFormat } from '../report/request-formats.js';
import { certificatesIn, checkRoom } from '../report/result-files.js';
import { signerWith } from '../report/signature.js';
import { unpassedCases } from '../report/unpassed.js';
import { asLines } from '../support/foreign-text.js';
import { UnusableInput } from '../support/problem.js';
import { variables } from '../targets/environment.js';
import { loadTarget } from '../targets/target.js';
import { areSeveral, type CertifyFlags } from './certify-flags.js';
import { exitStatus, statusOf, statusOfShard } from './exit-status.js';
import { setVariables, targetVariables } from './flags.js';
import { runPlaywright, withReporter } from './run-playwright.js';
import { keepReport, shardEnds } from './sharding.js';

/**
 * Checks everything that can be checked without sending, then runs Playwright, which says how the run ended.
 *
 * @param all arguments without a flag
 * @param behind how many of them stand behind `--`: those are for Playwright
 * @returns the exit status
 */
export async function certify(all: readonly string[], behind: number, flags: CertifyFlags): Promise<number> {
  beginRun();
  const args = all.slice(all.length - behind);
  setVariables({
    ...targetVariables(areSeveral(flags) ? { ...flags, target: [] } : flags, all.slice(0, all.length - behind)),
    [variables.cases]: flags.cases,
    [variables.out]: flags.out,
    [variables.against]: flags.update ? olderRecord(flags) : flags.against,
    [variables.recordTo]: flags.to,
    [variables.noIntrusive]: flags.intrusive ? undefined : '1',
    [variables.worldLoaded]: flags.worldLoaded ? '1' : undefined,
    [variables.only]: flags.only?.join(','),
    [variables.budget]: flags.quick ? 'quick' : flags.budget?.toString(),
    [variables.replay]: flags.replay,
    [variables.sign]: flags.sign,
    [variables.shard]: flags.shard,
    [variables.explore]: flags.explore?.toString(),
    // Without a seed another one each time; the result names it.
    [variables.seed]: (flags.seed ?? 1 + Math.floor(Math.random() * 1_000_000)).toString(),
  });
  if (areSeveral(flags)) return await (await import('./several-targets.js')).certifySeveral(args, flags);
  if (flags.failed) {
    const unpassed = unpassedLastTime();
    if (unpassed.length === 0) {
      process.stdout.write(asLines(['Nothing is left that did not pass when it was last run.']));
      return exitStatus.conforms;
    }
    setVariables({ [variables.only]: unpassed.join(',') });
  }
  const { suite: whole, settings } = inputsOfRun();
  const suite = selectedSuite(whole, settings);
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
  checkRoom(out);
  const key = process.env[variables.sign];
  // One that cannot be used is found before anything is sent.
  if (key) signerWith(key);

  if (flags.watch) return await watched(flags.bail === true);

  const ofShard = settings.shard === undefined ? [] : keepReport(settings.shard, out, args);
  const unshare = shareRun();
  return await runPlaywright([...(flags.bail ? ['-x'] : []), ...withReporter(args), ...ofShard], (code) => {
    const ending = endingOfRun();
    unshare();
    if (ending === undefined) return withoutCertificate(code);
    if (ending.kind === 'not-begun') process.stderr.write('No case was run, so the results of earlier runs stay.\n');
    if (ending.kind === 'certified' && ending.shard !== undefined)
      process.stdout.write(asLines(['', shardEnds(ending.shard, ofShard.length > 0 ? out : undefined)]));
    // What was shown is accepted: the record that the run wrote has it.
    const isAccepted = flags.update && ending.kind === 'certified' && ending.isRecorded;
    return statusOfEnding(isAccepted ? { ...ending, drift: [] } : ending);
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
  const { suite, settings } = inputsOfRun();
  const files = certificatesIn(settings.out);
  if (files.length === 0) {
    const message = `there is no certificate in ${settings.out} yet`;
    const hint = 'Run it once without --failed, or name the folder of the results with --out.';
    throw new UnusableInput([{ at: { setting: '--failed' }, message, hint }]);
  }
  const unpassed = new Set(unpassedCases(files.map(readCertificate)));
  return suite.cases.map(({ id }) => id).filter((id) => unpassed.has(id));
}

async function watched(bail: boolean): Promise<number> {
  const ended = new AbortController();
  const end = () => ended.abort();
  for (const signal of endings) process.once(signal, end);
  try {
    const { watchCases } = await import('./watching.js');
    return await watchCases(bail, ended.signal);
  } finally {
    for (const signal of endings) process.off(signal, end);
  }
}

const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** What would be sent, with what the user should know of it: in comments, where a program reads it. */
function dryRun({ suite, settings }: Pick<RunInputs, 'suite' | 'settings'>, format: RequestFormat | undefined): string {
  const plan = planOf(suite, settings);
  const ends = settings.target.kind === 'reference' ? [referenceEnds] : [];
  const notes = [
    ...(settings.profile === undefined ? [] : [profileNotice(settings.profile.figures)]),
    ...settings.notes,
  ];
  if (format === undefined) return asLines(notes) + planText(plan) + asLines(ends);
  const { place, options } = loadTarget(process.env).connection;
  const baseUrl = place.kind === 'deployment' ? place.baseUrl : '$BASE_URL';
  const comments = (lines: readonly string[]) => asLines(lines.map((line) => `# ${line}`));
  return comments(notes) + plannedRequests(plan, format, baseUrl, options.extraHeaders) + comments(ends);
}

/** What a run comes to of which nothing is known but how Playwright ended. */
export function withoutCertificate(code: number): number {
  process.stderr.write(`Playwright ended with status ${code} and left no certificate.\n`);
  return exitStatus.unusableInput;
}

export function statusOfEnding(ending: Ending): number {
  switch (ending.kind) {
    case 'certified':
      return ending.shard?.isDone ? statusOfShard(ending) : statusOf(ending);
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
