import { spawn } from 'node:child_process';
import path from 'node:path';
import { describeDataCoverage, quickNotice } from '../../certificate/notices.js';
import { replayEvidenceFile } from '../../certify/recorded-run.js';
import { type RunEnding, runEndings } from '../../certify/reported-run.js';
import { loadKnownCauses } from '../../certify/target-run.js';
import { listSecrets } from '../../config/connection.js';
import { type LiveRunInputs, type RunInputs, sanitizeFolderName } from '../../config/run-inputs.js';
import { completeRunOptions, type RunOptions } from '../../config/run-options.js';
import { checkTransport } from '../../http/transport-module.js';
import {
  claimPlaywrightFolder,
  claimResultsFolder,
  multiProjectPlaywrightFolder,
  playwrightFolder,
} from '../../outputs/claimed-folder.js';
import { findRunFile } from '../../outputs/result-files.js';
import { renderPlan } from '../../outputs/terminal/plan.js';
import { addColors } from '../../outputs/terminal/run-report.js';
import { createRunPlan } from '../../run/plan.js';
import { loadProjectInputs, shareWithChildProcesses } from '../../runner/options.js';
import { selectFromSuite } from '../../suite/case-selection.js';
import { createInputError } from '../../support/problem.js';
import { joinAndEscapeLines } from '../../support/untrusted-text.js';
import { determineExitStatusOfRuns, exitStatus } from '../exit-status.js';
import { addCertifyFlags, type CertifyFlags, type ConfigureCommand } from '../flags.js';
import { findUserPlaywrightConfig, runPlaywrightTests } from '../run-playwright.js';
import { printCertificateDifferences } from './compare.js';

export default ((command, end, playwrightArgs) => {
  addCertifyFlags(command)
    .description('run the cases; on the reference deployment if the environment names no deployment')
    .action(async (flags: CertifyFlags) => {
      end(await runCertify(playwrightArgs, flags));
    });
}) satisfies ConfigureCommand;

/** Judges a recorded run, shows the plan of a run, or sends. @returns the exit status */
async function runCertify(playwrightArgs: readonly string[], flags: CertifyFlags): Promise<number> {
  const runs = listRuns(flags);
  if (flags.replay !== undefined) return await replayRun(flags.replay, runs[0], playwrightArgs, flags);
  if (flags.dryRun) return await showPlans(await loadProjects(runs));
  return await sendRuns(runs, playwrightArgs, flags);
}

async function replayRun(
  folderOrFile: string,
  run: RunOptions,
  playwrightArgs: readonly string[],
  flags: CertifyFlags,
): Promise<number> {
  if (playwrightArgs.length > 0)
    throw createInputError('--replay', 'runs without Playwright', 'Select cases with --only.');
  process.stdout.write(joinAndEscapeLines([`Judges the exchanges of ${folderOrFile}. Nothing is sent.`]));
  const reported = await replayEvidenceFile(findRunFile(folderOrFile, 'evidence.har'), completeRunOptions(run));
  const published = await reported.publish();
  process.stdout.write(addColors(published.report));
  return endRuns([published], exitStatus.conforms, flags);
}

/** Loads the inputs of each run, so that every problem of a file is said before anything is sent. */
async function loadProjects(runs: readonly RunOptions[]): Promise<LiveRunInputs[]> {
  const projects = runs.map((conformance) => loadProjectInputs({ conformance }));
  for (const { settings, suite } of projects) await loadKnownCauses(settings, suite.world);
  for (const { connection } of projects)
    if (connection.transport !== undefined) await checkTransport(connection.transport, listSecrets(connection));
  return projects;
}

async function showPlans(projects: readonly RunInputs[]): Promise<number> {
  for (const inputs of projects) process.stdout.write(await renderDryRun(inputs));
  return exitStatus.conforms;
}

