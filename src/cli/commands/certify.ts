import { accessSync, constants, mkdirSync } from 'node:fs';
import path from 'node:path';
import escapeStringRegexp from 'escape-string-regexp';
import { selectCases, selectFromSuite } from '../../cases/case-selection.js';
import { isDataCase } from '../../cases/data-cases.js';
import { describeData } from '../../cases/data-suite.js';
import { isOwnCase } from '../../cases/suite.js';
import { referenceEndNotice, renderQuickNotice } from '../../certificate/notices.js';
import { checkResultsFolder, findRunFile } from '../../outputs/result-files.js';
import { type CertifyRun, loadProject, shareRuns } from '../../runner/options.js';
import { omitUndefined } from '../../support/omit-undefined.js';
import { refuse } from '../../support/problem.js';
import { joinLines } from '../../support/untrusted-text.js';
import { listEndings } from '../../target/ending.js';
import type { RunInputs } from '../../target/recorded-run.js';
import { createFolderName, loadKnown } from '../../target/settings.js';
import type { ConfigureCommand } from '../command.js';
import { determineEndStatus, exitStatus } from '../exit-status.js';
import { addCertifyFlags, type CertifyFlags, readCertifyOptions, refuseArguments } from '../flags.js';
import { openPage } from '../open-page.js';
import { findOwnConfig, runPlaywrightTests } from '../run-playwright.js';
import { printComparison } from './compare.js';

export default ((command, end, playwrightArgs) => {
  addCertifyFlags(command)
    .description('run the cases; on the reference deployment if the environment names no deployment')
    .allowExcessArguments()
    .action(async (flags: CertifyFlags) => {
      refuseArguments(command.args);
      end(await runCertify(playwrightArgs, flags));
    });
}) satisfies ConfigureCommand;

/**
 * Checks everything that can be checked before anything is sent, then runs Playwright.
 *
 * @param playwrightArgs arguments for Playwright
 * @returns the exit status, unless Playwright ends the process
 */
async function runCertify(playwrightArgs: readonly string[], flags: CertifyFlags): Promise<number> {
  refuseSeveralTargets(flags);
  // What other runs do not need is not loaded by them: they would begin later.
  const { certifyTrafficFile } = flags.replay === undefined ? {} : await import('../certify-traffic-file.js');
  const status = await certifyTrafficFile?.(flags);
  if (status !== undefined) return status;
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
  if (flags.replay !== undefined)
    process.stdout.write(joinLines([`Judges the exchanges of ${flags.replay} again. Nothing is sent.`]));
  const isList = playwrightArgs.includes('--list');
  for (const inputs of isList ? [] : projects) checkDestination(inputs);
  shareRuns(runs);
  const selected = runs.flatMap(({ project }) => (project === undefined || config === undefined ? [] : [project]));
  const [first] = projects;
  const args = [
    ...selected.flatMap((name) => ['--project', name]),
    // Two runs must not empty one folder.
    ...(first === undefined ? [] : ['--output', path.join(first.settings.destination.out, 'playwright')]),
    ...(playwrightArgs.length === 0 && !isOfConfig ? listFiles(projects) : playwrightArgs),
  ];
  return await runPlaywrightTests(args, config, (code) => {
    if (isList) return code;
    const endings = listEndings();
    const folders = endings.flatMap((ending) => (typeof ending === 'object' ? [ending.folder] : []));
    if (folders.length > 1) printComparison(folders);
    if (flags.open) for (const folder of folders) openPage(path.join(folder, 'certificate.html'));
    // The new record contains the drift that was shown.
    const accept = (ending: (typeof endings)[number]) =>
      flags.against === undefined && typeof ending === 'object' && ending.isRecorded
        ? { ...ending, drift: [] }
        : ending;
    return determineEndStatus(endings.map(accept), code);
  });
}

/** @throws UnusableInput if a flag that names one file is given with several targets */
function refuseSeveralTargets({ target = [], replay, to }: CertifyFlags): void {
  const [single] =
    Object.entries({ '--replay': replay, '--to': to }).find(([, value]) => typeof value === 'string') ?? [];
  if (target.length > 1 && single !== undefined)
    throw refuse(single, 'works with a single target only', 'Name one target.');
}

/** Lists the runs that the flags ask for, each with a project if it names its deployment. @throws UnusableInput */
function listRuns(flags: CertifyFlags): [CertifyRun, ...CertifyRun[]] {
  const { target: files = [], baseUrl, reference, replay, out } = flags;
  const evidence = omitUndefined({ replay: replay && findRunFile(replay, 'evidence.har') });
  const shared = { ...readCertifyOptions(flags), ...evidence };
  const [first, ...others] = files;
  if (first === undefined || others.length === 0) {
    const isNamed = first !== undefined || baseUrl !== undefined || reference !== undefined || replay !== undefined;
    const run: CertifyRun = { ...shared, ...omitUndefined({ target: first }) };
    return [isNamed ? { ...run, project: loadProject({ conformance: run }).settings.target.name } : run];
  }
  const runs = new Map<string, CertifyRun>();
  for (const target of [first, ...others]) {
    const { name } = loadProject({ conformance: { ...shared, target } }).settings.target;
    const folder = createFolderName(name);
    const twin = runs.get(folder)?.target;
    if (twin !== undefined)
      throw refuse(target, `has the same name as ${twin}, so both would write to ${folder}`, 'Rename one of them.');
    runs.set(folder, {
      ...shared,
      target,
      project: name,
      ...(out === undefined ? {} : { out: path.join(out, folder) }),
    });
  }
  return [...runs.values()] as [CertifyRun, ...CertifyRun[]];
}

/** Patterns of the files of selected cases, so that Playwright loads no other specs. None if all cases are selected. */
function listFiles(projects: readonly RunInputs[]): string[] {
  if (projects.every(({ settings }) => settings.only === undefined)) return [];
  const cases = projects.flatMap(({ suite, settings }) => selectCases(suite, settings));
  const ownSpecs = [...(cases.some(isOwnCase) ? ['own-cases'] : []), ...(cases.some(isDataCase) ? ['own-data'] : [])];
  const files = [...cases.map(({ at }) => path.basename(at.file)), ...ownSpecs, 'repetition'];
  // Playwright looks for a pattern in the path of the spec and in that of the case.
  return [...new Set(files)].map((file) => `[/\\\\-]${escapeStringRegexp(file)}`);
}

/** Before anything is sent: at the end of the run it would be too late. @throws UnusableInput, or a system error */
function checkDestination({ settings: { destination } }: RunInputs): void {
  const { out, recordTo } = destination;
  checkResultsFolder(out);
  if (recordTo === undefined) return;
  mkdirSync(path.dirname(recordTo), { recursive: true });
  accessSync(path.dirname(recordTo), constants.W_OK);
}

/** Lists the requests of a run. */
async function renderDryRun({ suite, settings, connection }: RunInputs): Promise<string> {
  const { createPlan, renderPlan } = await import('../../run/plan.js');
  const { endpoint } = connection ?? {};
  const { quick, notes, target } = settings;
  const selected = selectFromSuite(suite, settings);
  return [
    joinLines([
      ...(endpoint === undefined ? [] : [`Target ${target.name}: ${endpoint.baseUrl}`]),
      ...(quick === undefined ? [] : [renderQuickNotice(quick.figures)]),
      ...(suite.data === undefined ? [] : describeData(suite.data)),
      ...notes,
    ]),
    renderPlan(createPlan(selected, settings), suite.world),
    joinLines(target.kind === 'reference' ? [referenceEndNotice] : []),
  ].join('');
}
