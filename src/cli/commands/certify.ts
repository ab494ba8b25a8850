import { spawn } from 'node:child_process';
import path from 'node:path';
import { selectFromSuite } from '../../cases/case-selection.js';
import { describeData } from '../../cases/data-suite.js';
import { quickNotice, referenceNotice } from '../../certificate/notices.js';
import { checkResultsFolder, findRunFile } from '../../outputs/result-files.js';
import { addColors } from '../../outputs/terminal/run-report.js';
import { type CertifyRun, loadProject, shareRuns } from '../../runner/options.js';
import { omitUndefined } from '../../support/collections.js';
import { refuse } from '../../support/problem.js';
import { joinLines } from '../../support/untrusted-text.js';
import { type Ending, endings } from '../../target/reported-run.js';
import { completeRunOptions } from '../../target/run-options.js';
import type { RunInputs } from '../../target/settings.js';
import { createFolderName, loadKnown } from '../../target/settings.js';
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
  refuseSeveralTargets(flags);
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
    const { replayFile } = await import('../../target/replay.js');
    const options = completeRunOptions({
      ...readCertifyOptions(flags),
      ...omitUndefined({ target: flags.target?.[0] }),
    });
    const tell = () => process.stdout.write(joinLines([`Judges the exchanges of ${replay} again. Nothing is sent.`]));
    const published = await replayFile(findRunFile(replay, 'evidence.har'), options, tell);
    process.stdout.write(addColors(published.report));
    return end([{ ...published, isUnusable: false }], exitStatus.conforms);
  }
  const runs = listRuns(flags);
  const config = flags.dryRun ? undefined : findOwnConfig();
  const isOfConfig = config !== undefined && runs.every(({ project }) => project === undefined);
  // The projects of a config are read by Playwright.
  const projects = isOfConfig ? [] : runs.map(({ project: _, ...conformance }) => loadProject({ conformance }));
  for (const { settings, suite } of projects) await loadKnown(settings, suite.world);
  if (flags.dryRun) {
    for (const inputs of projects) process.stdout.write(await renderDryRun(inputs));
    return exitStatus.conforms;
  }
  const isList = playwrightArgs.includes('--list');
  for (const { settings } of isList ? [] : projects) checkResultsFolder(settings.destination.out);
  shareRuns(runs);
  const selected = runs.flatMap(({ project }) => (project === undefined || config === undefined ? [] : [project]));
  const [first] = projects;
  const args = [
    ...selected.flatMap((name) => ['--project', name]),
    // Two runs must not empty one folder.
    ...(first === undefined ? [] : ['--output', path.join(first.settings.destination.out, 'playwright')]),
    ...playwrightArgs,
  ];
  return await runPlaywrightTests(args, config, (code) => (isList ? code : end(endings, code)));
}

function refuseSeveralTargets({ target = [], baseUrl, replay, to }: CertifyFlags): void {
  const single = Object.entries({ '--base-url': baseUrl, '--replay': replay, '--to': to });
  const [flag] = single.find(([, value]) => typeof value === 'string') ?? [];
  if (target.length > 1 && flag !== undefined)
    throw refuse(flag, 'works with a single target only', 'Name one target.');
}

/** Lists the runs that the flags ask for, each with a project if it names its deployment. @throws UnusableInput */
function listRuns(flags: CertifyFlags): [CertifyRun, ...CertifyRun[]] {
  const { target: files = [], baseUrl, reference, out } = flags;
  const shared = readCertifyOptions(flags);
  const [first, ...others] = files;
  if (first === undefined || others.length === 0) {
    const isNamed = first !== undefined || baseUrl !== undefined || reference !== undefined;
    const run: CertifyRun = { ...shared, ...omitUndefined({ target: first }) };
    return [isNamed ? { ...run, project: loadProject({ conformance: run }).settings.target.name } : run];
  }
  const runs = new Map<string, CertifyRun>();
  for (const target of files) {
    const { name } = loadProject({ conformance: { ...shared, target } }).settings.target;
    const folder = createFolderName(name);
    const twin = runs.get(folder)?.target;
    if (twin !== undefined)
      throw refuse(target, `has the same name as ${twin}, so both would write to ${folder}`, 'Rename one of them.');
    runs.set(folder, { ...shared, target, project: name, ...(out && { out: path.join(out, folder) }) });
  }
  return [...runs.values()] as [CertifyRun, ...CertifyRun[]];
}

const openCommands: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'open', win32: 'explorer.exe' };

/** Opens the page of a run, and does not wait for it. Does nothing where there is no browser. */
function openPage(folder: string): void {
  const command = openCommands[process.platform] ?? 'xdg-open';
  spawn(command, [path.resolve(folder, 'certificate.html')], { detached: true, stdio: 'ignore' })
    .on('error', () => undefined)
    .unref();
}

async function renderDryRun({ suite, settings, connection: { endpoint } }: RunInputs): Promise<string> {
  const { createPlan, renderPlan } = await import('../../run/plan.js');
  const { quick, notes, target } = settings;
  const selected = selectFromSuite(suite, settings);
  return [
    joinLines([
      ...(endpoint === undefined ? [] : [`Target ${target.name}: ${endpoint.baseUrl}`]),
      ...(quick === undefined ? [] : [quickNotice]),
      ...(suite.data === undefined ? [] : describeData(suite.data)),
      ...notes,
    ]),
    renderPlan(createPlan(selected, settings), suite.world),
    joinLines(target.kind === 'reference' ? [referenceNotice] : []),
  ].join('');
}
