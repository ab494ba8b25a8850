/**
 * The reporter of Playwright, in its main process. In: the tests as they end, with their reports as attachments. Out: the results
 * of each project, a summary in the terminal, and the status of the run.
 */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type * as Playwright from '@playwright/test/reporter';
import type { Certificate } from '../certificate/certificate.js';
import { determineOverallVerdict } from '../certificate/overall-verdict.js';
import { ReportedRun, runEndings } from '../certify/reported-run.js';
import type { RunInputs } from '../config/run-inputs.js';
import { claimResultsFolder } from '../outputs/claimed-folder.js';
import { removeResults } from '../outputs/result-files.js';
import { renderErrorContext, renderUserTestFailure } from '../outputs/terminal/error-context.js';
import { ProgressDisplay } from '../outputs/terminal/progress.js';
import { addColors } from '../outputs/terminal/run-report.js';
import { codeFolder, packageRoot } from '../support/package-root.js';
import { isInside, renderPath } from '../support/paths.js';
import { ignoreClosedOutput, UnusableInput } from '../support/problem.js';
import { getFirstLine, joinAndEscapeLines, toOneLine } from '../support/untrusted-text.js';
import { disableExpectedFailures, enableExpectedFailures, markFailureAsUnexpected } from './expected-failure.js';
import {
  loadProjectInputs,
  readCaseId,
  readProcessSharedValue,
  readTestAttachment,
  removeReporterAttachments,
  shareWithChildProcesses,
} from './options.js';

const specs = path.join(codeFolder, 'specs');

/** Creates a certificate for each project from the reports of its tests. The run fails unless all targets conform. */
export default class CertificateReporter implements Playwright.Reporter {
  private readonly runs = new Map<string, ReportedRun>();
  private readonly failures: (readonly [Playwright.TestCase, Playwright.TestResult])[] = [];
  /** Why Playwright ended before the first test. */
  private error: string | undefined;
  /** Whether another reporter shows tests and errors. */
  private isListed = false;
  private isMerge = false;
  private output = '';
  /** The cases that were begun and have not ended. */
  private readonly running = new Set<string>();
  private readonly progress = new ProgressDisplay(process.stderr, () => this.readProgress());

  constructor() {
    ignoreClosedOutput();
    // SIGTERM, and a closed terminal (SIGHUP), end this process as Ctrl-C does: it writes its results. Nothing is sent to this
    // process: on Windows, every signal would kill it.
    const interrupt = () => {
      if (!process.emit('SIGINT')) process.exit(130);
    };
    process.once('SIGTERM', interrupt).once('SIGHUP', interrupt);
  }

  onBegin(config: Playwright.FullConfig, tests: Playwright.Suite): void {
    enableExpectedFailures(config, import.meta.filename);
    this.isListed = config.reporter.some(([name]) => ['list', 'line', 'dot'].includes(name));
    const planned = listPlannedCases(tests);
    // The worker sends planned cases ahead. Several workers, and runs that stop early, would not need all of them.
    if (config.maxFailures === 0 && config.workers === 1) sharePlannedCases(planned);
    try {
      const projects = loadProjects(config, planned);
      prepareFolders(projects);
      for (const { project, cases, inputs } of projects) this.runs.set(project.name, new ReportedRun(cases, inputs));
      this.isMerge = projects.some(({ inputs }) => inputs === undefined);
      printTerms(config, projects);
      // Another reporter shows tests as they end.
      if (!this.isListed && !this.isMerge) this.progress.start();
    } catch (error) {
      if (!(error instanceof UnusableInput)) throw error;
      this.refuseRun(error);
    }
  }

  /** Ends the process. The results of the run before are still there. */
  private refuseRun({ message }: UnusableInput): never {
    this.error ??= message;
    process.stderr.write(`${message}\n`);
    // Playwright has no way for a reporter to end a run before its first test.
    runEndings.push('not-begun');
    process.exit(1);
  }

  onTestBegin(test: Playwright.TestCase): void {
    this.running.add(readCaseId(test) ?? test.title);
  }

  private readProgress() {
    const counts = [...this.runs.values()].map(({ progress }) => progress);
    const add = (name: 'sent' | 'retried' | 'planned') => counts.reduce((sum, count) => sum + count[name], 0);
    const [waitsFor] = this.running;
    return { sent: add('sent'), retried: add('retried'), planned: add('planned'), waitsFor };
  }

