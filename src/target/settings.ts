import { existsSync } from 'node:fs';
import path from 'node:path';
import {
  findCasesByName,
  findExclusionReason,
  matchCases,
  type RunScope,
  selectCases,
  selectFromSuite,
} from '../cases/case-selection.js';
import { isOwnCase, loadSuite, type Suite, suiteFolder } from '../cases/suite.js';
import { type TestCase, tag } from '../cases/test-case.js';
import { type EvidenceOrigin, parseArchive } from '../certificate/har-archive.js';
import { referenceNotice } from '../certificate/notices.js';
import type { NamedWorld } from '../contract/world.js';
import type { Availability } from '../contract/world-file.js';
import { createRedactor } from '../http/redactor.js';
import type { ResultsDestination } from '../outputs/result-files.js';
import { createRecognizer } from '../recognition/recognizer.js';
import { type Baseline, createBaseline, describeUncompared } from '../record/drift.js';
import { type KnownFile, readKnownDeviations } from '../record/known-deviations.js';
import { readRecord } from '../record/target-record.js';
import { listRequests } from '../run/case-sender.js';
import type { RunEvidence } from '../run/evidence-keeper.js';
import type { EngineOptions } from '../run/run.js';
import { omitUndefined } from '../support/collections.js';
import { type Problem, refuse, UnusableInput } from '../support/problem.js';
import { validateFile } from '../support/schema-validation.js';
import { toOneLine } from '../support/untrusted-text.js';
import { readYaml } from '../support/yaml-file.js';
import type { Environment, RunOptions } from './run-options.js';
import {
  type LoadedTarget,
  listSecrets,
  loadTarget,
  locateBeside,
  type Target,
  type TargetConnection,
} from './target.js';

/** Attachments and evidence carry them as JSON, and a run is judged again by them. They contain no secrets. */
export interface RunSettings {
  readonly target: Target;
  readonly availability: Availability;
  readonly cases?: string;
  readonly expected: Baseline;
  readonly known?: KnownFile;
  /** Whether cases with bad credentials, oversized bodies or other methods are excluded. */
  readonly excludesIntrusive: boolean;
  /** The ids of the cases to run. Default: all. */
  readonly only?: readonly string[];
  readonly quick?: QuickRows;
  readonly notes: readonly string[];
  readonly destination: ResultsDestination;
  /** Whether the exchanges are those of real callers: the cases are made from them. */
  readonly isTraffic?: true;
}

export interface RunInputs {
  readonly suite: Suite;
  readonly settings: RunSettings;
  readonly connection: TargetConnection;
}

export type JudgingInputs = Pick<RunInputs, 'suite' | 'settings'>;

export function createInputsRecognizer({ suite, settings }: JudgingInputs) {
  return createRecognizer(suite.world, settings.target.mentionFilter);
}

export interface RecordedRun {
  readonly evidence: RunEvidence;
  readonly origin: EvidenceOrigin;
  readonly settings: RunSettings;
}

const loaded = new Map<string, RunInputs>();

/** Loads the inputs of a run once per process, for processes that end with the run. @throws as {@link loadInputs} */
export function loadInputsOnce(options: RunOptions, environment: Environment): RunInputs {
  // `certify` and Playwright set variables of their own between two calls.
  const stable = Object.entries(environment).filter(([name]) => !/^(CONFORMANCE|PLAYWRIGHT|PW_)/.test(name));
  const key = JSON.stringify([options, stable]);
  const inputs = loaded.get(key) ?? loadInputs(options, environment);
  loaded.set(key, inputs);
  return inputs;
}

/** Loads suite and settings of any run. @throws UnusableInput as `loadSuite` and `loadSettings` */
export function loadInputs(options: RunOptions, environment: Environment): RunInputs {
  const target = loadTarget(options, environment);
  const { file, connection } = target;
  const cases = options.cases ?? locateBeside(file, file?.document.cases);
  const suite = loadSuite(suiteFolder, target.availability, cases);
  return { suite, settings: { ...loadSettings(target, options, suite), ...omitUndefined({ cases }) }, connection };
}

/** Describes the run that evidence is of. It names no paths of this machine. */
export function createOrigin(
  { name, version, digest }: Suite,
  { destination: _, cases: __, ...inputs }: RunSettings,
  { isReplay, ...run }: Pick<EvidenceOrigin, 'baseUrl' | 'extent'> & { readonly isReplay: boolean },
): EvidenceOrigin {
  return { suite: { name, version, digest }, ...run, ...(isReplay && { isReplay }), inputs };
}