/** Checks all that can be checked before anything is sent, then runs Playwright. */
async function sendRuns(
  runs: readonly [RunOptions, ...RunOptions[]],
  playwrightArgs: readonly string[],
  flags: CertifyFlags,
): Promise<number> {
  const config = findUserPlaywrightConfig();
  // A run that names its deployment is a project of its own. Otherwise Playwright reads the projects of a config.
  const isNamed = [runs[0].target, runs[0].baseUrl, runs[0].reference].some((stated) => stated !== undefined);
  const projects = config === undefined || isNamed ? await loadProjects(runs) : [];
  const folders = projects.map(({ settings }) => settings.destination.out);
  const outputFolder = choosePlaywrightFolder(folders);
  const isList = playwrightArgs.includes('--list');
  if (!isList) claimFolders(folders);
  const names = isNamed ? projects.map(({ settings }) => settings.target.name) : [];
  shareWithChildProcesses(
    'runs',
    runs.map((options, n) => ({ ...options, project: names[n] })),
  );
  const args = [
    ...(config === undefined ? [] : names.flatMap((name) => ['--project', name])),
    // Playwright empties its output folder, so two runs must not share one.
    ...['--output', path.join(outputFolder, 'test-results')],
    ...playwrightArgs,
  ];
  // By default, these reporters of Playwright empty folders of the user's project.
  process.env.PLAYWRIGHT_HTML_OUTPUT_DIR ??= path.join(outputFolder, 'html-report');
  process.env.PLAYWRIGHT_BLOB_OUTPUT_DIR ??= path.join(outputFolder, 'blob-report');
  return await runPlaywrightTests(args, config, (code) => (isList ? code : endRuns(runEndings, code, flags)));
}

/** Returns the folder for what Playwright writes. Projects of a config share one, since their results are not known here. */
function choosePlaywrightFolder([first]: readonly string[]): string {
  return first === undefined ? multiProjectPlaywrightFolder : path.join(first, playwrightFolder);
}

/** Makes sure that the run replaces no files of the user. @throws UnusableInput */
function claimFolders(folders: readonly string[]): void {
  for (const folder of folders) claimResultsFolder(folder);
  if (folders.length === 0) claimPlaywrightFolder(choosePlaywrightFolder(folders));
}

/**
 * Compares and shows the results of all runs.
 *
 * @param code the exit status of Playwright
 * @returns the exit status of the command
 */
function endRuns(ended: readonly RunEnding[], code: number, flags: CertifyFlags): number {
  const folders = ended.flatMap((ending) => (typeof ending === 'object' ? [ending.folder] : []));
  if (folders.length > 1) printCertificateDifferences(folders);
  if (flags.open) for (const folder of folders) openPage(folder);
  // The new record contains the drift that was shown.
  const accept = (ending: RunEnding) =>
    flags.against === undefined && typeof ending === 'object' && ending.isRecorded
      ? { ...ending, certificate: { ...ending.certificate, drift: [] } }
      : ending;
  return determineExitStatusOfRuns(ended.map(accept), code);
}

/** Lists the runs that the flags ask for: one for each target. @throws UnusableInput */
function listRuns(flags: CertifyFlags): [RunOptions, ...RunOptions[]] {
  const { target: files = [], dryRun: _, open: __, to: recordTo, ...options } = flags;
  const { out, baseUrl } = options;
  const shared = { ...options, recordTo };
  const [target] = files;
  if (files.length <= 1) return [{ ...shared, target }];
  const single = Object.entries({ '--base-url': baseUrl, '--to': recordTo });
  const [flag] = single.find(([, value]) => typeof value === 'string') ?? [];
  if (flag !== undefined) throw createInputError(flag, 'works with a single target only', 'Name one target.');
  const byFolder = new Map<string, RunOptions>();
  for (const target of files) {
    const folder = sanitizeFolderName(loadProjectInputs({ conformance: { ...shared, target } }).settings.target.name);
    // Some systems have one folder for both letter cases of a name.
    const key = folder.toLowerCase();
    const twin = byFolder.get(key)?.target;
    if (twin !== undefined)
      throw createInputError(
        target,
        `has the same name as ${twin}, so both would write to ${folder}`,
        'Rename one of them.',
      );
    byFolder.set(key, { ...shared, target, ...(out && { out: path.posix.join(out, folder) }) });
  }
  return [...byFolder.values()] as [RunOptions, ...RunOptions[]];
}

const openCommands: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'open', win32: 'explorer.exe' };

/** Opens the page of a run, and does not wait for it. Does nothing where there is no browser. */
function openPage(folder: string): void {
  const command = openCommands[process.platform] ?? 'xdg-open';
  spawn(command, [path.resolve(folder, 'certificate.html')], { detached: true, stdio: 'ignore' })
    .on('error', () => undefined)
    .unref();
}

async function renderDryRun({ suite, settings }: RunInputs): Promise<string> {
  const { quick, notes, target } = settings;
  const lines = [
    ...(target.kind === 'reference' ? [] : [`Target ${target.name}: ${target.baseUrl}`]),
    ...(quick === undefined ? [] : [quickNotice]),
    ...(suite.data === undefined ? [] : describeDataCoverage(suite.data)),
    ...notes,
  ];
  return joinAndEscapeLines(lines) + renderPlan(createRunPlan(selectFromSuite(suite, settings), settings), suite.world);
}
