import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { selectFromSuite } from '../../cases/case-selection.js';
import type { Suite } from '../../cases/suite.js';
import { adaptPlan, createPlan, type Plan, renderPlan } from '../../engine/plan.js';
import { adaptRequest } from '../../http/adapted-channel.js';
import type { AdapterFile } from '../../http/adapter.js';
import { startAdapter } from '../../http/adapter-thread.js';
import { getEnding } from '../../playwright/ending.js';
import { leaveRunFolder } from '../../playwright/run-folder.js';
import { loadRunInputs, shareRun } from '../../playwright/run-inputs.js';
import { referenceEndNotice, renderProfileNotice } from '../../report/notices.js';
import { type RequestFormat, renderPlannedRequests } from '../../report/planned-requests.js';
import { checkOutFolder } from '../../report/result-files.js';
import { readUnpassedCases } from '../../report/unpassed-cases.js';
import { createFolder } from '../../support/create-folder.js';
import { refuse } from '../../support/problem.js';
import { joinLines } from '../../support/untrusted-text.js';
import type { RunOptions } from '../../targets/run-options.js';
import type { RunSettings } from '../../targets/settings.js';
import { loadTarget } from '../../targets/target.js';
import { addCertifyFlags, type CertifyFlags, readCertifyOptions, renderFlags } from '../certify-flags.js';
import type { ConfigureCommand } from '../command.js';
import { determineEndStatus, exitStatus } from '../exit-status.js';
import { addCertificateReporter, certificateReporterFile, runPlaywrightTests } from '../run-playwright.js';

export default ((command, end, playwrightArgs) => {
  addCertifyFlags(command)
    .description('run the cases; on the reference deployment if the environment names no deployment')
    .action(async (args: string[], flags: CertifyFlags) => end(await runCertify(args, playwrightArgs, flags, command)));
}) satisfies ConfigureCommand;

/**
 * Checks everything that can be checked before anything is sent, then runs Playwright.
 *
 * @param args arguments without a flag
 * @param playwrightArgs arguments for Playwright
 * @param command of the flags
 * @returns the exit status, unless Playwright ends the process
 */
async function runCertify(
  args: readonly string[],
  playwrightArgs: readonly string[],
  flags: CertifyFlags,
  command: Command,
): Promise<number> {
  leaveRunFolder();
  if ((flags.target ?? []).length > 1) {
    const { certifySeveral } = await import('../certify-several.js');
    return await certifySeveral(flags, args, [...renderFlags(command, ['target', 'out']), '--', ...playwrightArgs]);
  }
  let options = readCertifyOptions(flags, args);
  if (flags.update) options = { ...options, against: findOlderRecord(flags) };
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
    process.stdout.write(await renderDryRun(options, selectFromSuite(suite, settings), settings, flags.format));
    return exitStatus.conforms;
  }
  if (flags.format !== undefined)
    throw refuse('--format', 'needs --dry-run', 'Add --dry-run, which prints the requests.');
  if (playwrightArgs.includes('--list')) {
    shareRun(options);
    return await runPlaywrightTests(playwrightArgs, (code) => code);
  }
  const { out, recordTo } = settings;
  checkOutFolder(out);
  // Before anything is sent: at the end of the run it would be too late.
  if (recordTo !== undefined) {
    createFolder(path.dirname(recordTo));
    accessSync(path.dirname(recordTo), constants.W_OK);
  }
  if (flags.watch) {
    const { watchCases } = await import('../watch-cases.js');
    return await watchCases(options, flags.bail === true);
  }

  shareRun(options);
  const ownArgs = [
    ...(flags.bail ? ['-x'] : []),
    ...(flags.verbose ? [`--reporter=${certificateReporterFile},list`] : []),
  ];
  return await runPlaywrightTests([...addCertificateReporter(playwrightArgs), ...ownArgs], (code) => {
    const ending = getEnding();
    if (typeof ending !== 'object') return determineEndStatus(ending, code);
    if (flags.open) openPage(ending.page);
    // The new record contains the drift that was shown: --update accepts it.
    return determineEndStatus(flags.update && ending.isRecorded ? { ...ending, drift: [] } : ending, code);
  });
}

/** @throws UnusableInput if there is no record to update, or `--against` names another one */
function findOlderRecord({ to = '', against }: CertifyFlags): string {
  if (against !== undefined)
    throw refuse('--update', 'compares with the record that --to names', 'Leave out --against.');
  if (!existsSync(to)) throw refuse('--update', `there is no record '${to}' yet`, 'Leave out --update.');
  return to;
}

/** The cases that did not pass in their last run. */
function listUnpassed(options: RunOptions): string[] {
  const { suite, settings } = loadRunInputs(options);
  const unpassed = readUnpassedCases(settings.out);
  if (unpassed !== undefined) return suite.cases.map(({ id }) => id).filter((id) => unpassed.has(id));
  const hint = 'Run all cases once without --failed, or name the folder of the results with --out.';
  throw refuse('--failed', `there is no result in ${settings.out} yet`, hint);
}

/** The requests of a run. Notes are comments where a program reads them. */
async function renderDryRun(
  options: RunOptions,
  suite: Suite,
  settings: RunSettings,
  format: RequestFormat | undefined,
): Promise<string> {
  const { endpoint, options: stated } = loadTarget(options, process.env).connection;
  const plan = await adaptToFile(createPlan(suite, settings), stated.adapter);
  const ends = settings.target.kind === 'reference' ? [referenceEndNotice] : [];
  const { profile } = settings;
  const notes = [...(profile === undefined ? [] : [renderProfileNotice(profile.figures)]), ...settings.notes];
  if (format === undefined) return joinLines(notes) + renderPlan(plan, suite.world) + joinLines(ends);
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
  return await adaptPlan(plan, (request) => adaptRequest(adapter, request)).finally(() => adapter.close());
}

/** The commands that open a file in the browser of the user. */
const openCommands: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'open', win32: 'explorer.exe' };

/** Opens a file in the browser, and does not wait for it. Does nothing where there is none. */
function openPage(file: string): void {
  const command = openCommands[process.platform] ?? 'xdg-open';
  spawn(command, [path.resolve(file)], { detached: true, stdio: 'ignore' })
    .on('error', () => undefined)
    .unref();
}
