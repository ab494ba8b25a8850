import { spawn } from 'node:child_process';
import path from 'node:path';
import { selectFromSuite } from '../../cases/case-selection.js';
import { describeData } from '../../cases/data-suite.js';
import { quickNotice, referenceNotice } from '../../certificate/notices.js';
import { checkResultsFolder, findRunFile } from '../../outputs/result-files.js';
import { addColors } from '../../outputs/terminal/run-report.js';
import { loadProject, share } from '../../runner/options.js';
import { omitUndefined } from '../../support/collections.js';
import { refuse } from '../../support/problem.js';
import { joinLines } from '../../support/untrusted-text.js';
import { type Ending, endings } from '../../target/reported-run.js';
import { createFolderName, type RunInputs } from '../../target/run-inputs.js';
import { completeRunOptions, type RunOptions } from '../../target/run-options.js';
import { loadKnown } from '../../target/target-run.js';
import { determineEndStatus, exitStatus } from '../exit-status.js';
import { addCertifyFlags, type CertifyFlags, type ConfigureCommand, readCertifyOptions } from '../flags.js';
import { findOwnConfig, runPlaywrightTests } from '../run-playwright.js';
import { printComparison } from './compare.js';

export default ((command, end, playwrightArgs) => {
  addCertifyFlags(command)
    .description('run the cases; on the reference deployment if the environment names no deployment')
    .action(async (flags: CertifyFlags) => {
      end(await runCertify(playwrightArgs, flags));
    });
}) satisfies ConfigureCommand;

/** Checks all that can be checked before anything is sent, then runs Playwright. @returns the exit status */
async function runCertify(playwrightArgs: readonly string[], flags: CertifyFlags): Promise<number> {
  const runs = listRuns(flags);
  const [run] = runs;
  const end = (ended: readonly Ending[], code: number): number => {
    const folders = ended.flatMap((ending) => (typeof ending === 'object' ? [ending.folder] : []));
    if (folders.length > 1) printComparison(folders);
    if (flags.open) for (const folder of folders) openPage(folder);
    // The new record contains the drift that was shown.
    const accept = (ending: Ending) =>
      flags.against === undefined && typeof ending === 'object' && ending.isRecorded
        ? { ...ending, certificate: { ...ending.certificate, drift: [] } }
        : ending;
    return determineEndStatus(ended.map(accept), code);
  };
  const { replay } = flags;
  if (replay !== undefined) {
    if (playwrightArgs.length > 0) throw refuse('--replay', 'runs without Playwright', 'Select cases with --only.');
    const { replayFile } = await import('../../target/recorded-run.js');
    process.stdout.write(joinLines([`Judges the exchanges of ${replay}. Nothing is sent.`]));
    const reported = await replayFile(findRunFile(replay, 'evidence.har'), completeRunOptions(run));
    const published = await reported.publish();
    process.stdout.write(addColors(published.report));
    return end([published], exitStatus.conforms);
  }
  // A run that names its deployment is a project of its own.
  const named = runs.map((conformance) => {
    const { target, baseUrl, reference } = conformance;
    const isNamed = target !== undefined || baseUrl !== undefined || reference !== undefined;
    return { ...conformance, ...(isNamed && { project: loadProject({ conformance }).settings.target.name }) };
  });
  const config = flags.dryRun ? undefined : findOwnConfig();
  const isOfConfig = config !== undefined && named.every(({ project }) => project === undefined);
  // The projects of a config are read by Playwright.
  const projects = isOfConfig ? [] : runs.map((conformance) => loadProject({ conformance }));
  for (const { settings, suite } of projects) await loadKnown(settings, suite.world);
  if (flags.dryRun) {
    for (const inputs of projects) process.stdout.write(await renderDryRun(inputs));
    return exitStatus.conforms;
  }
  const isList = playwrightArgs.includes('--list');
  for (const { settings } of isList ? [] : projects) checkResultsFolder(settings.destination.out);
  share('runs', named);
  const selected = config === undefined ? [] : named.flatMap(({ project }) => project ?? []);
  const [first] = projects;
  const args = [
    ...selected.flatMap((name) => ['--project', name]),
    // Two runs must not empty one folder.
    ...(first === undefined ? [] : ['--output', path.join(first.settings.destination.out, 'playwright')]),
    ...playwrightArgs,
  ];
  return await runPlaywrightTests(args, config, (code) => (isList ? code : end(endings, code)));
}

/** Lists the runs that the flags ask for: one for each target. @throws UnusableInput */
function listRuns(flags: CertifyFlags): [RunOptions, ...RunOptions[]] {
  const { target: files = [], out, baseUrl, replay, to } = flags;
  const shared = readCertifyOptions(flags);
  const [target] = files;
  if (files.length <= 1) return [{ ...shared, ...omitUndefined({ target }) }];
  const single = Object.entries({ '--base-url': baseUrl, '--replay': replay, '--to': to });
  const [flag] = single.find(([, value]) => typeof value === 'string') ?? [];
  if (flag !== undefined) throw refuse(flag, 'works with a single target only', 'Name one target.');
  const byFolder = new Map<string, RunOptions>();
  for (const target of files) {
    const folder = createFolderName(loadProject({ conformance: { ...shared, target } }).settings.target.name);
    const twin = byFolder.get(folder)?.target;
    if (twin !== undefined)
      throw refuse(target, `has the same name as ${twin}, so both would write to ${folder}`, 'Rename one of them.');
    byFolder.set(folder, { ...shared, target, ...(out && { out: path.join(out, folder) }) });
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
  const { createPlan, renderPlan } = await import('../../run/plan.js');
  const { quick, notes, target } = settings;
  const selected = selectFromSuite(suite, settings);
  return [
    joinLines([
      ...(target.kind === 'reference' ? [] : [`Target ${target.name}: ${target.baseUrl}`]),
      ...(quick === undefined ? [] : [quickNotice]),
      ...(suite.data === undefined ? [] : describeData(suite.data)),
      ...notes,
    ]),
    renderPlan(createPlan(selected, settings), suite.world),
    joinLines(target.kind === 'reference' ? [referenceNotice] : []),
  ].join('');
}
