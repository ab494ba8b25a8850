import { accessSync, constants, existsSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { selectFromSuite } from '../cases/case-selection.js';
import { adaptPlan, createPlan, type Plan, renderPlan } from '../engine/plan.js';
import { adaptRequest } from '../http/adapted-channel.js';
import type { AdapterFile } from '../http/adapter.js';
import { startAdapter } from '../http/adapter-thread.js';
import type { HttpRequest } from '../http/exchange.js';
import { readEnding } from '../playwright/ending.js';
import { leaveRunFolder } from '../playwright/run-folder.js';
import { loadRunInputs, type RunInputs, shareRun } from '../playwright/run-inputs.js';
import { referenceEndNotice, renderProfileNotice } from '../report/notices.js';
import { renderPlannedRequests } from '../report/planned-requests.js';
import type { RequestFormat } from '../report/request-formats.js';
import { checkOutFolder } from '../report/result-files.js';
import { createSigner } from '../report/signature.js';
import { readUnpassedCases } from '../report/unpassed-cases.js';
import { createFolder } from '../support/create-folder.js';
import { describeFileError } from '../support/describe-file-error.js';
import { UnusableInput } from '../support/problem.js';
import { joinLines } from '../support/untrusted-text.js';
import type { RunOptions } from '../targets/run-options.js';
import { loadTarget } from '../targets/target.js';
import { type CertifyFlags, hasSeveralTargets, readCertifyOptions } from './certify-flags.js';
import { exitStatus, mapEndingToExitStatus, reportMissingCertificate } from './exit-status.js';
import { openPage } from './open-page.js';
import { addCertificateReporter, runPlaywrightTests } from './run-playwright.js';
import { keepShardReport, renderShardSummary } from './shard-report.js';

/**
 * Checks everything that can be checked before anything is sent, then runs Playwright.
 *
 * @param args all arguments without a flag
 * @param countAfterDashes how many of them come after `--`: those are for Playwright
 * @param command of the flags
 * @returns the exit status, unless Playwright ends the process
 */
export async function runCertify(
  args: readonly string[],
  countAfterDashes: number,
  flags: CertifyFlags,
  command: Command,
): Promise<number> {
  leaveRunFolder();
  const count = args.length - countAfterDashes;
  const playwrightArgs = args.slice(count);
  let options = readCertifyOptions(flags, args.slice(0, count));
  if (flags.update) options = { ...options, against: findOlderRecord(flags) };
  if (hasSeveralTargets(flags)) {
    const { certifySeveral } = await import('./certify-several.js');
    return await certifySeveral(options, playwrightArgs, flags, command);
  }
  if (flags.failed) {
    const only = listUnpassed(options);
    if (only.length === 0) {
      process.stdout.write('All cases passed in their last run, so nothing is left to run.\n');
      return exitStatus.conforms;
    }
    options = { ...options, only };
  }
  const { suite, settings } = loadRunInputs(options);
  if (flags.dryRun) {
    process.stdout.write(
      await renderDryRun(options, { suite: selectFromSuite(suite, settings), settings }, flags.format),
    );
    return exitStatus.conforms;
  }
  if (flags.format !== undefined) {
    const hint = 'Add --dry-run, which prints the requests.';
    throw new UnusableInput([{ at: { setting: '--format' }, message: 'needs --dry-run', hint }]);
  }
  if (playwrightArgs.includes('--list')) {
    const unshare = shareRun(options);
    return await runPlaywrightTests(['--reporter=list', ...playwrightArgs], (code) => {
      unshare();
      return code;
    });
  }
  const { out, recordTo, shard } = settings;
  if (recordTo !== undefined) checkRecordFolder(path.dirname(recordTo));
  checkOutFolder(out);
  if (options.sign !== undefined) createSigner(options.sign);
  if (flags.watch) {
    const { watchCases } = await import('./watch-cases.js');
    return await watchCases(options, flags.bail === true);
  }

  const shardArgs = shard === undefined ? [] : keepShardReport(shard, out);
  const unshare = shareRun(options);
  const all = [...(flags.bail ? ['-x'] : []), ...addCertificateReporter(playwrightArgs, flags.verbose), ...shardArgs];
  return await runPlaywrightTests(all, (code) => {
    const ending = readEnding();
    unshare();
    if (ending === undefined) return reportMissingCertificate(code);
    if (ending.kind === 'not-begun') process.stderr.write('No case was run. The results of earlier runs are kept.\n');
    if (ending.kind === 'certified' && flags.open) openPage(ending.page);
    if (ending.kind === 'certified' && ending.shard !== undefined)
      process.stdout.write(joinLines(['', renderShardSummary(ending.shard, out)]));
    // The new record contains the drift that was shown: --update accepts it.
    const isAccepted = flags.update && ending.kind === 'certified' && ending.isRecorded;
    return mapEndingToExitStatus(isAccepted ? { ...ending, drift: [] } : ending);
  });
}

/** @throws UnusableInput if there is no record to update, or `--against` names another one */
function findOlderRecord({ to = '', against }: CertifyFlags): string {
  const at = { setting: '--update' };
  if (against !== undefined) {
    const hint = 'Leave out --against.';
    throw new UnusableInput([{ at, message: 'compares with the record that --to names', hint }]);
  }
  if (existsSync(to)) return to;
  throw new UnusableInput([{ at, message: `there is no record '${to}' yet`, hint: 'Leave out --update.' }]);
}

/** The cases that did not pass in their last run. */
function listUnpassed(options: RunOptions): string[] {
  const { suite, settings } = loadRunInputs(options);
  const unpassed = readUnpassedCases(settings.out);
  if (unpassed === undefined) {
    const message = `there is no result in ${settings.out} yet`;
    const hint = 'Run all cases once without --failed, or name the folder of the results with --out.';
    throw new UnusableInput([{ at: { setting: '--failed' }, message, hint }]);
  }
  return suite.cases.map(({ id }) => id).filter((id) => unpassed.has(id));
}

/** The requests of a run. Notes are comments where a program reads them. */
async function renderDryRun(
  options: RunOptions,
  { suite, settings }: Pick<RunInputs, 'suite' | 'settings'>,
  format: RequestFormat | undefined,
): Promise<string> {
  const { endpoint, options: stated } = loadTarget(options, process.env).connection;
  const plan = await adaptToFile(createPlan(suite, settings), stated.adapter);
  const ends = settings.target.kind === 'reference' ? [referenceEndNotice] : [];
  const { profile } = settings;
  const notes = [...(profile === undefined ? [] : [renderProfileNotice(profile.figures)]), ...settings.notes];
  if (format === undefined) return joinLines(notes) + renderPlan(plan) + joinLines(ends);
  const comments = (lines: readonly string[]) => joinLines(lines.map((line) => `# ${line}`));
  return (
    comments(notes) +
    renderPlannedRequests(plan, format, endpoint?.baseUrl ?? '$BASE_URL', stated.extraHeaders) +
    comments(ends)
  );
}

async function adaptToFile(plan: Plan, file: AdapterFile | undefined): Promise<Plan> {
  if (file === undefined) return plan;
  const adapter = startAdapter(file, (text) => text);
  const adapt = async (request: HttpRequest): Promise<HttpRequest | string> => {
    const adapted = await adaptRequest(adapter, request);
    return 'unsupported' in adapted ? adapted.unsupported : adapted;
  };
  return await adaptPlan(plan, adapt).finally(() => adapter.close());
}

/** Checks the folder before anything is sent: at the end of the run it would be too late. */
function checkRecordFolder(folder: string): void {
  try {
    createFolder(folder);
    accessSync(folder, constants.W_OK);
  } catch (error) {
    const message = describeFileError(error, `cannot write to the folder '${folder}'`);
    throw new UnusableInput([{ at: { setting: '--to' }, message, hint: 'Name another folder.' }]);
  }
}