  /** Writes to standard error, where the progress may be. */
  private writeError(text: string | Uint8Array): void {
    this.progress.clear();
    process.stderr.write(text);
  }

  onTestEnd(test: Playwright.TestCase, result: Playwright.TestResult): void {
    this.running.delete(readCaseId(test) ?? test.title);
    // This comes first, so that no error below leaves a failure that looks like a success.
    markFailureAsUnexpected(test, result);
    const id = readCaseId(test);
    const run = this.runs.get(getProject(test).name);
    if (id === undefined && !this.isListed && test.outcome() === 'unexpected')
      this.writeError(renderUserTestFailure(test.titlePath(), result.errors));
    if (id === undefined || run === undefined) return;
    // Once this turn ends, the other reporters have read the attachment: a blob report must contain it.
    queueMicrotask(() => removeReporterAttachments(result));
    addResult(run, id, result);
    if (result.status !== 'failed') return;
    this.failures.push([test, result]);
    explainFailure(test, result);
  }

  onError({ message = '' }: Playwright.TestError): void {
    // Playwright colors some messages without regard to the terminal.
    const lines = stripVTControlCharacters(message)
      .replace(/^(UnusableInput|Error): /, '')
      .split('\n');
    this.error ??= lines[0];
    if (!this.isListed) this.writeError(joinAndEscapeLines(lines));
  }

  /** What a web server of the config says, such as why it does not start. */
  onStdErr(chunk: string | Buffer, test?: Playwright.TestCase): void {
    if (test === undefined && !this.isListed) this.writeError(chunk);
  }

  async onEnd(result: Playwright.FullResult): Promise<{ status: Playwright.FullResult['status'] }> {
    this.progress.stop();
    disableExpectedFailures();
    const isCutShort = result.status === 'interrupted' || result.status === 'timedout';
    if (this.runs.size === 0) runEndings.push('not-begun');
    let isGood = true;
    for (const [name, run] of this.runs) {
      const conforms = await this.endRun(name, run, isCutShort);
      isGood &&= conforms;
    }
    // Playwright ends a merge with 0, whatever its reporters return.
    if (this.isMerge && !isGood) process.once('exit', () => (process.exitCode ||= 1));
    return { status: result.status === 'passed' && !isGood ? 'failed' : result.status };
  }

  /** Certifies one project, and writes its results. @returns whether its target conforms */
  private async endRun(name: string, run: ReportedRun, isCutShort: boolean): Promise<boolean> {
    try {
      const outcome = await run.publish(isCutShort, this.error && toOneLine(this.error));
      const { certificate, report } = outcome;
      this.explainFailures(name, certificate.causes);
      runEndings.push(outcome);
      this.output += addColors(report);
      const verdict = determineOverallVerdict(certificate);
      // A merge cannot tell a missing part from a selection.
      const isPart = this.isMerge && certificate.verdict !== verdict;
      return verdict === 'conforms' && !isPart;
    } catch (error) {
      const isUnwritten = error instanceof UnusableInput;
      runEndings.push(isUnwritten ? 'unwritten' : 'bug');
      if (!isUnwritten) throw error;
      process.stderr.write(`${error.message}\n`);
      return false;
    }
  }

  /** Says the causes of the failures of a project, which are known once all cases are judged. */
  private explainFailures(project: string, causes: Certificate['causes']): void {
    for (const [test, result] of this.failures)
      if (getProject(test).name === project) explainFailure(test, result, causes);
  }

  /** Prints the results last, after the output of all other reporters. */
  async onExit(): Promise<void> {
    process.stdout.write(this.output);
  }

  printsToStdio(): boolean {
    return true;
  }
}

type PlannedCases = ReadonlyMap<Playwright.FullProject, ReadonlySet<string>>;

/** A project that gets a certificate. */
interface CertifiedProject {
  readonly project: Playwright.FullProject;
  /** The ids of the cases that it runs. */
  readonly cases: ReadonlySet<string>;
  /** Merged reports come without the options of their projects, so without inputs. */
  readonly inputs: RunInputs | undefined;
}