/** Parses evidence. @param dataFile where the data file of the run is now @throws UnusableInput */
export function parseRecordedRun(content: Buffer, file: string, dataFile?: string): RecordedRun {
  const { evidence, origin } = parseArchive(content, file);
  const settings = origin.inputs as Omit<RunSettings, 'destination'>;
  const { availability } = settings;
  const data = availability.data && { ...availability.data, ...omitUndefined({ movedTo: dataFile }) };
  const moved = { ...availability, ...omitUndefined({ data }) };
  return { evidence, origin, settings: { ...settings, availability: moved, destination: { out: '' } } };
}

/** Reads the settings of a run and the files that they name. @throws UnusableInput with every problem of the files */
export function loadSettings(
  { file, target, connection, availability, notes }: LoadedTarget,
  options: RunOptions,
  suite: Suite,
): RunSettings {
  const { pins = {}, intrusive } = file?.document ?? {};
  const problems = findSecretsInRequests(connection, suite);
  if (problems.length > 0) throw new UnusableInput(problems);
  const stated = locateBeside(file, file?.document.record);
  const recordTo = findRecordToWrite(options, stated);
  // Fails if the file is not a record, so that nothing else is overwritten.
  if (recordTo && existsSync(recordTo)) readRecord(recordTo);
  const usual = recordTo ?? stated;
  const { against = usual !== undefined && existsSync(usual) && usual } = options;
  const record = against ? readRecord(against) : undefined;
  const known = findKnownFile(options, locateBeside(file, file?.document.known));
  // Data that nobody made for tests may be that of production.
  const excludesIntrusive = !(options.intrusive ?? intrusive ?? suite.data === undefined);
  const isCompared = stated === undefined || recordTo !== undefined || options.against !== undefined || record;
  const { data } = availability;
  const { digest } = suite.data ?? {};
  return {
    target,
    availability: { ...availability, ...(data && { data: { ...data, ...omitUndefined({ digest }) } }) },
    expected: createBaseline(record, pins, against || undefined),
    excludesIntrusive,
    notes: [
      ...listTargetNotes(target, suite.world.ownPromotions),
      ...notes,
      ...(record === undefined ? [] : describeUncompared(record, suite)),
      ...(isCompared
        ? []
        : [`There is no record ${stated} yet, so no answer is compared. npx conformance record writes it.`]),
    ],
    ...readSelection(options, suite, { excludesIntrusive }),
    destination: {
      out: options.out ?? path.join('results', createFolderName(target.name)),
      ...omitUndefined({ recordTo, recordKnownTo: options.recordKnownTo }),
    },
    ...(known !== undefined && { known: readKnownDeviations(known, suite.contract) }),
  };
}

/** Finds out where the options want a record. @param stated in the target file @throws UnusableInput */
export function findRecordToWrite({ recordTo, recordKnownTo }: RunOptions, stated?: string): string | undefined {
  if (recordTo !== true) return recordTo;
  if (stated !== undefined || recordKnownTo !== undefined) return stated;
  const hint = 'Use --to, or add a line to the target file, such as record: record.yaml';
  throw refuse('record', 'nothing names the file of the record', hint);
}

/** A file that is to be written need not be there. */
function findKnownFile({ known, recordKnownTo }: RunOptions, stated: string | undefined): string | undefined {
  if (recordKnownTo === undefined) return known ?? stated;
  return existsSync(recordKnownTo) ? recordKnownTo : undefined;
}

/** Loads what is known to be wrong with a target. @throws UnusableInput if the file names an unknown cause */
export async function loadKnown({ known }: Pick<RunSettings, 'known'>, world: NamedWorld) {
  if (known === undefined) return undefined;
  const { readKnownCauses } = await import('../certificate/known-causes.js');
  return readKnownCauses(known, world);
}

/** Converts settings to options of the engine. @throws UnusableInput as {@link loadKnown} */
export async function createEngineOptions(settings: RunSettings, world: NamedWorld): Promise<EngineOptions> {
  const { target, expected, excludesIntrusive, destination } = settings;
  const stated = { ...target, expected, excludesIntrusive, infersShape: destination.recordTo !== undefined };
  const known = await loadKnown(settings, world);
  if (known === undefined) return stated;
  const { createKnownMistakes } = await import('../certificate/known-causes.js');
  const mistakes = known.causes.length === 0 ? undefined : createKnownMistakes(known, world);
  return { ...stated, knownRequirements: known.requirements, ...omitUndefined({ known: mistakes }) };
}

