/** What Playwright passes between its processes: options of projects, variables of the environment, and attachments. */

import path from 'node:path';
import type { FullConfig, TestCase, TestResult } from '@playwright/test/reporter';
import { referenceCredentials } from '../../reference/deployment/reference-credentials.js';
import type { RunStartReport } from '../certify/target-run.js';
import { addReferenceEndpoint, type LiveRunInputs, loadRunInputsOnce } from '../config/run-inputs.js';
import { checkRunOptions, completeRunOptions, type RunOptions } from '../config/run-options.js';
import type { DataFileReference } from '../contract/world-file.js';
import type { CaseReport } from '../run/case-report.js';
import { parseJson } from '../support/json.js';
import { renderPath } from '../support/paths.js';
import type { Problem } from '../support/problem.js';

/** What a project sets under `use`. */
export interface ConformanceUseOptions {
  readonly target: string | undefined;
  /** What the flags of `certify` set, by the names that the API gives them. They win over `target`. */
  readonly conformance: RunOptions;
}

/** The options of one run of `certify`; with a project, it names its deployment itself. */
export type CertifyRunOptions = RunOptions & { readonly project?: string };

interface Shared {
  /** What the flags of `certify` set. */
  readonly runs: readonly CertifyRunOptions[];
  /** What the global set-up finds out for the workers. */
  readonly setUp: {
    /** The address of the reference deployment. */
    readonly reference: string;
    readonly ownCases: readonly { readonly folder: string; readonly data?: DataFileReference }[];
    /** Whether the requests of each project are drawn from a data file. */
    readonly areDrawn: readonly boolean[];
  };
  /** The cases that each project will run, in their order, so that requests can be sent ahead. */
  readonly plannedCases: Readonly<Record<string, readonly string[]>>;
}

const variables = { runs: 'CONFORMANCE', setUp: 'CONFORMANCE_SET_UP', plannedCases: 'CONFORMANCE_PLANNED_CASES' };

/** Shares a value with all processes that this one starts. */
export function shareWithChildProcesses<Name extends keyof Shared>(name: Name, value: Shared[Name]): void {
  process.env[variables[name]] = JSON.stringify(value);
}

export function readProcessSharedValue<Name extends keyof Shared>(name: Name): Shared[Name] | undefined {
  return parseJson(process.env[variables[name]] ?? '') as Shared[Name] | undefined;
}

/** What the flags of `certify` set; one run without options if Playwright was started by itself. */
export function readCertifyRunOptions(): Shared['runs'] {
  return readProcessSharedValue('runs') ?? [{}];
}

/** Without a set-up, such as with `--list`, what flags name. */
export function readSetUp(): Shared['setUp'] {
  const runs = readCertifyRunOptions();
  const ownCases = runs.flatMap(({ cases: folder, data }) =>
    folder === undefined ? [] : { folder, ...(data && { data: { file: data } }) },
  );
  return (
    readProcessSharedValue('setUp') ?? { reference: '', ownCases, areDrawn: runs.map(({ data }) => data !== undefined) }
  );
}

/** Loads suite and settings of a project, once per process. @param use {@link ConformanceUseOptions} */
export function loadProjectInputs(
  use: object,
  { configFile = '' }: Pick<FullConfig, 'configFile'> = {},
): LiveRunInputs {
  const { target: stated, conformance = {} } = use as Partial<ConformanceUseOptions>;
  checkRunOptions(conformance);
  const isNamed = conformance.baseUrl !== undefined || conformance.reference === true || stated === undefined;
  const target = isNamed ? {} : { target: renderPath(path.resolve(path.dirname(configFile), stated)) };
  const inputs = loadRunInputsOnce(completeRunOptions({ ...target, ...conformance }, process.env), process.env);
  const { reference: baseUrl } = readSetUp();
  const isLocated = inputs.connection.endpoint !== undefined || baseUrl === '';
  return isLocated ? inputs : addReferenceEndpoint(inputs, { baseUrl, credentials: referenceCredentials });
}

/** What tests tell the reporter, each value as an attachment of its own. */
interface Attached {
  readonly conformance: CaseReport;
  /** With the first test of a worker. */
  readonly 'conformance-start': RunStartReport;
  /** Why the run has no valid verdict: its transport failed. */
  readonly 'conformance-failure': readonly Problem[];
}

const attachedNames: readonly (keyof Attached)[] = ['conformance', 'conformance-start', 'conformance-failure'];

type Attachments = Pick<TestResult, 'attachments'>;

// `testInfo.attach` also makes a step, which takes longer than most cases.
function attach({ attachments }: Attachments, name: string, contentType: string, text: string): void {
  attachments.push({ name, contentType, body: Buffer.from(text) });
}

/** Attaches texts that people read in the reports of Playwright, by their names. */
export function attachTexts(test: Attachments, texts: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(texts)) attach(test, name, 'text/plain', text);
}

/** Attaches a value for the reporter. */
export function attachValue<Name extends keyof Attached>(test: Attachments, name: Name, value: Attached[Name]): void {
  attach(test, name, 'application/json', JSON.stringify(value));
}

/** Reads what a test attached for the reporter; undefined if it attached none, such as a test that ended before. */
export function readTestAttachment<Name extends keyof Attached>(
  { attachments }: Attachments,
  name: Name,
): Attached[Name] | undefined {
  const body = attachments.find((attached) => attached.name === name)?.body;
  return body && (parseJson(body.toString('utf8')) as Attached[Name] | undefined);
}

/** Frees the memory of what was attached for the reporter: Playwright keeps all test results until the end of the run. */
export function removeReporterAttachments({ attachments }: Attachments): void {
  const names: readonly string[] = attachedNames;
  const others = attachments.filter(({ name }) => !names.includes(name));
  attachments.splice(0, attachments.length, ...others);
}

const caseAnnotation = 'case';

export function createCaseAnnotation(id: string) {
  return { type: caseAnnotation, description: id };
}

export function readCaseId({ annotations }: Pick<TestCase, 'annotations'>): string | undefined {
  return annotations.find(({ type }) => type === caseAnnotation)?.description;
}