function listPlannedCases(tests: Playwright.Suite): PlannedCases {
  return new Map(
    tests.suites.map((suite) => {
      const ids = suite.allTests().flatMap((test) => readCaseId(test) ?? []);
      return [suite.project() as Playwright.FullProject, new Set(ids)];
    }),
  );
}

function sharePlannedCases(planned: PlannedCases): void {
  const withCases = [...planned].filter(([, ids]) => ids.size > 0);
  shareWithChildProcesses('plannedCases', Object.fromEntries(withCases.map(([{ name }, ids]) => [name, [...ids]])));
}

/** Loads the inputs of the projects that have cases. @throws UnusableInput */
function loadProjects(config: Playwright.FullConfig, planned: PlannedCases): CertifiedProject[] {
  return chooseProjects(config, planned).map((project) => ({
    project,
    cases: planned.get(project) ?? new Set(),
    inputs: 'conformance' in project.use ? loadProjectInputs(project.use, config) : undefined,
  }));
}

/** With no case at all, each project that could have cases gets a certificate that says so. */
function chooseProjects(config: Playwright.FullConfig, planned: PlannedCases): readonly Playwright.FullProject[] {
  const withCases = [...planned].flatMap(([project, ids]) => (ids.size > 0 ? [project] : []));
  if (withCases.length > 0) return withCases;
  const projects = planned.size > 0 ? [...planned.keys()] : config.projects;
  return projects.filter(({ testDir }) => path.resolve(testDir) === specs);
}

/** Removes the results of the run before. All folders are checked before the first one loses a file. @throws UnusableInput */
function prepareFolders(projects: readonly CertifiedProject[]): void {
  const folders = projects.flatMap(({ inputs }) => inputs?.settings.destination.out ?? []);
  for (const folder of folders) claimResultsFolder(folder);
  for (const folder of folders) removeResults(folder);
}

/** Prints what decides the exit status besides the cases: the config of the user, and the records. */
function printTerms(config: Playwright.FullConfig, projects: readonly CertifiedProject[]): void {
  const { configFile } = config;
  const isOfUser = configFile !== undefined && !isInside(packageRoot, configFile);
  const records = projects.flatMap(({ inputs }) => inputs?.settings.expected.record ?? []);
  const terms = [
    ...(isOfUser && readProcessSharedValue('runs') !== undefined ? [`With ${renderPath(configFile)}.`] : []),
    ...records.map((record) => `Compares with the record ${record}.`),
  ];
  if (terms.length > 0) process.stdout.write(joinAndEscapeLines([terms.join(' ')]));
}

/** Adds what the worker reported of a case, or that it reported nothing. */
function addResult(run: ReportedRun, id: string, result: Playwright.TestResult): void {
  const report = readTestAttachment(result, 'conformance');
  const start = readTestAttachment(result, 'conformance-start');
  const failure = readTestAttachment(result, 'conformance-failure');
  if (start !== undefined) run.begin(start);
  if (failure !== undefined) run.fail(failure);
  // The end of the run may have aborted the requests of a test, so its case counts as not reached.
  const isCounted = result.status !== 'interrupted';
  if (report !== undefined) {
    run.add(report, isCounted);
    return;
  }
  if (!isCounted || result.status === 'skipped') return;
  const { message = 'The test ended without a result.' } = result.error ?? {};
  run.addUnjudged(id, 'error', toOneLine(getFirstLine(message)));
}

function getProject(test: Playwright.TestCase): Playwright.FullProject {
  // Only the suite above all projects has none.
  return test.parent.project() as Playwright.FullProject;
}

/** Adds the cause to a failed test, and writes the file that Playwright shows with the error. */
function explainFailure(
  test: Playwright.TestCase,
  { annotations, attachments, errors }: Playwright.TestResult,
  causes: Certificate['causes'] = [],
): void {
  const cause = causes.find(({ cases }) => cases.includes(readCaseId(test) ?? ''))?.sentence;
  if (cause !== undefined) annotations.push({ type: 'cause', description: cause });
  const requirement = test.annotations.find(({ type }) => type === 'requirement')?.description;
  const text = renderErrorContext(test.title, errors[0]?.message ?? '', requirement, cause);
  for (const { name, path: file } of attachments)
    if (name === 'error-context' && file !== undefined) writeFileSync(file, text);
}
