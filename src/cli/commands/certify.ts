import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { selectFromSuite } from '../../cases/case-selection.js';
import type { Suite } from '../../cases/suite.js';
import { referenceEndNotice, renderQuickNotice } from '../../certificate/notices.js';
import { adaptRequest } from '../../http/adapted-channel.js';
import type { AdapterFile } from '../../http/adapter.js';
import { startAdapter } from '../../http/adapter-thread.js';
import { checkResultsFolder } from '../../outputs/result-files.js';
import { adaptPlan, createPlan, type Plan, renderPlan } from '../../run/plan.js';
import { getEnding } from '../../runner/ending.js';
import { leaveRunFolder } from '../../runner/run-folder.js';
import { loadRunInputs, shareRun } from '../../runner/run-inputs.js';
import { refuse } from '../../support/problem.js';
import { joinLines } from '../../support/untrusted-text.js';
import type { RunOptions } from '../../target/run-options.js';
import type { RunSettings } from '../../target/settings.js';
import { loadTarget } from '../../target/target.js';
import { addCertifyFlags, type CertifyFlags, readCertifyOptions, renderFlags } from '../certify-flags.js';
import type { ConfigureCommand } from '../command.js';
import { determineEndStatus, exitStatus } from '../exit-status.js';
import { refuseArguments } from '../flags.js';
import { addCertificateReporter, runPlaywrightTests } from '../run-playwright.js';

export default ((command, end, playwrightArgs) => {
  addCertifyFlags(command)
    .description('run the cases; on the reference deployment if the environment names no deployment')
    .allowExcessArguments()
    .action(async (flags: CertifyFlags) => {
      refuseArguments(command.args);
      end(await runCertify(playwrightArgs, flags, command));
    });
}) satisfies ConfigureCommand;

/**
 * Checks everything that can be checked before anything is sent, then runs Playwright.
 *
 * @param playwrightArgs arguments for Playwright
 * @param command of the flags
 * @returns the exit status, unless Playwright ends the process
 */
async function runCertify(playwrightArgs: readonly string[], flags: CertifyFlags, command: Command): Promise<number> {
  leaveRunFolder();
  if ((flags.target ?? []).length > 1) {
    const { certifySeveral } = await import('../certify-several.js');
    return await certifySeveral(flags, [...renderFlags(command, ['target', 'out']), '--', ...playwrightArgs]);
  }
  const named = readCertifyOptions(flags);
  const options = flags.update ? { ...named, against: findOlderRecord(flags) } : named;
  const { suite, settings } = loadRunInputs(options);
  if (flags.dryRun) {
    process.stdout.write(await renderDryRun(options, selectFromSuite(suite, settings), settings));
    return exitStatus.conforms;
  }
  if (playwrightArgs.includes('--list')) {
    shareRun(options);
    return await runPlaywrightTests(playwrightArgs, (code) => code);
  }
  const { out, recordTo } = settings;
  checkResultsFolder(out);
  // Before anything is sent: at the end of the run it would be too late.
  if (recordTo !== undefined) {
    mkdirSync(path.dirname(recordTo), { recursive: true });
    accessSync(path.dirname(recordTo), constants.W_OK);
  }
  shareRun(options);
  return await runPlaywrightTests(addCertificateReporter(playwrightArgs), (code) => {
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

/** Lists the requests of a run. */
async function renderDryRun(options: RunOptions, suite: Suite, settings: RunSettings): Promise<string> {
  const { endpoint, options: stated } = loadTarget(options, process.env).connection;
  const plan = await adaptToFile(createPlan(suite, settings), stated.adapter);
  const { quick, notes, target } = settings;
  return [
    joinLines([
      ...(endpoint === undefined ? [] : [`Target ${target.name}: ${endpoint.baseUrl}`]),
      ...(quick === undefined ? [] : [renderQuickNotice(quick.figures)]),
      ...notes,
    ]),
    renderPlan(plan, suite.world),
    joinLines(target.kind === 'reference' ? [referenceEndNotice] : []),
  ].join('');
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