function listTargetNotes({ kind, transport, tierPatterns, mentionFilter }: Target, ownPromotions = 0): string[] {
  const where = JSON.stringify(mentionFilter?.where ?? {});
  const stated = 'The target file states';
  const notes = [
    kind === 'reference' && referenceNotice,
    transport &&
      `Through a transport: ${toOneLine(transport.name)}, ${transport.digest}. The documented operation was not certified.`,
    tierPatterns && `${stated} where responses name promotions: ${toOneLine(tierPatterns.join(', '))}.`,
    where !== '{}' && `${stated} which of them were returned: ${toOneLine(where)}.`,
    ownPromotions > 0 && `${stated} that ${ownPromotions} of the newest 150 promotions are the deployment's own.`,
  ];
  return notes.filter((note) => typeof note === 'string');
}

/** The rows that catch the known faults. See `schemas/discriminating-rows.schema.json`. */
export interface DiscriminatingRows {
  readonly chosen_from: string;
  readonly faults: number;
  readonly caught: number;
  readonly rows: readonly { readonly case: string; readonly row?: string; readonly faults: number }[];
}

/** `npm run update` writes it. */
export const discriminatingRowsFile = path.join(suiteFolder, 'discriminating-rows.yaml');

/** @throws UnusableInput if the file does not match its schema */
export function readDiscriminatingRows(): DiscriminatingRows {
  return validateFile('discriminating-rows', readYaml(discriminatingRowsFile)) as DiscriminatingRows;
}

/** The titles of rows of requirement cases, by case id. */
export interface QuickRows {
  readonly rows: Readonly<Record<string, readonly string[]>>;
}

export function selectQuickRows({ cases }: Suite, discriminating: DiscriminatingRows, scope: RunScope): QuickRows {
  const rows: Record<string, string[]> = {};
  for (const { case: id, row: title = '' } of discriminating.rows) {
    const testCase = cases.find((candidate) => candidate.id === id);
    if (testCase === undefined || findExclusionReason(testCase, scope) !== undefined) continue;
    const isSent = testCase.rows.find((row) => row.title === title)?.unavailable.length === 0;
    if (isSent) rows[id] = [...(rows[id] ?? []), title];
  }
  return { rows };
}

/** Selects cases and rows. @throws UnusableInput for unknown names, and if `--quick` has no row of them */
export function readSelection(
  options: Pick<RunOptions, 'only' | 'quick'>,
  suite: Suite,
  scope: RunScope,
): Pick<RunSettings, 'only' | 'quick'> {
  const only = options.only && findCasesByName(options.only, suite, '--only');
  if (!options.quick) return omitUndefined({ only });
  if (suite.data !== undefined)
    throw refuse('--quick', 'needs the test data of the suite', "Set 'requests' in the target file.");
  const quick = selectQuickRows(selectFromSuite(suite, omitUndefined({ only })), readDiscriminatingRows(), scope);
  if (Object.keys(quick.rows).length === 0)
    throw refuse('--quick', 'sends no row of the selected cases', 'Select other cases, or leave out --quick.');
  return { quick, ...omitUndefined({ only }) };
}

/** The cases that flags select. Which of them a target has the data for is known in its worker. */
export function selectTests({ only, quick }: RunOptions, whole: Suite): readonly TestCase[] {
  // An unknown name is a case of another folder, or a mistake that was reported before.
  const cases = selectCases(whole, only === undefined ? {} : { only: matchCases(only, whole).ids });
  if (!quick) return cases;
  const discriminating = new Set(readDiscriminatingRows().rows.map((row) => row.case));
  return cases
    .filter(({ id }) => discriminating.has(id))
    .map((testCase) => ({ ...testCase, tags: testCase.tags.filter((name) => name !== tag.sample) }));
}

export function createFolderName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9._-]+|^\.+/g, '-');
}

/** Redaction would change these texts in the evidence: `verify` could not judge it again. */
function findSecretsInRequests(connection: TargetConnection, suite: Suite): Problem[] {
  // Requests that are drawn from a data file, which takes long, have the same headers.
  const { cases } = suite.data === undefined ? suite : loadSuite();
  // Evidence has query and body of the suite's own requests as they are.
  const requests = cases.flatMap((testCase) =>
    listRequests(testCase).map((request) => (isOwnCase(testCase) ? request : request.headers)),
  );
  const ids = Object.values(suite.world.ids).map((ofKind) => [...ofKind.values()]);
  const text = JSON.stringify([ids, requests]);
  const found = listSecrets(connection).filter((secret) => createRedactor([secret])(text) !== text);
  return found.map(({ placeholder }) => ({
    at: { setting: placeholder.slice(1) },
    message: 'its value is a part of an id or of a request, so it cannot be hidden in the evidence',
    hint: 'Use another value. A header that is no secret needs no variable.',
  }));
}
